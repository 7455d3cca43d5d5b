//! Likelihoods that grow so fast that their number has no posterior.

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
