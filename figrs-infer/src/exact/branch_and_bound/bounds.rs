//! Lookups at each node of the search: complete factors, and bounds on the subtree below.

use figrs_core::Until;
use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId};
use figrs_core::internals::{LogTable, log_entry};

use super::mini_bucket::MiniBuckets;
use super::pseudo_tree::PseudoTree;
use crate::exact::eliminate::EliminationError;

/// The factors and messages of each variable of a tree.
#[derive(Debug)]
pub(super) struct SearchBounds<'g> {
    pub(super) graph: &'g FactorGraph,
    pub(super) tree: PseudoTree,
    costs: Vec<LookupFactor<'g>>,
    mini_buckets: MiniBuckets,
    /// By variable, the factors that are complete once it has a value.
    complete: Vec<Vec<usize>>,
    /// By variable, the messages from below that are complete once it has a value.
    incoming: Vec<Vec<usize>>,
    /// By variable, the messages from strictly below that are complete without it.
    passing: Vec<Vec<usize>>,
    /// By variable, the product of the messages from strictly below that depend on nothing.
    constant: Vec<f64>,
}

impl<'g> SearchBounds<'g> {
    pub(super) fn new(
        graph: &'g FactorGraph,
        tree: PseudoTree,
        limit: usize,
        until: &Until,
    ) -> Result<Self, EliminationError> {
        let n = graph.cardinalities.len();
        let mini_buckets = MiniBuckets::new(graph, &tree, limit, until)?;
        let mut bounds = Self {
            graph,
            costs: graph
                .factors
                .iter()
                .map(|f| LookupFactor::new(graph, f))
                .collect(),
            complete: vec![Vec::new(); n],
            incoming: vec![Vec::new(); n],
            passing: vec![Vec::new(); n],
            constant: vec![0.0; n],
            mini_buckets,
            tree,
        };
        for (i, factor) in graph.factors.iter().enumerate() {
            if let Some(v) = bounds.tree.deepest(&factor.variables) {
                bounds.complete[v.index()].push(i);
            }
        }
        for &v in &bounds.tree.order {
            let Some(parent) = bounds.tree.parent[v.index()] else {
                continue;
            };
            let mut constant = bounds.constant[v.index()];
            let above = bounds.passing[v.index()]
                .iter()
                .chain(&bounds.mini_buckets.sent[v.index()]);
            for &message in &above.copied().collect::<Vec<_>>() {
                let table = &bounds.mini_buckets.messages[message];
                match bounds.tree.deepest(&table.scope) {
                    None => constant += table.logs[0],
                    Some(to) if to == parent => bounds.incoming[parent.index()].push(message),
                    Some(_) => bounds.passing[parent.index()].push(message),
                }
            }
            bounds.constant[parent.index()] += constant;
        }
        Ok(bounds)
    }

    /// The natural logarithm of the product of the factors without variables.
    pub(super) fn scalars(&self) -> f64 {
        let factors = self.graph.factors.iter().zip(&self.costs);
        let scalars = factors.filter(|(factor, _)| factor.variables.is_empty());
        scalars.map(|(_, cost)| cost.at(self.graph, &[])).sum()
    }

    fn messages(&self, messages: &[usize], values: &[u32]) -> f64 {
        let at = |&message: &usize| self.mini_buckets.messages[message].at(values);
        messages.iter().map(at).sum()
    }

    /// The product of the factors that are complete once `v` has a value, at the assignment.
    pub(super) fn weight(&self, v: VarId, values: &[u32]) -> f64 {
        let at = |&factor: &usize| self.costs[factor].at(self.graph, values);
        self.complete[v.index()].iter().map(at).sum()
    }

    /// A bound on the weight of the subtree of `v`, which has a value, itself included.
    pub(super) fn with_value(&self, v: VarId, values: &[u32]) -> f64 {
        let weight = self.weight(v, values);
        if weight == f64::NEG_INFINITY {
            return weight;
        }
        weight
            + self.messages(&self.incoming[v.index()], values)
            + self.messages(&self.passing[v.index()], values)
            + self.constant[v.index()]
    }

    /// A bound on the weight of the subtree of `v`, which has no value yet, given the values above it.
    pub(super) fn without_value(&self, v: VarId, values: &[u32]) -> f64 {
        self.messages(&self.mini_buckets.sent[v.index()], values)
            + self.messages(&self.passing[v.index()], values)
            + self.constant[v.index()]
    }
}

/// A factor that is looked up often.
#[derive(Debug)]
enum LookupFactor<'g> {
    Dense(LogTable),
    Other(&'g Factor),
}

impl<'g> LookupFactor<'g> {
    fn new(graph: &FactorGraph, factor: &'g Factor) -> Self {
        match &factor.table {
            FactorTable::Dense(weights) => {
                let logs = (0..weights.len()).map(|i| weights.log(i)).collect();
                Self::Dense(LogTable::new(graph, factor.variables.clone(), logs))
            }
            _ => Self::Other(factor),
        }
    }

    fn at(&self, graph: &FactorGraph, values: &[u32]) -> f64 {
        match self {
            Self::Dense(table) => table.at(values),
            Self::Other(factor) => log_entry(graph, factor, values),
        }
    }
}
