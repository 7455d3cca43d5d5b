//! The order in which a mini-bucket elimination visits the variables.

use crate::graph::{FactorGraph, VarId};

use crate::order::Bucket;

/// An elimination order of the variables that occur in factors.
#[derive(Debug)]
pub struct BucketOrder {
    /// The variables in the order of elimination.
    pub order: Vec<VarId>,
    place: Vec<usize>,
}

impl BucketOrder {
    /// Creates the order in which `buckets` eliminate the variables of a graph of `n` variables.
    pub fn new(n: usize, buckets: &[Bucket]) -> Self {
        let eliminated = buckets.iter().flat_map(|bucket| &bucket.eliminated);
        let order: Vec<VarId> = eliminated.copied().collect();
        let mut place = vec![usize::MAX; n];
        for (i, v) in order.iter().enumerate() {
            place[v.index()] = i;
        }
        Self { order, place }
    }

    /// Creates the order by the number of factors that contain a variable, fewest first; variables that occur in no factor are omitted.
    ///
    /// Of variables that occur in equally many factors, the variable with the higher identifier comes first.
    pub(super) fn fewest_factors_first(graph: &FactorGraph) -> Self {
        let mut mentions = vec![0_u32; graph.cardinalities.len()];
        for v in graph.factors.iter().flat_map(|factor| &factor.variables) {
            mentions[v.index()] += 1;
        }
        let variables = (0..mentions.len() as u32).rev().map(VarId);
        let mut order: Vec<VarId> = variables.filter(|v| mentions[v.index()] > 0).collect();
        order.sort_by_key(|v| mentions[v.index()]);
        let mut place = vec![usize::MAX; mentions.len()];
        for (i, v) in order.iter().enumerate() {
            place[v.index()] = i;
        }
        Self { order, place }
    }

    /// Returns the variable of `scope` that is eliminated first; `None` if `scope` is empty.
    pub fn first(&self, scope: &[VarId]) -> Option<VarId> {
        scope.iter().copied().min_by_key(|v| self.place[v.index()])
    }
}
