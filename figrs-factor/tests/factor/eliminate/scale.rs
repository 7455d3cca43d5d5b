//! Tests of long, wide and large models.

use figrs_factor::Limits;
use figrs_factor::algebra::*;
use figrs_factor::eliminate::*;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId};
use figrs_random_graphs::{assert_close, dense, generator};
use rand::RngExt;
use std::time::{Duration, Instant};

/// Time limit that a busy machine does not exceed; a quadratic step would exceed it by far.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn two_hundred_thousand_variables_in_a_chain() {
    let run = || {
        let start = Instant::now();
        let mut graph = FactorGraph::default();
        let mut last = graph.add_variable(2);
        graph.factors.push(dense(&[last], &[0.3, 0.7]));
        for _ in 1..200_000 {
            let next = graph.add_variable(2);
            graph
                .factors
                .push(dense(&[last, next], &[0.9, 0.1, 0.2, 0.8]));
            last = next;
        }
        let marginal = sum_product(&graph, &[last], &Limits::default()).expect("narrow");
        assert_close(marginal.log_total, 0.0, 1e-9, "total");
        assert_close(marginal.probabilities[0], 2.0 / 3.0, 1e-12, "stationary");
        let (values, weight) = most_probable(&graph, &Limits::default()).expect("possible");
        assert!(values.iter().all(|&x| x == 0));
        assert_close(
            weight,
            0.3f64.ln() + 199_999.0 * 0.9f64.ln(),
            1e-9,
            "weight",
        );
        assert!(start.elapsed() < SOON);
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn stars_are_taken_leaf_by_leaf() {
    let start = Instant::now();
    let mut graph = FactorGraph::default();
    let hub = graph.add_variable(3);
    for _ in 0..100_000 {
        let leaf = graph.add_variable(2);
        graph
            .factors
            .push(dense(&[hub, leaf], &[0.5, 0.5, 0.25, 0.5, 1.0, 0.0]));
    }
    let cost = plan_cost::<SumProduct>(&graph, &[], &Limits::default()).expect("narrow");
    assert_eq!((cost.width, cost.largest_table), (2, 3.0));
    let marginal = sum_product(&graph, &[hub], &Limits::default()).expect("narrow");
    // The sums over a leaf are 1, 3/4 and 1.
    assert_close(marginal.log_total, 2f64.ln(), 1e-9, "total");
    assert!(start.elapsed() < SOON);
}

#[test]
fn many_small_factors_do_not_underflow() {
    let mut graph = FactorGraph::default();
    let hub = graph.add_variable(2);
    for _ in 0..1200 {
        graph.factors.push(dense(&[hub], &[0.5, 0.5]));
    }
    let marginal = sum_product(&graph, &[hub], &Limits::default()).expect("narrow");
    assert_close(
        marginal.log_total,
        -1199.0 * std::f64::consts::LN_2,
        1e-12,
        "total",
    );
    assert_eq!(marginal.probabilities, [0.5, 0.5]);
    let (_, weight) = most_probable(&graph, &Limits::default()).expect("possible");
    assert_close(weight, -1200.0 * std::f64::consts::LN_2, 1e-12, "weight");
}

/// A graph of a state machine: a state variable with many values, which inputs with four values each change.
fn machine(states: usize, steps: usize) -> (FactorGraph, VarId, Vec<Vec<u32>>) {
    let mut rng = generator(11);
    let mut graph = FactorGraph::default();
    let mut state = graph.add_variable(states);
    let mut first = vec![0.0; states];
    first[0] = 1.0;
    graph.factors.push(dense(&[state], &first));
    let mut moves = Vec::new();
    for _ in 0..steps {
        let (input, next) = (graph.add_variable(4), graph.add_variable(states));
        graph.factors.push(dense(&[input], &[0.1, 0.2, 0.3, 0.4]));
        let index: Vec<u32> = (0..states * 4)
            .map(|_| rng.random_range(0..states as u32))
            .collect();
        moves.push(index.clone());
        let table = FactorTable::Function { index };
        graph.factors.push(Factor {
            variables: vec![state, input, next],
            table,
            normalised: true,
        });
        state = next;
    }
    (graph, state, moves)
}

#[test]
fn a_function_over_a_large_state_is_a_scatter() {
    let (graph, last, moves) = machine(5000, 20);
    let start = Instant::now();
    let marginal = sum_product(&graph, &[last], &Limits::default()).expect("narrow");
    let (values, weight) = most_probable(&graph, &Limits::default()).expect("possible");
    assert!(start.elapsed() < SOON);
    let mut state = vec![0.0; 5000];
    state[0] = 1.0;
    for index in &moves {
        let mut next = vec![0.0; 5000];
        for (i, &to) in index.iter().enumerate() {
            next[to as usize] += state[i / 4] * [0.1, 0.2, 0.3, 0.4][i % 4];
        }
        state = next;
    }
    for (a, b) in marginal.probabilities.iter().zip(&state) {
        assert_close(*a, *b, 1e-12, "state");
    }
    assert_close(weight, 20.0 * 0.4f64.ln(), 1e-12, "weight");
    assert!((0..20).all(|step| values[2 * step + 1] == 3));
    let cost = plan_cost::<SumProduct>(&graph, &[last], &Limits::default()).expect("narrow");
    assert!(cost.operations < 21.0 * 20_000.0 + 6000.0, "{cost:?}");
}
