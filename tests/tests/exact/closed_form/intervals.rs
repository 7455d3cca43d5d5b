//! Comparisons of one real number in closed form: truncated normal distributions, finite elements, refusals.

use figrs::prelude::*;
use figrs::{Covariance, Error, Filter, MultivariateNormal, Quality, StandardDeviation};

fn standard() -> Element<f64> {
    Normal::new(0.0, Variance(1.0))
}

fn number(x: f64) -> Element<f64> {
    Constant::new(x)
}

fn near(found: f64, exact: f64) {
    assert!(
        (found - exact).abs() <= 1e-12 * exact.abs().max(1e-2),
        "{found}, exactly {exact}"
    );
}

/// The probability that a standard normal number is above `x`, and its density there.
fn above(x: f64) -> (f64, f64) {
    let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    (libm::erfc(x / 2.0_f64.sqrt()) / 2.0, density)
}

#[test]
fn the_restricted_number_is_truncated() {
    let x = Normal::new(1.0, StandardDeviation(2.0)).named("x");
    let (moved, noisy) = (&x * -3.0 + 1.0, Normal::new(&x, Variance(1.0)));
    let other = standard();
    let model = Model::new().observe(&x.greater_than(&number(2.0)), true);
    let answer = Exact::new()
        .run(&model, (&x, &moved, &noisy, &other))
        .unwrap();
    let (share, density) = above(0.5);
    let ratio = density / share;
    near(answer.log_evidence().unwrap().value, share.ln());
    assert!(matches!(
        answer.quality(&other),
        Err(_) | Ok(Quality::Exact)
    ));
    let truncated = answer.family_mixture(&x).unwrap();
    let (mean, variance) = (1.0 + 2.0 * ratio, 4.0 * (1.0 - ratio * (ratio - 0.5)));
    near(truncated.mean(), mean);
    near(truncated.variance(), variance);
    near(truncated.cdf(2.0), 0.0);
    near(
        truncated.probability_between(3.0, 5.0),
        (above(1.0).0 - above(2.0).0) / share,
    );
    near(truncated.density(3.0), above(1.0).1 / 2.0 / share);
    let median = truncated.quantile(0.5);
    near(above((median - 1.0) / 2.0).0 / share, 0.5);
    // A linear function of the number is truncated too; a number that depends on it has an exact mean and variance alone.
    let moved = answer.family_mixture(&moved).unwrap();
    near(moved.mean(), 1.0 - 3.0 * mean);
    near(moved.variance(), 9.0 * variance);
    near(moved.quantile(0.5), 1.0 - 3.0 * median);
    near(answer.mean(&noisy).unwrap(), mean);
    near(answer.variance(&noisy).unwrap(), variance + 1.0);
    let refused = answer.mixture(&noisy).unwrap_err().to_string();
    assert!(refused.contains("a comparison restricts"), "{refused}");
    near(answer.mixture(&other).unwrap().quantile(0.5), 0.0);
    let text = answer.summary(&noisy).unwrap();
    assert!(text.contains("exact"), "{text}");
}

/// Comparisons are finite elements, which other finite elements may read.
#[test]
fn finite_elements_read_comparisons() {
    let x = standard();
    let (low, high) = (x.less_than(&number(-1.0)), x.at_most(&number(0.5)));
    let alarm = (&low, &high).map(|(&low, &high)| {
        if low {
            0.9
        } else if high {
            0.2
        } else {
            0.6
        }
    });
    let alarm = Flip::new(&alarm);
    let model = Model::new().observe(&alarm, true);
    for answer in [
        Exact::new().run(&model, (&low, &high, &x)),
        JunctionTree::new().run(&model, (&low, &high, &x)),
    ] {
        let answer = answer.unwrap();
        let (left, middle, right) = (above(1.0), above(-0.5).0 - above(1.0).0, above(0.5));
        let total = 0.9 * left.0 + 0.2 * middle + 0.6 * right.0;
        near(answer.log_evidence().unwrap().value, total.ln());
        near(
            answer.probability(&low, &true).unwrap(),
            0.9 * left.0 / total,
        );
        near(
            answer.probability(&high, &false).unwrap(),
            0.6 * right.0 / total,
        );
        let moment = -0.9 * left.1 + 0.2 * (left.1 - right.1) + 0.6 * right.1;
        near(answer.mean(&x).unwrap(), moment / total);
        near(answer.family_mixture(&x).unwrap().mean(), moment / total);
    }
}

