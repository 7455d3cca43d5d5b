//! Tests that barren factors may be left out of sums.

use figrs_factor::Limits;
use figrs_factor::algebra::*;
use figrs_factor::eliminate::*;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId};
use figrs_random_graphs::{assert_close, dense, generator, variables};
use rand::RngExt;
use rand::seq::SliceRandom;

/// A random Bayesian network with some soft evidence; its factors are dense or functions. The factors of every second network are
/// not marked as normalised.
fn network(seed: u64) -> FactorGraph {
    let mut rng = generator(seed);
    let mut graph = FactorGraph::default();
    for _ in 0..8 {
        let child = graph.add_variable(rng.random_range(1..4));
        let mut scope: Vec<VarId> = variables(&graph)[..child.index()].to_vec();
        scope.shuffle(&mut rng);
        scope.truncate(rng.random_range(0..3));
        let (rows, values) = (graph.dense_size(&scope), graph.cardinality(child));
        scope.push(child);
        let table = if rng.random_bool(0.5) {
            let index = (0..rows)
                .map(|_| rng.random_range(0..values as u32))
                .collect();
            FactorTable::Function { index }
        } else {
            let mut weights: Vec<f64> = (0..rows * values)
                .map(|_| rng.random::<f64>() + 0.01)
                .collect();
            for row in weights.chunks_mut(values) {
                let total: f64 = row.iter().sum();
                for x in row {
                    *x /= total;
                }
            }
            dense(&scope, &weights).table
        };
        graph.factors.push(Factor {
            variables: scope,
            table,
            normalised: seed.is_multiple_of(2),
        });
    }
    let observed = VarId(rng.random_range(0..8));
    let likelihood: Vec<f64> = (0..graph.cardinality(observed))
        .map(|_| rng.random())
        .collect();
    graph.factors.push(dense(&[observed], &likelihood));
    graph.factors.shuffle(&mut rng);
    graph
}

#[test]
fn marginals_do_not_change() {
    for seed in 0..200 {
        let graph = network(seed);
        let keep = [VarId((seed % 8) as u32)];
        let pruned = sum_product(&graph, &keep, &Limits::default()).expect("small");
        let computed = sum_product(
            &graph,
            &keep,
            &Limits::default().barren(BarrenFactors::Compute),
        )
        .expect("small");
        assert_close(pruned.log_total, computed.log_total, 1e-12, "total");
        for (a, b) in pruned.probabilities.iter().zip(&computed.probabilities) {
            assert_close(*a, *b, 1e-12, "probability");
        }
        let possible = |limits| {
            eliminate::<Boolean>(&graph, &keep, &limits)
                .expect("small")
                .values
        };
        assert_eq!(
            possible(Limits::default()),
            possible(Limits::default().barren(BarrenFactors::Compute))
        );
    }
}

#[test]
fn pruning_costs_less() {
    let (mut dearer, mut saved) = (0, [0.0; 2]);
    for seed in 0..200 {
        let graph = network(seed);
        let cost = |barren| {
            plan_cost::<SumProduct>(&graph, &[], &Limits::default().barren(barren)).expect("small")
        };
        let difference =
            cost(BarrenFactors::Compute).operations - cost(BarrenFactors::Prune).operations;
        dearer += usize::from(difference < 0.0);
        saved[(seed % 2) as usize] += difference;
        let counted = plan_cost::<Counting>(&graph, &[], &Limits::default()).expect("small");
        assert_eq!(
            counted,
            plan_cost::<MaxProduct>(&graph, &[], &Limits::default()).expect("small")
        );
    }
    // The search for orders of small graphs does not count zeros, so that the order found for the graph with more tables may happen
    // to use more of the zeros.
    let is_less = saved.iter().all(|&saved| saved > 500.0);
    assert!(dearer <= 1 && is_less, "{dearer} {saved:?}");
}
