//! Expectation propagation that is corrected by weighted draws.

use figrs::prelude::*;
use figrs::{DegreesOfFreedom, Error, ExpectationPropagation, Scale, StudentT};
use statrs::distribution::{ContinuousCDF, Normal as NormalDistribution};

use super::propagation::likelihoods::by_trapezoids;

/// Models with three likelihoods of one number: the model, the number, and its mean, variance and log-evidence by the trapezoid rule.
fn corrected_cases() -> Vec<(Model, Element<f64>, [f64; 3])> {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let mut all = Vec::new();
    for case in 0..6_u32 {
        let shift = f64::from(case) * 0.8 - 2.0;
        let x = Normal::new(0.3, Variance(1.5));
        let moved = &x + shift;
        let success = Flip::new(moved.map(move |&x| logistic(2.0 * x)));
        let rate = x.map(|x| x.exp());
        let count = Poisson::new(&rate);
        let reading = StudentT::new(&x, Scale(0.7), DegreesOfFreedom(4.0));
        let model = Model::new()
            .observe(&success, case % 2 == 0)
            .observe(&count, u64::from(case % 4))
            .observe(&reading, 1.0 - shift);
        let log = move |x: f64| {
            let p = logistic(2.0 * (x + shift));
            let success = if case % 2 == 0 { p } else { 1.0 - p };
            let factorial: f64 = (1..=case % 4).map(f64::from).product();
            let poisson = f64::from(case % 4) * x - x.exp() - factorial.ln();
            let apart = (1.0 - shift - x) / 0.7;
            // The density of Student's t-distribution with four degrees of freedom.
            let student = (0.375 / 0.7_f64).ln() - 2.5 * (1.0 + apart * apart / 4.0).ln();
            success.ln() + poisson + student
        };
        all.push((model, x, by_trapezoids(0.3, 1.5, log)));
    }
    all
}

#[test]
fn corrected_approximations_have_honest_errors() {
    for (case, (model, x, [mean, variance, log_evidence])) in
        corrected_cases().into_iter().enumerate()
    {
        let algorithm = ExpectationPropagation::new().corrected(4000);
        let answer = algorithm.clone().seed(case as u64).run(&model, &x).unwrap();
        // Each test is wrong with probability 6e-7.
        let within = |found: f64, exact: f64, error: f64| {
            assert!(error > 0.0 && error < 0.05, "case {case}: error {error}");
            assert!(
                (found - exact).abs() < 5.0 * error,
                "case {case}: {found}, not {exact}"
            );
        };
        let evidence = answer.log_evidence().unwrap();
        within(evidence.value, log_evidence, evidence.standard_error);
        let marginal = answer.distribution(&x).unwrap();
        within(marginal.mean(), mean, marginal.standard_error_of(|&x| x));
        let square = |&x: &f64| (x - mean).powi(2);
        within(
            marginal.expectation(square),
            variance,
            marginal.standard_error_of(square),
        );
        let again = algorithm.seed(case as u64).run(&model, &x).unwrap();
        assert_eq!(again.mean(&x).unwrap(), answer.mean(&x).unwrap());
    }
}

#[test]
fn finite_elements_of_corrected_approximations() {
    // Two comparisons that share a player of unknown kind: by enumeration of the kinds, and quadrature of the player's skill.
    let kind = Select::new([(0.4, 0.0), (0.6, 2.0)]).named("kind");
    let skill = Normal::new(&kind, Variance(1.0));
    let wins = [0.5, 1.5].map(|other| skill.greater_than(&Normal::new(other, Variance(1.0))));
    let model = Model::new()
        .observe(&wins[0], true)
        .observe(&wins[1], false);
    let answer = ExpectationPropagation::new()
        .corrected(20_000)
        .run(&model, (&kind, &skill))
        .unwrap();
    let cdf = |x: f64| NormalDistribution::standard().cdf(x);
    let log = |x: f64| cdf(x - 0.5).ln() + cdf(1.5 - x).ln();
    let [low, high] = [0.0, 2.0].map(|mean| by_trapezoids(mean, 1.0, log)[2]);
    let weights = [0.4 * low.exp(), 0.6 * high.exp()];
    let total = weights[0] + weights[1];
    let evidence = answer.log_evidence().unwrap();
    assert!((evidence.value - total.ln()).abs() < 5.0 * evidence.standard_error);
    let share = answer.probability(&kind, &0.0).unwrap();
    let error = answer.standard_error(&kind, &0.0).unwrap();
    assert!(
        error < 0.01 && (share - weights[0] / total).abs() < 5.0 * error,
        "{share}, {error}"
    );
}

#[test]
fn no_draws_correct_nothing() {
    let x = Normal::new(0.0, Variance(1.0));
    let algorithm = ExpectationPropagation::new().corrected(0);
    let error = algorithm.run(&Model::new(), &x).unwrap_err();
    assert!(
        matches!(
            error,
            Error::InvalidSetting {
                setting: "corrected",
                ..
            }
        ),
        "{error}"
    );
}