/// A kind that other evidence makes very improbable, and that the comparison makes probable again.
#[test]
fn weights_that_underflow() {
    let kind = Flip::new(0.5);
    let x = kind.flat_map(|&kind| Normal::new(if kind { 1000.0 } else { 0.0 }, Variance(1.0)));
    let reading = Normal::new(&x, Variance(1.0));
    let model = Model::new().observe(&reading, 0.0);
    let model = model.observe(&x.greater_than(&number(900.0)), true);
    let answer = Exact::new().run(&model, (&kind, &x)).unwrap();
    near(answer.probability(&kind, &true).unwrap(), 1.0);
    assert!(answer.mean(&x).unwrap() > 900.0);
    // Two readings of one kind: the density of the second depends on the first.
    let ratio = answer.log_evidence().unwrap().value;
    assert!(ratio < -250_000.0 && ratio.is_finite());
}

#[test]
fn comparisons_that_are_refused_or_impossible() {
    let (x, y) = (standard().named("x"), standard().named("y"));
    let is_positive = |x: &Element<f64>| x.greater_than(&number(0.0));
    let both = Model::new().observe(&is_positive(&x).named("first"), true);
    let both = both.observe(&is_positive(&y).named("second"), true);
    let refused = Exact::new().run(&both, &x).unwrap_err();
    let text = refused.to_string();
    assert!(
        matches!(refused, Error::NotClosedForm { .. })
            && ["first", "second", "ExpectationPropagation"]
                .iter()
                .all(|word| text.contains(word)),
        "{text}"
    );
    let between = |low: f64, high: f64| {
        let model = Model::new().observe(&x.greater_than(&number(low)), true);
        model.observe(&x.less_than(&number(high)), true)
    };
    let none = Exact::new().run(&between(2.0, 1.0), &x).unwrap_err();
    assert!(matches!(none, Error::ImpossibleEvidence { .. }), "{none}");
    // A known number is compared as it is.
    let known = |value: f64| {
        let answer = Exact::new().run(&between(1.0, 3.0).observe(&x, value), &y);
        answer.map(|answer| answer.log_evidence().unwrap().value)
    };
    near(known(2.0).unwrap(), above(2.0).1.ln());
    assert!(matches!(known(1.0), Err(Error::ImpossibleEvidence { .. })));
    // A number that is determined up to rounding is known.
    let sum = &(&x * 0.1) + &(&y * 0.3);
    let same = (&(&x * 0.7) + &(&y * 2.1)).named("same");
    let once = Model::new().observe(&sum, 1.0);
    let evidence = |model: &Model| {
        let answer = Exact::new().run(model, &x);
        answer.map(|answer| answer.log_evidence().unwrap().value)
    };
    let twice = evidence(&once.clone().observe(&same, 7.0)).unwrap();
    near(twice, evidence(&once).unwrap());
    let none = evidence(&once.observe(&same, 7.1)).unwrap_err();
    assert!(matches!(none, Error::ImpossibleEvidence { .. }), "{none}");
    let compared = Model::new()
        .observe(&sum, 1.0)
        .observe(&same.greater_than(&number(6.9)), true);
    let answer = Exact::new().run(&compared, &x).unwrap();
    near(answer.mean(&x).unwrap(), 1.0);
    near(answer.mixture(&x).unwrap().mean(), 1.0);
    // A filter keeps its state if it refuses evidence.
    let mut filter = Filter::exact(&x).unwrap();
    let before = filter.summary(|x| x).unwrap();
    let refused = filter.observe(|x| Model::new().observe(&x.greater_than(&number(0.0)), true));
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("it compares real numbers"), "{text}");
    assert_eq!(filter.summary(|x| x).unwrap(), before);
}

/// A list of numbers, one of which is restricted.
#[test]
fn entries_of_a_list() {
    let covariance = Covariance::rows([[2.0, 0.6], [0.6, 1.0]]);
    let list = MultivariateNormal::new([0.5, -0.5], covariance);
    let (first, second) = (list.entry(0), list.entry(1));
    let model = Model::new().observe(&second.less_than(&number(-0.5)), true);
    let answer = VariableElimination::new()
        .run(&model, (&first, &second, &list))
        .unwrap();
    let mean = -(2.0 / std::f64::consts::PI).sqrt();
    near(answer.mean(&second).unwrap(), -0.5 + mean);
    near(answer.mean(&first).unwrap(), 0.5 + 0.6 * mean);
    near(answer.variance(&first).unwrap(), 2.0 - 0.36 * mean * mean);
    near(answer.log_evidence().unwrap().value, 0.5_f64.ln());
}
