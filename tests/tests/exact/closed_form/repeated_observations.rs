//! Observations that earlier observations imply or contradict.

use figrs::prelude::*;
use figrs::{Answer, Covariance, Error, ExpectationPropagation, Filter, MultivariateNormal};

fn normal(mean: f64, variance: f64) -> Element<f64> {
    Normal::new(mean, Variance(variance))
}

fn log_density(x: f64, mean: f64, variance: f64) -> f64 {
    -0.5 * ((x - mean).powi(2) / variance + (variance * std::f64::consts::TAU).ln())
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}

fn log_evidence(answer: &Answer) -> f64 {
    answer.log_evidence().unwrap().value
}

/// Checks that the three exact algorithms refuse the model because its evidence is impossible, and that they name all its statements.
fn check_impossible(model: &Model, target: &Element<f64>) {
    for error in [
        Exact::new().run(model, target).unwrap_err(),
        VariableElimination::new().run(model, target).unwrap_err(),
        JunctionTree::new().run(model, target).unwrap_err(),
    ] {
        let Error::ImpossibleEvidence { conflict, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(conflict.len(), model.evidence().len(), "{error}");
    }
}

#[test]
fn linear_functions_of_one_sum() {
    let (x, y) = (normal(0.0, 1.0), normal(0.0, 2.0));
    let sum = &x + &y;
    let once = Model::new().observe(&sum, 0.5);
    let expected = Exact::new().run(&once, &x).unwrap();
    for (again, value) in [
        (&sum + 0.0, 0.5),
        (&sum * 2.0, 1.0),
        (&y + &x, 0.5),
        (&sum - 0.5, 0.0),
    ] {
        let twice = once.clone().observe(&again, value);
        let answer = Exact::new().run(&twice, &x).unwrap();
        near(log_evidence(&answer), log_evidence(&expected));
        near(answer.mean(&x).unwrap(), expected.mean(&x).unwrap());
        near(answer.variance(&x).unwrap(), expected.variance(&x).unwrap());
        for other in [7.0, value + 1e-9] {
            check_impossible(&once.clone().observe(&again, other), &x);
        }
    }
    check_impossible(&once.clone().observe(&sum, 7.0), &x);
    // An element with one possible value is finite.
    let model = Model::new().observe(&x, 2.0).observe(&(&x + 1.0), 7.0);
    check_impossible(&model, &Normal::new(&x, Variance(1.0)));
}

/// The sum of the observed decimals differs from the observed sum by rounding.
#[test]
fn sums_that_agree_up_to_rounding() {
    for (large, apart) in [(0.0, 1e-10), (1e8, 1e-5)] {
        let (x, z) = (normal(large, 1.0), normal(0.0, 1.0));
        let y = &x + &z;
        let target = Normal::new(&y, Variance(1.0));
        let statements = [(&y, large + 0.3), (&x, large + 0.1), (&z, 0.2)];
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let model = |apart: f64| {
                order.iter().fold(Model::new(), |model, &i| {
                    let (element, value) = statements[i];
                    model.observe(element, if i == 2 { value + apart } else { value })
                })
            };
            let answer = Exact::new().run(&model(0.0), &target).unwrap();
            let expected = log_density(0.1, 0.0, 1.0) + log_density(0.2, 0.0, 1.0);
            assert!((log_evidence(&answer) - expected).abs() < 1e-7);
            near(answer.mean(&target).unwrap(), large + 0.3);
            check_impossible(&model(apart), &target);
        }
    }
}

#[test]
fn coefficients_that_cancel_up_to_rounding() {
    let x = normal(0.0, 1.0);
    let nothing = &x * 0.1 + &x * 0.2 - &x * 0.3;
    let target = Normal::new(&x, Variance(1.0));
    let answer = Exact::new().run(&Model::new().observe(&nothing, 0.0), &target);
    near(log_evidence(&answer.unwrap()), 0.0);
    check_impossible(&Model::new().observe(&nothing, 1.0), &target);
}

#[test]
fn lists_whose_numbers_depend_on_each_other() {
    let covariance = Covariance::rows([[2.0, 1.0], [1.0, 3.0]]);
    let list = MultivariateNormal::new([0.0, 0.0], covariance);
    let (first, second) = (list.entry(0), list.entry(1));
    let target = Normal::new(&second, Variance(1.0));
    let twice = list.affine([[1.0, 0.0], [3.0, 0.0]], [0.0, 0.1]);
    let answer = |model: &Model| Exact::new().run(model, &target).unwrap();
    let one = answer(&Model::new().observe(&first, 0.2));
    let model = Model::new().observe(&twice, vec![0.2, 0.7]);
    near(log_evidence(&answer(&model)), log_evidence(&one));
    let mean = |answer: &Answer| answer.mean(&target).unwrap();
    near(mean(&answer(&model)), mean(&one));
    check_impossible(&Model::new().observe(&twice, vec![0.2, 0.8]), &target);
    // One of the numbers of the list is known already.
    let whole = log_evidence(&answer(&Model::new().observe(&list, vec![0.2, -1.0])));
    let model = Model::new().observe(&first, 0.2);
    let both = model.clone().observe(&list, vec![0.2, -1.0]);
    near(log_evidence(&answer(&both)), whole);
    check_impossible(&model.observe(&list, vec![0.3, -1.0]), &target);
    // Three numbers that are functions of two.
    let three = list.affine([[1.0, 1.0], [1.0, -1.0], [2.0, 0.0]], [0.0; 3]);
    let model = Model::new().observe(&three, vec![-0.8, 1.2, 0.4]);
    // The absolute determinant of the first two rows is two.
    near(log_evidence(&answer(&model)), whole - 2_f64.ln());
    check_impossible(&Model::new().observe(&three, vec![-0.8, 1.2, 0.5]), &target);
}

