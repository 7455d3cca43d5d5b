//! Tests of Metropolis-Hastings and simulated annealing as a user sees them: sizes, settings, threads, and the most probable world.

mod deadlines;

use std::cell::Cell;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs::prelude::*;
use figrs::{ModelError, Operand, SimulatedAnnealing};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use statrs::function::gamma::digamma;

/// Returns the number of tails of a coin before the first heads.
fn geometric(p: f64) -> Element<u32> {
    Flip::new(p).flat_map(move |&heads| {
        if heads {
            Constant::new(0)
        } else {
            geometric(p).map(|n| n + 1)
        }
    })
}

#[test]
fn deep_recursion_neither_overflows_nor_takes_quadratic_time() {
    let n = geometric(0.001);
    let sampler = MetropolisHastings::new(200).chains(2).seed(3);
    let answer = sampler.run(&Model::new(), &n).unwrap();
    let mean = answer.mean(&n).unwrap();
    assert!(mean > 10.0 && mean < 100_000.0, "{mean}");
}

/// In a line of coins, each coin depends on the one before, so that a step affects two coins, however many there are.
#[test]
fn a_step_in_a_large_model_is_a_small_one() {
    let mut coins = vec![Flip::new(0.5)];
    for i in 1..10_000 {
        let next = coins[i - 1].flat_map(|&b| Flip::new(if b { 0.6 } else { 0.4 }));
        coins.push(next);
    }
    let mut model = Model::new();
    for coin in coins.iter().step_by(10) {
        model = model.weigh(coin, |&b| if b { 2.0 } else { 1.0 });
    }
    let sampler = MetropolisHastings::new(50_000).chains(2).thin(5).seed(4);
    let answer = sampler.run(&model, &coins[5000]).unwrap();
    assert_eq!(answer.sampling().unwrap().done, 500_000);
}

#[test]
fn the_answer_is_the_same_on_any_number_of_threads() {
    let size = Select::new([(0.5, 1_u32), (0.5, 2)]);
    let sum = size.flat_map(|&n| Binomial::new(n, 0.4));
    let seen = sum.flat_map(|&n| Flip::new(0.2 + 0.3 * f64::from(n)));
    let model = Model::new().observe(&seen, true);
    let draws = |threads: usize, seed| {
        let sampler = MetropolisHastings::new(600).chains(5).seed(seed);
        let sampler = sampler.threads(NonZero::new(threads).unwrap());
        let answer = sampler.run(&model, (&size, &sum)).unwrap();
        answer.draws().unwrap().values(&sum).unwrap()
    };
    assert_eq!(draws(1, 8), draws(4, 8));
    assert_eq!(draws(1, 8).len(), 3000);
    assert_ne!(draws(1, 8), draws(1, 9));
}

#[test]
fn what_is_known_needs_no_choice() {
    let (x, y) = (Constant::new(3), Flip::new(0.3));
    let model = Model::new().observe(&y, true);
    let answer = MetropolisHastings::new(10).run(&model, (&x, &y)).unwrap();
    assert_eq!(answer.probability(&x, &3).unwrap(), 1.0);
    let world = SimulatedAnnealing::new(10).run(&model, &y).unwrap();
    assert!((world.log_probability().unwrap() - 0.3_f64.ln()).abs() < 1e-12);
    assert!(world.upper_bound().unwrap() == f64::INFINITY && !world.is_proven().unwrap());
}

#[test]
fn there_is_no_probability_of_evidence() {
    let x = Flip::new(0.3);
    let answer = MetropolisHastings::new(10).run(&Model::new(), &x).unwrap();
    assert!(matches!(
        answer.log_evidence(),
        Err(Error::NotInAnswer { .. })
    ));
}

#[test]
fn impossible_evidence_ends_within_the_tries_stated() {
    let x = Uniform::new(0..10_u32);
    let model = Model::new().condition(&x, |&x| x > 20);
    let sampler = MetropolisHastings::new(10).max_tries(77);
    let tried = |ended: Result<Answer, Error>| match ended {
        Err(Error::NoSampleMetEvidence { tried, .. }) => tried,
        ended => panic!("{ended:?}"),
    };
    assert_eq!(tried(sampler.run(&model, &x)), 77);
    let ended = SimulatedAnnealing::new(10).max_tries(5).run(&model, &x);
    assert_eq!(tried(ended), 5);
}

