//! Generalised arc consistency: removal of the values that zeros of factors exclude, before factors are multiplied.

use std::collections::VecDeque;

use crate::graph::{
    Assignments, DecidedVariables, Factor, FactorGraph, FactorTable, ReducedGraph, VarId, has_zeros,
};

/// Approximate maximum number of passes over the set of all factors that contain zeros.
const MAX_PASSES: usize = 16;

/// Returns the factor graph without the values that zeros of factors exclude, and without the variables that have only one value left. Returns `None`
/// if the exclusion of values leaves a variable without a value.
pub fn reduce(graph: &FactorGraph) -> Option<ReducedGraph> {
    reduce_given(graph, &[])
}

/// Returns the graph as [`reduce`] does, after each variable of `given` has been restricted to its value in `given`.
pub fn reduce_given(graph: &FactorGraph, given: &[(VarId, u32)]) -> Option<ReducedGraph> {
    let left = remaining_values(graph, given)?;
    Some(ReducedGraph::new(graph, left, DecidedVariables::LeftOut))
}

/// Removes the values that zeros of factors exclude, and keeps all variables. Returns `None` if zeros exclude no value at all, or exclude all values
/// of a variable.
pub fn without_excluded(graph: &FactorGraph) -> Option<ReducedGraph> {
    let left = remaining_values(graph, &[])?;
    let mut counts = left.iter().zip(&graph.cardinalities);
    let is_excluded = counts.any(|(left, &n)| left.len() < n as usize);
    is_excluded.then(|| ReducedGraph::new(graph, left, DecidedVariables::Kept))
}

/// Restricts the variables of `given` to their given values, and finds the values of each variable that zeros of factors do not exclude. A factor
/// excludes a value of a variable if the factor is zero for all remaining values of its other variables. Values are excluded until no factor excludes
/// another value (generalised arc consistency). Returns `None` if the exclusion of values leaves a variable without a value.
///
/// **Guarantee.** An assignment with an excluded value has weight zero.
///
/// **Complexity.** The algorithm reads each entry of the factors with zeros a few times.
///
/// **References.** Mackworth, *Consistency in networks of relations*, Artificial Intelligence 8(1), 1977.
fn remaining_values(graph: &FactorGraph, given: &[(VarId, u32)]) -> Option<Vec<Vec<u32>>> {
    let mut propagation = ConstraintPropagation::new(graph);
    for &(v, value) in given {
        propagation.possible[v.index()].fill(false);
        propagation.possible[v.index()][value as usize] = true;
    }
    let possible = propagation.run()?;
    let list = |possible: &Vec<bool>| {
        let values = (0..).zip(possible).filter(|(_, possible)| **possible);
        values.map(|(x, _)| x).collect()
    };
    Some(possible.iter().map(list).collect())
}

struct ConstraintPropagation<'a> {
    graph: &'a FactorGraph,
    possible: Vec<Vec<bool>>,
    /// For each variable, the factors that have zeros and contain the variable.
    mentions: Vec<Vec<usize>>,
    queue: VecDeque<usize>,
}

impl<'a> ConstraintPropagation<'a> {
    fn new(graph: &'a FactorGraph) -> Self {
        let cards = graph.cardinalities.iter();
        let mut this = Self {
            graph,
            possible: cards.map(|&n| vec![true; n as usize]).collect(),
            mentions: vec![Vec::new(); graph.cardinalities.len()],
            queue: VecDeque::new(),
        };
        for (i, factor) in graph.factors.iter().enumerate() {
            if has_zeros(factor) {
                this.queue.push_back(i);
                for v in &factor.variables {
                    this.mentions[v.index()].push(i);
                }
            }
        }
        this
    }

    fn run(mut self) -> Option<Vec<Vec<bool>>> {
        let mut is_queued = vec![false; self.graph.factors.len()];
        self.queue.iter().for_each(|&i| is_queued[i] = true);
        let entries = |i: usize| self.graph.factors[i].entries() + 1;
        let mut work = MAX_PASSES * self.queue.iter().map(|&i| entries(i)).sum::<usize>();
        while let Some(i) = self.queue.pop_front() {
            is_queued[i] = false;
            let Some(rest) = work.checked_sub(entries(i)) else {
                break;
            };
            work = rest;
            let factor = &self.graph.factors[i];
            let supported = self.supported(factor)?;
            for (&v, supported) in factor.variables.iter().zip(supported) {
                if self.possible[v.index()] == supported {
                    continue;
                }
                self.possible[v.index()] = supported;
                for &other in &self.mentions[v.index()] {
                    if other != i && !is_queued[other] {
                        is_queued[other] = true;
                        self.queue.push_back(other);
                    }
                }
            }
        }
        Some(self.possible)
    }

    /// Returns, for each variable of `factor`, the values that occur in a non-zero entry of the factor whose values have not been excluded; `None` if
    /// there is no such entry.
    fn supported(&self, factor: &Factor) -> Option<Vec<Vec<bool>>> {
        let scope = &factor.variables;
        let Some((last, parents)) = scope.split_last() else {
            return Some(Vec::new());
        };
        let sizes = scope.iter().map(|&v| self.graph.cardinality(v));
        let mut supported: Vec<Vec<bool>> = sizes.map(|n| vec![false; n]).collect();
        let mut is_empty = true;
        let is_possible = |(v, &x): (&VarId, &u32)| self.possible[v.index()][x as usize];
        let mut see = |row: &[u32]| {
            is_empty = false;
            for (supported, &x) in supported.iter_mut().zip(row) {
                supported[x as usize] = true;
            }
        };
        if let FactorTable::Sparse { rows, weights } = &factor.table {
            for (i, row) in rows.chunks_exact(scope.len()).enumerate() {
                if !weights.is_zero(i) && scope.iter().zip(row).all(is_possible) {
                    see(row);
                }
            }
        } else {
            let n = self.graph.cardinality(*last);
            let mut row = vec![0; scope.len()];
            let rows = Assignments::rows(parents.iter().map(|&v| self.graph.cardinality(v)));
            for at in 0..rows.count() {
                if parents.iter().zip(&row).all(is_possible) {
                    let mut entry = |x: u32| {
                        if self.possible[last.index()][x as usize] {
                            row[parents.len()] = x;
                            see(&row);
                        }
                    };
                    match &factor.table {
                        FactorTable::Dense(weights) => (0..n)
                            .filter(|x| !weights.is_zero(at * n + x))
                            .for_each(|x| entry(x as u32)),
                        FactorTable::Function { index } if index[at] != FactorTable::NO_VALUE => {
                            entry(index[at]);
                        }
                        _ => {}
                    }
                }
                rows.advance(&mut row);
            }
        }
        (!is_empty).then_some(supported)
    }
}
