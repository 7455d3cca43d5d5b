//! Tests that bounds by mini-buckets enclose sums and maxima found by enumeration.

use figrs_factor::bounds::Bounds;
use figrs_factor::eliminate::{EliminationError, as_if_dense, most_probable, sum_product};
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_factor::mini_buckets::*;
use figrs_factor::order::MAX_WORK;
use figrs_factor::{Limits, Until};
use figrs_random_graphs::{RANGES, generator, random_graph};

/// Tests that the total number of entries of the messages, which is limited, is counted correctly.
#[test]
fn the_entries_of_messages_are_counted() {
    for seed in 0..60 {
        let graph = random_graph(&mut generator(seed), RANGES[seed as usize % RANGES.len()]);
        let buckets =
            as_if_dense(&graph, &[], (MAX_WORK, &Until::default())).expect("nothing stops it");
        let order = BucketOrder::new(graph.cardinalities.len(), &buckets);
        let largest = graph.factors.iter().map(Factor::entries).max();
        for limit in [1, 4, 16, 64].map(|limit| largest.unwrap_or(1).max(limit)) {
            let (_, counted) = divide(&graph, &order, limit);
            let kind = BoundKind::MaximumAbove;
            let limits = (limit, f64::INFINITY);
            let sent = MiniBuckets::new(&graph, &order, limits, kind, &Until::default())
                .expect("small tables");
            assert_eq!(
                counted,
                sent.entries() as f64,
                "seed {seed}, tables of {limit}"
            );
        }
    }
}

#[test]
fn every_bound_encloses_the_sum_and_the_maximum() {
    let (mut loose, mut finite) = (0, 0);
    for seed in 0..600 {
        let graph = random_graph(&mut generator(seed), RANGES[seed as usize % RANGES.len()]);
        let until = Until::default();
        let buckets = as_if_dense(&graph, &[], (MAX_WORK, &until)).unwrap();
        let order = BucketOrder::new(graph.cardinalities.len(), &buckets);
        let sum = sum_product(&graph, &[], &Limits::default()).unwrap();
        let sum = sum.log_total;
        let best = most_probable(&graph, &Limits::default());
        let best = best.map_or(f64::NEG_INFINITY, |(_, log)| log);
        for table in [1, 2, 4, 16] {
            let [above, below, maximum] = [
                BoundKind::SumAbove,
                BoundKind::SumBelow,
                BoundKind::MaximumAbove,
            ]
            .map(|kind| {
                let limits = (table, 1e6);
                let messages = MiniBuckets::new(&graph, &order, limits, kind, &until).unwrap();
                messages.bound(&graph)
            });
            let slack = 1e-9 * (1.0 + sum.abs());
            let is_above = sum == f64::NEG_INFINITY || above >= sum - slack;
            let is_below = sum == f64::NEG_INFINITY || below <= sum + slack;
            assert!(is_above && is_below, "{below} {sum} {above}");
            assert!(best == f64::NEG_INFINITY || maximum >= best - slack);
            loose += usize::from(above > sum + 1e-3);
            finite += usize::from(below.is_finite() && below < sum - 1e-3);
        }
        let crude = crude_bounds(&graph, &until);
        let slack = 1e-9 * (1.0 + sum.abs());
        let is_below = sum == f64::NEG_INFINITY || crude.lower <= sum + slack;
        assert!(is_below && crude.upper >= sum - slack, "{crude} {sum}");
        let bounds = best_bounds(&graph, &until);
        let close = |bound: f64| bound == sum || (bound - sum).abs() <= 1e-9 * (1.0 + sum.abs());
        assert!(close(bounds.lower) && close(bounds.upper), "{bounds} {sum}");
    }
    assert!(loose > 100 && finite > 20, "{loose} {finite}");
}

/// The best bounds by tables of all sizes; fewer sizes are used if the deadline passes.
fn best_bounds(graph: &FactorGraph, until: &Until) -> Bounds {
    let mut bounds = UNBOUNDED;
    let effort = BoundingEffort {
        most: 1e6,
        work: f64::INFINITY,
        until,
    };
    let done = sum_bounds(graph, 0..ALL_SIZES, effort, &mut |closer| {
        narrow(&mut bounds, closer);
    });
    assert!(matches!(done, Ok(_) | Err(EliminationError::Interrupted)));
    bounds
}

#[test]
fn work_that_is_stopped_leaves_sound_bounds() {
    let mut known = 0;
    for seed in 0..200 {
        let graph = random_graph(&mut generator(seed), RANGES[seed as usize % RANGES.len()]);
        let until = Until {
            deadline: Some(std::time::Instant::now()),
            ..Until::default()
        };
        let sum = sum_product(&graph, &[], &Limits::default()).unwrap();
        let sum = sum.log_total;
        for bounds in [best_bounds(&graph, &until), crude_bounds(&graph, &until)] {
            let slack = 1e-9 * (1.0 + sum.abs());
            let is_below = sum == f64::NEG_INFINITY || bounds.lower <= sum + slack;
            assert!(is_below && bounds.upper >= sum - slack, "{bounds} {sum}");
        }
        known += usize::from(crude_bounds(&graph, &until).upper < f64::INFINITY);
    }
    assert_eq!(known, 200);
}

/// Tests a variable that depends on two others, one of which has an additional weight, and a pair of variables that depend on each other.
#[test]
fn distributions_sum_to_one() {
    let mut graph = FactorGraph::default();
    let [a, b, c, d, e] = [2, 3, 2, 2, 2].map(|n| graph.add_variable(n));
    let mut add = |variables: Vec<VarId>, weights: Vec<f64>, normalised| {
        graph.factors.push(Factor {
            variables,
            table: FactorTable::Dense(Weights::from_linear(weights)),
            normalised,
        });
    };
    add(vec![a], vec![0.25, 0.75], true);
    add(vec![b], vec![0.5, 0.25, 0.25], true);
    add(vec![a, b, c], [0.9, 0.1].repeat(6), true);
    add(vec![a], vec![3.0, 1.0], false);
    assert_eq!(product_of_maxima(&graph), 3_f64.ln() + 2.0 * 2_f64.ln());
    let mut add = |variables: Vec<VarId>| {
        graph.factors.push(Factor {
            variables,
            table: FactorTable::Dense(Weights::from_linear(vec![0.9, 0.1, 0.1, 0.9])),
            normalised: true,
        });
    };
    add(vec![d, e]);
    add(vec![e, d]);
    let cycle = 2.0 * 1.8_f64.ln();
    let all = product_of_maxima(&graph);
    assert!((all - 3_f64.ln() - cycle).abs() < 1e-12, "{all}");
    let sum = sum_product(&graph, &[], &Limits::default()).unwrap();
    assert!(sum.log_total <= all);
}

#[test]
fn long_eliminations_are_left_out() {
    let graph = random_graph(&mut generator(3), RANGES[0]);
    let until = Until::default();
    let effort = BoundingEffort {
        most: 1e6,
        work: 0.0,
        until: &until,
    };
    let done = sum_bounds(&graph, 0..ALL_SIZES, effort, &mut |bounds| {
        panic!("{bounds}")
    });
    assert!(matches!(done, Ok(0)), "{done:?}");
}
