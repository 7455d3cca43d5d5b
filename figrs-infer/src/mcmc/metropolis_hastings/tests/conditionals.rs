//! Tests of exact draws from conditional distributions, against closed forms and against random walks.

use figrs_core::rand::{Rng, RngExt};
use figrs_core::{
    Atomic, Beta, Binomial, Dirichlet, Element, Exponential, Family, Flip, Gamma, Geometric, If,
    InverseGamma, Likelihood, Model, Multinomial, Normal, Number, Outcomes, Pareto, Poisson, Rate,
    Scale, Select, StandardDeviation, Term, Variance, WrongParameter, stream,
};
use figrs_lower::internals::Trace;

use super::is_right;
use crate::MetropolisHastings;
use crate::mcmc::metropolis_hastings::{AcceptanceTerms, Kernel, Proposals};
use figrs_answer::Run;

/// Checks the predictive probability of a colour after several observations of the same colour. The observed elements read the parameter directly, or
/// through the function `through`.
fn next_colour(seen: u32, through: impl Fn(&Element<Vec<f64>>) -> Element<Vec<f64>>) {
    let mix = Dirichlet::new([2.0, 2.0, 2.0]);
    let read = through(&mix);
    let draw = || Select::by(&read, [1, 2, 3]);
    let model = (0..seen).fold(Model::new(), |model, _| model.observe(&draw(), 1));
    let next = draw();
    let sampler = MetropolisHastings::new(4000).seed(u64::from(seen));
    let answer = sampler.run(&model, (&next, &mix)).unwrap();
    let seen = f64::from(seen);
    let right = (2.0 + seen) / (6.0 + seen);
    is_right(
        &answer,
        &next,
        |&n| f64::from(u8::from(n == 1)),
        right,
        0.02,
    );
    is_right(&answer, &mix, |mix| mix[0], right, 0.01);
    is_right(&answer, &mix, |mix| mix[2], (1.0 - right) / 2.0, 0.01);
}

#[test]
fn a_dirichlet_is_drawn_from_its_conditional() {
    for seen in [10, 30, 100] {
        next_colour(seen, Element::clone);
    }
}

#[test]
fn counts_of_categories_give_the_conditional_of_a_dirichlet() {
    let mix = Dirichlet::new([2.0, 1.0, 3.0]);
    let model = Model::new()
        .observe(&Multinomial::new(30, &mix), vec![4, 20, 6])
        .observe(&Select::by(&mix, ['a', 'b', 'c']), 'c');
    let sampler = MetropolisHastings::new(4000).seed(5);
    let answer = sampler.run(&model, &mix).unwrap();
    for (i, right) in [6.0, 21.0, 10.0].into_iter().enumerate() {
        is_right(&answer, &mix, |mix| mix[i], right / 37.0, 0.01);
    }
}

#[test]
fn a_dirichlet_that_a_function_reads_walks() {
    for seen in [10, 30, 100] {
        next_colour(seen, |mix| mix.map(Clone::clone));
    }
}

/// Draws `count` values of `of`, the only free choice of `model`, from its conditional distribution; the result is empty if no conditional is known.
fn draws(model: &Model, of: &Element<f64>, count: u64) -> Vec<f64> {
    let mut trace = Trace::new(model, &[of.erased().clone()], 1000).unwrap();
    let mut random = stream(3, count);
    assert!(trace.restart(&mut random).unwrap());
    let site = trace.site(of.erased()).unwrap();
    let mut draw = || -> Option<f64> {
        let drawn = trace.draw_conditional(site, 1.0, &mut random).unwrap()?;
        drawn.get().copied()
    };
    (0..count).filter_map(|_| draw()).collect()
}

/// Asserts the mean and the variance of independent draws of `of` from its conditional distribution. The mean and the variance may each deviate by
/// six standard errors, computed from the fourth moment of the draws.
fn has_moments(name: &str, model: &Model, of: &Element<f64>, mean: f64, variance: f64) {
    let draws = draws(model, of, 5000);
    assert_eq!(draws.len(), 5000, "{name} has no conditional");
    let average = |f: &dyn Fn(f64) -> f64| draws.iter().map(|&x| f(x)).sum::<f64>() / 5000.0;
    let error = (variance / 5000.0).sqrt();
    let found = average(&|x| x);
    assert!(
        (found - mean).abs() < 6.0 * error,
        "{name}: {found}, not {mean}"
    );
    let found = average(&|x| (x - mean).powi(2));
    let error = (average(&|x| (x - mean).powi(4)) / 5000.0).sqrt();
    assert!(
        (found - variance).abs() < 6.0 * error,
        "{name}: {found}, not {variance}"
    );
}

