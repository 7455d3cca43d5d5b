//! Tests of standard errors of learned parameters, against formulas and second differences of enumerated likelihoods.

use figrs::prelude::*;
use figrs::stream;
use figrs::{Cases, ExpectationMaximization, Learned, Precision, Rate, StandardDeviation};

use figrs_tests::learning_network::{LearningNetwork, data};

fn learner() -> ExpectationMaximization<JunctionTree> {
    ExpectationMaximization::new(JunctionTree::new()).tolerance(0.0)
}

fn assert_close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!(
        (found / expected - 1.0).abs() < 1e-6,
        "{found} instead of {expected}"
    );
}

#[test]
fn observed_outcomes_have_the_errors_of_textbooks() {
    let bias = Learned::beta("bias", 3.0, 2.0);
    let mix = Learned::dirichlet("mix", [1.0; 4]);
    let (throw, choice) = (Flip::new(&bias), Select::by(&mix, 0..4));
    let cases = Cases::new((&throw, &choice)).weighted_rows([
        (30.0, (true, 0)),
        (50.0, (false, 1)),
        (20.0, (false, 2)),
    ]);
    let fit = learner().fit(&Model::new(), &cases).unwrap();
    let errors = fit.standard_errors().unwrap();
    assert_close(errors.of(&bias).unwrap()[0], (0.3 * 0.7 / 100.0_f64).sqrt());
    for (found, p) in errors.of(&mix).unwrap().iter().zip([0.3, 0.5, 0.2]) {
        assert_close(*found, (p * (1.0 - p) / 100.0_f64).sqrt());
    }
    // A number at its bound has no standard error.
    assert_eq!(errors.of(&mix).unwrap()[3], None);
    assert!(errors.unidentified().is_empty());
    // With the prior Beta(3, 2) the log-posterior has 32 and 71 instead of the counts.
    let fit = learner().map_estimate();
    let fit = fit.fit(&Model::new(), &cases).unwrap();
    let p = 32.0 / 103.0;
    assert_close(
        fit.standard_errors().unwrap().of(&bias).unwrap()[0],
        (p * (1.0 - p) / 103.0_f64).sqrt(),
    );
    let text = fit.to_string();
    assert!(text.contains("bias  0.310680 ± 0.045598"), "{text}");
}

#[test]
fn a_mean_and_a_precision() {
    let values: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17) / 3.0).collect();
    let n = values.len() as f64;
    let mean = Learned::normal("mean", 0.0, StandardDeviation(1e3));
    let precision = Learned::gamma("precision", 1.0, Rate(1.0));
    let normal = Normal::new(&mean, Precision(&precision));
    let cases = Cases::new(&normal).rows(values.iter().copied());
    let fit = learner().fit(&Model::new(), &cases).unwrap();
    let average = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - average).powi(2)).sum::<f64>() / n;
    let errors = fit.standard_errors().unwrap();
    assert_close(errors.of(&mean).unwrap()[0], (variance / n).sqrt());
    assert_close(
        errors.of(&precision).unwrap()[0],
        (2.0 / n).sqrt() / variance,
    );
}

#[test]
fn parameters_that_the_cases_do_not_identify_are_named() {
    // Only the product of the first two parameters is identified, and no row takes the branch of the third.
    let [a, b, unread, known] =
        ["a", "b", "unread", "known"].map(|name| Learned::beta(name, 2.0, 2.0));
    let both = Flip::new(&a).and(&Flip::new(&b));
    let gate = Flip::new(0.5);
    let branch = If::new(&gate, Flip::new(&unread), Flip::new(&known));
    let cases = Cases::new((&both, &gate, &branch))
        .weighted_rows([(3.0, (true, false, true)), (5.0, (false, false, false))]);
    let fit = learner().fit(&Model::new(), &cases).unwrap();
    let errors = fit.standard_errors().unwrap();
    let mut names: Vec<String> = errors
        .unidentified()
        .iter()
        .map(|label| label.name.clone().unwrap_or_default())
        .collect();
    names.sort();
    assert_eq!(names, ["a", "b", "unread"]);
    assert_eq!(errors.of(&a).unwrap(), [None]);
    assert!(errors.of(&known).unwrap()[0].is_some());
    let text = fit.to_string();
    assert!(text.contains("not identified by the cases: "), "{text}");
    // With a prior all parameters have standard errors.
    let fit = learner().map_estimate();
    let fit = fit.fit(&Model::new(), &cases).unwrap();
    assert!(!fit.to_string().contains("not identified"), "{fit}");
}

