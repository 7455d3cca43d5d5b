//! Trees against enumeration.

use figrs_core::factor::{FactorGraph, VarId};
use rand::seq::SliceRandom;

use super::assemble::Thresholds;
use super::*;
use crate::eliminate::tests::{
    RANGES, assert_close, generator, log_sum, random_graph, variables, worlds,
};
use crate::eliminate::{LogSumProduct, Options, Order, Semiring, SumProduct};

impl Thresholds {
    /// Everything is listed that can be.
    const LISTED: Self = Self {
        small: 1,
        listed_below: 1,
        listed_product: 0.0,
    };
    /// Nothing is listed.
    const DENSE: Self = Self {
        small: usize::MAX,
        listed_below: usize::MAX,
        listed_product: f64::INFINITY,
    };
}

/// Trees for random graphs in random orders, with tables dense, listed, and as chosen.
fn for_each_tree(cases: u64, mut check: impl FnMut(&FactorGraph, &Tree, &str)) {
    for range in RANGES {
        for seed in 0..cases {
            let mut rng = generator(seed);
            let graph = random_graph(&mut rng, range);
            let mut order = variables(&graph);
            order.shuffle(&mut rng);
            let given = Options::default().order(Order::given(order));
            for options in [Options::default(), given] {
                for thresholds in [Thresholds::default(), Thresholds::LISTED, Thresholds::DENSE] {
                    let case = format!("seed {seed}, {range:?}, {thresholds:?}");
                    let tree = Tree::with(&graph, &options, thresholds).expect(&case);
                    check(&graph, &tree, &case);
                }
            }
        }
    }
}

/// The logarithms of the unnormalised marginals of all variables, and of the total.
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
    tree: &Tree,
    log: fn(f64) -> f64,
    case: &str,
) {
    let (marginals, total) = enumerated(graph);
    let mut beliefs = Beliefs::<S>::new(tree, graph);
    beliefs.collect(tree);
    let (value, scale) = beliefs.total(tree);
    if beliefs.is_lost() {
        return;
    }
    assert_close(log(value) + scale, total, 1e-10, case);
    if total == f64::NEG_INFINITY {
        return;
    }
    for (v, expected) in variables(graph).into_iter().zip(marginals) {
        let marginal = beliefs.marginal_of(tree, graph, v);
        if beliefs.is_lost() {
            return;
        }
        let logs: Vec<f64> = marginal.into_iter().map(log).collect();
        let all = log_sum(&logs);
        for (a, b) in logs.iter().zip(expected) {
            assert_close((a - all).exp(), (b - total).exp(), 1e-10, case);
        }
    }
}

#[test]
fn sums_and_marginals_are_those_of_enumeration() {
    for_each_tree(60, |graph, tree, case| {
        agrees::<LogSumProduct>(graph, tree, |x| x, case);
        let wide = graph.factors.iter().any(|f| match &f.table {
            figrs_core::factor::FactorTable::Dense(w) => w.is_flushed(),
            figrs_core::factor::FactorTable::Sparse { weights, .. } => weights.is_flushed(),
            figrs_core::factor::FactorTable::Function { .. } => false,
        });
        if !wide {
            agrees::<SumProduct>(graph, tree, f64::ln, case);
        }
    });
}
