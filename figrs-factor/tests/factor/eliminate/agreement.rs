//! Tests that every semiring agrees with enumeration, for any order.

use figrs_factor::Limits;
use figrs_factor::algebra::*;
use figrs_factor::eliminate::*;
use figrs_factor::graph::{FactorGraph, VarId};
use figrs_random_graphs::{
    RANGES, assert_close, generator, log_sum, random_graph, values_of, variables, worlds,
};
use num_bigint::BigUint;
use rand::seq::SliceRandom;

/// Calls `check` with a random graph for each seed and range of weights, with some variables to keep, once with default limits and
/// once with a random order.
fn for_each_case(cases: u64, mut check: impl FnMut(&FactorGraph, &[VarId], &Limits, &str)) {
    for range in RANGES {
        for seed in 0..cases {
            let mut rng = generator(seed);
            let graph = random_graph(&mut rng, range);
            let mut order = variables(&graph);
            order.shuffle(&mut rng);
            let keep: Vec<VarId> = order.iter().copied().take((seed % 4) as usize).collect();
            order.shuffle(&mut rng);
            let given = Limits::default().order(Order::given(order));
            for limits in [Limits::default(), given] {
                check(&graph, &keep, &limits, &format!("seed {seed}, {range:?}"));
            }
        }
    }
}

fn by_place(graph: &FactorGraph, keep: &[VarId]) -> Vec<Vec<f64>> {
    let mut logs = vec![Vec::new(); graph.dense_size(keep)];
    for (place, log) in worlds(graph, keep) {
        logs[place].push(log);
    }
    logs
}

#[test]
fn sums_are_those_of_enumeration() {
    for_each_case(40, |graph, keep, limits, case| {
        let sums: Vec<f64> = by_place(graph, keep)
            .iter()
            .map(|logs| log_sum(logs))
            .collect();
        let total = log_sum(&sums);
        let marginal = sum_product(graph, keep, limits).expect(case);
        assert_close(marginal.log_total, total, 1e-10, case);
        for (p, log) in marginal.probabilities.iter().zip(&sums) {
            let expected = if total == f64::NEG_INFINITY {
                0.0
            } else {
                (log - total).exp()
            };
            assert_close(*p, expected, 1e-10, case);
        }
        let logs = eliminate::<LogSumProduct>(graph, keep, limits).expect(case);
        for (a, b) in logs.values.iter().zip(&sums) {
            assert_close(*a, *b, 1e-10, case);
        }
        let linear = eliminate::<SumProduct>(graph, keep, limits).expect(case);
        let is_flushed = graph.factors.iter().any(|f| match &f.table {
            figrs_factor::graph::FactorTable::Dense(w) => w.is_flushed(),
            figrs_factor::graph::FactorTable::Sparse { weights, .. } => weights.is_flushed(),
            figrs_factor::graph::FactorTable::Function { .. } => false,
        });
        if !linear.lost && !is_flushed {
            for (a, b) in linear.values.iter().zip(&sums) {
                assert_close(a.ln() + linear.log_scale, *b, 1e-10, case);
            }
        }
    });
}

#[test]
fn maxima_counts_and_satisfiability_are_those_of_enumeration() {
    for_each_case(40, |graph, keep, limits, case| {
        let worlds = by_place(graph, keep);
        let most = eliminate::<MaxProduct>(graph, keep, limits).expect(case);
        let count = eliminate::<Counting>(graph, keep, limits).expect(case);
        let possible = eliminate::<Boolean>(graph, keep, limits).expect(case);
        for (place, logs) in worlds.iter().enumerate() {
            let expected = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert_close(most.values[place], expected, 1e-11, case);
            assert_eq!(count.values[place], BigUint::from(logs.len()), "{case}");
            assert_eq!(possible.values[place], !logs.is_empty(), "{case}");
        }
    });
}

#[test]
fn the_most_probable_assignment_has_the_largest_weight() {
    for_each_case(40, |graph, _, limits, case| {
        let all = variables(graph);
        let worlds = worlds(graph, &all);
        let best = worlds.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
        match most_probable(graph, limits) {
            Ok((values, weight)) => {
                assert_close(weight, best, 1e-11, case);
                let (place, log) = worlds
                    .iter()
                    .find(|w| values_of(graph, &all, w.0) == values)
                    .expect(case);
                assert_close(*log, weight, 1e-12, &format!("{case}, place {place}"));
            }
            Err(error) => assert!(
                error == EliminationError::Impossible && worlds.is_empty(),
                "{case}: {error}"
            ),
        }
    });
}

#[test]
fn marginal_map_is_the_largest_of_the_sums() {
    for_each_case(40, |graph, keep, limits, case| {
        let logs = by_place(graph, keep);
        let sums: Vec<f64> = logs.iter().map(|logs| log_sum(logs)).collect();
        let best = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match marginal_map(graph, keep, limits) {
            Ok((values, weight)) => {
                assert_close(weight, best, 1e-10, case);
                let place = (0..sums.len()).find(|&i| values_of(graph, keep, i) == values);
                assert_close(sums[place.expect(case)], best, 1e-10, case);
            }
            Err(error) => assert!(
                error == EliminationError::Impossible && best == f64::NEG_INFINITY,
                "{case}: {error}"
            ),
        }
    });
}

#[test]
fn ties_go_to_the_first_values() {
    let mut rng = generator(5);
    let mut graph = random_graph(&mut rng, figrs_random_graphs::WeightRange::Plain);
    graph.factors.clear();
    let all = variables(&graph);
    for pair in all.windows(2) {
        graph.factors.push(figrs_random_graphs::dense(
            pair,
            &vec![0.5; graph.dense_size(pair)],
        ));
    }
    let (values, _) = most_probable(&graph, &Limits::default()).expect("possible");
    assert_eq!(values, vec![0; all.len()]);
}

#[test]
fn the_order_does_not_matter() {
    for seed in 0..50 {
        let mut rng = generator(1000 + seed);
        let graph = random_graph(&mut rng, figrs_random_graphs::WeightRange::Plain);
        let keep = &variables(&graph)[..1];
        let greedy = sum_product(&graph, keep, &Limits::default()).expect("small");
        for _ in 0..10 {
            let mut order = variables(&graph);
            order.shuffle(&mut rng);
            let given = sum_product(&graph, keep, &Limits::default().order(Order::given(order)))
                .expect("small");
            assert_close(greedy.log_total, given.log_total, 1e-12, "total");
            for (a, b) in greedy.probabilities.iter().zip(&given.probabilities) {
                assert_close(*a, *b, 1e-12, "probability");
            }
        }
    }
}