#[test]
fn settings_that_cannot_work_are_errors() {
    let x = Flip::new(0.3);
    let model = Model::new();
    let samplers = [
        MetropolisHastings::new(0),
        MetropolisHastings::new(1).chains(0),
        MetropolisHastings::new(1).thin(0),
        MetropolisHastings::new(1).max_tries(0),
        MetropolisHastings::new(u64::MAX).thin(3),
        MetropolisHastings::new(10).proposal(&x, |&b| Constant::new(b).map(|b| !b)),
    ];
    for sampler in samplers {
        let ended = sampler.run(&model, &x);
        assert!(
            matches!(ended, Err(Error::InvalidSetting { .. })),
            "{ended:?}"
        );
    }
    for (hot, cold) in [
        (1.0, 0.0),
        (0.1, 0.2),
        (f64::NAN, 0.1),
        (f64::INFINITY, 1.0),
    ] {
        let ended = SimulatedAnnealing::new(10)
            .cooling(hot, cold)
            .run(&model, &x);
        assert!(
            matches!(ended, Err(Error::InvalidSetting { .. })),
            "{ended:?}"
        );
    }
}

#[test]
fn an_interrupt_ends_the_run() {
    let x = Flip::new(0.3);
    let flag = Arc::new(AtomicBool::new(true));
    let ended = MetropolisHastings::new(10)
        .interrupt(flag)
        .run(&Model::new(), &x);
    assert!(matches!(ended, Err(Error::NothingDone { .. })));
}

/// A function that fails only in worlds of weight zero causes no error.
#[test]
fn functions_may_fail_in_impossible_worlds() {
    let x = Uniform::new(0..4_u32);
    let y = x.map(|&x| {
        assert!(x < 3, "three");
        x
    });
    let possible = Model::new().condition(&x, |&x| x < 3);
    assert!(MetropolisHastings::new(250).run(&possible, &y).is_ok());
    let ended = MetropolisHastings::new(250).run(&Model::new(), &y);
    let function = matches!(ended, Err(Error::Model(ModelError::Function { .. })));
    assert!(function, "{ended:?}");
}

/// Some elements must change together, which a block makes possible.
#[test]
fn a_block_crosses_what_single_steps_cannot() {
    let (a, b) = (Flip::new(0.3), Flip::new(0.6));
    let model = Model::new().observe(&a.equals(&b), true);
    let sampler = MetropolisHastings::new(5_000).block((&a, &b)).seed(2);
    let p = sampler
        .run(&model, &a)
        .unwrap()
        .probability(&a, &true)
        .unwrap();
    // A third of the steps are blocks, most of which are accepted, so an error of 0.02 is beyond four standard errors.
    assert!((p - 0.18 / 0.46).abs() < 0.02, "{p}");
}

/// A mean has a normal prior that is far wider than its posterior, which is normal with a known mean and variance. The estimates are normal with
/// their stated standard errors, except for the errors of these, so they deviate by six of them with a probability below 1e-8. Few proposals from the
/// prior are accepted and, without adaptation, few random walks.
#[test]
fn random_walks_adapt_and_find_a_continuous_posterior() {
    let mean = Normal::new(1.0, Variance(100.0));
    let seen = [4.8, 5.1, 5.3, 4.9];
    // The value is read through a function, because otherwise it would be drawn from its conditional distribution.
    let read = mean.map(|&mean| mean);
    let model = seen.iter().fold(Model::new(), |model, &x| {
        model.observe(&Normal::new(&read, Variance(0.25)), x)
    });
    let precision = 1.0 / 100.0 + 4.0 / 0.25;
    let right = (1.0 / 100.0 + seen.iter().sum::<f64>() / 0.25) / precision;
    let sampler = MetropolisHastings::new(20_000).burn_in(5000).seed(11);
    let answer = sampler.run(&model, &mean).unwrap();
    let marginal = answer.distribution(&mean).unwrap();
    let square = |x: &f64| (x - right).powi(2);
    for (found, right, error) in [
        (marginal.mean(), right, marginal.standard_error_of(|&x| x)),
        (
            marginal.expectation(square),
            1.0 / precision,
            marginal.standard_error_of(square),
        ),
    ] {
        assert!(error < 0.01, "{error}");
        assert!((found - right).abs() < 6.0 * error, "{found}, not {right}");
    }
    // Half of the steps are random walks, of which adaptation aims to accept a share of 0.44.
    let adapted = answer.sampling().unwrap().acceptance.unwrap();
    assert!((0.2..0.28).contains(&adapted), "{adapted}");
    let without = MetropolisHastings::new(5_000).burn_in(0).seed(11);
    let answer = without.run(&model, &mean).unwrap();
    let wide = answer.sampling().unwrap().acceptance.unwrap();
    assert!(wide < 0.1, "{wide}");
}