#[test]
fn finite_elements_that_select_what_is_observed() {
    let (x, y) = (normal(0.0, 1.0), normal(0.0, 4.0));
    let target = Normal::new(&y, Variance(1.0));
    let kind = Flip::new(0.3);
    let (own, other) = (x.clone(), y.clone());
    let (one, two) = (x.clone(), y.clone());
    let selected = kind.flat_map(move |&kind| if kind { &one + 0.0 } else { &two + 0.0 });
    let scaled = kind.flat_map(move |&kind| &own * if kind { 1.0 } else { 2.0 });
    let sum = kind.flat_map(move |&kind| &other + if kind { 1.0 } else { 2.0 });
    let x_is_one = Model::new().observe(&x, 1.0);
    let density = log_density(1.0, 0.0, 1.0);
    let answer = |model: &Model| Exact::new().run(model, (&target, &kind)).unwrap();
    // Both values of the kind make the function of `x` known.
    let found = answer(&x_is_one.clone().observe(&scaled, 2.0));
    near(log_evidence(&found), density + 0.7_f64.ln());
    assert_eq!(found.probability(&kind, &true).unwrap(), 0.0);
    check_impossible(&x_is_one.clone().observe(&scaled, 3.0), &target);
    // For one value of the kind, the observation contradicts that of `x`; for the other value, it has a density.
    let found = answer(&x_is_one.clone().observe(&selected, 5.0));
    near(
        log_evidence(&found),
        density + 0.7_f64.ln() + log_density(5.0, 0.0, 4.0),
    );
    assert_eq!(found.probability(&kind, &true).unwrap(), 0.0);
    near(found.mean(&target).unwrap(), 5.0);
    // For one value of the kind, the observation has a probability, and for the other value a density.
    let error = Exact::new().run(&x_is_one.clone().observe(&selected, 1.0), &target);
    let error = error.unwrap_err();
    assert!(
        matches!(error, Error::NotClosedForm { .. }) && error.to_string().contains("a density"),
        "{error}"
    );
    // The value that is observed first depends on the kind.
    let found = answer(&Model::new().observe(&sum, 3.0).observe(&y, 1.0));
    near(
        log_evidence(&found),
        0.7_f64.ln() + log_density(1.0, 0.0, 4.0),
    );
    assert_eq!(found.probability(&kind, &false).unwrap(), 1.0);
}

#[test]
fn counts_of_an_unknown_rate() {
    let rate = Gamma::new(2.0, Rate(1.0));
    let count = Poisson::new(&rate);
    let once = Model::new().observe(&count, 3);
    let mean = |model: &Model| Exact::new().run(model, &rate).unwrap().mean(&rate).unwrap();
    near(mean(&once.clone().observe(&count, 3)), mean(&once));
    check_impossible(&once.observe(&count, 4), &rate);
}

/// Checks that a step of a filter failed because its evidence is impossible.
fn check_impossible_step(found: Result<(), Error>) {
    let error = found.unwrap_err();
    let Error::InStep { error, .. } = error else {
        panic!("{error}");
    };
    assert!(
        matches!(&*error, Error::ImpossibleEvidence { .. }),
        "{error}"
    );
}

/// Two numbers of a state.
type Two = (Element<f64>, Element<f64>);

#[test]
fn states_of_a_filter() {
    let mut filter = Filter::exact(&normal(0.0, 1.0)).unwrap();
    let same = |x: &Element<f64>| x.clone();
    let is = |value: f64| move |x: &Element<f64>| Model::new().observe(x, value);
    filter.advance(same, is(0.5)).unwrap();
    let before = filter.log_evidence().value;
    near(before, log_density(0.5, 0.0, 1.0));
    filter.advance(same, is(0.5)).unwrap();
    near(filter.log_evidence().value, before);
    check_impossible_step(filter.advance(same, is(7.0)));
    near(filter.mean(|x| x).unwrap(), 0.5);

    let mut filter = Filter::exact(&(normal(0.1, 1.3), normal(-0.7, 2.9))).unwrap();
    let same = |(x, y): &Two| (x.clone(), y.clone());
    let sum_is = |value: f64| move |(x, y): &Two| Model::new().observe(&(x + y), value);
    check_impossible_step(filter.advance(same, |(x, y)| {
        Model::new().observe(&(x + y), 1.0).observe(&(y + x), 2.0)
    }));
    filter.advance(same, sum_is(1.0)).unwrap();
    let before = filter.log_evidence().value;
    let mean = filter.mean(|(x, _)| x).unwrap();
    filter.advance(same, sum_is(1.0)).unwrap();
    near(filter.log_evidence().value, before);
    near(filter.mean(|(x, _)| x).unwrap(), mean);
    check_impossible_step(filter.advance(same, sum_is(2.0)));
}

#[test]
fn comparisons_of_one_number() {
    let x = normal(0.0, 1.0);
    let y = Normal::new(&x, Variance(1.0));
    let number = |x: f64| Constant::new(x);
    let above = x.greater_than(&number(1.0));
    for below in [
        x.less_than(&number(0.0)),
        (&x * 2.0 + 1.0).less_than(&number(3.0)),
    ] {
        let model = Model::new().observe(&above, true).observe(&below, true);
        check_impossible(&model, &y);
        let error = ExpectationPropagation::new().run(&model, &y).unwrap_err();
        let Error::ImpossibleEvidence { conflict, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(conflict.len(), 2, "{error}");
        let model = Model::new().observe(&above, true).observe(&below, false);
        assert!(ExpectationPropagation::new().run(&model, &y).is_ok());
    }
}
