//! Tests that contraction trees give the same results as enumeration of all assignments.

use crate::limits::{Limits, Until};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::graph::{FactorGraph, VarId, is_wide};
use rand::seq::SliceRandom;

use crate::algebra::{LogSumProduct, Semiring, SumProduct};
use crate::eliminate::{EliminationError, Order, Plan};
use crate::random_graphs::{
    RANGES, assert_close, generator, log_sum, random_graph, values_of, variables, worlds,
};
use crate::tree::*;

/// Thresholds at which as many tables as possible are stored as lists.
const LISTED: Thresholds = Thresholds {
    small: 1,
    listed_below: 1,
    listed_product: 0.0,
    tracked: 0.0,
    few: f64::INFINITY,
    excess: 0.0,
    joined: 0.0,
};
/// Thresholds at which all tables are stored as lists, and all tables of a bucket with zeros are joined at once.
const JOINED: Thresholds = Thresholds {
    few: 0.0,
    joined: 1e9,
    ..LISTED
};
/// Thresholds at which no table is stored as a list.
const DENSE: Thresholds = Thresholds {
    small: usize::MAX,
    listed_below: usize::MAX,
    listed_product: f64::INFINITY,
    ..LISTED
};

/// Calls `check` with contraction trees of random graphs, for the default elimination order and a random order, and for each set of thresholds.
fn for_each_tree(cases: u64, mut check: impl FnMut(&FactorGraph, &ContractionTree, &str)) {
    for range in RANGES {
        for seed in 0..cases {
            let mut rng = generator(seed);
            let graph = random_graph(&mut rng, range);
            let mut order = variables(&graph);
            order.shuffle(&mut rng);
            let given = Limits::default().order(Order::given(order));
            for limits in [Limits::default(), given] {
                for thresholds in [Thresholds::default(), LISTED, DENSE, JOINED] {
                    let case = format!("seed {seed}, {range:?}, {thresholds:?}");
                    let plan = Plan::new(&graph, &[], &limits, false).expect(&case);
                    let tree =
                        ContractionTree::of_plan(&graph, plan, &limits, thresholds).expect(&case);
                    check(&graph, &tree, &case);
                }
            }
        }
    }
}

/// Returns, for `graph`, the logarithms of the unnormalised marginals of all variables, and the logarithm of the total weight.
fn enumerated(graph: &FactorGraph) -> (Vec<Vec<f64>>, f64) {
    let all: Vec<f64> = worlds(graph, &[]).into_iter().map(|w| w.1).collect();
    let marginal = |v: VarId| {
        let mut logs = vec![Vec::new(); graph.cardinality(v)];
        for (value, log) in worlds(graph, &[v]) {
            logs[value].push(log);
        }
        logs.iter().map(|logs| log_sum(logs)).collect()
    };
    (
        variables(graph).into_iter().map(marginal).collect(),
        log_sum(&all),
    )
}

fn agrees<S: Semiring<Value = f64>>(
    graph: &FactorGraph,
    tree: &ContractionTree,
    log: fn(f64) -> f64,
    case: &str,
) {
    let (marginals, total) = enumerated(graph);
    let mut beliefs = Beliefs::<S>::new(tree, graph);
    beliefs.collect(tree);
    let (value, scale) = beliefs.total(tree);
    if beliefs.is_out_of_range() {
        return;
    }
    assert_close(log(value) + scale, total, 1e-10, case);
    if total == f64::NEG_INFINITY {
        return;
    }
    for (v, expected) in variables(graph).into_iter().zip(marginals) {
        let marginal = beliefs.marginal_of(tree, graph, v);
        if beliefs.is_out_of_range() {
            return;
        }
        let logs: Vec<f64> = marginal.into_iter().map(log).collect();
        let all = log_sum(&logs);
        for (a, b) in logs.iter().zip(expected) {
            assert_close((a - all).exp(), (b - total).exp(), 1e-10, case);
        }
    }
}

/// Checks, for each tensor, that the sum of the products of its entries and their derivatives is the total weight.
fn is_calibrated(graph: &FactorGraph, tree: &ContractionTree, case: &str) {
    let mut beliefs = Beliefs::<LogSumProduct>::new(tree, graph);
    beliefs.collect(tree);
    // The derivative with respect to a tensor is that of the total of its own component, without the totals of other
    // components.
    for tensor in 0..tree.tensors.len() as u32 {
        let root = (0..).try_fold(tensor, |at, _: u32| match tree.tensor(at).used_by {
            Some(step) => Ok(tree.steps[step as usize].out),
            None => Err(at),
        });
        let Err(root) = root else {
            unreachable!("every tensor leads to a root")
        };
        let mut shares = Vec::new();
        beliefs.products(tree, tensor, &mut shares);
        let total = beliefs.entries(tree, root)[0];
        // Logarithms are never rescaled.
        assert_close(
            log_sum(&shares),
            total,
            1e-10,
            &format!("{case}, tensor {tensor}"),
        );
    }
}

#[test]
fn trees_are_calibrated() {
    let mut joins = 0;
    for_each_tree(10, |graph, tree, case| {
        joins += tree.steps.iter().filter(|s| s.inputs.len() > 2).count();
        is_calibrated(graph, tree, case);
    });
    assert!(joins > 50, "{joins}");
}

