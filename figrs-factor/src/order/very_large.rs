//! Greedy elimination orders and scores (min-fill, min-weight) of very large components, on sorted adjacency lists.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::interaction_graph::fixed;
use super::symbolic_elimination::{Bucket, SymbolicElimination};
use crate::eliminate::error::{EliminationError, check_interrupt};
use crate::graph::VarId;
use crate::limits::Until;

/// Maximum number of neighbours of a variable whose score is updated whenever a neighbour is eliminated. The score of a variable with more neighbours
/// is updated when the variable is next in the queue.
const SCORED_AT_ONCE: usize = 128;

/// Eliminates the variables `candidates` symbolically, always next the variable with the best score by `aim`; of variables with equal scores, the
/// first candidate.
///
/// **Guarantee.** The elimination order is deterministic. An elimination updates the scores of the neighbours of the eliminated variable; the score
/// of a neighbour with many neighbours of its own is updated only when this neighbour is next in the queue. The scores of variables that are not
/// neighbours of the eliminated variable are not updated, although their fill-in may have changed.
///
/// **Complexity.** The time is nearly linear in the total number of variables of all tables, for graphs of bounded width.
///
/// **References.** Kjærulff, *Triangulation of graphs: algorithms giving small total state space*, 1990;
/// Darwiche, *Modeling and Reasoning with Bayesian Networks*, 2009, section 9.3.
///
/// **Errors.** [`EliminationError::Interrupted`] if the run is stopped.
pub(super) fn greedily(
    graph: &mut SymbolicElimination,
    candidates: &[VarId],
    aim: OrderCriterion,
    until: &Until,
) -> Result<(), EliminationError> {
    let neighbours = Neighbours::new(graph, candidates);
    GreedyQueue::new(graph, neighbours, candidates, aim).run(graph, until)
}

/// Priority queue of variables by their scores; an outdated score is recomputed when the variable is next in the queue.
struct GreedyQueue {
    neighbours: Neighbours,
    criterion: OrderCriterion,
    heap: BinaryHeap<Reverse<(EliminationCost, VarId, u32)>>,
    /// For each variable, the number of changes of its set of neighbours.
    version: Vec<u32>,
    /// For each variable, the value of `version` for which its score in the queue was computed.
    queued: Vec<u32>,
}

impl GreedyQueue {
    fn new(
        graph: &SymbolicElimination,
        neighbours: Neighbours,
        candidates: &[VarId],
        aim: OrderCriterion,
    ) -> Self {
        let size = candidates.iter().map(|v| v.index() + 1).max().unwrap_or(0);
        let first = candidates
            .iter()
            .map(|&v| Reverse((score(graph, &neighbours, v, aim), v, 0)));
        Self {
            criterion: aim,
            heap: first.collect(),
            version: vec![0; size],
            queued: vec![0; size],
            neighbours,
        }
    }

    fn run(
        mut self,
        graph: &mut SymbolicElimination,
        until: &Until,
    ) -> Result<(), EliminationError> {
        while let Some(Reverse((_, v, version))) = self.heap.pop() {
            check_interrupt(until)?;
            if graph.is_no_candidate(v) || version != self.queued[v.index()] {
                continue;
            }
            if version != self.version[v.index()] {
                self.score(graph, v);
                continue;
            }
            let place = graph.eliminate(v);
            let bucket = &graph.buckets[place];
            self.neighbours.eliminate(graph, bucket);
            for &u in &bucket.output {
                if !graph.is_no_candidate(u) {
                    self.version[u.index()] += 1;
                    let degree = self.neighbours.count(u) + graph.count_tables(u);
                    if degree <= SCORED_AT_ONCE {
                        self.score(graph, u);
                    }
                }
            }
        }
        Ok(())
    }

    fn score(&mut self, graph: &SymbolicElimination, v: VarId) {
        let version = self.version[v.index()];
        self.queued[v.index()] = version;
        let score = score(graph, &self.neighbours, v, self.criterion);
        self.heap.push(Reverse((score, v, version)));
    }
}

/// Maximum number of neighbours of a variable whose fill-in is counted exactly; for more neighbours, an upper bound is used.
const FILL_NEIGHBOURS: usize = 32;

/// The first criterion by which a greedy order of a very large component selects the next variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderCriterion {
    /// The score is the number of entries of the joint table (min-weight).
    Entries,
    /// The score is the predicted number of non-zero entries of the joint table.
    NonZeros,
    /// The score is the fill-in: the number of pairs of neighbours that become adjacent (min-fill).
    FillIn,
}

/// The score of a variable in a greedy order; the variable with the smallest score is eliminated next.
pub(super) type EliminationCost = (i64, i64, i64);

/// Returns the score of `v`: the size of its joint table, the size of its message, and its fill-in, in a sequence that depends on `aim`.
pub(super) fn score(
    graph: &SymbolicElimination,
    neighbours: &Neighbours,
    v: VarId,
    aim: OrderCriterion,
) -> EliminationCost {
    let logs = neighbours.of_variable(graph, v);
    let out: f64 = logs.map(|u| graph.log_cards[u.index()]).sum();
    let densities = || -> f64 {
        let tables = graph.tables_of(v);
        tables.map(|t| graph.sketches[t as usize].density).sum()
    };
    let entries = graph.log_cards[v.index()] + out;
    let joint = match aim {
        OrderCriterion::NonZeros => (entries + densities()).max(0.0),
        OrderCriterion::Entries | OrderCriterion::FillIn => entries,
    };
    // The sums are rounded, so that the order of their terms does not decide between equal scores.
    let (joint, out) = (fixed(joint), fixed(out));
    let fill = fill_in(graph, neighbours, v).cast_signed();
    match aim {
        OrderCriterion::NonZeros | OrderCriterion::Entries => (joint, out, fill),
        OrderCriterion::FillIn => (fill, joint, out),
    }
}

/// Returns the fill-in of `v`: the number of pairs of its neighbours that are not adjacent.
fn fill_in(graph: &SymbolicElimination, neighbours: &Neighbours, v: VarId) -> u64 {
    let around = neighbours.of_variable(graph, v).take(FILL_NEIGHBOURS + 1);
    let around: Vec<VarId> = around.collect();
    if around.len() > FILL_NEIGHBOURS {
        return (neighbours.count(v) as u64).pow(2);
    }
    let mut missing = 0;
    for (i, &a) in around.iter().enumerate() {
        for &b in &around[..i] {
            // Only variables to be eliminated have adjacency lists; both directions are therefore tested.
            missing += u64::from(!neighbours.are_adjacent(a, b) && !neighbours.are_adjacent(b, a));
        }
    }
    missing
}

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
