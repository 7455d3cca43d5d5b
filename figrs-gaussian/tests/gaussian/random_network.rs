//! Random networks of finite variables and vectors, and their exact distributions by enumeration of the finite variables.

use std::ops::RangeInclusive;

use figrs_factor::graph::{Assignments, Factor, FactorTable, VarId, Weights};
use figrs_gaussian::{HybridFactor, HybridGraph, RealId, SquareRootForm};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A network of finite variables and vectors, and one mean and covariance of all vectors, and a log-weight, for each finite assignment.
pub(crate) struct Network {
    pub(crate) graph: HybridGraph,
    pub(crate) starts: Vec<usize>,
    pub(crate) numbers: usize,
    /// For each vector and each assignment of its finite parents: offset, coefficients of all numbers, covariance.
    rules: Vec<(Vec<VarId>, Vec<Rule>)>,
    pub(crate) observed: Vec<(usize, DVector<f64>)>,
}

#[derive(Clone)]
struct Rule {
    offset: DVector<f64>,
    coefficients: DMatrix<f64>,
    covariance: DMatrix<f64>,
}

/// Adds random finite variables to a graph, each with a random table given some of the variables before it, and returns their number.
fn add_finite(
    graph: &mut HybridGraph,
    rng: &mut Xoshiro256PlusPlus,
    counts: RangeInclusive<u32>,
    is_near: impl Fn(usize, usize) -> bool,
) -> u32 {
    let finites = rng.random_range(counts);
    for i in 0..finites {
        let cardinality = rng.random_range(1..=3);
        let v = graph.finite.add_variable(cardinality);
        let mut variables: Vec<VarId> = (0..i)
            .filter(|&other| is_near(i as usize, other as usize) && rng.random_bool(0.5))
            .map(VarId)
            .collect();
        variables.push(v);
        let size = graph.finite.dense_size(&variables);
        let weights = (0..size).map(|_| {
            let is_zero = rng.random_bool(0.1);
            if is_zero { 0.0 } else { rng.random::<f64>() }
        });
        graph.finite.factors.push(Factor {
            variables,
            table: FactorTable::Dense(Weights::from_linear(weights.collect())),
            normalised: false,
        });
    }
    finites
}

/// Returns a random network. If `is_same` is true, the vectors have the same distribution for all values of the finite variables, and the network is
/// a sequence: variables are parents of variables near to them.
pub(crate) fn random(rng: &mut Xoshiro256PlusPlus, is_same: bool) -> Network {
    let mut graph = HybridGraph::default();
    let normal = |rng: &mut Xoshiro256PlusPlus| rng.random::<f64>() * 4.0 - 2.0;
    let (counts, vectors) = if is_same { (6..=12, 12) } else { (0..=4, 6) };
    let is_near = |a: usize, b: usize| !is_same || a.abs_diff(b) <= 1;
    let finites = add_finite(&mut graph, rng, counts, is_near);
    let reals = rng.random_range(1..=vectors);
    let (mut starts, mut numbers) = (Vec::new(), 0);
    for _ in 0..reals {
        let dimension = rng.random_range(1..=2);
        graph.add_real(dimension);
        starts.push(numbers);
        numbers += dimension;
    }
    let mut rules = Vec::new();
    let mut observed: Vec<(usize, DVector<f64>)> = Vec::new();
    for r in 0..reals {
        let n = graph.dimensions[r];
        let finite: Vec<VarId> = (0..finites)
            .filter(|&v| is_near(r, v as usize) && rng.random_bool(0.4))
            .map(VarId)
            .collect();
        let parents: Vec<usize> = (0..r)
            .filter(|&p| is_near(r, p) && rng.random_bool(0.5))
            .collect();
        let count = graph.finite.dense_size(&finite);
        let mut of_assignment: Vec<Rule> = (0..count)
            .map(|_| {
                let mut coefficients = DMatrix::zeros(n, numbers);
                for &p in &parents {
                    for c in starts[p]..starts[p] + graph.dimensions[p] {
                        for i in 0..n {
                            coefficients[(i, c)] = normal(rng);
                        }
                    }
                }
                let root = DMatrix::from_fn(n, n, |_, _| normal(rng));
                Rule {
                    offset: DVector::from_fn(n, |_, _| normal(rng)),
                    coefficients,
                    covariance: &root * root.transpose() + DMatrix::identity(n, n) * 0.1,
                }
            })
            .collect();
        if is_same {
            of_assignment = vec![of_assignment[0].clone(); count];
        }
        let value = rng
            .random_bool(if is_same { 0.1 } else { 0.3 })
            .then(|| DVector::from_fn(n, |_, _| normal(rng)));
        let mut mentioned: Vec<usize> = Vec::new();
        if value.is_none() {
            mentioned.push(r);
        }
        mentioned.extend(
            parents
                .iter()
                .filter(|p| observed.iter().all(|(o, _)| o != *p)),
        );
        let forms: Vec<SquareRootForm> = of_assignment
            .iter()
            .map(|rule| {
                // The residual of the vector: the values of observed vectors are part of the offset.
                let mut offset = -&rule.offset;
                let (mut blocks, mut dimension) = (Vec::new(), 0);
                let own = (r, DMatrix::identity(n, n), value.as_ref());
                let others = parents.iter().map(|&p| {
                    let coefficients = -rule.coefficients.columns(starts[p], graph.dimensions[p]);
                    let known = observed.iter().find(|(o, _)| *o == p);
                    (p, coefficients, known.map(|(_, x)| x))
                });
                for (real, coefficients, known) in std::iter::once(own).chain(others) {
                    if let Some(known) = known {
                        offset += coefficients * known;
                    } else {
                        blocks.push((dimension, coefficients));
                        dimension += graph.dimensions[real];
                    }
                }
                let blocks = blocks
                    .iter()
                    .map(|(first, block)| (*first, block.as_view()));
                let lower = rule.covariance.clone().cholesky().unwrap().unpack();
                SquareRootForm::residual(dimension, blocks, offset.as_slice(), &lower)
            })
            .collect();
        if mentioned.is_empty() {
            let logs = forms.iter().map(SquareRootForm::log_constant);
            graph.finite.factors.push(Factor {
                variables: finite.clone(),
                table: FactorTable::Dense(Weights::from_logs(logs.collect())),
                normalised: false,
            });
        } else {
            graph.factors.push(HybridFactor {
                finite: finite.clone(),
                reals: mentioned.iter().map(|&m| RealId(m as u32)).collect(),
                forms: forms.into(),
            });
        }
        if let Some(value) = value {
            observed.push((r, value));
        }
        rules.push((finite, of_assignment));
    }
    Network {
        graph,
        starts,
        numbers,
        rules,
        observed,
    }
}

