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

/// Independent normal numbers in a given order: each order has the same probability, and the means are those of order statistics.
#[test]
fn ordered_numbers() {
    // The mean of the largest of three and of five standard normal numbers.
    let largest = [
        (3, 1.5 / std::f64::consts::PI.sqrt()),
        (5, 1.162_964_473_640_52),
    ];
    for (count, mean) in largest {
        let numbers: Vec<Element<f64>> = (0..count)
            .map(|_| Normal::new(0.0, Variance(1.0)))
            .collect();
        let mut model = Model::new();
        for pair in numbers.windows(2) {
            model = model.observe(&pair[0].greater_than(&pair[1]), true);
        }
        let orders: f64 = (1..=count).map(f64::from).product();
        // All other comparisons follow from those of neighbours.
        let mut implied = model.clone();
        for (i, number) in numbers.iter().enumerate() {
            for later in numbers.iter().skip(i + 2) {
                implied = implied.observe(&later.less_than(number), true);
            }
        }
        for model in [model, implied] {
            let answer = ExpectationPropagation::new()
                .corrected(2000)
                .run(&model, &numbers[0])
                .unwrap();
            let evidence = answer.log_evidence().unwrap();
            let error = evidence.standard_error;
            // 0.022 would be the error of an effective sample size of 1 000.
            assert!(error > 0.0 && error < 0.022, "{error}");
            let apart = evidence.value + orders.ln();
            assert!(apart.abs() < 5.0 * error, "{apart}, {error}");
            let marginal = answer.distribution(&numbers[0]).unwrap();
            let error = marginal.standard_error_of(|&x| x);
            assert!(error > 0.0 && error < 0.1, "{error}");
            let apart = marginal.mean() - mean;
            assert!(apart.abs() < 5.0 * error, "{apart}, {error}");
        }
    }
}

/// Comparisons that are not observed, in an interval that another element reads.
#[test]
fn unobserved_comparisons_of_corrected_approximations() {
    let x = Normal::new(0.3, Variance(2.0));
    let [low, high] = [0.0, 2.0].map(|bound| x.greater_than(&Constant::new(bound)));
    let inside = (&low, &high).map(|(&low, &high)| low && !high);
    let report = inside.flat_map(|&inside| Flip::new(if inside { 0.9 } else { 0.2 }));
    let noisy = Normal::new(&x, Variance(1.0)).greater_than(&Constant::new(0.5));
    let model = Model::new().observe(&report, true).observe(&noisy, true);
    let answer = ExpectationPropagation::new()
        .corrected(4000)
        .run(&model, (&x, &low))
        .unwrap();
    let inside = |x: f64| if x > 0.0 && x <= 2.0 { 0.9_f64 } else { 0.2 };
    let cdf = |x: f64| NormalDistribution::standard().cdf(x);
    let log = |x: f64| inside(x).ln() + cdf(x - 0.5).ln();
    let [mean, _, log_evidence] = by_trapezoids(0.3, 2.0, log);
    let evidence = answer.log_evidence().unwrap();
    assert!(evidence.standard_error < 0.05, "{evidence:?}");
    assert!((evidence.value - log_evidence).abs() < 5.0 * evidence.standard_error);
    let marginal = answer.distribution(&x).unwrap();
    let error = marginal.standard_error_of(|&x| x);
    assert!(error < 0.1 && (marginal.mean() - mean).abs() < 5.0 * error);
}

/// Ratings of twenty players: the weights are nearly equal.
#[test]
fn many_comparisons() {
    let skills: Vec<Element<f64>> = (0..20).map(|_| Normal::new(25.0, Variance(70.0))).collect();
    let performance = |player: usize| Normal::new(&skills[player], Variance(17.0));
    for matches in [10, 160] {
        let mut model = Model::new();
        for game in 0..matches {
            let (first, second) = (game * 7 % 20, (game * 7 + 1 + game % 13) % 20);
            // Players with a smaller number win more often.
            let wins = (game * 37 % 100) < if first < second { 75 } else { 25 };
            let result = performance(first).greater_than(&performance(second));
            model = model.observe(&result, wins);
        }
        let answer = ExpectationPropagation::new()
            .corrected(1000)
            .run(&model, &skills[0])
            .unwrap();
        // The relative standard error of the mean of 1 000 weights; 0.1 would be that of an effective sample size of 90.
        let error = answer.log_evidence().unwrap().standard_error;
        assert!(error > 0.0 && error < 0.01, "{matches} matches: {error}");
        let marginal = answer.distribution(&skills[0]).unwrap();
        let error = marginal.standard_error_of(|&x| x);
        assert!(error > 0.0 && error < 1.0, "{matches} matches: {error}");
        let found = ExpectationPropagation::new()
            .run(&model, &skills[0])
            .unwrap();
        let apart = marginal.mean() - found.mean(&skills[0]).unwrap();
        assert!(apart.abs() < 5.0 * error + 0.05, "{apart}, {error}");
    }
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
