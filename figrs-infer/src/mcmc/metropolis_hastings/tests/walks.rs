//! Tests of random walks: they leave the posterior invariant, and reach values far from the prior.

use std::path::Path;

use figrs_core::{
    Beta, Binomial, ContinuousUniform, Covariance, Dirichlet, DiscreteUniform, Element,
    Exponential, Model, MultivariateNormal, Normal, Parents, Poisson, Rate, StandardDeviation,
    Uniform, Value, Variance, stream,
};
use figrs_lower::internals::Trace;
use serde_json::Value as Json;
use statrs::function::gamma::digamma;

use super::is_right;
use crate::MetropolisHastings;
use crate::mcmc::metropolis_hastings::{AcceptanceTerms, Kernel, Proposals};
use figrs_answer::Run;

/// Starts from draws of the prior, makes a few steps of `kernel` without draws from conditional distributions, and compares the expectation of
/// `number` with `right`, its prior expectation. The expectation may deviate by six standard errors.
fn prior_stays<T: Value>(
    of: &Element<T>,
    kernel: &mut Kernel,
    number: impl Fn(&T) -> f64,
    right: f64,
) {
    const TIMES: u32 = 8000;
    // The element is read through a function, because an element without readers would be drawn directly from its prior.
    let targets = [of.map(Clone::clone).erased().clone()];
    let mut trace = Trace::new(&Model::new(), &targets, 100).unwrap();
    let mut random = stream(5, 0);
    let (mut sum, mut squares, mut moved) = (0.0, 0.0, 0);
    for _ in 0..TIMES {
        assert!(trace.restart(&mut random).unwrap());
        for _ in 0..3 {
            let step = kernel.step(&mut trace, &mut random, AcceptanceTerms::log_acceptance);
            moved += u32::from(step.unwrap().accepted);
        }
        let value = trace.target(0).unwrap();
        let x = number(value.get().unwrap());
        sum += x;
        squares += x * x;
    }
    let times = f64::from(TIMES);
    let mean = sum / times;
    let error = ((squares / times - mean * mean) / times).sqrt();
    assert!(moved > TIMES);
    assert!(
        (mean - right).abs() < 6.0 * error,
        "{mean} ± {error}, not {right}"
    );
}

/// Returns a kernel whose covariances and scales have been adapted by steps that sample the prior.
fn adapted<T: Value>(of: &Element<T>) -> Kernel {
    let targets = [of.map(Clone::clone).erased().clone()];
    let mut trace = Trace::new(&Model::new(), &targets, 100).unwrap();
    let mut random = stream(6, 0);
    assert!(trace.restart(&mut random).unwrap());
    let mut kernel = Kernel::new(Proposals::new()).searching();
    kernel.adapt(true);
    for _ in 0..500 {
        kernel
            .step(&mut trace, &mut random, AcceptanceTerms::log_acceptance)
            .unwrap();
    }
    kernel.adapt(false);
    kernel
}

fn both<T: Value>(of: &Element<T>, number: impl Fn(&T) -> f64 + Copy, right: f64) {
    prior_stays(
        of,
        &mut Kernel::new(Proposals::new()).searching(),
        number,
        right,
    );
    prior_stays(of, &mut adapted(of), number, right);
}

#[test]
fn walks_leave_the_prior() {
    let concentrations = [0.7, 2.0, 5.0];
    let mix = Dirichlet::new(concentrations);
    for (i, a) in concentrations.into_iter().enumerate() {
        both(&mix, |mix| mix[i].ln(), digamma(a) - digamma(7.7));
    }
    let two = MultivariateNormal::new([1.0, -1.0], Covariance::rows([[1.0, 0.8], [0.8, 2.0]]));
    both(&two, |x| (x[0] - 1.0) * (x[1] + 1.0), 0.8);
    both(&two, |x| (x[1] + 1.0).powi(2), 2.0);
    both(&Uniform::new(0..60_u8), |&n| f64::from(n), 29.5);
    both(
        &Uniform::new(0..60_u8),
        |&n| f64::from(n).powi(2),
        59.0 * 119.0 / 6.0,
    );
    both(&Poisson::new(40.0), |&n| n as f64, 40.0);
    both(
        &Beta::new(0.5, 0.5),
        |p| p.ln(),
        digamma(0.5) - digamma(1.0),
    );
}

