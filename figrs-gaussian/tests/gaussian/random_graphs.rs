//! Random mixed networks, each compared with a dense normal distribution for each assignment of the finite variables.

use std::ops::RangeInclusive;

use figrs_factor::Limits;
use figrs_factor::Until;
use figrs_factor::graph::{Assignments, Factor, FactorTable, VarId, Weights};
use figrs_gaussian::{
    Component, ConditionalDraws, Elimination, GaussianError, HybridDraws, HybridFactor,
    HybridGraph, HybridPosterior, Mixture, RealId, SquareRootForm, most_probable,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mixture;

/// A network of finite variables and vectors, and one mean and covariance of all vectors, and a log-weight, for each finite assignment.
struct Network {
    graph: HybridGraph,
    starts: Vec<usize>,
    numbers: usize,
    /// For each vector and each assignment of its finite parents: offset, coefficients of all numbers, covariance.
    rules: Vec<(Vec<VarId>, Vec<Rule>)>,
    observed: Vec<(usize, DVector<f64>)>,
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
fn random(rng: &mut Xoshiro256PlusPlus, is_same: bool) -> Network {
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
fn by_enumeration(network: &Network) -> Vec<(f64, DVector<f64>, DMatrix<f64>)> {
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

/// The natural logarithm of the density of a mixture.
fn log_density(mixture: &Mixture, x: &DVector<f64>) -> f64 {
    let density = |c: &Component| {
        let apart = x - &c.mean;
        let factor = c.covariance.clone().cholesky().unwrap();
        let logs: f64 = factor.l().diagonal().iter().map(|x| x.ln()).sum();
        let squares =
            apart.dot(&factor.solve(&apart)) + x.len() as f64 * std::f64::consts::TAU.ln();
        c.share * (-logs - 0.5 * squares).exp()
    };
    mixture.components.iter().map(density).sum::<f64>().ln()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// Checks the most probable values of all variables against the mode for each assignment of the finite variables.
fn check_most_probable(graph: &HybridGraph, all: &[(f64, DVector<f64>, DMatrix<f64>)]) {
    let log_at_mean = |(log, mean, covariance): &(f64, DVector<f64>, DMatrix<f64>)| {
        if mean.is_empty() {
            return *log;
        }
        let factor = covariance.clone().cholesky().unwrap().unpack();
        let logs: f64 = factor.diagonal().iter().map(|x| x.ln()).sum();
        log - logs - 0.5 * mean.len() as f64 * std::f64::consts::TAU.ln()
    };
    let order = |a: &&_, b: &&_| log_at_mean(a).total_cmp(&log_at_mean(b));
    let best = all.iter().max_by(order).unwrap();
    let found = most_probable(graph, 1 << 20, &Limits::default()).unwrap();
    assert!(close(found.log_weight, log_at_mean(best)));
    let numbers = found.reals.iter().flatten();
    assert!(numbers.zip(&best.1).all(|(a, b)| close(*a, *b)));
}

/// Checks the means and the squares of draws. A test is wrong with probability 2e-9 for each number.
fn check_draws(
    draw: impl FnMut() -> Option<(Vec<u32>, Vec<DVector<f64>>)>,
    posterior: &HybridPosterior<'_>,
) {
    const DRAWS: usize = 2000;
    let drawn: Vec<_> = std::iter::repeat_with(draw).take(DRAWS).flatten().collect();
    assert_eq!(drawn.len(), DRAWS);
    let check = |values: Vec<f64>, exact: f64| {
        let mean = values.iter().sum::<f64>() / DRAWS as f64;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let error = squares.sqrt() / DRAWS as f64;
        assert!(
            (mean - exact).abs() <= 6.0 * error + 1e-9,
            "{mean} for {exact}"
        );
    };
    for (i, vector) in drawn[0].1.iter().enumerate() {
        let real = RealId(i as u32);
        let exact = mixture(posterior, real);
        let (mean, covariance) = (exact.mean(), exact.covariance());
        for j in 0..vector.len() {
            let apart = drawn.iter().map(|(_, reals)| reals[i][j] - mean[j]);
            let apart: Vec<f64> = apart.collect();
            check(apart.iter().map(|x| x * x).collect(), covariance[(j, j)]);
            check(apart, 0.0);
        }
    }
    for i in 0..drawn[0].0.len() {
        let hits = drawn
            .iter()
            .map(|(finite, _)| f64::from(u8::from(finite[i] == 0)));
        let (share, exact) = (
            hits.sum::<f64>() / DRAWS as f64,
            posterior.shares(VarId(i as u32))[0],
        );
        let error = (exact * (1.0 - exact) / DRAWS as f64).sqrt();
        // A rare value may be drawn some times more often than its share.
        assert!((share - exact).abs() <= 6.0 * error + 10.0 / DRAWS as f64);
    }
}

/// Checks draws given each value of the first finite variable against the posterior of the graph with a factor for this value.
fn check_conditional_draws(
    graph: &HybridGraph,
    elimination: &Elimination<'_>,
    rng: &mut Xoshiro256PlusPlus,
) {
    let Some(&count) = graph.finite.cardinalities.first() else {
        return;
    };
    let limits = Limits::default();
    let mut draws = ConditionalDraws::new(elimination, VarId(0), &limits).unwrap();
    for value in 0..count {
        let mut given = graph.clone();
        let shares = (0..count).map(|other| f64::from(u8::from(other == value)));
        given.finite.factors.push(Factor {
            variables: vec![VarId(0)],
            table: FactorTable::Dense(Weights::from_linear(shares.collect())),
            normalised: false,
        });
        let given = Elimination::run(&given, 1 << 20, &Until::default()).unwrap();
        let posterior = HybridPosterior::new(&given, &limits).unwrap();
        if posterior.log_total() == f64::NEG_INFINITY {
            assert!(draws.draw(value, rng).is_none());
        } else {
            check_draws(|| draws.draw(value, rng), &posterior);
        }
    }
}

/// Returns the graph of a network without its observed vectors, which are in no factor, and the vectors that are left.
fn without_observed(network: &Network) -> (HybridGraph, Vec<usize>) {
    let free: Vec<usize> = (0..network.graph.dimensions.len())
        .filter(|r| network.observed.iter().all(|(o, _)| o != r))
        .collect();
    let mut graph = network.graph.clone();
    graph.dimensions.clear();
    let names: Vec<u32> = (0..network.graph.dimensions.len())
        .map(|r| {
            free.iter()
                .position(|&f| f == r)
                .map_or(u32::MAX, |p| p as u32)
        })
        .collect();
    for &r in &free {
        graph.dimensions.push(network.graph.dimensions[r]);
    }
    for factor in &mut graph.factors {
        for real in &mut factor.reals {
            *real = RealId(names[real.index()]);
        }
    }
    (graph, free)
}

/// Components that are all equal are merged without an error, so that the collect and the distribute pass must both be exact.
#[test]
fn merged_components_that_are_equal_stay_exact() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut merged, mut refused) = (0, 0);
    for case in 0..600 {
        let network = random(&mut rng, true);
        let (graph, free) = without_observed(&network);
        let elimination = match Elimination::merging(&graph, 12, &Until::default()) {
            Ok(elimination) => elimination,
            Err(GaussianError::TooManyComponents { .. }) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("case {case}: {error}"),
        };
        merged += usize::from(!elimination.is_exact());
        let posterior = HybridPosterior::new(&elimination, &Limits::default()).unwrap();
        let exact = Elimination::run(&graph, 1 << 20, &Until::default()).unwrap();
        let exact = HybridPosterior::new(&exact, &Limits::default()).unwrap();
        if exact.log_total() == f64::NEG_INFINITY {
            assert_eq!(posterior.log_total(), f64::NEG_INFINITY, "case {case}");
            continue;
        }
        assert!(
            close(posterior.log_total(), exact.log_total()),
            "case {case}"
        );
        for v in (0..graph.finite.cardinalities.len() as u32).map(VarId) {
            let mut pairs = posterior.shares(v).iter().zip(exact.shares(v));
            assert!(pairs.all(|(a, b)| close(*a, *b)), "case {case}");
        }
        for real in (0..free.len() as u32).map(RealId) {
            let both = [&posterior, &exact].map(|posterior| mixture(posterior, real));
            let found = both.each_ref().map(Mixture::mean);
            assert!(
                found[0].iter().zip(&found[1]).all(|(a, b)| close(*a, *b)),
                "case {case}"
            );
            let found = both.each_ref().map(Mixture::covariance);
            assert!(
                found[0].iter().zip(&found[1]).all(|(a, b)| close(*a, *b)),
                "case {case}"
            );
        }
    }
    assert!(merged > 50 && refused < 50, "{merged} {refused}");
}

#[test]
fn random_networks_agree_with_dense_normal_distributions() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut mixtures = 0;
    for case in 0..600 {
        let network = random(&mut rng, false);
        let (graph, free) = without_observed(&network);
        let elimination = Elimination::run(&graph, 1 << 20, &Until::default()).unwrap();
        let posterior = HybridPosterior::new(&elimination, &Limits::default()).unwrap();
        let all = by_enumeration(&network);
        let largest = all.iter().map(|w| w.0).fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            assert_eq!(posterior.log_total(), f64::NEG_INFINITY, "case {case}");
            continue;
        }
        let total: f64 = all.iter().map(|w| (w.0 - largest).exp()).sum();
        let log_total = largest + total.ln();
        assert!(close(posterior.log_total(), log_total), "case {case}");
        check_most_probable(&graph, &all);
        if case % 20 == 0 {
            let mut draws = HybridDraws::new(&elimination, &Limits::default()).unwrap();
            check_draws(|| draws.draw(&mut rng), &posterior);
            check_conditional_draws(&graph, &elimination, &mut rng);
        }
        for v in (0..graph.finite.cardinalities.len() as u32).map(VarId) {
            let totals = elimination.log_totals(v, &Limits::default()).unwrap();
            let shares = totals.iter().map(|log| (log - log_total).exp());
            let mut pairs = shares.zip(posterior.shares(v));
            assert!(pairs.all(|(a, b)| close(a, *b)), "case {case}");
        }
        let mut start = 0;
        for (i, &r) in free.iter().enumerate() {
            let n = network.graph.dimensions[r];
            let real = RealId(i as u32);
            let share = |log: f64| (log - largest).exp() / total;
            let mut mean = DVector::zeros(n);
            let mut square = DMatrix::zeros(n, n);
            for (log, means, covariances) in &all {
                let m = means.rows(start, n);
                let c = covariances.view((start, start), (n, n));
                mean += share(*log) * m;
                square += share(*log) * (c + m * m.transpose());
            }
            let covariance = square - &mean * mean.transpose();
            let found = mixture(&posterior, real);
            mixtures += usize::from(found.components.len() > 1);
            let m = found.mean();
            assert!(
                m.iter().zip(&mean).all(|(a, b)| close(*a, *b)),
                "case {case}"
            );
            let c = found.covariance();
            let mut pairs = c.iter().zip(&covariance);
            assert!(pairs.all(|(a, b)| close(*a, *b)), "case {case}");
            let x = &mean + DVector::from_element(n, 0.3);
            let density: f64 = all
                .iter()
                .map(|(log, means, covariances)| {
                    let apart = &x - means.rows(start, n);
                    let factor = covariances.view((start, start), (n, n)).clone_owned();
                    let factor = factor.cholesky().unwrap();
                    let logs: f64 = factor.l().diagonal().iter().map(|x| x.ln()).sum();
                    let squares = apart.dot(&factor.solve(&apart));
                    let two_pi = 2.0 * std::f64::consts::PI;
                    share(*log) * (-logs - 0.5 * (squares + n as f64 * two_pi.ln())).exp()
                })
                .sum();
            assert!(close(log_density(&found, &x), density.ln()), "case {case}");
            start += n;
        }
    }
    assert!(mixtures > 300, "{mixtures}");
}
