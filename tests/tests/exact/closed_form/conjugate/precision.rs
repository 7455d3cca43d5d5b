//! Normal numbers with an unknown precision, whose next numbers have Student's t-distribution.

use super::*;

/// Checks a number with Student's t-distribution.
fn check_student(name: &str, answer: &Answer, element: &Element<f64>, exact: &Json) {
    let mixture = answer.family_mixture(element).unwrap();
    check(name, mixture.mean(), number(&exact["mean"]));
    check(name, mixture.variance(), number(&exact["variance"]));
    let described = mixture.components().next().unwrap().1;
    assert!(described.starts_with("StudentT("), "{described}");
}

#[test]
fn normal_numbers_with_an_unknown_precision() {
    for case in cases("conjugate").unwrap_or_default() {
        let (id, answers) = (text(&case["id"]), &case["answers"]);
        if id != "normal_gamma" {
            continue;
        }
        let nodes = &case["model"]["nodes"];
        let precision = Gamma::new(number(&nodes[0]["shape"]), Rate(number(&nodes[0]["rate"])));
        let times = number(&nodes[1]["precision"]["scaled"][0]);
        let prior = number(&nodes[1]["mean"]["const"]);
        let mu = Normal::new(prior, Precision(&precision * times));
        let readings = case["evidence"].as_object().unwrap().values();
        let model = readings.fold(Model::new(), |model, reading| {
            model.observe(&Normal::new(&mu, Precision(&precision)), number(reading))
        });
        let next = Normal::new(&mu, Precision(&precision));
        for algorithm in algorithms![
            Exact::new(),
            VariableElimination::new(),
            JunctionTree::new()
        ] {
            let answer = algorithm.run(&model, (&mu, &precision, &next)).unwrap();
            check(
                &id,
                answer.log_evidence().unwrap().value,
                number(&answers["log_evidence"]),
            );
            check_student(&id, &answer, &mu, &answers["mu"]);
            let found = answer.family_mixture(&precision).unwrap();
            check(&id, found.mean(), number(&answers["precision"]["mean"]));
            check(
                &id,
                found.variance(),
                number(&answers["precision"]["variance"]),
            );
            if let Some(predictive) = answers.get("predictive") {
                let variance = answer.variance(&next).unwrap();
                check(&id, variance, number(&predictive["variance"]));
            }
        }
        // Expectation propagation and filters do not integrate the precision out.
        let error = figrs::ExpectationPropagation::new()
            .run(&model, &mu)
            .unwrap_err();
        assert!(matches!(error, Error::NotClosedForm { .. }), "{error}");
        let error = figrs::Filter::exact(&mu).unwrap_err();
        assert!(matches!(error, Error::NotClosedForm { .. }), "{error}");
    }
}

#[test]
fn regressions_with_an_unknown_precision() {
    for case in cases("regression").unwrap_or_default() {
        let (id, laws, answers) = (text(&case["id"]), &case["model"], &case["answers"]);
        if id == "regression_known_noise" {
            continue;
        }
        let is_conjugate = id == "regression_gamma_precision";
        let spread = &laws["precision"];
        let precision = Gamma::new(number(&spread["shape"]), Rate(number(&spread["rate"])));
        let prior = if is_conjugate {
            "prior_cov_over_precision"
        } else {
            "prior_cov"
        };
        let variances: Vec<f64> = (0..3).map(|i| number(&laws[prior][i][i])).collect();
        let weights: Vec<Element<f64>> = numbers(&laws["prior_mean"])
            .into_iter()
            .zip(&variances)
            .map(|(mean, variance)| {
                if is_conjugate {
                    Normal::new(mean, Precision(&precision / *variance))
                } else {
                    Normal::new(mean, Variance(*variance))
                }
            })
            .collect();
        let predicted = |x: &[f64]| {
            let mean = figrs::weighted_sum(x.iter().copied().zip(&weights));
            Normal::new(&mean, Precision(&precision))
        };
        let rows = laws["X"].as_array().unwrap().iter().map(numbers);
        let readings = rows.zip(numbers(&case["evidence"]["y"]));
        let model = readings.fold(Model::new(), |model, (x, y)| {
            model.observe(&predicted(&x), y)
        });
        let next = predicted(&numbers(&laws["x_new"]));
        let targets = [&weights[..], &[next.clone(), precision.clone()]].concat();
        let answer = Exact::new().run(&model, targets);
        if !is_conjugate {
            let error = answer.unwrap_err();
            assert!(error.to_string().contains("multiples of it"), "{error}");
            continue;
        }
        let answer = answer.unwrap();
        check(
            &id,
            answer.log_evidence().unwrap().value,
            number(&answers["log_evidence"]),
        );
        for (i, weight) in weights.iter().enumerate() {
            check(
                &id,
                answer.mean(weight).unwrap(),
                number(&answers["mean"][i]),
            );
            check(
                &id,
                answer.variance(weight).unwrap(),
                number(&answers["cov"][i][i]),
            );
        }
        check(
            &id,
            answer.mean(&next).unwrap(),
            number(&answers["predictive"]["mean"]),
        );
        check(
            &id,
            answer.variance(&next).unwrap(),
            number(&answers["predictive"]["variance"]),
        );
        check(
            &id,
            answer.mean(&precision).unwrap(),
            number(&answers["precision"]["mean"]),
        );
    }
}