/// A precision has a Gamma prior, and numbers with a known mean are observed. The posterior is a Gamma distribution of shape `a + n / 2` and rate
/// `b + Σ(x - m)² / 2`. Proposals below zero are impossible, and the density of every number depends on the precision through a function. The
/// probability of a false alarm is below 1e-8, as above.
#[test]
fn random_walks_find_the_posterior_of_a_precision() {
    let (shape, rate, centre) = (2.0, 0.5, 1.0);
    let precision = Gamma::new(shape, Rate(rate));
    let variance = precision.map(|t| 1.0 / t);
    let seen = [0.2, 1.9, 1.1, 0.4, 2.2, 1.3, 0.7, 0.9, 1.8, 0.1];
    let model = seen.iter().fold(Model::new(), |model, &x| {
        model.observe(&Normal::new(centre, Variance(&variance)), x)
    });
    let shape = shape + 0.5 * seen.len() as f64;
    let rate = rate + 0.5 * seen.iter().map(|x| (x - centre).powi(2)).sum::<f64>();
    let sampler = MetropolisHastings::new(40_000).burn_in(5000).seed(12);
    let answer = sampler.run(&model, &precision).unwrap();
    let marginal = answer.distribution(&precision).unwrap();
    let mean = shape / rate;
    let square = |t: &f64| (t - mean).powi(2);
    let log = |t: &f64| t.ln();
    for (what, found, right, error) in [
        (
            "mean",
            marginal.mean(),
            mean,
            marginal.standard_error_of(|&t| t),
        ),
        (
            "variance",
            marginal.expectation(square),
            shape / (rate * rate),
            marginal.standard_error_of(square),
        ),
        (
            "mean of the logarithm",
            marginal.expectation(log),
            digamma(shape) - rate.ln(),
            marginal.standard_error_of(log),
        ),
    ] {
        assert!(error < 0.02, "{what}: {error}");
        assert!(
            (found - right).abs() < 6.0 * error,
            "{what}: {found}, not {right}"
        );
    }
}

#[test]
fn a_parameter_that_is_an_element_keeps_the_value() {
    let p = Select::new([(0.5, 0.2), (0.5, 0.9)]);
    let coin = Flip::new(Operand::from(&p));
    let world = SimulatedAnnealing::new(2000)
        .run(&Model::new(), (&p, &coin))
        .unwrap();
    assert_eq!(world.most_likely_value(&p).unwrap(), 0.9);
    assert!((world.log_probability().unwrap() - 0.45_f64.ln()).abs() < 1e-12);
}

/// The world found is never better than the best world, and is equally good in nearly all cases; it always has its stated probability.
#[test]
fn annealing_finds_the_most_probable_world_of_random_models() {
    let (tried, found) = (Cell::new(0), Cell::new(0));
    for_random_models(150, 31, |description| {
        let built = build(description);
        let targets = built.erased();
        let Ok(exact) = MpeVariableElimination::new().run(&built.model, targets.clone()) else {
            return Ok(());
        };
        let best = exact.log_probability().unwrap();
        let annealed = SimulatedAnnealing::new(1500).chains(3).max_tries(500);
        let annealed = match annealed.run(&built.model, targets) {
            Err(Error::NoSampleMetEvidence { .. }) => return Ok(()),
            annealed => annealed.map_err(|error| TestCaseError::fail(error.to_string()))?,
        };
        let log = annealed.log_probability().unwrap();
        prop_assert!(
            log <= best + 1e-9 * (1.0 + best.abs()),
            "{log} is above {best}"
        );
        tried.set(tried.get() + 1);
        found.set(found.get() + u32::from(close(log, best, 1e-9)));
        Ok(())
    });
    let (tried, found) = (tried.get(), found.get());
    println!("{found} of {tried}");
    assert!(
        tried > 50 && f64::from(found) > 0.95 * f64::from(tried),
        "{found} of {tried}"
    );
}
