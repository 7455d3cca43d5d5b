//! Random mixed networks, each compared with a dense normal distribution for each assignment of the finite variables.

use figrs_factor::Limits;
use figrs_factor::Until;
use figrs_factor::graph::{Factor, FactorTable, VarId, Weights};
use figrs_gaussian::{
    Component, ConditionalDraws, Elimination, GaussianError, HybridDraws, HybridGraph,
    HybridPosterior, Mixture, RealId, most_probable,
};
use nalgebra::{DMatrix, DVector};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mixture;
use crate::random_network::{Network, by_enumeration, random};

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