#[test]
fn too_many_numbers_are_refused() {
    let mix = Learned::dirichlet("mix", vec![1.0; 2002]);
    let choice = Select::by(&mix, 0..2002);
    let cases = Cases::new(&choice).rows(0..2002);
    let fit = learner().fit(&Model::new(), &cases).unwrap();
    let error = fit.standard_errors().unwrap_err();
    assert!(
        matches!(&error, Error::NoStandardErrors { reason } if reason.contains("2001 free numbers") && reason.contains("at most 2000")),
        "{error}"
    );
}

/// Shift of the numbers in second differences, chosen such that both its square and 1e-16 divided by its square are small.
const SHIFT: f64 = 2e-4;

/// Returns the log-posterior of a network.
fn log_posterior(
    network: &LearningNetwork,
    data: &[(f64, Vec<Option<usize>>)],
    at: &[Vec<f64>],
) -> f64 {
    let (log_likelihood, _) = network.round(data, at, true);
    let priors = network.parameters.iter().zip(at);
    let priors = priors.flat_map(|((a, _), p)| a.iter().zip(p));
    log_likelihood + priors.map(|(a, p)| (a - 1.0) * p.ln()).sum::<f64>()
}

/// Returns the inverse of a positive definite matrix, by elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    let unit = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend(unit(i));
    }
    for i in 0..n {
        let pivot = matrix[i][i];
        assert!(pivot > 0.0);
        matrix[i].iter_mut().for_each(|x| *x /= pivot);
        let row = matrix[i].clone();
        for (j, other) in matrix.iter_mut().enumerate() {
            if j != i {
                let factor = other[i];
                for (x, y) in other.iter_mut().zip(&row) {
                    *x -= factor * y;
                }
            }
        }
    }
    matrix.into_iter().map(|row| row[n..].to_vec()).collect()
}

#[test]
fn errors_of_hidden_outcomes_are_those_of_the_enumerated_posterior() {
    let mut checked = 0;
    for seed in 200..220 {
        let mut rng = stream(seed, 0);
        let network = LearningNetwork::random(&mut rng);
        let data = data(&network, &mut rng);
        let reached = network.reached();
        if network.parameters.is_empty() || reached.contains(&false) {
            continue;
        }
        let learner = learner().map_estimate().rounds(100_000).tolerance(0.0);
        let (fit, learned, values) = network.fit(learner, &data);
        if values.iter().flatten().any(|p| *p < 0.02) {
            continue;
        }
        // The free numbers of a parameter are all but the last.
        let free: Vec<(usize, usize)> = values
            .iter()
            .enumerate()
            .flat_map(|(i, p)| (0..p.len() - 1).map(move |j| (i, j)))
            .collect();
        let at = |moves: [((usize, usize), f64); 2]| {
            let mut moved = values.clone();
            for ((i, j), by) in moves {
                let last = moved[i].len() - 1;
                moved[i][j] += by;
                moved[i][last] -= by;
            }
            log_posterior(&network, &data, &moved)
        };
        let curvature = |x, y| {
            let [both, mixed, other, neither] =
                [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
                    .map(|(a, b)| at([(x, a * SHIFT), (y, b * SHIFT)]));
            -(both - mixed - other + neither) / (4.0 * SHIFT * SHIFT)
        };
        let information: Vec<Vec<f64>> = free
            .iter()
            .map(|&x| free.iter().map(|&y| curvature(x, y)).collect())
            .collect();
        let covariance = inverse(information);
        let errors = fit.standard_errors().unwrap();
        for (k, &(i, j)) in free.iter().enumerate() {
            let found = errors.of(&learned[i]).unwrap()[j].unwrap();
            let expected = covariance[k][k].sqrt();
            assert!(
                (found / expected - 1.0).abs() < 1e-3,
                "seed {seed}: {found} instead of {expected}"
            );
        }
        checked += 1;
    }
    assert!(checked >= 5, "{checked}");
}
