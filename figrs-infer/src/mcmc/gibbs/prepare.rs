//! Preparation of a factor graph for Gibbs sampling: finds the free variables and the variables that are functions of others, and tabulates the
//! factors.

use figrs_factor::graph::{
    Assignments, Factor, FactorGraph, FactorTable, LogTable, VarId, for_each_entry, log_entry,
};
use rustc_hash::FxHashMap;

/// Maximum number of assignments of a factor that is tabulated; entries of larger factors are computed from the original factor.
pub(super) const DENSE: usize = 1 << 16;
/// Maximum number of assignments of a variable's parents, up to which a factor is tested for making the variable (the last in the factor) a function
/// of the parents.
const INDEX: usize = 1 << 20;
/// Number of entries up to which a table may always grow when a function variable in the table is replaced by its parents.
const ALWAYS_FOLDED_SIZE: usize = 64;
/// A table that grows to more than `ALWAYS_FOLDED_SIZE` entries may grow by at most this factor when a function variable in the table is replaced by
/// its parents, to at most `FOLDED` entries.
const GROWTH: usize = 4;
const FOLDED: usize = 4096;

/// A variable that is a function of other variables.
#[derive(Clone, Debug)]
pub(super) struct DeterministicVariable {
    pub(super) child: usize,
    pub(super) parents: Vec<usize>,
    assignments: Assignments,
    /// The value of the function for each assignment of the parents, in row-major order; arbitrary where the assignment of the parents has weight
    /// zero.
    pub(super) index: Vec<u32>,
}

impl DeterministicVariable {
    pub(super) fn value(&self, values: &[u32]) -> u32 {
        self.index[self.assignments.number(values)]
    }
}

/// A factor by which the weight of an assignment is multiplied.
#[derive(Clone, Debug)]
pub(super) enum WeightFactor {
    Dense(LogTable),
    /// A factor of the original factor graph, given by its index.
    Factor(usize),
}

/// A factor graph prepared for Gibbs sampling: some variables are defined as functions of other variables; the remaining factors are called weight
/// factors.
///
/// If each function variable has the value of its function, the weight of an assignment is the product of the weight factors, up to a constant. If
/// some function variable has another value than its function, the weight of an assignment is zero.
#[derive(Debug)]
pub(super) struct PreparedGraph<'g> {
    pub(super) graph: &'g FactorGraph,
    /// For each variable, its definition as a function of other variables, if it has one.
    pub(super) definitions: Vec<Option<DeterministicVariable>>,
    /// The variables that are defined as functions of other variables, in topological order.
    pub(super) order: Vec<usize>,
    /// For each variable, `true` if no weight factor and no function of other variables depends on it.
    pub(super) folded: Vec<bool>,
    /// For each variable, `true` if the chains have no value of the variable, because it was summed out or is a function whose value nothing needs.
    pub(super) left_out: Vec<bool>,
    pub(super) weight_factors: Vec<WeightFactor>,
}

impl<'g> PreparedGraph<'g> {
    pub(super) fn new(graph: &'g FactorGraph) -> Self {
        let n = graph.cardinalities.len();
        let mut candidates: Vec<Option<(DeterministicVariable, usize)>> = vec![None; n];
        for (i, factor) in graph.factors.iter().enumerate() {
            if let Some(definition) = as_function(graph, factor) {
                let child = definition.child;
                candidates[child].get_or_insert((definition, i));
            }
        }
        let order = sorted(&mut candidates);
        let mut defining = vec![false; graph.factors.len()];
        candidates
            .iter()
            .flatten()
            .for_each(|(_, i)| defining[*i] = true);
        let mut values = vec![0; n];
        let mut pieces = Vec::new();
        for (i, factor) in graph.factors.iter().enumerate() {
            let mut scope = factor.variables.clone();
            if !defining[i] && graph.dense_size(&scope) > DENSE {
                pieces.push(WeightFactor::Factor(i));
                continue;
            }
            let definition = scope.last().and_then(|v| candidates[v.index()].as_ref());
            let table = match definition {
                // Builds a table over the parents: the entries of the factor at the value that the function gives.
                Some((definition, _)) if defining[i] => {
                    scope.pop();
                    scope.sort_unstable();
                    LogTable::tabulate(graph, scope, &mut values, |values| {
                        values[definition.child] = definition.value(values);
                        log_entry(graph, factor, values)
                    })
                }
                _ => {
                    scope.sort_unstable();
                    LogTable::tabulate(graph, scope, &mut values, |values| {
                        log_entry(graph, factor, values)
                    })
                }
            };
            if !table.is_constant() {
                pieces.push(WeightFactor::Dense(table));
            }
        }
        let mut this = Self {
            graph,
            definitions: candidates
                .into_iter()
                .map(|candidate| Some(candidate?.0))
                .collect(),
            order,
            folded: vec![false; n],
            left_out: vec![false; n],
            weight_factors: pieces,
        };
        this.fold();
        this.merge();
        this
    }

    pub(super) fn scope(&self, piece: &WeightFactor) -> Vec<usize> {
        let scope = match piece {
            WeightFactor::Dense(table) => &table.scope,
            WeightFactor::Factor(i) => &self.graph.factors[*i].variables,
        };
        scope.iter().map(|v| v.index()).collect()
    }

    /// Returns the number of assignments of `variables`, or the largest `usize` if there are more.
    pub(super) fn count(&self, variables: &[usize]) -> usize {
        Assignments::within(self.graph, variables.iter().copied()).count()
    }

    /// Returns the natural logarithm of the weight factor `piece` at the assignment `values`.
    pub(super) fn log(&self, piece: &WeightFactor, values: &[u32]) -> f64 {
        match piece {
            WeightFactor::Dense(table) => table.at(values),
            WeightFactor::Factor(i) => log_entry(self.graph, &self.graph.factors[*i], values),
        }
    }

