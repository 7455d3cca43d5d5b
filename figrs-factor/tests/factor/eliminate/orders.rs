//! Tests of the quality of the order search, and that it changes no answer.

use figrs_factor::Limits;
use figrs_factor::algebra::*;
use figrs_factor::eliminate::*;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId};
use figrs_random_graphs::{assert_close, dense, generator, variables};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// A graph of `n` variables with factors of random pairs, without zeros.
fn pairs(n: usize, edges: usize, cardinalities: std::ops::Range<usize>, seed: u64) -> FactorGraph {
    let mut rng = generator(seed);
    let mut graph = FactorGraph::default();
    let mut all: Vec<VarId> = (0..n)
        .map(|_| graph.add_variable(rng.random_range(cardinalities.clone())))
        .collect();
    for _ in 0..edges {
        all.shuffle(&mut rng);
        let weights = vec![1.0; graph.dense_size(&all[..2])];
        graph.factors.push(dense(&all[..2], &weights));
    }
    graph
}

fn operations(graph: &FactorGraph, limits: &Limits) -> f64 {
    let cost = plan_cost::<SumProduct>(graph, &[], limits).expect("well formed");
    cost.operations
}

/// All orders of some variables, one after another (Heap's algorithm).
fn for_each_order(all: &mut [VarId], mut visit: impl FnMut(&[VarId])) {
    let mut swaps = vec![0; all.len()];
    let mut i = 0;
    visit(all);
    while i < all.len() {
        if swaps[i] < i {
            all.swap(if i % 2 == 0 { 0 } else { swaps[i] }, i);
            visit(all);
            swaps[i] += 1;
            i = 0;
        } else {
            swaps[i] = 0;
            i += 1;
        }
    }
}

#[test]
fn small_graphs_get_the_best_of_all_orders() {
    let mut best = 0;
    for seed in 0..100 {
        let graph = pairs(6, 9, 20..60, seed);
        let found = operations(&graph, &Limits::default());
        let mut least = f64::INFINITY;
        for_each_order(&mut variables(&graph), |order| {
            let given = Limits::default().order(Order::given(order.to_vec()));
            least = least.min(operations(&graph, &given));
        });
        assert!(found >= least * (1.0 - 1e-9), "seed {seed}");
        best += usize::from(found <= least * (1.0 + 1e-9));
    }
    assert_eq!(best, 100);
}

#[test]
fn components_do_not_touch_each_others_orders() {
    for seed in 0..10 {
        let (hard, easy) = (pairs(30, 60, 2..9, seed), pairs(60, 55, 2..4, seed));
        let alone = operations(&hard, &Limits::default()) + operations(&easy, &Limits::default());
        for (first, second) in [(&hard, &easy), (&easy, &hard)] {
            let mut both = first.clone();
            let offset = both.cardinalities.len() as u32;
            both.cardinalities.extend(&second.cardinalities);
            both.factors.extend(second.factors.iter().map(|factor| {
                let mut factor = factor.clone();
                for v in &mut factor.variables {
                    v.0 += offset;
                }
                factor
            }));
            // The answer is a single number, whose operation is counted once.
            let together = operations(&both, &Limits::default());
            assert_close(together, alone - 1.0, 1e-9, "operations");
        }
    }
}

/// A grid with a table for each pair of neighbours: dense tables, tables with zeros, and functions.
fn grid(side: usize, rng: &mut impl Rng) -> FactorGraph {
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..side * side)
        .map(|_| graph.add_variable(rng.random_range(2..6)))
        .collect();
    for (i, &v) in all.iter().enumerate() {
        let right = (i % side + 1 < side).then(|| all[i + 1]);
        let below = all.get(i + side).copied();
        for u in right.into_iter().chain(below) {
            let zeros = [0.0, 0.2][rng.random_range(0..2)];
            let weight = |rng: &mut dyn FnMut() -> f64| if rng() < zeros { 0.0 } else { rng() };
            let weights: Vec<f64> = (0..graph.dense_size(&[v, u]))
                .map(|_| weight(&mut || rng.random()))
                .collect();
            graph.factors.push(dense(&[v, u], &weights));
        }
        if i >= 2 && rng.random_bool(0.2) {
            let scope = vec![all[i - 2], all[i - 1], v];
            let values = graph.cardinality(v) as u32;
            let index = (0..graph.dense_size(&scope[..2]))
                .map(|_| rng.random_range(0..values))
                .collect();
            graph.factors.push(Factor {
                variables: scope,
                table: FactorTable::Function { index },
                normalised: false,
            });
        }
    }
    graph
}

#[test]
fn searched_orders_give_the_answers_of_listed_ones() {
    for seed in 0..20 {
        let mut rng = generator(seed);
        let graph = grid(5, &mut rng);
        let all = variables(&graph);
        let keep = [all[12], all[3]];
        let listed = Limits::default().order(Order::given(all));
        for keep in [&keep[..], &[]] {
            let case = &format!("seed {seed}, {} kept", keep.len());
            let found = sum_product(&graph, keep, &Limits::default()).expect(case);
            let expected = sum_product(&graph, keep, &listed).expect(case);
            assert_close(found.log_total, expected.log_total, 1e-10, case);
            for (a, b) in found.probabilities.iter().zip(&expected.probabilities) {
                assert_close(*a, *b, 1e-10, case);
            }
        }
    }
}

#[test]
fn the_same_graph_gets_the_same_plan() {
    let graph = grid(7, &mut generator(3));
    let plan = || {
        let plan = Plan::new(&graph, &[], &Limits::default(), true).expect("well formed");
        format!("{:?}", plan.buckets)
    };
    assert_eq!(plan(), plan());
}

#[test]
fn wide_components_are_ordered_as_lists() {
    // A ladder of 3000 rungs has more variables than the limit for a graph of bits.
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..6000).map(|_| graph.add_variable(2)).collect();
    for i in (0..6000).step_by(2) {
        graph
            .factors
            .push(dense(&all[i..i + 2], &[1.0, 0.5, 0.5, 1.0]));
        for j in [i, i + 1] {
            if j + 2 < 6000 {
                graph
                    .factors
                    .push(dense(&[all[j], all[j + 2]], &[0.5, 1.0, 1.0, 0.5]));
            }
        }
    }
    let cost = plan_cost::<SumProduct>(&graph, &[], &Limits::default()).expect("narrow");
    assert_eq!(cost.width, 3);
    let found = sum_product(&graph, &[all[0]], &Limits::default()).expect("narrow");
    let listed = Limits::default().order(Order::given(all.clone()));
    let expected = sum_product(&graph, &[all[0]], &listed).expect("narrow");
    assert_close(found.log_total, expected.log_total, 1e-10, "total");
    assert_close(found.probabilities[0], 0.5, 1e-12, "symmetry");
}