#[test]
fn the_best_assignments_are_those_of_enumeration() {
    for_each_tree(10, |graph, tree, case| {
        // Variables that occur in no factor take their first value.
        let mentioned: Vec<VarId> = tree.variables.clone();
        let mut best = std::collections::BTreeMap::new();
        for (place, log) in worlds(graph, &mentioned) {
            best.insert(place, log);
        }
        let mut expected: Vec<f64> = best.into_values().collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        let mut maxima = TreeBeliefs::<MaxProductPrecision>::new(tree, graph);
        let found = maxima.ask(tree, graph, KBestQuery { tree, count: 7 });
        assert_eq!(found.len(), expected.len().min(7), "{case}");
        for (values, log) in found.iter().zip(&expected) {
            let found = figrs_factor::eliminate::log_weight(graph, &tree.world(values));
            assert_close(found, *log, 1e-10, case);
        }
    });
}

/// Tests that the removal of excluded values changes neither the set of assignments with positive weight nor their
/// weights.
#[test]
fn reduced_graphs_have_the_same_worlds() {
    let mut reductions = 0;
    for range in RANGES {
        for seed in 0..100 {
            let graph = random_graph(&mut generator(seed), range);
            let Some(reduced) = figrs_factor::consistency::without_excluded(&graph) else {
                continue;
            };
            reductions += 1;
            let all = |graph: &FactorGraph| worlds(graph, &variables(graph));
            let (before, after) = (all(&graph), all(&reduced.graph));
            let back = |place: usize| {
                let values = values_of(&reduced.graph, &variables(&graph), place);
                let old = reduced.restriction.world(&values);
                let cards = &graph.cardinalities;
                old.into_iter()
                    .zip(cards)
                    .fold(0, |at, (x, &n)| at * n as usize + x as usize)
            };
            let after: Vec<(usize, f64)> = after.iter().map(|&(at, log)| (back(at), log)).collect();
            assert_eq!(before.len(), after.len(), "seed {seed}, {range:?}");
            for (a, b) in before.iter().zip(&after) {
                assert_eq!(a.0, b.0, "seed {seed}, {range:?}");
                assert_close(a.1, b.1, 1e-12, "weight");
            }
        }
    }
    assert!(reductions > 50, "{reductions}");
}

#[test]
fn threads_do_not_change_a_bit() {
    for_each_tree(8, |graph, tree, case| {
        let answer = |threads| {
            let mut tree = tree.clone();
            // With this setting, every contraction is large enough to be shared by several threads.
            (tree.threads, tree.shared) = (threads, 1);
            let mut sums = TreeBeliefs::<SumProductPrecision>::new(&tree, graph);
            let total = sums.log_total(&tree, graph).to_bits();
            (total, sums.marginals(&tree, graph, &variables(graph)))
        };
        assert_eq!(answer(1), answer(2), "{case}");
        assert_eq!(answer(1), answer(3), "{case}");
    });
}

#[test]
fn sums_and_marginals_are_those_of_enumeration() {
    for_each_tree(5, |graph, tree, case| {
        agrees::<LogSumProduct>(graph, tree, |x| x, case);
        if !graph.factors.iter().any(is_wide) {
            agrees::<SumProduct>(graph, tree, f64::ln, case);
        }
    });
}

/// Tests that the memory of messages and derivatives is counted while a tree is built.
#[test]
fn a_tree_that_takes_more_memory_than_allowed_is_refused() {
    for seed in 0..100 {
        let graph = random_graph(&mut generator(seed), RANGES[0]);
        let limits = Limits::default();
        let made = |limits: &Limits| {
            let plan = Plan::new(&graph, &[], &Limits::default(), false)?;
            ContractionTree::of_plan(&graph, plan, limits, Thresholds::default())
        };
        let needed = 2 * made(&limits).expect("small tables").table_bytes();
        if needed > 0 {
            let error = made(&limits.memory(needed / 2)).unwrap_err();
            assert!(
                matches!(error, EliminationError::TooMuchMemory { .. }),
                "{seed}: {error}"
            );
        }
    }
}

#[test]
fn passes_end_when_they_are_interrupted() {
    let flag = Arc::new(AtomicBool::new(true));
    let until = Until {
        interrupt: Some(flag.clone()),
        ..Until::default()
    };
    for_each_tree(4, |graph, tree, case| {
        let all = variables(graph);
        let mut sums: TreeBeliefs<SumProductPrecision> = TreeBeliefs::new(tree, graph);
        flag.store(true, Ordering::Relaxed);
        let ended = sums.prepare((tree, graph), &all, &until);
        assert!(ended == Err(EliminationError::Interrupted) || tree.variables() == 0);
        flag.store(false, Ordering::Relaxed);
        sums.prepare((tree, graph), &all, &until).expect(case);
        let (marginals, total) = enumerated(graph);
        assert_close(sums.log_total(tree, graph), total, 1e-10, case);
        if total > f64::NEG_INFINITY {
            let shares = sums.marginals(tree, graph, &all);
            for (share, log) in shares.iter().flatten().zip(marginals.iter().flatten()) {
                assert_close(*share, (log - total).exp(), 1e-10, case);
            }
        }
    });
}
