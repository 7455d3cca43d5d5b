//! Sorted adjacency lists, for components that are too large for an adjacency matrix.

use crate::graph::VarId;

use super::symbolic_elimination::{Bucket, SymbolicElimination};

/// Adjacency lists of variables; two variables are adjacent if they share a table.
pub(super) struct Neighbours {
    /// For each variable, its neighbours, sorted, including neighbours that have been eliminated.
    lists: Vec<Vec<VarId>>,
    stale: Vec<u32>,
}

impl Neighbours {
    pub(super) fn new(graph: &mut SymbolicElimination, variables: &[VarId]) -> Self {
        let n = graph.log_cards.len();
        let mut lists = vec![Vec::new(); n];
        for &v in variables {
            let mut list = graph.stamp_neighbours(v);
            list.retain(|&u| u != v);
            list.sort_unstable();
            lists[v.index()] = list;
        }
        Self {
            lists,
            stale: vec![0; n],
        }
    }

    pub(super) fn of_variable(
        &self,
        graph: &SymbolicElimination,
        v: VarId,
    ) -> impl Iterator<Item = VarId> {
        let all = self.lists[v.index()].iter().copied();
        all.filter(|&u| !graph.is_eliminated(u))
    }

    pub(super) fn count(&self, v: VarId) -> usize {
        self.lists[v.index()].len()
    }

    /// True if `b` is listed as a neighbour of `a`.
    pub(super) fn are_adjacent(&self, a: VarId, b: VarId) -> bool {
        self.lists[a.index()].binary_search(&b).is_ok()
    }

    /// Makes the variables of the message of `bucket` adjacent, and removes the lists of the variables that `bucket` eliminates.
    pub(super) fn eliminate(&mut self, graph: &SymbolicElimination, bucket: &Bucket) {
        for v in &bucket.eliminated {
            self.lists[v.index()] = Vec::new();
        }
        for &u in bucket.output.iter().filter(|&&u| !graph.is_no_candidate(u)) {
            let list = &mut self.lists[u.index()];
            let stale = &mut self.stale[u.index()];
            *stale += bucket.eliminated.len() as u32;
            if *stale as usize * 2 > list.len() {
                list.retain(|&w| !graph.is_eliminated(w));
                *stale = 0;
            }
            for &w in bucket.output.iter().filter(|&&w| w != u) {
                if let Err(place) = list.binary_search(&w) {
                    list.insert(place, w);
                }
            }
        }
    }
}
