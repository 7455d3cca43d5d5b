//! Joint covariances of elements that are built one by one, as covariances of the list of them.

use figrs::prelude::*;
use figrs::{
    Answer, AnyElement, Error, ExpectationPropagation, Filter, Precision, WithReals, inject,
};

fn normal(mean: f64, variance: f64) -> Element<f64> {
    Normal::new(mean, Variance(variance))
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}

fn check(found: &[Vec<f64>], expected: &[[f64; 3]; 3]) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), 3);
        for (found, expected) in found.iter().zip(expected) {
            near(*found, *expected);
        }
    }
}

/// A reading of the sum of two numbers: the gain of each is its variance divided by the variance of the reading.
#[test]
fn two_numbers_and_a_negated_one() {
    let (a, b) = (normal(1.0, 1.0), normal(-2.0, 2.0));
    let reading = Normal::new(&(&a + &b), Variance(0.5));
    let model = Model::new().observe(&reading, 0.3);
    let list = inject([&a, &b, &(-&a)]);
    let all = 3.5;
    let covariance = [
        [1.0 - 1.0 / all, -2.0 / all, 1.0 / all - 1.0],
        [-2.0 / all, 2.0 - 4.0 / all, 2.0 / all],
        [1.0 / all - 1.0, 2.0 / all, 1.0 - 1.0 / all],
    ];
    let answers: [Answer; 5] = [
        Exact::new().run(&model, &list).unwrap(),
        VariableElimination::new().run(&model, &list).unwrap(),
        JunctionTree::new().run(&model, (&list, &a)).unwrap(),
        WithReals::new(VariableElimination::new())
            .run(&model, &list)
            .unwrap(),
        ExpectationPropagation::new().run(&model, &list).unwrap(),
    ];
    for answer in &answers {
        check(&answer.covariance(&list).unwrap(), &covariance);
        let means = answer.mixture(&list).unwrap().means();
        near(means[0], 1.0 + 1.3 / all);
        near(means[1], -2.0 + 2.0 * 1.3 / all);
        near(means[2], -1.0 - 1.3 / all);
    }
}

#[test]
fn numbers_that_depend_on_a_finite_element() {
    let kind = Flip::new(0.25);
    let a = kind.flat_map(|&kind| normal(if kind { 3.0 } else { -1.0 }, 1.0));
    let b = Normal::new(&(&a * 2.0), Variance(0.5));
    let fixed = Constant::new(7.0);
    let list = inject([&a, &b, &fixed]);
    let answer = Exact::new().run(&Model::new(), &list).unwrap();
    // The variance of the mean is 0.25 * 0.75 * 16.
    let covariance = [[4.0, 8.0, 0.0], [8.0, 16.5, 0.0], [0.0, 0.0, 0.0]];
    check(&answer.covariance(&list).unwrap(), &covariance);
}

/// The moments of all numbers are exact if a comparison restricts one of them.
#[test]
fn numbers_beside_a_compared_number() {
    let x = normal(0.0, 1.0);
    let y = Normal::new(&x, Variance(2.0));
    let list = inject([&x, &y, &(&y - &x)]);
    let model = Model::new().observe(&x.greater_than(&Constant::new(0.0)), true);
    let answer = Exact::new().run(&model, &list).unwrap();
    let half = 1.0 - 2.0 / std::f64::consts::PI;
    let covariance = [[half, half, 0.0], [half, half + 2.0, 2.0], [0.0, 2.0, 2.0]];
    check(&answer.covariance(&list).unwrap(), &covariance);
}

#[test]
fn lists_are_observed_and_read_like_their_numbers() {
    let (a, b) = (normal(0.0, 1.0), normal(0.0, 4.0));
    let list = inject([&a, &b]);
    let sum = list.affine([[1.0, 1.0]], [0.0]).entry(0);
    let model = Model::new().observe(&sum, 5.0);
    let answer = Exact::new().run(&model, (&a, &list)).unwrap();
    near(answer.mean(&a).unwrap(), 1.0);
    let whole = Model::new().observe(&list, vec![0.5, -1.0]);
    let apart = Model::new().observe(&a, 0.5).observe(&b, -1.0);
    let evidence = |model: &Model| {
        let answer = Exact::new().run(model, Normal::new(&sum, Variance(1.0)));
        answer.unwrap().log_evidence().unwrap().value
    };
    near(evidence(&whole), evidence(&apart));
    // A condition on a list of functions of one number.
    let pair = inject([&a, &(&a * 2.0)]);
    let model = Model::new().condition(&pair, |pair: &Vec<f64>| pair[0] + pair[1] > 0.0);
    let answer = ExpectationPropagation::new().run(&model, &a).unwrap();
    assert!((answer.mean(&a).unwrap() - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-4);
    // The state of a filter may be a list.
    let mut filter = Filter::exact(&list).unwrap();
    filter
        .advance(Clone::clone, |list| {
            Model::new().observe(&list.entry(0), 2.0)
        })
        .unwrap();
    let means = filter.mixture(|list| list).unwrap().means();
    near(means[0], 2.0);
    near(means[1], 0.0);
}

#[test]
fn covariances_that_are_not_known() {
    let list = inject([&normal(0.0, 1.0), &normal(0.0, 1.0)]);
    let other = inject([&normal(0.0, 1.0)]);
    let sampled = ImportanceSampling::new(100)
        .run(&Model::new(), &list)
        .unwrap();
    let error = sampled.covariance(&list).unwrap_err();
    assert!(matches!(error, Error::NotInAnswer { .. }), "{error}");
    let exact = Exact::new().run(&Model::new(), &list).unwrap();
    let error = exact.covariance(&other).unwrap_err();
    assert_eq!(error, Error::not_a_target(other.label()));
    let shares = figrs::Dirichlet::new(vec![1.0, 2.0]);
    let answer = Exact::new().run(&Model::new(), &shares).unwrap();
    let error = answer.covariance(&shares).unwrap_err();
    assert!(error.to_string().contains("family_mixture"), "{error}");
    // The numbers have Student's t-distribution.
    let precision = Gamma::new(2.0, Rate(1.0));
    let a = Normal::new(0.0, Precision(&precision));
    let list: AnyElement = inject([&a, &(-&a)]).erased().clone();
    let error = Exact::new().run(&Model::new(), vec![list]).unwrap_err();
    assert!(matches!(error, Error::NotClosedForm { .. }), "{error}");
}