#[test]
fn conditionals_have_the_moments_of_the_posterior() {
    let new = Model::new;
    let beta = |a: f64, b: f64| (a / (a + b), a * b / ((a + b).powi(2) * (a + b + 1.0)));
    let p = Beta::new(2.0, 3.0);
    let model = new()
        .observe(&Flip::new(&p), true)
        .observe(&Binomial::new(10, &p), 4)
        .observe(&Geometric::failures(&p), 5)
        .observe(&Geometric::trials(&p), 2);
    let (mean, variance) = beta(2.0 + 1.0 + 4.0 + 2.0, 3.0 + 6.0 + 5.0 + 1.0);
    has_moments("Beta", &model, &p, mean, variance);

    for (name, prior, (shape, rate)) in [
        ("Gamma", Gamma::new(2.0, Rate(3.0)), (2.0, 3.0)),
        ("Gamma by scale", Gamma::new(2.0, Scale(0.5)), (2.0, 2.0)),
        ("Exponential", Exponential::new(Rate(0.5)), (1.0, 0.5)),
        (
            "Exponential by scale",
            Exponential::new(Scale(4.0)),
            (1.0, 0.25),
        ),
    ] {
        let model = new()
            .observe(&Poisson::new(&prior), 7)
            .observe(&Exponential::new(Rate(&prior)), 0.4)
            .observe(&Gamma::new(2.5, Rate(&prior)), 1.5)
            .observe(&InverseGamma::new(1.5, Scale(&prior)), 2.0)
            .observe(&Pareto::new(&prior, Scale(0.5)), 0.75);
        let shape = shape + 7.0 + 1.0 + 2.5 + 1.5 + 1.0;
        let rate = rate + 1.0 + 0.4 + 1.5 + 0.5 + 1.5_f64.ln();
        has_moments(name, &model, &prior, shape / rate, shape / (rate * rate));
    }

    let spread = InverseGamma::new(4.0, Scale(3.0));
    let model = new()
        .observe(&Normal::new(1.0, Variance(&spread)), 2.5)
        .observe(&Exponential::new(Scale(&spread)), 0.7)
        .observe(&Gamma::new(3.0, Scale(&spread)), 2.0);
    let (shape, scale) = (4.0 + 0.5 + 1.0 + 3.0, 3.0 + 1.125 + 0.7 + 2.0);
    let mean = scale / (shape - 1.0);
    let variance = mean * mean / (shape - 2.0);
    has_moments("InverseGamma", &model, &spread, mean, variance);

    for (name, prior) in [
        ("Normal", Normal::new(-1.0, Variance(4.0))),
        (
            "Normal by deviation",
            Normal::new(-1.0, StandardDeviation(2.0)),
        ),
    ] {
        let model = new()
            .observe(&Normal::new(&prior, Variance(0.5)), 3.0)
            .observe(&Normal::new(&prior, StandardDeviation(2.0)), 1.0);
        let precision: f64 = 1.0 / 4.0 + 2.0 + 1.0 / 4.0;
        let mean = (-1.0 / 4.0 + 6.0 + 1.0 / 4.0) / precision;
        has_moments(name, &model, &prior, mean, 1.0 / precision);
    }
}

