//! Greedy elimination orders of very large components.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::VarId;
use crate::limits::Until;

use super::neighbours::Neighbours;
use super::score::{EliminationCost, OrderCriterion, score};
use super::symbolic_elimination::SymbolicElimination;
use crate::eliminate::error::{EliminationError, check_interrupt};

/// Maximum number of neighbours of a variable whose score is updated whenever a neighbour is eliminated. With more neighbours, the score is updated
/// when the variable is next in the queue.
const SCORED_AT_ONCE: usize = 128;

/// Eliminates the variables `candidates` symbolically, each time the variable with the best score by `aim`; of equal scores, the first candidate.
///
/// **Guarantee.** The order is deterministic. An elimination updates the scores of the neighbours of the eliminated variable; the score of a
/// neighbour with many neighbours of its own is updated only when this neighbour is next in the queue. The scores of other variables are not updated,
/// although their fill-in may have changed.
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

/// Priority queue of variables by their scores; an outdated score is recomputed when its variable is next in the queue.
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
