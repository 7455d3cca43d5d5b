//! Groups of free variables that factors with zeros connect, and a test whether Gibbs blocks within a group reach all its possible assignments.

use std::collections::VecDeque;

use figrs_factor::graph::{Assignments, DisjointSets, has_zeros};
use rustc_hash::{FxHashMap, FxHashSet};

use super::prepare::{PreparedGraph, WeightFactor};

/// Maximum number of assignments of a group of variables that are enumerated to test whether Gibbs blocks reach them.
const MAX_ENUMERATED: usize = 1 << 18;

/// The dependencies between free variables, variables that are functions of other variables, and the weight factors that contain zeros.
pub(super) struct DependencyGraph<'p, 'g> {
    pub(super) prepared: &'p PreparedGraph<'g>,
    /// For each variable, the variables that are functions of it, except folded variables (functions that no Gibbs block updates).
    children: Vec<Vec<usize>>,
    /// For each variable that is a function of other variables, its index in the topological order of the functions.
    place: Vec<usize>,
    /// The indices of the weight factors that contain zeros.
    hard: Vec<usize>,
    /// For each weight factor with zeros, the free variables on which it depends.
    tied: Vec<Vec<usize>>,
}

/// Free variables that weight factors with zeros connect; the factors are given by their indices in `DependencyGraph::hard`.
#[derive(Debug)]
pub(super) struct VariableGroup {
    pub(super) free: Vec<usize>,
    pub(super) constraints: Vec<usize>,
}

impl<'p, 'g> DependencyGraph<'p, 'g> {
    pub(super) fn new(prepared: &'p PreparedGraph<'g>) -> Self {
        let n = prepared.graph.cardinalities.len();
        let mut children = vec![Vec::new(); n];
        let mut place = vec![0; n];
        for (i, &v) in prepared.order.iter().enumerate() {
            place[v] = i;
            if let Some(definition) = prepared.definitions[v]
                .as_ref()
                .filter(|_| !prepared.folded[v])
            {
                definition.parents.iter().for_each(|&p| children[p].push(v));
            }
        }
        let is_hard = |piece: &WeightFactor| match piece {
            WeightFactor::Dense(table) => table.has_zeros(),
            WeightFactor::Factor(i) => has_zeros(&prepared.graph.factors[*i]),
        };
        let pieces = prepared.weight_factors.iter().enumerate();
        let hard: Vec<usize> = pieces.filter(|(_, p)| is_hard(p)).map(|(i, _)| i).collect();
        let mut this = Self {
            prepared,
            children,
            place,
            hard,
            tied: Vec::new(),
        };
        let above = |&i: &usize| {
            this.ancestors(&prepared.scope(&prepared.weight_factors[i]))
                .0
        };
        this.tied = this.hard.iter().map(above).collect();
        this
    }

    /// Returns the free variables on which some given variables depend, in ascending order, and the function variables between the free and the given
    /// variables, in topological order.
    fn ancestors(&self, variables: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let (mut free, mut defined) = (Vec::new(), Vec::new());
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut open = variables.to_vec();
        while let Some(v) = open.pop() {
            if !seen.insert(v) {
                continue;
            }
            match &self.prepared.definitions[v] {
                Some(definition) => {
                    defined.push(v);
                    open.extend(&definition.parents);
                }
                None => free.push(v),
            }
        }
        free.sort_unstable();
        defined.sort_unstable_by_key(|&v| self.place[v]);
        (free, defined)
    }

    /// Returns the variables that are direct or indirect functions of the given variables, in topological order.
    pub(super) fn descendants(&self, variables: &[usize]) -> Vec<usize> {
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut open: VecDeque<usize> = variables.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(v) = open.pop_front() {
            for &child in &self.children[v] {
                if seen.insert(child) {
                    found.push(child);
                    open.push_back(child);
                }
            }
        }
        found.sort_unstable_by_key(|&v| self.place[v]);
        found
    }

    /// Divides all free variables into groups such that each weight factor with zeros contains variables of only one
    /// group.
    pub(super) fn groups(&self) -> Vec<VariableGroup> {
        let n = self.prepared.graph.cardinalities.len();
        let mut sets = DisjointSets::new(n);
        for tied in &self.tied {
            for pair in tied.windows(2) {
                sets.join(pair[0], pair[1]);
            }
        }
        let mut number: Vec<Option<usize>> = vec![None; n];
        let mut groups: Vec<VariableGroup> = Vec::new();
        let prepared = self.prepared;
        for v in (0..n).filter(|&v| prepared.definitions[v].is_none() && !prepared.left_out[v]) {
            let group = *number[sets.root(v)].get_or_insert_with(|| {
                groups.push(VariableGroup {
                    free: Vec::new(),
                    constraints: Vec::new(),
                });
                groups.len() - 1
            });
            groups[group].free.push(v);
        }
        for (i, tied) in self.tied.iter().enumerate() {
            let group = tied.first().and_then(|&v| number[sets.root(v)]);
            if let Some(group) = group {
                groups[group].constraints.push(i);
            }
        }
        groups
    }

