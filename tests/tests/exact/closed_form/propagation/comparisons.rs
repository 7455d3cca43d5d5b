//! Several comparisons of one number, which are one interval.

use super::*;
use figrs::Stopped;

/// The truncated standard normal distribution between two bounds, by Simpson's rule: mean, variance, log-evidence.
fn truncated(low: f64, high: f64) -> [f64; 3] {
    let (pieces, mut sums) = (20_000, [0.0; 3]);
    let step = (high - low) / f64::from(pieces);
    for i in 0..=pieces {
        let weight = match i {
            0 => 1.0,
            i if i == pieces => 1.0,
            i => f64::from(2 + 2 * (i % 2)),
        };
        // The density relative to the lower bound, and the distance from the middle, have all their digits.
        let (apart, above) = (step * f64::from(i), step * f64::from(i - pieces / 2));
        let p = weight * step / 3.0 * (-apart * (low + apart / 2.0)).exp();
        sums = [
            sums[0] + p,
            sums[1] + p * above,
            sums[2] + p * above * above,
        ];
    }
    let mean = sums[1] / sums[0];
    let log_density = -0.5 * (low * low + std::f64::consts::TAU.ln());
    [
        f64::midpoint(low, high) + mean,
        sums[2] / sums[0] - mean * mean,
        sums[0].ln() + log_density,
    ]
}

fn close(found: f64, exact: f64) {
    assert!(
        (found - exact).abs() <= 1e-9 * exact.abs(),
        "{found}, not {exact}"
    );
}

fn number(x: f64) -> Element<f64> {
    Constant::new(x)
}

const INTERVALS: [(f64, f64); 5] = [
    (0.0, 2.0),
    (1.0, 1.0001),
    (20.0, 21.0),
    (-21.0, -20.0),
    (-0.1, 6.0),
];

#[test]
fn an_interval_is_one_likelihood() {
    for (low, high) in INTERVALS {
        let [mean, variance, log_evidence] = truncated(low, high);
        let x = Normal::new(0.0, Variance(1.0));
        let turned = &x * -2.0 + 3.0;
        let model = Model::new()
            .observe(&x.greater_than(&number(low)), true)
            .observe(&turned.at_most(&number(3.0 - 2.0 * high)), false);
        let answer = ExpectationPropagation::new().run(&model, &x).unwrap();
        close(answer.mean(&x).unwrap(), mean);
        close(answer.variance(&x).unwrap(), variance);
        close(answer.log_evidence().unwrap().value, log_evidence);
        let statistics = answer.sampling().unwrap();
        assert_eq!(
            (statistics.stopped, statistics.done),
            (Stopped::Finished, 2)
        );
    }
}

#[test]
fn differences_of_numbers() {
    for (low, high) in INTERVALS {
        let [mean, variance, log_evidence] = truncated(low, high);
        let (a, b) = (
            Normal::new(0.5, Variance(0.36)),
            Normal::new(0.5, Variance(0.64)),
        );
        let lead = &a - &b;
        let model = Model::new()
            .observe(&a.greater_than(&(&b + low)), true)
            .observe(&b.less_than(&(&a - high)), false);
        let targets = (&a, &lead);
        let answer = ExpectationPropagation::new().run(&model, targets).unwrap();
        close(answer.mean(&lead).unwrap(), mean);
        // The two variances of `lead` and of what is not in it differ in size.
        let apart = (answer.variance(&lead).unwrap() - variance).abs();
        assert!(apart < 1e-9 * variance + 1e-15, "{apart}");
        close(answer.mean(&a).unwrap(), 0.5 + 0.36 * mean);
        let of_a = 0.36 * 0.64 + 0.36 * 0.36 * variance;
        close(answer.variance(&a).unwrap(), of_a);
        close(answer.log_evidence().unwrap().value, log_evidence);
    }
}

/// Comparisons that are not observed, and that another element reads.
#[test]
fn intervals_of_unobserved_comparisons() {
    let x = Normal::new(0.3, Variance(2.0));
    let (low, high) = (x.greater_than(&number(0.0)), x.less_than(&number(2.0)));
    let inside = (&low, &high).map(|(&low, &high)| low && high);
    let report = inside.flat_map(|&inside| Flip::new(if inside { 0.9 } else { 0.2 }));
    let model = Model::new().observe(&report, true);
    let targets = (&x, &low, &high);
    let exact = Exact::new().run(&model, targets).unwrap();
    let answer = ExpectationPropagation::new().run(&model, targets).unwrap();
    close(answer.mean(&x).unwrap(), exact.mean(&x).unwrap());
    close(answer.variance(&x).unwrap(), exact.variance(&x).unwrap());
    for side in [&low, &high] {
        let share = exact.probability(side, &true).unwrap();
        close(answer.probability(side, &true).unwrap(), share);
    }
    let log_evidence = exact.log_evidence().unwrap().value;
    close(answer.log_evidence().unwrap().value, log_evidence);
}

#[test]
fn contradictions_are_impossible() {
    let (x, y) = (
        Normal::new(0.0, Variance(1.0)),
        Normal::new(0.0, Variance(1.0)),
    );
    for other in [number(0.0), y] {
        let model = Model::new()
            .observe(&x.greater_than(&(&other + 1.0)), true)
            .observe(&x.less_than(&other), true);
        let error = ExpectationPropagation::new().run(&model, &x).unwrap_err();
        assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
    }
}
