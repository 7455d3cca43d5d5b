//! Tests of sparse messages: small graphs embedded in large cardinalities.

use figrs_factor::Limits;
use figrs_factor::algebra::*;
use figrs_factor::eliminate::*;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_random_graphs::{
    RANGES, WeightRange, assert_close, generator, log_sum, random_graph, values_of, variables,
    worlds,
};
use num_bigint::BigUint;
use rand::{Rng, RngExt};

/// Embeds a graph in one whose variables have `cardinality` values each: the same weights are at a few scattered values, and all
/// other entries are zero.
///
/// Returns the new graph and, for each variable, the new values of the old ones, in ascending order.
fn inflate(
    graph: &FactorGraph,
    cardinality: u32,
    rng: &mut impl Rng,
) -> (FactorGraph, Vec<Vec<u32>>) {
    let scatter = |n: u32, rng: &mut dyn FnMut(u32) -> u32| -> Vec<u32> {
        let width = cardinality / n;
        (0..n).map(|x| x * width + rng(width)).collect()
    };
    let mut below = |width: u32| rng.random_range(0..width);
    let places: Vec<Vec<u32>> = graph
        .cardinalities
        .iter()
        .map(|&n| scatter(n, &mut below))
        .collect();
    let mut large = FactorGraph::default();
    for list in &places {
        let v = large.add_variable(cardinality as usize);
        let weights = Weights::from_linear(vec![1.0; list.len()]);
        let table = FactorTable::Sparse {
            rows: list.clone(),
            weights,
        };
        large.factors.push(Factor {
            variables: vec![v],
            table,
            normalised: false,
        });
    }
    for factor in &graph.factors {
        let scope = &factor.variables;
        let (mut rows, mut logs) = (Vec::new(), Vec::new());
        for i in 0..graph.dense_size(scope) {
            let mut values = vec![0; graph.cardinalities.len()];
            let own = values_of(graph, scope, i);
            for (v, &x) in scope.iter().zip(&own) {
                values[v.index()] = x;
            }
            let alone = FactorGraph {
                cardinalities: graph.cardinalities.clone(),
                factors: vec![factor.clone()],
            };
            let log = figrs_random_graphs::log_weight(&alone, &values);
            if log > f64::NEG_INFINITY {
                rows.extend(
                    scope
                        .iter()
                        .zip(&own)
                        .map(|(v, &x)| places[v.index()][x as usize]),
                );
                logs.push(log);
            }
        }
        let table = FactorTable::Sparse {
            rows,
            weights: Weights::from_logs(logs),
        };
        large.factors.push(Factor {
            variables: scope.clone(),
            table,
            normalised: false,
        });
    }
    (large, places)
}

fn check(seed: u64, range: WeightRange, cardinality: u32) {
    let mut rng = generator(seed);
    let graph = random_graph(&mut rng, range);
    let (large, places) = inflate(&graph, cardinality, &mut rng);
    let case = &format!("seed {seed}, {range:?}, {cardinality}");
    let limits = Limits::default();
    let all = worlds(&graph, &variables(&graph));
    let logs: Vec<f64> = all.iter().map(|w| w.1).collect();
    let marginal = sum_product(&large, &[], &limits).expect(case);
    assert_close(marginal.log_total, log_sum(&logs), 1e-10, case);
    let count = eliminate::<Counting>(&large, &[], &limits).expect(case);
    assert_eq!(count.values, [BigUint::from(logs.len())], "{case}");
    match most_probable(&large, &limits) {
        Ok((values, weight)) => {
            let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert_close(weight, best, 1e-11, case);
            let pairs = values.iter().zip(&places);
            assert!(pairs.clone().all(|(x, list)| list.contains(x)), "{case}");
        }
        Err(error) => assert!(
            error == EliminationError::Impossible && logs.is_empty(),
            "{case}: {error}"
        ),
    }
}

#[test]
fn sparse_messages_are_those_of_the_small_graph() {
    for range in RANGES {
        for seed in 0..60 {
            check(seed, range, 50);
            check(seed, range, 3000);
        }
    }
}

#[test]
fn scopes_too_wide_for_a_number_are_kept_as_rows() {
    for seed in 0..100 {
        check(seed, WeightRange::Plain, 1 << 30);
    }
}

#[test]
fn many_binary_variables_in_one_table() {
    // The graph has factors of about eighty variables and five rows each; each pair of factors shares all but a few variables.
    let mut rng = generator(3);
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..80).map(|_| graph.add_variable(2)).collect();
    let mut rows: Vec<Vec<u32>> = (0..5)
        .map(|_| (0..80).map(|_| rng.random_range(0..2)).collect())
        .collect();
    rows.sort();
    let weights = [0.1, 0.2, 0.4, 0.8, 1.6];
    let table = FactorTable::Sparse {
        rows: rows.concat(),
        weights: Weights::from_linear(weights.to_vec()),
    };
    graph.factors.push(Factor {
        variables: all.clone(),
        table,
        normalised: false,
    });
    for &v in &all {
        graph
            .factors
            .push(figrs_random_graphs::dense(&[v], &[1.0, 0.5]));
    }
    let weight = |row: &[u32]| 0.5f64.powf(f64::from(row.iter().sum::<u32>()));
    let products: Vec<f64> = rows
        .iter()
        .zip(weights)
        .map(|(row, w)| w * weight(row))
        .collect();
    for order in [Order::Greedy, Order::given(all[..3].to_vec())] {
        let limits = Limits::default().order(order);
        let total = sum_product(&graph, &[], &limits)
            .expect("few rows")
            .log_total;
        assert_close(total, products.iter().sum::<f64>().ln(), 1e-12, "total");
        let (values, _) = most_probable(&graph, &limits).expect("possible");
        let best = (0..5)
            .max_by(|&a, &b| products[a].total_cmp(&products[b]))
            .expect("five");
        assert_eq!(values, rows[best]);
    }
}
