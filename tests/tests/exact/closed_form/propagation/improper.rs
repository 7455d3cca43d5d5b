//! Likelihoods that grow so fast that their number has no posterior, and functions that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

#[test]
fn growing_weights_have_a_posterior_or_an_error() {
    let x = Normal::new(0.0, Variance(1.0)).named("x");
    let run = |model: &Model| ExpectationPropagation::new().run(model, &x);
    let grown = |factor: f64| Model::new().log_weigh(&x, move |x| factor * x * x);
    for factor in [0.4_f64, 0.499, 0.4999] {
        let (variance, answer) = ((1.0 - 2.0 * factor).recip(), run(&grown(factor)).unwrap());
        check("mean", answer.mean(&x).unwrap(), 0.0);
        check("variance", answer.variance(&x).unwrap(), variance);
        let log_evidence = answer.log_evidence().unwrap().value;
        check("log-evidence", log_evidence, 0.5 * variance.ln());
    }
    // The mean is far from all numbers that have a prior probability.
    let answer = run(&Model::new().log_weigh(&x, |x| 60.0 * x)).unwrap();
    check("mean", answer.mean(&x).unwrap(), 60.0);
    // An approximation without precision has no mean; it gets a millionth of the precision without the likelihood.
    assert!((answer.variance(&x).unwrap() - 1.0).abs() < 2e-6);
    for factor in [0.5, 0.6, 1.0] {
        let error = run(&grown(factor)).unwrap_err();
        let Error::ImproperPosterior { element, statement } = &error else {
            panic!("{factor}: {error}");
        };
        assert!(element.to_string().contains('x'), "{element}");
        assert!(
            statement.contains("weight stated at") && statement.contains("improper.rs"),
            "{statement}"
        );
    }
    // The likelihood is bounded near the mean, where it is largest by far; it grows beyond.
    let late = Model::new().log_weigh(&x, |x| 1e6 * (-x * x).exp() + 0.6 * x * x);
    let error = run(&late).unwrap_err();
    assert!(matches!(error, Error::ImproperPosterior { .. }), "{error}");
}

/// Several likelihoods of one number: only their product decides if the number has a posterior.
#[test]
fn growing_weights_beside_others() {
    let x = Normal::new(0.0, Variance(1.0));
    let run = |model: Model| ExpectationPropagation::new().run(&model, &x);
    let grown = || Model::new().log_weigh(&x, |x| 0.6 * x * x);
    let answer = run(grown().log_weigh(&x, |x| -x * x + x)).unwrap();
    check("mean", answer.mean(&x).unwrap(), 1.0 / 1.8);
    check("variance", answer.variance(&x).unwrap(), 1.0 / 1.8);
    let reading = Normal::new(&x, Variance(1.0));
    let answer = run(grown().observe(&reading, 1.0)).unwrap();
    check("mean", answer.mean(&x).unwrap(), 1.0 / 0.8);
    let error = run(grown().log_weigh(&x, |x| -0.05 * x * x)).unwrap_err();
    assert!(matches!(error, Error::ImproperPosterior { .. }), "{error}");
    let third = |x: &f64| 0.3 * x * x;
    let error = run(Model::new().log_weigh(&x, third).log_weigh(&x, third)).unwrap_err();
    assert!(matches!(error, Error::ImproperPosterior { .. }), "{error}");
}

fn ouch(calls: &AtomicU64) -> ! {
    calls.fetch_add(1, Ordering::Relaxed);
    panic!("ouch")
}

/// The first panic of a function ends the run.
#[test]
fn functions_that_panic() {
    let calls = Arc::new(AtomicU64::new(0));
    let x = Normal::new(0.0, Variance(1.0));
    let refused = |model: Model| {
        let error = ExpectationPropagation::new().run(&model, &x).unwrap_err();
        let panics = calls.swap(0, Ordering::Relaxed);
        assert!(error.to_string().contains("panicked: ouch"), "{error}");
        // Debug builds call a function again to see if the result is the same.
        assert!((1..=2).contains(&panics), "{panics} panics");
    };
    let own = Arc::clone(&calls);
    refused(Model::new().weigh(&x, move |_| ouch(&own)));
    let own = Arc::clone(&calls);
    let coin = x.flat_map(move |&x| {
        if x > 1.0 {
            ouch(&own);
        }
        Flip::new(0.5)
    });
    refused(Model::new().observe(&coin, true));
    let both = (&coin, &Flip::new(0.5)).map(|(&a, &b)| a && b);
    refused(Model::new().observe(&both, true));
    let own = Arc::clone(&calls);
    let rate = x.map(move |&x| {
        if x < -2.0 {
            ouch(&own);
        }
        x.exp()
    });
    let (first, second) = (Poisson::new(&rate), Poisson::new(&rate));
    refused(Model::new().observe(&first, 2).observe(&second, 3));
}