/// An unknown variance of readings around a known mean: the next reading has Student's t-distribution.
#[test]
fn the_next_reading_of_an_unknown_variance() {
    for case in cases("conjugate").unwrap_or_default() {
        if case["id"] != "inverse_gamma_normal" {
            continue;
        }
        let prior = &case["model"]["nodes"][0];
        let variance = InverseGamma::new(number(&prior["shape"]), Scale(number(&prior["scale"])));
        let readings = case["evidence"].as_object().unwrap().values();
        let model = readings.fold(Model::new(), |model, reading| {
            model.observe(&Normal::new(1.0, Variance(&variance)), number(reading))
        });
        let next = Normal::new(1.0, Variance(&variance));
        let answer = Exact::new().run(&model, (&next, &variance)).unwrap();
        let predictive = &case["answers"]["predictive"];
        check_student("next", &answer, &next, predictive);
        let density = answer.family_mixture(&next).unwrap().density(0.0);
        check("density", density, number(&predictive["density_at_0"]));
        check(
            "variance",
            answer.mean(&variance).unwrap(),
            number(&case["answers"]["mean"]),
        );
    }
}

/// The posterior of readings whose mean is normal, with a common precision or variance, by the formulas of the normal-gamma prior.
struct NormalGamma {
    mean: f64,
    weight: f64,
    shape: f64,
    rate: f64,
    log_evidence: f64,
}

/// Returns the log-density of `n` numbers around zero with the sum of squares `squares`, whose precision has the prior `Gamma(shape, rate)`.
fn log_density((shape, rate): (f64, f64), (n, squares): (f64, f64)) -> f64 {
    let (shape_after, rate_after) = (shape + n / 2.0, rate + squares / 2.0);
    libm::lgamma(shape_after) - libm::lgamma(shape) + shape * rate.ln()
        - shape_after * rate_after.ln()
        - n / 2.0 * (2.0 * std::f64::consts::PI).ln()
}

/// Returns the posterior for a mean with the prior mean `mean` and `weight` times the precision of a reading, and a precision with the prior
/// `Gamma(shape, rate)`.
fn normal_gamma(
    (mean, weight): (f64, f64),
    (shape, rate): (f64, f64),
    readings: &[f64],
) -> NormalGamma {
    let n = readings.len() as f64;
    let average = readings.iter().sum::<f64>() / n;
    let within: f64 = readings.iter().map(|y| (y - average).powi(2)).sum();
    let between = weight * n / (weight + n) * (average - mean).powi(2);
    let (weight_after, shape_after) = (weight + n, shape + n / 2.0);
    let rate_after = rate + f64::midpoint(within, between);
    let log_density = log_density((shape, rate), (n, within + between));
    NormalGamma {
        mean: (weight * mean + n * average) / weight_after,
        weight: weight_after,
        shape: shape_after,
        rate: rate_after,
        log_evidence: log_density + (weight / weight_after).ln() / 2.0,
    }
}

