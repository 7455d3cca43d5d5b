//! Which variable is eliminated next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use figrs_core::factor::VarId;

use super::interaction::{Bucket, Interaction, Score};
use super::options::Order;

/// A variable whose neighbourhood is larger than this is scored when it comes up, not when a neighbour goes.
const SCORED_AT_ONCE: usize = 128;

/// Eliminates all `candidates` on paper, in the given order or greedily.
///
/// **Guarantee.** Deterministic: the greedy order takes the variable with the fewest predicted non-zeros in its joint
/// table, then the one with the smallest message, then the least fill-in, then the first one. Scores of variables with
/// a large neighbourhood may be out of date on the low side, never on the high side, when they are taken.
/// **Complexity.** Near linear in the number of mentions for graphs of bounded width.
/// **References.** Kjaerulff, *Triangulation of graphs: algorithms giving small total state space*, 1990;
/// Darwiche, *Modeling and Reasoning with Bayesian Networks*, 2009, section 9.3.
pub(super) fn eliminate_all(
    graph: &mut Interaction,
    candidates: &[VarId],
    order: &Order,
) -> Vec<Bucket> {
    match order {
        Order::Greedy => Greedy::new(graph, candidates).run(graph),
        Order::Given(listed) => {
            let mut buckets = Vec::new();
            for &v in listed.iter().chain(candidates) {
                if !graph.is_settled(v) && graph.is_mentioned(v) {
                    buckets.push(graph.eliminate(v));
                }
            }
            buckets
        }
    }
}

/// A heap of scores that are renewed lazily.
struct Greedy {
    heap: BinaryHeap<Reverse<(Score, VarId, u32)>>,
    /// How often the neighbourhood of a variable has changed.
    version: Vec<u32>,
    /// The version the entry in the heap was scored at.
    queued: Vec<u32>,
}

impl Greedy {
    fn new(graph: &Interaction, candidates: &[VarId]) -> Self {
        let size = candidates.iter().map(|v| v.index() + 1).max().unwrap_or(0);
        let first = candidates.iter().map(|&v| Reverse((graph.score(v), v, 0)));
        Self {
            heap: first.collect(),
            version: vec![0; size],
            queued: vec![0; size],
        }
    }

    fn run(mut self, graph: &mut Interaction) -> Vec<Bucket> {
        let mut buckets = Vec::with_capacity(self.heap.len());
        while let Some(Reverse((_, v, version))) = self.heap.pop() {
            if graph.is_settled(v) || version != self.queued[v.index()] {
                continue;
            }
            if version != self.version[v.index()] {
                self.score(graph, v);
                continue;
            }
            let bucket = graph.eliminate(v);
            for &u in &bucket.output {
                if !graph.is_settled(u) {
                    self.version[u.index()] += 1;
                    if graph.degree(u) <= SCORED_AT_ONCE {
                        self.score(graph, u);
                    }
                }
            }
            buckets.push(bucket);
        }
        buckets
    }

    fn score(&mut self, graph: &Interaction, v: VarId) {
        let version = self.version[v.index()];
        self.queued[v.index()] = version;
        self.heap.push(Reverse((graph.score(v), v, version)));
    }
}
