//! Tests that the search for a plan of slices takes bounded work, and that an interrupt ends the search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_factor::Until;
use figrs_factor::graph::{Factor, FactorTable, Weights};

use super::*;

fn grid(side: usize) -> FactorGraph {
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..side * side).map(|_| graph.add_variable(2)).collect();
    let right = (0..side * side)
        .filter(|i| i % side + 1 < side)
        .map(|i| (i, i + 1));
    for (i, j) in right.chain((0..side * (side - 1)).map(|i| (i, i + side))) {
        graph.factors.push(Factor {
            variables: vec![all[i], all[j]],
            table: FactorTable::Dense(Weights::from_linear(vec![2.0, 1.0, 1.0, 2.0])),
            normalised: false,
        });
    }
    graph
}

#[test]
fn an_interrupt_leaves_the_best_plan_so_far() {
    let graph = grid(14);
    let tables = SymbolicElimination::new(&graph, &vec![true; graph.factors.len()], &[]);
    let limits = Limits::default();
    let interrupted = limits.until(&Until {
        interrupt: Some(Arc::new(AtomicBool::new(true))),
        ..Until::default()
    });
    let search = |limits| SliceSearch {
        memory: 4096.0,
        excess_weight: 1.0,
        ..SliceSearch::new(&graph, &[], &tables, limits)
    };
    let whole = search(&limits).ordered(Vec::new(), MAX_WORK).unwrap();
    assert!(search(&limits).excess(&whole.plan.cost) > 1.0);
    let first = search(&interrupted).best_plan(&whole).unwrap();
    let best = search(&limits).best_plan(&whole).unwrap();
    for plan in [&first, &best] {
        assert!(search(&limits).excess(&plan.cost) <= 1.0);
    }
    assert!(best.steps() <= first.steps() && first.steps() <= MOST_STEPS);
    let nothing = search(&interrupted).ordered(Vec::new(), MAX_WORK);
    assert!(matches!(nothing, Err(EliminationError::Interrupted)));
}

#[test]
fn the_effort_of_planning_is_bounded() {
    let graph = grid(30);
    let tables = SymbolicElimination::new(&graph, &vec![true; graph.factors.len()], &[]);
    let limits = Limits::default();
    let search = SliceSearch {
        memory: 8_388_608.0,
        excess_weight: 1.0,
        effort: Cell::new(EFFORT),
        ..SliceSearch::new(&graph, &[], &tables, &limits)
    };
    let whole = search.ordered(Vec::new(), ORDER_WORK).unwrap();
    let one = search.effort.replace(EFFORT) - EFFORT;
    let plan = search.plan(&whole).unwrap();
    assert!(search.excess(&plan.cost) <= 1.0);
    // Each variable takes some symbolic eliminations and a search for an elimination order, even if it did not reduce the work.
    let steps = plan.conditioned.len() as u64 + u64::from(PATIENCE) + 1;
    let effort = search.effort.get() - EFFORT;
    let most = (FEW_CANDIDATES as u64 + 1) * steps * one;
    assert!(effort <= most, "{effort} of {one} each");
}