/// Several observations of one distribution are stored as one list, which is represented by its sufficient statistics.
#[test]
fn lists_of_observations_have_the_conditionals_of_their_values() {
    let p = Beta::new(2.0, 3.0);
    let flips = |model| {
        [true, false, true]
            .into_iter()
            .fold(model, |model: Model, x| model.observe(&Flip::new(&p), x))
    };
    let model = [5, 2].into_iter().fold(flips(Model::new()), |model, k| {
        model.observe(&Geometric::failures(&p), k)
    });
    let (a, b) = (2.0 + 2.0 + 2.0, 3.0 + 1.0 + 7.0);
    let total: f64 = a + b;
    let variance = a * b / (total * total * (total + 1.0));
    has_moments("Beta", &model, &p, a / total, variance);

    let rate = Gamma::new(2.0, Rate(3.0));
    let mut model = Model::new();
    for (count, x) in [(7, 0.4), (2, 1.1), (0, 2.0)] {
        model = model
            .observe(&Poisson::new(&rate), count)
            .observe(&Exponential::new(Rate(&rate)), x)
            .observe(&Gamma::new(2.5, Rate(&rate)), x);
    }
    let (shape, by): (f64, f64) = (2.0 + 9.0 + 3.0 + 7.5, 3.0 + 3.0 + 3.5 + 3.5);
    has_moments("Gamma", &model, &rate, shape / by, shape / (by * by));

    let spread = InverseGamma::new(4.0, Scale(3.0));
    let mut model = Model::new();
    for x in [2.5, -1.0, 0.5] {
        model = model.observe(&Normal::new(1.0, Variance(&spread)), x);
    }
    let (shape, scale) = (4.0 + 1.5, 3.0 + (2.25 + 4.0 + 0.25) / 2.0);
    let mean: f64 = scale / (shape - 1.0);
    has_moments(
        "InverseGamma",
        &model,
        &spread,
        mean,
        mean * mean / (shape - 2.0),
    );

    let mean = Normal::new(-1.0, Variance(4.0));
    let mut model = Model::new();
    for x in [3.0, 1.0, 0.5] {
        model = model.observe(&Normal::new(&mean, Variance(0.5)), x);
    }
    let precision: f64 = 0.25 + 6.0;
    has_moments(
        "Normal",
        &model,
        &mean,
        (-0.25 + 9.0) / precision,
        1.0 / precision,
    );
}

/// A family with a rate parameter whose sufficient statistics do not determine the likelihood.
#[derive(Debug)]
struct Waiting;

impl Family<f64> for Waiting {
    fn parameters(&self) -> &'static [&'static str] {
        &["rate"]
    }

    fn check(&self, _: &[f64]) -> Result<(), WrongParameter> {
        Ok(())
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        parameters[0].ln() - parameters[0] * value
    }

    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        -rng.random::<f64>().ln_1p() / parameters[0]
    }

    fn statistics(&self, values: &[f64]) -> Option<Vec<f64>> {
        Some(vec![values.len() as f64, values.iter().sum()])
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        statistics[0] * parameters[0].ln() - parameters[0] * statistics[1]
    }

    fn likelihood(
        &self,
        _: &[f64],
        _: std::ops::Range<usize>,
        value: &f64,
        likelihood: &mut Likelihood,
    ) {
        likelihood.add(Term::Log, 1.0);
        likelihood.add(Term::Linear, -value);
    }
}

#[test]
fn values_are_asked_for_where_statistics_tell_no_likelihood() {
    let rate = Gamma::new(2.0, Rate(3.0));
    let mut model = Model::new();
    for x in [0.4, 1.1, 2.0] {
        model = model.observe(&Atomic::family(Waiting, [&rate]), x);
    }
    let (shape, by): (f64, f64) = (5.0, 6.5);
    has_moments("Waiting", &model, &rate, shape / by, shape / (by * by));
}

/// The conditional distribution of a random choice is unknown if an element that reads the choice does not have the form that the family of the
/// choice states.
#[test]
fn other_readers_leave_no_conditional() {
    let p = Beta::new(2.0, 3.0);
    let seen = |reads: Element<f64>| Model::new().observe(&Flip::new(&reads), true);
    assert_eq!(draws(&seen(p.clone()), &p, 10).len(), 10);
    assert!(draws(&seen(p.map(|p| p * p)), &p, 10).is_empty());
    let weighed = seen(p.clone()).weigh(&p, |p| *p);
    assert!(draws(&weighed, &p, 10).is_empty());
    let branching = p.flat_map(|&p| Flip::new(p));
    assert!(draws(&Model::new().observe(&branching, true), &p, 10).is_empty());
    // The choice is each of the two parameters of a Gamma: directly, and through a `Chain` that returns the choice.
    let x = Gamma::new(2.0, Rate(1.0));
    let twice = Model::new().observe(&Gamma::new(&x, Rate(&x)), 1.0);
    assert!(draws(&twice, &x, 10).is_empty());
    let passed = If::new(&Flip::new(1.0), &x, Gamma::new(1.0, Rate(1.0)));
    let twice = Model::new().observe(&Gamma::new(&passed, Rate(&x)), 1.0);
    assert!(draws(&twice, &x, 10).is_empty());
    // A parameter that is one of several weights is not a point of the simplex; equal values of a Select are merged.
    let one = Model::new().observe(&Select::new([(&p, 1), (&p, 2)]), 1);
    assert!(draws(&one, &p, 10).is_empty());
    let mean = Normal::new(0.0, Variance(1.0));
    let deviation = Normal::new(0.0, StandardDeviation(&x));
    assert!(draws(&Model::new().observe(&deviation, 1.0), &x, 10).is_empty());
    let exact = Model::new().observe(&Normal::new(&mean, StandardDeviation(1.0)), 1.0);
    assert_eq!(draws(&exact, &mean, 10).len(), 10);
}

