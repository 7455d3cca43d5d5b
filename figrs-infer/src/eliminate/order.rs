//! Which variable is eliminated next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use figrs_core::factor::VarId;

use super::interaction::{Bucket, Interaction};
use super::score::{Rule, Score};

/// A variable whose neighbourhood is larger than this is scored when it comes up, not when a neighbour goes.
const SCORED_AT_ONCE: usize = 128;

/// Eliminates the `listed` variables on paper, then the `others`.
pub(super) fn as_listed(
    graph: &mut Interaction,
    listed: &[VarId],
    others: &[VarId],
) -> Vec<Bucket> {
    let mut buckets = Vec::new();
    for &v in listed.iter().chain(others) {
        if !graph.is_settled(v) && graph.is_mentioned(v) {
            buckets.push(graph.eliminate(v));
        }
    }
    buckets
}

/// Eliminates all `candidates` on paper, each time the one with the best score by `rule`, of equals the first.
///
/// **Guarantee.** Deterministic. The scores of an eliminated variable's neighbours are renewed, at once or, if the
/// neighbourhood is large, when they come up; those of variables further off, whose fill-in may have changed, are not.
///
/// **Complexity.** Near linear in the number of mentions for graphs of bounded width.
///
/// **References.** Kjærulff, *Triangulation of graphs: algorithms giving small total state space*, 1990;
/// Darwiche, *Modeling and Reasoning with Bayesian Networks*, 2009, section 9.3.
pub(super) fn greedily(graph: &mut Interaction, candidates: &[VarId], rule: Rule) -> Vec<Bucket> {
    Greedy::new(graph, candidates, rule).run(graph)
}

/// A heap of scores that are renewed lazily.
struct Greedy {
    rule: Rule,
    heap: BinaryHeap<Reverse<(Score, VarId, u32)>>,
    /// How often the neighbourhood of a variable has changed.
    version: Vec<u32>,
    /// The version the entry in the heap was scored at.
    queued: Vec<u32>,
}

impl Greedy {
    fn new(graph: &Interaction, candidates: &[VarId], rule: Rule) -> Self {
        let size = candidates.iter().map(|v| v.index() + 1).max().unwrap_or(0);
        let first = candidates
            .iter()
            .map(|&v| Reverse((graph.score(v, rule), v, 0)));
        Self {
            rule,
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
        self.heap
            .push(Reverse((graph.score(v, self.rule), v, version)));
    }
}