    /// Returns overlapping Gibbs blocks for a group of variables that is too large for one block. Each Gibbs block contains the variables of one or
    /// more constraints (factors with zeros), and has at most `limit` assignments. A variable that fits into no block with other variables forms a
    /// Gibbs block of its own.
    pub(super) fn windows(&self, group: &VariableGroup, limit: usize) -> Vec<Vec<usize>> {
        let mut mentions: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &c in &group.constraints {
            for &v in &self.tied[c] {
                mentions.entry(v).or_default().push(c);
            }
        }
        let mut windows: Vec<Vec<usize>> = Vec::new();
        let mut held: FxHashSet<usize> = FxHashSet::default();
        let mut covered: FxHashSet<usize> = FxHashSet::default();
        for &c in &group.constraints {
            if held.contains(&c) || self.prepared.count(&self.tied[c]) > limit {
                continue;
            }
            let mut window = Vec::new();
            let mut open = VecDeque::from([c]);
            let mut seen: FxHashSet<usize> = FxHashSet::from_iter([c]);
            while let Some(c) = open.pop_front() {
                let mut wider = window.clone();
                wider.extend(&self.tied[c]);
                wider.sort_unstable();
                wider.dedup();
                if self.prepared.count(&wider) > limit {
                    continue;
                }
                window = wider;
                held.insert(c);
                for v in &self.tied[c] {
                    for &next in &mentions[v] {
                        if seen.insert(next) {
                            open.push_back(next);
                        }
                    }
                }
            }
            covered.extend(&window);
            windows.push(window);
        }
        let alone = group.free.iter().filter(|v| !covered.contains(v));
        windows.extend(alone.map(|&v| vec![v]));
        windows
    }

    /// True if a sequence of Gibbs updates of blocks leads from every possible assignment of a group to every other possible assignment. Returns
    /// `None` if the group of variables has too many assignments for the test.
    ///
    /// The possible assignments of a group do not depend on other variables, because no factor with zeros connects them with the group.
    pub(super) fn is_connected(
        &self,
        group: &VariableGroup,
        blocks: &[Vec<usize>],
    ) -> Option<bool> {
        let graph = self.prepared.graph;
        let assignments = Assignments::within(graph, group.free.iter().copied());
        let all = assignments.count();
        if all > MAX_ENUMERATED {
            return None;
        }
        let constraints = group
            .constraints
            .iter()
            .map(|&c| &self.prepared.weight_factors[self.hard[c]]);
        let constraints: Vec<&WeightFactor> = constraints.collect();
        let scopes: Vec<usize> = constraints
            .iter()
            .flat_map(|p| self.prepared.scope(p))
            .collect();
        let (_, defined) = self.ancestors(&scopes);
        let mut values = vec![0; graph.cardinalities.len()];
        let mut possible = Vec::with_capacity(all);
        // For each block, `first` has an entry for each index of an assignment whose block variables are set to zero: the first possible
        // assignment with that index.
        let mut sets = DisjointSets::new(all);
        let mut first: Vec<FxHashMap<usize, usize>> = vec![FxHashMap::default(); blocks.len()];
        loop {
            let number = possible.len();
            for &v in &defined {
                if let Some(definition) = &self.prepared.definitions[v] {
                    values[v] = definition.value(&values);
                }
            }
            let weighs = |p: &&WeightFactor| self.prepared.log(p, &values) > f64::NEG_INFINITY;
            let is_possible = constraints.iter().all(weighs);
            possible.push(is_possible);
            if is_possible {
                for (block, first) in blocks.iter().zip(&mut first) {
                    let own = assignments.strides().filter(|(v, _)| block.contains(v));
                    let rest = number - own.map(|(v, s)| values[v] as usize * s).sum::<usize>();
                    sets.join(*first.entry(rest).or_insert(number), number);
                }
            }
            if assignments.advance(&mut values).is_none() {
                break;
            }
        }
        let mut roots = (0..all).filter(|&i| possible[i]).map(|i| sets.root(i));
        let first = roots.next();
        Some(roots.all(|root| Some(root) == first))
    }
}
