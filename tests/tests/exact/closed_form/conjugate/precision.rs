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