#[test]
fn a_list_of_reals_walks_to_its_posterior() {
    // The observation determines the sum of the first two numbers precisely, and says nothing about their difference or the third number.
    let three = MultivariateNormal::new([0.0; 3], Covariance::diagonal([100.0, 100.0, 1.0]));
    let sum = three.map(|x| x[0] + x[1]);
    let model = Model::new().observe(&Normal::new(&sum, Variance(0.01)), 7.0);
    let sampler = MetropolisHastings::new(10_000).seed(2);
    let answer = sampler.run(&model, &three).unwrap();
    let precision = 1.0 / 200.0 + 1.0 / 0.01;
    is_right(
        &answer,
        &three,
        |x| x[0] + x[1],
        7.0 / 0.01 / precision,
        0.02,
    );
    is_right(&answer, &three, |x| (x[0] - x[1]).powi(2), 200.0, 30.0);
    is_right(&answer, &three, |x| x[2], 0.0, 0.1);
}

/// In the test data, years are counted from the year one, and the correlation of intercept and slope is therefore 1 - 1e-5, up to its sign. The
/// standard deviation of the noise has a prior as well. The value of the regression line at its centre and the slope are known in closed form, to a
/// percent of their standard deviations.
fn regression(block: bool) {
    let noise = [0.3, -0.2, 0.5, -0.4, 0.1, 0.0, -0.3, 0.2, 0.4, -0.5];
    let points: Vec<(f64, f64)> = (0..30_u32)
        .map(|i| {
            let x = 1990.0 + f64::from(i);
            (x, 15.0 + 0.2 * (x - 2000.0) + noise[i as usize % 10])
        })
        .collect();
    let a = Normal::new(0.0, StandardDeviation(1000.0));
    let b = Normal::new(0.0, StandardDeviation(10.0));
    let sigma = Exponential::new(Rate(1.0));
    let mut model = Model::new();
    for &(x, y) in &points {
        let mean = (&a, &b).map(move |(a, b)| a + b * x);
        model = model.observe(&Normal::new(&mean, StandardDeviation(&sigma)), y);
    }
    let line = (&a, &b).map(|(a, b)| a + b * 2004.5);
    let count = points.len() as f64;
    let middle = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let along: f64 = points.iter().map(|(x, _)| (x - 2004.5).powi(2)).sum();
    let slope = points.iter().map(|(x, y)| (x - 2004.5) * y).sum::<f64>() / along;
    let mut sampler = MetropolisHastings::new(12_000).seed(1);
    if block {
        sampler = sampler.block((&a, &b, &sigma));
    }
    let answer = sampler.run(&model, (&a, &b, &line)).unwrap();
    is_right(&answer, &line, |&y| y, middle, 0.006);
    is_right(&answer, &b, |&b| b, slope, 0.0007);
    is_right(&answer, &a, |&a| a, middle - 2004.5 * slope, 1.4);
}

#[test]
fn a_straight_line_far_from_zero_is_found() {
    regression(false);
}

#[test]
fn a_block_of_continuous_elements_learns_their_covariance() {
    regression(true);
}

