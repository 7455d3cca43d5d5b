//! Greedy elimination scores (min-fill, min-weight) of the variables of very large components.

use crate::graph::VarId;

use super::fixed_point::fixed;
use super::neighbours::Neighbours;
use super::symbolic_elimination::SymbolicElimination;

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
