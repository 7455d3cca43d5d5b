//! Tests of budgets, malformed graphs and impossible evidence.

use figrs_factor::algebra::*;
use figrs_factor::eliminate::*;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_factor::{Limits, Until};
use figrs_random_graphs::{assert_close, dense, generator, variables};
use rand::RngExt;
use std::time::{Duration, Instant};

/// A graph with a factor for each pair of `n` variables.
fn clique(n: usize, cardinality: usize) -> FactorGraph {
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..n).map(|_| graph.add_variable(cardinality)).collect();
    for (i, &a) in all.iter().enumerate() {
        for &b in &all[..i] {
            graph
                .factors
                .push(dense(&[a, b], &vec![0.5; cardinality * cardinality]));
        }
    }
    graph
}

#[test]
fn a_plan_beyond_the_budget_is_refused() {
    let graph = clique(40, 10);
    let refused = sum_product(&graph, &[], &Limits::default());
    assert!(
        matches!(refused, Err(EliminationError::TableTooLarge { needed, .. }) if needed >= 1e38)
    );
    assert!(plan_cost::<SumProduct>(&graph, &[], &Limits::default()).is_ok());
    let graph = clique(5, 10);
    let limits = Limits::default().work(99_999.0);
    let refused = most_probable(&graph, &limits);
    assert!(
        matches!(refused, Err(EliminationError::TooManyOperations { .. })),
        "{refused:?}"
    );
    assert!(most_probable(&graph, &Limits::default().work(200_000.0)).is_ok());
    let keep = variables(&graph);
    let refused = sum_product(&graph, &keep, &Limits::default().table_entries(9_999));
    assert_eq!(
        refused,
        Err(EliminationError::TableTooLarge {
            needed: 1e5,
            limit: 9_999
        })
    );
    let text = EliminationError::TableTooLarge {
        needed: 1e38,
        limit: 1 << 27,
    }
    .to_string();
    assert!(text.contains("1.000e38") && text.contains("table_entries"));
}

#[test]
fn messages_beyond_the_memory_are_refused() {
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..4).map(|_| graph.add_variable(10)).collect();
    // The sums of the rows differ, so that no factor is barren.
    let numbers: Vec<f64> = (1..=100).map(f64::from).collect();
    for pair in all.windows(2) {
        graph.factors.push(dense(pair, &numbers));
    }
    // There are three messages over ten values; each message is used when the next one is computed. The answer is a single number.
    let order = Limits::default().order(Order::given(all.clone()));
    let cost = plan_cost::<SumProduct>(&graph, &all[3..], &order).expect("small");
    assert_eq!((cost.memory, cost.memory_kept), (240.0, 320.0));
    let refused = sum_product(&graph, &all[3..], &order.clone().memory(239));
    let expected = EliminationError::TooMuchMemory {
        needed: 240.0,
        limit: 239,
    };
    assert_eq!(refused, Err(expected));
    assert!(sum_product(&graph, &all[3..], &order.memory(240)).is_ok());
    let error = EliminationError::TooMuchMemory {
        needed: 40.2e9,
        limit: 18_000_000_000,
    };
    let text = error.to_string();
    assert!(text.contains("needs 40.2 GB of memory, more than the limit of 18.0 GB"));
    assert!(text.contains("Limits::memory"));
}

#[test]
fn tables_between_two_parts_count_as_memory() {
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..4).map(|_| graph.add_variable(10)).collect();
    // The sums of the rows differ, so that no factor is barren.
    let numbers: Vec<f64> = (1..=100).map(f64::from).collect();
    for pair in all.windows(2) {
        graph.factors.push(dense(pair, &numbers));
    }
    // Two messages remain, over one variable and over two; the answer and the last message are single numbers.
    let (keep, limits) = ([all[1], all[3]], Limits::default());
    let cost = marginal_map_cost(&graph, &keep, &limits).expect("small");
    assert_eq!(cost.sum.memory, 888.0);
    assert_eq!(cost.maximum.memory_kept, 896.0);
    let refused = marginal_map(&graph, &keep, &limits.clone().memory(895));
    let expected = EliminationError::TooMuchMemory {
        needed: 896.0,
        limit: 895,
    };
    assert_eq!(refused, Err(expected));
    assert!(marginal_map(&graph, &keep, &limits.memory(896)).is_ok());
}

/// A graph of three tables whose rows share one value of a common variable (the hub), and the hub.
fn hub() -> (FactorGraph, VarId) {
    // The number of rows is predicted from the densities; two tables whose rows share one value of the hub match more often than predicted.
    let mut rng = generator(1);
    let mut graph = FactorGraph::default();
    let hub = graph.add_variable(10_000);
    for _ in 0..3 {
        let (leaf, end) = (graph.add_variable(10_000), graph.add_variable(1));
        graph.factors.push(dense(&[leaf, end], &vec![1.0; 10_000]));
        let mut rows: Vec<[u32; 2]> = (0..100)
            .map(|x| [7, 100 * x + rng.random_range(0..100)])
            .collect();
        rows.sort_unstable();
        let table = FactorTable::Sparse {
            rows: rows.concat(),
            weights: Weights::from_linear(vec![1.0; 100]),
        };
        graph.factors.push(Factor {
            variables: vec![hub, leaf],
            table,
            normalised: false,
        });
    }
    (graph, hub)
}

#[test]
fn a_sparse_message_may_not_outgrow_the_budget() {
    let (graph, hub) = hub();
    let limits = Limits::default()
        .order(Order::given(vec![hub]))
        .table_entries(20_000);
    let refused = sum_product(&graph, &[], &limits);
    assert!(
        matches!(refused, Err(EliminationError::TableTooLarge { needed, .. }) if needed < 1e5),
        "{refused:?}"
    );
    let total = sum_product(&graph, &[], &Limits::default())
        .expect("a tree")
        .log_total;
    assert_close(total, 1e6f64.ln(), 1e-12, "total");
}