fn near(found: f64, expected: f64) {
    assert!(
        (found / expected - 1.0).abs() < 1e-10,
        "{found} is not {expected}"
    );
}

/// Units of measurement in which the answers are the same up to the unit.
const UNITS: [f64; 5] = [1e-9, 1e-6, 1.0, 1e6, 1e9];

#[test]
fn an_unknown_precision_in_any_unit() {
    let all = [1.0, 2.0, 1.5, 0.7, 1.9, 2.4, 1.2, 1.7, 0.9, 2.1];
    for unit in UNITS {
        for count in [1, 3, 10] {
            let readings: Vec<f64> = all[..count].iter().map(|y| y * unit).collect();
            let (prior, shape, rate) = ((0.3 * unit, 0.1), 2.0, 1.3 * unit * unit);
            let exact = normal_gamma(prior, (shape, rate), &readings);
            let precision = Gamma::new(shape, Rate(rate));
            let mu = Normal::new(prior.0, Precision(&precision * prior.1));
            let model = readings.iter().fold(Model::new(), |model, &y| {
                model.observe(&Normal::new(&mu, Precision(&precision)), y)
            });
            let answer = Exact::new().run(&model, (&mu, &precision)).unwrap();
            near(answer.mean(&precision).unwrap(), exact.shape / exact.rate);
            near(
                answer.variance(&precision).unwrap(),
                exact.shape / exact.rate.powi(2),
            );
            near(answer.mean(&mu).unwrap(), exact.mean);
            near(
                answer.variance(&mu).unwrap(),
                exact.rate / (exact.weight * (exact.shape - 1.0)),
            );
            near(answer.log_evidence().unwrap().value, exact.log_evidence);
        }
    }
}

#[test]
fn an_unknown_variance_in_any_unit() {
    let all = [1.0, 2.0, 1.5, 0.7, 1.9];
    for unit in UNITS {
        for count in [2, 5] {
            let readings: Vec<f64> = all[..count].iter().map(|y| y * unit).collect();
            let (prior, shape, scale) = ((0.3 * unit, 0.1), 2.5, 1.3 * unit * unit);
            let exact = normal_gamma(prior, (shape, scale), &readings);
            let variance = InverseGamma::new(shape, Scale(scale));
            let mu = Normal::new(prior.0, Variance(&variance * 10.0));
            let model = readings.iter().fold(Model::new(), |model, &y| {
                model.observe(&Normal::new(&mu, Variance(&variance)), y)
            });
            let answer = Exact::new().run(&model, (&mu, &variance)).unwrap();
            let mean = exact.rate / (exact.shape - 1.0);
            near(answer.mean(&variance).unwrap(), mean);
            near(
                answer.variance(&variance).unwrap(),
                mean * mean / (exact.shape - 2.0),
            );
            near(answer.mean(&mu).unwrap(), exact.mean);
            near(answer.variance(&mu).unwrap(), mean / exact.weight);
            near(answer.log_evidence().unwrap().value, exact.log_evidence);
        }
    }
}

/// All normal numbers are observed, and the mean of the variance does not exist.
#[test]
fn an_observed_mean_and_a_variance_without_a_mean() {
    for unit in UNITS {
        let (shape, scale) = (0.2, 1.3 * unit * unit);
        let variance = InverseGamma::new(shape, Scale(scale));
        let exact = |n: f64, squares: f64| log_density((shape, scale), (n, squares * unit * unit));
        let model = Model::new().observe(&Normal::new(0.0, Variance(&variance)), 1.7 * unit);
        let answer = Exact::new().run(&model, &variance).unwrap();
        near(answer.log_evidence().unwrap().value, exact(1.0, 2.89));
        let mu = Normal::new(0.0, Variance(&variance));
        let reading = Normal::new(&mu, Variance(&variance * 4.0));
        let model = Model::new()
            .observe(&mu, 1.7 * unit)
            .observe(&reading, 4.7 * unit);
        let answer = Exact::new().run(&model, &variance).unwrap();
        // Half the distance between the reading and the mean has the variance of the mean.
        let squares = 2.89 + 2.25;
        near(
            answer.log_evidence().unwrap().value,
            exact(2.0, squares) - 2_f64.ln(),
        );
    }
}
