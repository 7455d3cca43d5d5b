//! Random factor graphs with many zeros, and enumeration of their assignments.

use super::super::logical_form::LogicalForm;
use figrs_factor::Limits;
use figrs_factor::graph::{
    Assignments, Factor, FactorGraph, FactorTable, VarId, Weights, log_entry,
};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Returns the number of test problems: the value of `PROPTEST_CASES` if it is set, otherwise `usual`.
pub(super) fn cases(usual: u64) -> u64 {
    let stated = std::env::var("PROPTEST_CASES").ok();
    stated.and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// Returns the clauses and decision diagrams of a factor graph, for the sum over all its variables.
pub(super) fn logical_form(graph: &FactorGraph) -> LogicalForm {
    let kept = vec![false; graph.cardinalities.len()];
    LogicalForm::new(graph, &[], &kept, &Limits::default()).expect("small")
}

pub(super) fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Returns a random factor graph of up to `most` variables with one to four values each, and with tables of all storage formats.
pub(super) fn random_graph(rng: &mut impl Rng, most: usize) -> FactorGraph {
    let mut graph = FactorGraph::default();
    for _ in 0..rng.random_range(0..=most) {
        let cards = [1, 2, 2, 2, 3, 4];
        graph.add_variable(cards[rng.random_range(0..cards.len())]);
    }
    let share = [0.0, 0.2, 0.4, 0.7][rng.random_range(0..4)];
    let n = graph.cardinalities.len();
    for _ in 0..rng.random_range(0..=n + n / 2) {
        let mut variables: Vec<VarId> = Vec::new();
        for _ in 0..rng.random_range(0..=n.min(4)) {
            let v = VarId(rng.random_range(0..n) as u32);
            if !variables.contains(&v) {
                variables.push(v);
            }
        }
        let table = random_table(rng, &graph, &variables, share);
        graph.factors.push(Factor {
            variables,
            table,
            normalised: false,
        });
    }
    graph
}

fn random_table(
    rng: &mut impl Rng,
    graph: &FactorGraph,
    variables: &[VarId],
    share: f64,
) -> FactorTable {
    let size = graph.dense_size(variables);
    let plain = rng.random_bool(0.5);
    let weight = |rng: &mut dyn FnMut() -> f64| {
        if plain {
            return 1.0;
        }
        [0.5, 0.5, 0.25, 1.0, 3.0, rng()][(rng() * 5.99) as usize]
    };
    match rng.random_range(0..4) {
        0 if !variables.is_empty() => {
            let n = graph.cardinality(variables[variables.len() - 1]);
            let index = (0..size / n).map(|_| {
                if rng.random_bool(share / 4.0) {
                    return FactorTable::NO_VALUE;
                }
                rng.random_range(0..n) as u32
            });
            FactorTable::Function {
                index: index.collect(),
            }
        }
        1 => {
            let all = Assignments::rows(variables.iter().map(|&v| graph.cardinality(v)));
            let (mut rows, mut weights) = (Vec::new(), Vec::new());
            for number in 0..size {
                if !rng.random_bool(share) {
                    rows.extend(all.values(number));
                    weights.push(weight(&mut || rng.random()));
                }
            }
            FactorTable::Sparse {
                rows,
                weights: Weights::from_linear(weights),
            }
        }
        _ => {
            let mut entry = || {
                if rng.random_bool(share) {
                    return 0.0;
                }
                weight(&mut || rng.random())
            };
            FactorTable::Dense(Weights::from_linear((0..size).map(|_| entry()).collect()))
        }
    }
}

/// Returns a random formula in conjunctive normal form in which each clause has three literals.
pub(super) fn random_formula(rng: &mut impl Rng, variables: usize, clauses: usize) -> FactorGraph {
    random_clauses(rng, variables, clauses, 3..=3)
}

/// Returns a random formula in conjunctive normal form whose clauses have numbers of literals in the range `lengths`.
pub(super) fn random_clauses(
    rng: &mut impl Rng,
    variables: usize,
    clauses: usize,
    lengths: std::ops::RangeInclusive<usize>,
) -> FactorGraph {
    let mut graph = FactorGraph {
        cardinalities: vec![2; variables],
        factors: Vec::new(),
    };
    for _ in 0..clauses {
        let (mut scope, length) = (Vec::new(), rng.random_range(lengths.clone()));
        while scope.len() < length {
            let v = VarId(rng.random_range(0..variables) as u32);
            if !scope.contains(&v) {
                scope.push(v);
            }
        }
        let mut weights = vec![1.0; 1 << length];
        weights[rng.random_range(0..1 << length)] = 0.0;
        graph.factors.push(Factor {
            variables: scope,
            table: FactorTable::Dense(Weights::from_linear(weights)),
            normalised: false,
        });
    }
    graph
}

/// Returns all assignments of positive weight of a factor graph, each with the natural logarithm of its weight.
pub(super) fn worlds(graph: &FactorGraph) -> Vec<(Vec<u32>, f64)> {
    let all = Assignments::rows(graph.cardinalities.iter().map(|&n| n as usize));
    let weigh = |number| {
        let values: Vec<u32> = all.values(number).collect();
        let log = graph
            .factors
            .iter()
            .map(|factor| log_entry(graph, factor, &values))
            .sum();
        (values, log)
    };
    (0..all.count())
        .map(weigh)
        .filter(|(_, log)| *log > f64::NEG_INFINITY)
        .collect()
}

/// Returns the natural logarithm of the sum of the weights of the assignments `worlds`.
pub(super) fn log_sum_of(worlds: &[(Vec<u32>, f64)]) -> f64 {
    worlds.iter().map(|(_, log)| log.exp()).sum::<f64>().ln()
}
