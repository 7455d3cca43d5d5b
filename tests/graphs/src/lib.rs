//! Random factor graphs, and reference answers by enumeration.
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Returns a random number generator with a seed.
pub fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Range of the weights of a random graph.
#[derive(Clone, Copy, Debug)]
pub enum WeightRange {
    /// Between 0.01 and 1.
    Plain,
    /// The weights differ by up to a factor of `1e16`.
    Wide,
    /// The weights are around `1e-200`, so that a few products underflow.
    Tiny,
    /// The weights are further apart than a table of `f64` can hold.
    Far,
    /// All weights are zero or one.
    Logic,
}

/// All ranges of weights.
pub const RANGES: [WeightRange; 5] = [
    WeightRange::Plain,
    WeightRange::Wide,
    WeightRange::Tiny,
    WeightRange::Far,
    WeightRange::Logic,
];

fn weights(rng: &mut Xoshiro256PlusPlus, n: usize, range: WeightRange, zeros: f64) -> Weights {
    let log = |rng: &mut Xoshiro256PlusPlus| {
        let x: f64 = rng.random();
        match range {
            _ if rng.random_bool(zeros) => f64::NEG_INFINITY,
            WeightRange::Plain => (x + 0.01).ln(),
            WeightRange::Wide => 36.0 * (x - 0.5),
            WeightRange::Tiny => 5.0 * x - 460.0,
            WeightRange::Far => 3000.0 * (x - 0.5),
            WeightRange::Logic => 0.0,
        }
    };
    let logs: Vec<f64> = (0..n).map(|_| log(rng)).collect();
    match range {
        WeightRange::Far => Weights::from_logs(logs),
        _ => Weights::from_linear(logs.into_iter().map(f64::exp).collect()),
    }
}

/// Returns a random table over some variables, which is dense, sparse or a function.
pub fn table(
    rng: &mut Xoshiro256PlusPlus,
    graph: &FactorGraph,
    variables: &[VarId],
    range: WeightRange,
) -> FactorTable {
    let size = graph.dense_size(variables);
    let zeros = [0.0, 0.3, 0.8][rng.random_range(0..3)];
    match (rng.random_range(0..3), variables.split_last()) {
        (0, Some((&child, parents))) => {
            let values = graph.cardinality(child) as u32;
            let holes = rng.random_bool(0.3);
            let value = |rng: &mut Xoshiro256PlusPlus| match rng
                .random_range(0..values + u32::from(holes))
            {
                x if x == values => FactorTable::NO_VALUE,
                x => x,
            };
            FactorTable::Function {
                index: (0..graph.dense_size(parents)).map(|_| value(rng)).collect(),
            }
        }
        (1, Some(_)) => {
            let listed: Vec<usize> = (0..size).filter(|_| rng.random_bool(0.4)).collect();
            let mut rows = Vec::new();
            for &i in &listed {
                rows.extend(values_of(graph, variables, i));
            }
            FactorTable::Sparse {
                rows,
                weights: weights(rng, listed.len(), range, 0.1),
            }
        }
        _ => FactorTable::Dense(weights(rng, size, range, zeros)),
    }
}

/// Returns the values of some variables, given the row-major index of their joint value.
pub fn values_of(graph: &FactorGraph, variables: &[VarId], mut number: usize) -> Vec<u32> {
    let mut values = vec![0; variables.len()];
    for (value, &v) in values.iter_mut().zip(variables).rev() {
        *value = (number % graph.cardinality(v)) as u32;
        number /= graph.cardinality(v);
    }
    values
}

/// Returns a random graph of at most ten variables, with at most 2700 assignments.
pub fn random_graph(rng: &mut Xoshiro256PlusPlus, range: WeightRange) -> FactorGraph {
    let mut graph = FactorGraph::default();
    let mut all: Vec<VarId> = Vec::new();
    while graph.dense_size(&all) < 300 && all.len() < 10 {
        let cardinality = [1, 2, 2, 3, 5, 9][rng.random_range(0..6)];
        all.push(graph.add_variable(cardinality));
    }
    for _ in 0..rng.random_range(0..14) {
        all.shuffle(rng);
        let arity = rng.random_range(0..=4.min(all.len()));
        let variables = all[..arity].to_vec();
        let table = table(rng, &graph, &variables, range);
        graph.factors.push(Factor {
            variables,
            table,
            normalised: false,
        });
    }
    graph
}

/// Returns all variables of a graph.
pub fn variables(graph: &FactorGraph) -> Vec<VarId> {
    (0..graph.cardinalities.len() as u32).map(VarId).collect()
}

/// Returns the logarithm of the weight of an assignment, by looking up each table.
pub fn log_weight(graph: &FactorGraph, values: &[u32]) -> f64 {
    let entry = |factor: &Factor| {
        let scope = &factor.variables;
        let own: Vec<u32> = scope.iter().map(|v| values[v.index()]).collect();
        let number = |n: usize| {
            (0..n).fold(0, |at, i| {
                at * graph.cardinality(scope[i]) + own[i] as usize
            })
        };
        match &factor.table {
            FactorTable::Dense(weights) => weights.log(number(scope.len())),
            FactorTable::Sparse { weights, .. } if scope.is_empty() && weights.is_empty() => {
                f64::NEG_INFINITY
            }
            FactorTable::Sparse { weights, .. } if scope.is_empty() => weights.log(0),
            FactorTable::Sparse { rows, weights } => {
                let row = rows.chunks(scope.len()).position(|row| row == own);
                row.map_or(f64::NEG_INFINITY, |i| weights.log(i))
            }
            FactorTable::Function { index } => {
                if index[number(scope.len() - 1)] == own[scope.len() - 1] {
                    0.0
                } else {
                    f64::NEG_INFINITY
                }
            }
        }
    };
    graph.factors.iter().map(entry).sum()
}

/// Returns all assignments of positive weight, each with the row-major index of the kept variables' values and with the logarithm of its weight.
pub fn worlds(graph: &FactorGraph, keep: &[VarId]) -> Vec<(usize, f64)> {
    let all = variables(graph);
    let world = |i: usize| {
        let values = values_of(graph, &all, i);
        let place = keep.iter().fold(0, |at, &v| {
            at * graph.cardinality(v) + values[v.index()] as usize
        });
        (place, log_weight(graph, &values))
    };
    (0..graph.dense_size(&all))
        .map(world)
        .filter(|w| w.1 > f64::NEG_INFINITY)
        .collect()
}

/// Returns `ln(sum exp)` of some logarithms.
pub fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        most
    } else {
        most + logs.iter().map(|l| (l - most).exp()).sum::<f64>().ln()
    }
}

/// Asserts that two numbers agree to a relative tolerance, or are the same infinity.
///
/// # Panics
///
/// Panics if the numbers do not agree.
pub fn assert_close(a: f64, b: f64, tolerance: f64, what: &str) {
    let is_close = a == b || (a - b).abs() <= tolerance * (1.0 + a.abs().min(b.abs()));
    assert!(is_close, "{what}: {a} and {b}");
}

/// Returns a factor with a dense table.
pub fn dense(variables: &[VarId], weights: &[f64]) -> Factor {
    let table = FactorTable::Dense(Weights::from_linear(weights.to_vec()));
    Factor {
        variables: variables.to_vec(),
        table,
        normalised: false,
    }
}
