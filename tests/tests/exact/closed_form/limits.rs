//! Large models, unusual models, and the parts of the library that read an answer in closed form.

use figrs::prelude::*;
use figrs::{
    Compare, Covariance, Error, MultivariateNormal, Predict, SelfChecked, Verdict, weighted_sum,
};

fn standard() -> Element<f64> {
    Normal::new(0.0, Variance(1.0))
}

fn is_near(found: f64, exact: f64) -> bool {
    (found - exact).abs() < 1e-9
}

#[test]
fn long_chains_need_no_stack() {
    let mut x = standard();
    let mut sum = standard();
    for _ in 0..20_000 {
        x = Normal::new(&(&x * 0.5), Variance(0.75));
        sum = &sum + 1.0;
    }
    let reading = Normal::new(&x, Variance(1.0));
    let model = Model::new().observe(&reading, 2.0);
    let answer = Exact::new().run(&model, (&x, &sum)).unwrap();
    assert!(is_near(answer.mean(&x).unwrap(), 1.0));
    assert!(is_near(answer.mean(&sum).unwrap(), 20_000.0));
}

#[test]
fn observed_sums_of_many_numbers() {
    let level = standard();
    let mut model = Model::new();
    for _ in 0..3_000 {
        model = model.observe(&(&level + &standard()), 2.0);
    }
    let answer = Exact::new().run(&model, &level).unwrap();
    assert!(is_near(answer.mean(&level).unwrap(), 6_000.0 / 3_001.0));
    assert!(is_near(answer.variance(&level).unwrap(), 1.0 / 3_001.0));
}

#[test]
fn a_sum_of_more_numbers_than_a_table_has_dimensions() {
    // A table of 1100 binary variables has more entries than a floating-point number can count.
    let numbers: Vec<Element<f64>> = (0..1_100).map(|_| standard()).collect();
    let sum = weighted_sum(numbers.iter().map(|x| (1.0, x)));
    let reading = Normal::new(&sum, Variance(1.0));
    let model = Model::new().observe(&reading, 2.0);
    let answer = VariableElimination::new().run(&model, &numbers[0]).unwrap();
    assert!(is_near(answer.mean(&numbers[0]).unwrap(), 2.0 / 1_101.0));
}

#[test]
fn lists_of_different_lengths_are_refused() {
    let kind = Flip::new(0.5);
    let list = kind.flat_map(|&kind| match kind {
        true => MultivariateNormal::new([0.0], Covariance::diagonal([1.0])),
        false => MultivariateNormal::new([0.0, 1.0], Covariance::diagonal([1.0, 1.0])),
    });
    let error = Exact::new().run(&Model::new(), list.entry(0)).unwrap_err();
    assert!(error.to_string().contains("different lengths"), "{error}");
}

#[test]
fn functions_with_numbers_that_are_not_finite_are_refused() {
    let x = standard();
    let f = Select::new([(0.5, f64::NAN), (0.5, 1.0)]);
    let other = x.clone();
    let kind = Flip::new(0.5);
    let choice = kind.flat_map(move |&kind| match kind {
        true => other.clone(),
        false => Constant::new(f64::INFINITY),
    });
    for function in [
        &x / 0.0,
        &x * f64::NAN,
        &x + f64::INFINITY,
        Normal::new(&(&x * &f), Variance(1.0)),
        choice,
    ] {
        let error = Exact::new().run(&Model::new(), &function).unwrap_err();
        assert!(matches!(error, Error::NotClosedForm { .. }), "{error}");
    }
}

#[test]
fn the_parents_of_an_element_that_is_set_are_not_needed() {
    let count = Poisson::new(2.0);
    let x = count.flat_map(|&n| Normal::new(n as f64, Variance(1.0)));
    let kind = Flip::new(0.5);
    let y = kind.flat_map(|&kind| Normal::new(if kind { 1.0 } else { 0.0 }, Variance(1.0)));
    let sum = &x + &y;
    let answer = Exact::new()
        .run(&Model::new().intervene(&x, 2.0), &sum)
        .unwrap();
    assert!(is_near(answer.mean(&sum).unwrap(), 2.5));
}

#[test]
fn quantiles_of_numbers_that_some_components_know() {
    let kind = Flip::new(0.5);
    let x = Normal::new(1.0, Variance(1.0));
    let choice = kind.flat_map(move |&kind| if kind { x.clone() } else { Constant::new(0.0) });
    let answer = Exact::new().run(&Model::new(), &choice).unwrap();
    let mixture = answer.mixture(&choice).unwrap();
    // The share of 0 begins at 0.079 and ends at 0.579.
    for p in [0.1, 0.3, 0.5] {
        assert!(mixture.quantile(p) == 0.0, "{p}: {}", mixture.quantile(p));
    }
    for p in [0.01, 0.07, 0.6, 0.9] {
        assert!(is_near(mixture.cdf(mixture.quantile(p)), p));
    }
}

#[test]
fn functions_that_cancel_have_no_negative_variance() {
    let (x, y) = (standard(), standard());
    let model = Model::new().observe(&(&x + &y), 0.3);
    let zero = &(&x * 0.1) + &(&y * 0.1);
    let answer = Exact::new().run(&model, &zero).unwrap();
    let mixture = answer.mixture(&zero).unwrap();
    assert!(is_near(mixture.mean(), 0.03) && mixture.standard_deviation() < 1e-9);
}

#[test]
fn readers_of_an_answer_in_closed_form() {
    let kind = Flip::new(0.3).named("kind");
    let x = kind.flat_map(|&kind| Normal::new(if kind { 1.0 } else { -1.0 }, Variance(1.0)));
    let x = x.named("x");
    let model = Model::new().observe(&Normal::new(&x, Variance(1.0)), 0.5);
    let answer = Exact::new().run(&model, (&x, &kind)).unwrap();
    let text = answer.to_string();
    assert!(text.contains("mixture of 2 normal distributions"), "{text}");
    assert_eq!(
        answer.diagnose().to_string(),
        "nothing found: exact up to rounding"
    );
    let only = Exact::new().run(&model, &x).unwrap();
    assert_eq!(
        only.diagnose().to_string(),
        "nothing found: exact up to rounding"
    );
    let next = Normal::new(&x, Variance(1.0));
    for answer in [&answer, &only] {
        assert!(answer.distribution(&x).is_err());
        assert!(answer.most_likely_value(&x).is_err());
        assert!(answer.probability_that(&x, |x| *x > 0.0).is_err());
        let error = answer.predict(&next).map(drop).unwrap_err();
        assert!(
            error.to_string().contains("make the element a target"),
            "{error}"
        );
    }
    let error = SelfChecked::new(Exact::new()).run(&model, &x).unwrap_err();
    assert!(matches!(error, Error::NotChecked { .. }), "{error}");
    let comparison = Compare::new(&model, (&kind, &x))
        .algorithms(algorithms![
            Exact::new(),
            ImportanceSampling::new(5_000).seed(1)
        ])
        .run();
    assert_eq!(comparison.rows[0].verdict, Verdict::Agrees, "{comparison}");
    assert_eq!(
        comparison.rows[1].verdict,
        Verdict::WithinThree,
        "{comparison}"
    );
}