#[test]
fn integers_walk_far_from_their_prior() {
    let n = DiscreteUniform::new(0, 100_000);
    let near = n.map(|&n| n as f64);
    let model = Model::new().observe(&Normal::new(&near, StandardDeviation(4.0)), 71_234.4);
    let sampler = MetropolisHastings::new(10_000).seed(3);
    let answer = sampler.run(&model, &n).unwrap();
    is_right(&answer, &n, |&n| n as f64, 71_234.4, 0.2);
    is_right(&answer, &n, |&n| (n as f64 - 71_234.4).powi(2), 16.0, 1.0);
    // An unknown number of trials, each observed with probability one half; the exact result is a sum over this number.
    let trials = Binomial::new(1000, 0.4);
    let seen = Binomial::new(&trials, 0.5);
    let answer = sampler_of(&Model::new().observe(&seen, 230), &trials);
    let weight = |n: u32| {
        let n = f64::from(n);
        let ln = |x: f64| statrs::function::gamma::ln_gamma(x + 1.0);
        // The log-posterior of the number of trials: the prior times the likelihood, without constants.
        (n * (0.4_f64 / 0.6).ln() - ln(1000.0 - n) - ln(n - 230.0) + n * 0.5_f64.ln()
            - (400.0 * (0.4_f64 / 0.6).ln() - ln(600.0) - ln(170.0) + 400.0 * 0.5_f64.ln()))
        .exp()
    };
    let (mut total, mut sum) = (0.0, 0.0);
    for n in 230..=1000 {
        total += weight(n);
        sum += weight(n) * f64::from(n);
    }
    is_right(&answer, &trials, |&n| f64::from(n), sum / total, 0.5);
}

fn sampler_of(model: &Model, of: &Element<u32>) -> figrs_answer::Answer {
    MetropolisHastings::new(10_000)
        .seed(4)
        .run(model, of)
        .unwrap()
}

/// Compares posterior means of summer temperatures of Kilpisjärvi by year, from posteriordb, with reference means from ten long runs of
/// another program. The test is skipped if the files of posteriordb are absent.
#[test]
fn summer_temperatures_have_the_reference_means() {
    let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let read = |path: &str| -> Option<Json> {
        let text = std::fs::read_to_string(shared.join(path)).ok()?;
        serde_json::from_str(&text).ok()
    };
    let data = read("data/posteriors/kilpisjarvi_mod.json");
    let (Some(data), Some(known)) = (data, read("reference/posteriors.json")) else {
        println!("skipped: there is no reference");
        return;
    };
    let known = &known["kilpisjarvi_mod-kilpisjarvi"];
    let numbers = |name: &str| -> Vec<f64> {
        let all = data[name].as_array().unwrap().iter();
        all.map(|x| x.as_f64().unwrap()).collect()
    };
    let number = |name: &str| data[name].as_f64().unwrap();
    let normal = |mean, deviation| Normal::new(number(mean), StandardDeviation(number(deviation)));
    let (alpha, beta) = (normal("pmualpha", "psalpha"), normal("pmubeta", "psbeta"));
    let sigma = ContinuousUniform::new(0.0, 100.0);
    let mut model = Model::new();
    for (x, y) in numbers("x").into_iter().zip(numbers("y")) {
        let mean = (&alpha, &beta).map(move |(a, b)| a + b * x);
        model = model.observe(&Normal::new(&mean, StandardDeviation(&sigma)), y);
    }
    let sampler = MetropolisHastings::new(10_000).seed(6);
    let answer = sampler.run(&model, (&alpha, &beta, &sigma)).unwrap();
    for (name, element, largest) in [
        ("alpha", &alpha, 1.5),
        ("beta", &beta, 0.0004),
        ("sigma", &sigma, 0.01),
    ] {
        let marginal = answer.distribution(element).unwrap();
        let (found, error) = (marginal.mean(), marginal.standard_error_of(|x| *x));
        let [right, theirs] = ["mean", "mcse"].map(|of| known[name][of].as_f64().unwrap());
        println!("{name}: {found} ± {error}, there {right} ± {theirs}");
        assert!(error < largest, "{name}: ± {error}");
        assert!(
            (found - right).abs() < 6.0 * error.hypot(theirs),
            "{name}: {found}"
        );
    }
}