    /// Replaces function variables in tables by their parents, unless the replacement enlarges the tables too much.
    fn fold(&mut self) {
        let n = self.graph.cardinalities.len();
        let mut mentions: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, piece) in self.weight_factors.iter().enumerate() {
            self.scope(piece).iter().for_each(|&v| mentions[v].push(i));
        }
        let mut read = vec![0u32; n];
        for definition in self.definitions.iter().flatten() {
            definition.parents.iter().for_each(|&p| read[p] += 1);
        }
        let mut values = vec![0; n];
        for &v in self.order.iter().rev() {
            let Some(definition) = &self.definitions[v] else {
                continue;
            };
            let wider = |i: &usize| -> Option<Vec<VarId>> {
                let WeightFactor::Dense(table) = &self.weight_factors[*i] else {
                    return None;
                };
                let mut scope = table.scope.clone();
                scope.retain(|u| u.index() != v);
                scope.extend(definition.parents.iter().map(|&p| VarId(p as u32)));
                scope.sort_unstable();
                scope.dedup();
                let limit = ALWAYS_FOLDED_SIZE.max(FOLDED.min(GROWTH * table.logs.len()));
                (self.graph.dense_size(&scope) <= limit).then_some(scope)
            };
            let scopes: Option<Vec<Vec<VarId>>> = mentions[v].iter().map(wider).collect();
            let Some(scopes) = scopes.filter(|_| read[v] == 0) else {
                continue;
            };
            for (&i, scope) in mentions[v].iter().zip(scopes) {
                let old = &self.weight_factors[i];
                let table = LogTable::tabulate(self.graph, scope, &mut values, |values| {
                    values[v] = definition.value(values);
                    self.log(old, values)
                });
                self.weight_factors[i] = WeightFactor::Dense(table);
            }
            self.folded[v] = true;
            definition.parents.iter().for_each(|&p| read[p] -= 1);
            let moved = std::mem::take(&mut mentions[v]);
            for &p in &definition.parents {
                mentions[p].extend(&moved);
                mentions[p].sort_unstable();
                mentions[p].dedup();
            }
        }
    }

    /// Multiplies tables over the same variables into one table, and drops constant tables.
    pub(super) fn merge(&mut self) {
        let mut known: FxHashMap<Vec<VarId>, usize> = FxHashMap::default();
        let mut merged: Vec<WeightFactor> = Vec::new();
        for piece in std::mem::take(&mut self.weight_factors) {
            let WeightFactor::Dense(table) = piece else {
                merged.push(piece);
                continue;
            };
            let place = *known.entry(table.scope.clone()).or_insert(merged.len());
            match merged.get_mut(place) {
                Some(WeightFactor::Dense(first)) => {
                    let logs = first.logs.iter_mut().zip(&table.logs);
                    logs.for_each(|(a, b)| *a += b);
                }
                _ => merged.push(WeightFactor::Dense(table)),
            }
        }
        merged.retain(|piece| !matches!(piece, WeightFactor::Dense(table) if table.is_constant()));
        for piece in &mut merged {
            if let WeightFactor::Dense(table) = piece {
                table.normalise();
            }
        }
        self.weight_factors = merged;
    }
}

/// Returns the last variable of `factor` as a function of the other variables; `None` if some assignment of the other variables allows several values
/// of the last variable.
fn as_function(graph: &FactorGraph, factor: &Factor) -> Option<DeterministicVariable> {
    let (child, parents) = factor.variables.split_last()?;
    let rows = graph.dense_size(parents);
    if parents.is_empty() || rows > INDEX {
        return None;
    }
    let parents: Vec<usize> = parents.iter().map(|v: &VarId| v.index()).collect();
    let assignments = Assignments::within(graph, parents.iter().copied());
    let numbers = Assignments::rows(parents.iter().map(|&p| graph.cardinalities[p] as usize));
    let mut index = vec![FactorTable::NO_VALUE; rows];
    let mut several = false;
    for_each_entry(graph, factor, |_, row| {
        let at = numbers.number(row);
        several |= index[at] != FactorTable::NO_VALUE;
        index[at] = row[parents.len()];
    });
    if several {
        return None;
    }
    for value in index.iter_mut().filter(|v| **v == FactorTable::NO_VALUE) {
        *value = 0;
    }
    Some(DeterministicVariable {
        child: child.index(),
        parents,
        assignments,
        index,
    })
}

/// Returns the function variables in topological order; if functions form a cycle, some of the functions in the cycle are dropped.
fn sorted(candidates: &mut [Option<(DeterministicVariable, usize)>]) -> Vec<usize> {
    let n = candidates.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut waits = vec![0usize; n];
    for (definition, _) in candidates.iter().flatten() {
        waits[definition.child] = definition.parents.len();
        for &parent in &definition.parents {
            children[parent].push(definition.child);
        }
    }
    let mut ready: Vec<usize> = (0..n).rev().filter(|&v| waits[v] == 0).collect();
    let mut done = vec![false; n];
    let mut order = Vec::new();
    let mut next = 0;
    loop {
        while let Some(v) = ready.pop() {
            done[v] = true;
            if candidates[v].is_some() {
                order.push(v);
            }
            for &child in &children[v] {
                waits[child] = waits[child].saturating_sub(1);
                if waits[child] == 0 && !done[child] && candidates[child].is_some() {
                    ready.push(child);
                }
            }
        }
        while next < n && done[next] {
            next += 1;
        }
        if next == n {
            return order;
        }
        candidates[next] = None;
        waits[next] = 0;
        ready.push(next);
    }
}