/// The weight, the mean and the covariance of the free numbers for each assignment of all finite variables.
pub(crate) fn by_enumeration(network: &Network) -> Vec<(f64, DVector<f64>, DMatrix<f64>)> {
    let Network {
        graph,
        starts,
        numbers,
        rules,
        observed,
    } = network;
    let all = Assignments::rows(graph.finite.cardinalities.iter().map(|&c| c as usize));
    let mut values = vec![0u32; graph.finite.cardinalities.len()];
    let mut found = Vec::new();
    loop {
        let index = |variables: &[VarId]| {
            variables.iter().fold(0, |i, v| {
                i * graph.finite.cardinality(*v) + values[v.index()] as usize
            })
        };
        let mut log = 0.0;
        for factor in &graph.finite.factors {
            // Factors of observed vectors were added after those of the network.
            let FactorTable::Dense(weights) = &factor.table else {
                unreachable!()
            };
            if !is_of_observed(network, factor) {
                log += weights.log(index(&factor.variables));
            }
        }
        let mut mean = DVector::zeros(*numbers);
        let mut covariance = DMatrix::zeros(*numbers, *numbers);
        for (r, (finite, of_assignment)) in rules.iter().enumerate() {
            let rule = &of_assignment[index(finite)];
            let n = graph.dimensions[r];
            let own = &rule.offset + &rule.coefficients * &mean;
            let across = &rule.coefficients * &covariance;
            let within = &across * rule.coefficients.transpose() + &rule.covariance;
            mean.rows_mut(starts[r], n).copy_from(&own);
            for i in 0..n {
                for j in 0..*numbers {
                    covariance[(starts[r] + i, j)] = across[(i, j)];
                    covariance[(j, starts[r] + i)] = across[(i, j)];
                }
            }
            covariance
                .view_mut((starts[r], starts[r]), (n, n))
                .copy_from(&within);
        }
        let seen: Vec<usize> = observed
            .iter()
            .flat_map(|(r, x)| starts[*r]..starts[*r] + x.len())
            .collect();
        let free: Vec<usize> = (0..*numbers).filter(|i| !seen.contains(i)).collect();
        let seen_values: Vec<f64> = observed
            .iter()
            .flat_map(|(_, x)| x.iter().copied())
            .collect();
        if !seen.is_empty() {
            let within = covariance.select_rows(&seen).select_columns(&seen);
            let factor = within.cholesky().unwrap();
            let apart = DVector::from_vec(seen_values) - mean.select_rows(&seen);
            let logs: f64 = factor.l().diagonal().iter().map(|x| x.ln()).sum();
            log -= logs
                + 0.5
                    * (apart.dot(&factor.solve(&apart))
                        + seen.len() as f64 * (2.0 * std::f64::consts::PI).ln());
            let across = covariance.select_rows(&free).select_columns(&seen);
            mean = mean.select_rows(&free) + &across * factor.solve(&apart);
            covariance = covariance.select_rows(&free).select_columns(&free)
                - &across * factor.solve(&across.transpose());
        }
        found.push((log, mean, covariance));
        if all.advance(&mut values).is_none() {
            return found;
        }
    }
}

/// True for the factors that `random` adds for a vector if all its numbers and parents are observed.
fn is_of_observed(network: &Network, factor: &Factor) -> bool {
    let finites = network.graph.finite.cardinalities.len();
    let position = network
        .graph
        .finite
        .factors
        .iter()
        .position(|other| std::ptr::eq(other, factor));
    position.is_some_and(|position| position >= finites)
}