#[test]
fn a_sparse_message_may_not_outgrow_the_memory() {
    let (graph, hub) = hub();
    let limits = Limits::default().order(Order::given(vec![hub]));
    let cost = plan_cost::<SumProduct>(&graph, &[], &limits).expect("well formed");
    assert!(cost.memory < 1e7, "{cost:?}");
    let refused = sum_product(&graph, &[], &limits.memory(10_000_000));
    assert!(
        matches!(refused, Err(EliminationError::TooMuchMemory { needed, limit })
            if needed > 1e7 && needed < 1.2e7 && limit == 10_000_000),
        "{refused:?}"
    );
}

#[test]
fn a_deadline_ends_an_elimination_within_a_bucket() {
    let mut graph = FactorGraph::default();
    let [a, b] = [100, 100].map(|n| graph.add_variable(n));
    let middle = graph.add_variable(30_000);
    for end in [a, b] {
        graph
            .factors
            .push(dense(&[middle, end], &vec![0.5; 3_000_000]));
    }
    let began = Instant::now();
    let until = Until {
        deadline: Some(began + Duration::from_millis(20)),
        ..Until::default()
    };
    let limits = Limits::default().until(&until);
    let keep = [a, b];
    let ended = sum_product(&graph, &keep, &limits);
    assert_eq!(ended, Err(EliminationError::Interrupted));
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn impossible_is_not_underflow() {
    let mut graph = FactorGraph::default();
    let v = graph.add_variable(2);
    for _ in 0..10 {
        graph.factors.push(dense(&[v], &[1e-200, 0.0]));
    }
    let marginal = sum_product(&graph, &[v], &Limits::default()).expect("small");
    assert_close(marginal.log_total, 10.0 * 1e-200f64.ln(), 1e-12, "total");
    assert_eq!(marginal.probabilities, [1.0, 0.0]);
    graph.factors.push(dense(&[v], &[0.0, 1.0]));
    let marginal = sum_product(&graph, &[v], &Limits::default()).expect("small");
    assert_eq!(
        (marginal.log_total, marginal.probabilities),
        (f64::NEG_INFINITY, vec![0.0, 0.0])
    );
    assert_eq!(
        most_probable(&graph, &Limits::default()),
        Err(EliminationError::Impossible)
    );
}

#[test]
fn malformed_graphs_are_refused() {
    let mut graph = FactorGraph::default();
    let (a, b) = (graph.add_variable(2), graph.add_variable(3));
    let keep = |keep: &[VarId]| sum_product(&graph, keep, &Limits::default());
    let error = |kept: &[VarId]| keep(kept).unwrap_err().to_string();
    assert_eq!(
        error(&[a, VarId(9)]),
        "variable 9 is not in the factor graph"
    );
    assert_eq!(
        error(&[a, b, a]),
        "variable 0 is listed twice among the variables to keep"
    );
    let sparse = |rows: &[u32], n| FactorTable::Sparse {
        rows: rows.to_vec(),
        weights: Weights::from_linear(vec![1.0; n]),
    };
    let faults: [(&[VarId], FactorTable); 9] = [
        (&[a, b], dense(&[], &[1.0; 5]).table),
        (&[a, a], dense(&[], &[1.0; 4]).table),
        (&[a, VarId(2)], dense(&[], &[1.0; 4]).table),
        (&[a, b], FactorTable::Function { index: vec![0] }),
        (&[a, b], FactorTable::Function { index: vec![0, 3] }),
        (&[], FactorTable::Function { index: vec![] }),
        (&[a, b], sparse(&[0, 1, 0], 2)),
        (&[a, b], sparse(&[1, 1, 0, 2], 2)),
        (&[a, b], sparse(&[0, 1, 0, 3], 2)),
    ];
    for (variables, table) in faults {
        let mut bad = graph.clone();
        bad.factors.push(Factor {
            variables: variables.to_vec(),
            table,
            normalised: false,
        });
        let refused = sum_product(&bad, &[], &Limits::default());
        assert!(
            matches!(
                refused,
                Err(EliminationError::MalformedFactor { factor: 0, .. })
            ),
            "{refused:?}"
        );
    }
}

#[test]
fn nothing_to_multiply() {
    let mut graph = FactorGraph::default();
    let empty = sum_product(&graph, &[], &Limits::default()).expect("empty");
    assert_eq!((empty.log_total, empty.probabilities), (0.0, vec![1.0]));
    let (a, b) = (graph.add_variable(4), graph.add_variable(2));
    let free = sum_product(&graph, &[b], &Limits::default()).expect("small");
    assert_close(free.log_total, 8f64.ln(), 1e-15, "total");
    assert_eq!(free.probabilities, [0.5, 0.5]);
    assert_eq!(
        eliminate::<Counting>(&graph, &[], &Limits::default())
            .expect("small")
            .values,
        [8u32.into()]
    );
    assert_eq!(
        most_probable(&graph, &Limits::default()),
        Ok((vec![0, 0], 0.0))
    );
    graph.factors.push(dense(&[], &[0.25]));
    let (_, weight) = most_probable(&graph, &Limits::default()).expect("possible");
    assert_eq!(weight, 0.25f64.ln());
    graph.factors.push(dense(&[a], &[0.0; 4]));
    let none = sum_product(&graph, &[b], &Limits::default()).expect("small");
    assert_eq!(none.log_total, f64::NEG_INFINITY);
}