/// If a `Chain` returns a random choice, elements that read the `Chain` read the choice, in the worlds where the `Chain` returns it.
#[test]
fn a_mixture_is_drawn_from_its_conditionals() {
    let data = [-2.0, -1.4, -2.6, 1.9, 2.4, 2.2, 1.6];
    let means = [-1.0, 1.0].map(|mean| Normal::new(mean, Variance(1.0)));
    let share = Beta::new(2.0, 2.0);
    let mut model = Model::new();
    for x in data {
        let mean = If::new(&Flip::new(&share), &means[0], &means[1]);
        model = model.observe(&Normal::new(&mean, Variance(0.25)), x);
    }
    // The exact result is a sum over all assignments of the data to the components.
    let (mut total, mut first, mut shares) = (0.0, 0.0, 0.0);
    for assigned in 0..1_u32 << data.len() {
        let mut log = 0.0;
        let mut posterior_mean = [0.0; 2];
        let mut counts = [0.0; 2];
        for (part, prior) in [(0, -1.0), (1, 1.0)] {
            let own = (0..data.len()).filter(|i| (assigned >> i & 1 == 1) == (part == 0));
            let (mut precision, mut weighted) = (1.0, prior);
            for i in own {
                counts[part] += 1.0;
                let (x, before) = (data[i], weighted / precision);
                let spread: f64 = 0.25 + 1.0 / precision;
                log -= 0.5 * (x - before).powi(2) / spread + 0.5 * spread.ln();
                precision += 4.0;
                weighted += 4.0 * x;
            }
            posterior_mean[part] = weighted / precision;
        }
        let (a, b) = (2.0 + counts[0], 2.0 + counts[1]);
        log += ln_factorial(a) + ln_factorial(b);
        let weight = f64::exp(log);
        total += weight;
        first += weight * posterior_mean[0];
        shares += weight * a / (a + b);
    }
    let sampler = MetropolisHastings::new(20_000).seed(4);
    let answer = sampler.run(&model, (&means[0], &share)).unwrap();
    is_right(&answer, &means[0], |&x| x, first / total, 0.02);
    is_right(&answer, &share, |&x| x, shares / total, 0.01);
}

/// Returns the logarithm of the factorial of `n - 1`.
fn ln_factorial(n: f64) -> f64 {
    (1..n as u32).map(|k| f64::from(k).ln()).sum()
}

/// Tests the conditional distribution with the likelihood raised to a power, and a search, which uses the conditional distribution only as a
/// proposal.
#[test]
fn conditionals_are_tempered() {
    let mean = Normal::new(0.0, Variance(4.0));
    // Two observations, which are stored as one list.
    let seen = || Normal::new(&mean, Variance(2.0));
    let model = Model::new().observe(&seen(), 3.5).observe(&seen(), 2.5);
    let power = 0.3;
    let right = (power * 3.0) / (0.25 + power);
    let targets = [mean.erased().clone()];
    let mut trace = Trace::new(&model, &targets, 100).unwrap();
    let mut random = stream(9, 0);
    assert!(trace.restart(&mut random).unwrap());
    let mut kernel = Kernel::new(Proposals::new()).tempered(power);
    let site = trace.site(mean.erased()).unwrap();
    let mut sum = 0.0;
    for _ in 0..4000 {
        let step = kernel.step(&mut trace, &mut random, |terms: &AcceptanceTerms| {
            let log = terms.log_tempered(power) + terms.log_proposals();
            assert!(log.abs() < 1e-9, "an exact draw is accepted: {log}");
            log
        });
        assert!(step.unwrap().accepted);
        sum += trace.number(site).unwrap();
    }
    let error = (1.0_f64 / (0.25 + power) / 4000.0).sqrt();
    assert!(
        (sum / 4000.0 - right).abs() < 6.0 * error,
        "{}",
        sum / 4000.0
    );
}
