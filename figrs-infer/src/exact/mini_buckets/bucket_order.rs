//! The order in which a mini-bucket elimination goes through the variables.

use figrs_core::factor::{FactorGraph, VarId};

use crate::exact::order::Bucket;

/// An elimination order of the variables that factors mention.
#[derive(Debug)]
pub(crate) struct BucketOrder {
    pub(crate) order: Vec<VarId>,
    /// By variable, its place in the order.
    place: Vec<usize>,
}

impl BucketOrder {
    /// The order of some buckets, of `n` variables in all.
    pub(crate) fn new(n: usize, buckets: &[Bucket]) -> Self {
        let eliminated = buckets.iter().flat_map(|bucket| &bucket.eliminated);
        let order: Vec<VarId> = eliminated.copied().collect();
        let mut place = vec![usize::MAX; n];
        for (i, v) in order.iter().enumerate() {
            place[v.index()] = i;
        }
        Self { order, place }
    }

    /// The order of the variables that factors mention, those of the largest numbers first.
    pub(super) fn last_first(graph: &FactorGraph) -> Self {
        let mut place = vec![usize::MAX; graph.cardinalities.len()];
        let mentioned = graph.factors.iter().flat_map(|factor| &factor.variables);
        let mut order: Vec<VarId> = mentioned.copied().collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        order.dedup();
        for (i, v) in order.iter().enumerate() {
            place[v.index()] = i;
        }
        Self { order, place }
    }

    /// The variable of a scope that is eliminated first; `None` if there is none.
    pub(crate) fn first(&self, scope: &[VarId]) -> Option<VarId> {
        scope.iter().copied().min_by_key(|v| self.place[v.index()])
    }
}
