//! Single likelihoods against quadrature.

use super::*;

/// The posterior of a normal number under one likelihood, by the trapezoid rule: mean, variance, log-evidence.
pub(crate) fn by_trapezoids(
    mean: f64,
    variance: f64,
    log_likelihood: impl Fn(f64) -> f64,
) -> [f64; 3] {
    let (step, mut sums) = (1e-4 * variance.sqrt(), [0.0; 3]);
    for i in -150_000..=150_000 {
        let apart = f64::from(i) * step;
        let x = mean + apart;
        let p = step * (log_likelihood(x) - 0.5 * apart * apart / variance).exp();
        sums = [sums[0] + p, sums[1] + p * x, sums[2] + p * x * x];
    }
    let mean = sums[1] / sums[0];
    let scale = (2.0 * std::f64::consts::PI * variance).sqrt();
    [
        mean,
        sums[2] / sums[0] - mean * mean,
        (sums[0] / scale).ln(),
    ]
}

/// A name, a model with one likelihood, and the natural logarithm of this likelihood.
type Case = (&'static str, Model, Box<dyn Fn(f64) -> f64>);

#[test]
fn single_likelihoods_of_all_kinds() {
    let x = Normal::new(1.0, Variance(2.0));
    let log_count = |count: u64| {
        move |x: f64| count as f64 * x - x.exp() - (1..=count).map(|k| (k as f64).ln()).sum::<f64>()
    };
    let log_student = |x: f64| {
        let constant = (3.0 / 8.0_f64).ln() - 0.5_f64.ln();
        constant - 2.5 * (1.0 + ((1.5 - x) / 0.5).powi(2) / 4.0).ln()
    };
    // The rate is wrong far from all numbers that matter.
    let counted = Poisson::new(x.map(|x| x.exp()));
    let wide = Normal::new(0.0, Variance(9.0));
    let model = Model::new().observe(&Poisson::new(wide.map(|x| x.exp())), 3);
    let answer = ExpectationPropagation::new().run(&model, &wide).unwrap();
    let [mean, variance, _] = by_trapezoids(0.0, 9.0, log_count(3));
    assert!((answer.mean(&wide).unwrap() - mean).abs() < 1e-7);
    assert!((answer.variance(&wide).unwrap() - variance).abs() < 1e-7);
    let robust = StudentT::new(&x, Scale(0.5), DegreesOfFreedom(4.0));
    let cases: [Case; 4] = [
        (
            "count",
            Model::new().observe(&counted, 3),
            Box::new(log_count(3)),
        ),
        (
            "Student-t",
            Model::new().observe(&robust, 1.5),
            Box::new(log_student),
        ),
        (
            "weight",
            Model::new().log_weigh(&x, |x| -x.abs()),
            Box::new(|x| -x.abs()),
        ),
        (
            "condition on a function",
            Model::new().weigh(&x.map(|x| x * x), |square| (-square / 4.0).exp()),
            Box::new(|x| -x * x / 4.0),
        ),
    ];
    for (name, model, log_likelihood) in cases {
        let answer = ExpectationPropagation::new().run(&model, &x).unwrap();
        let [mean, variance, log_evidence] = by_trapezoids(1.0, 2.0, log_likelihood);
        assert!((answer.mean(&x).unwrap() - mean).abs() < 1e-7, "{name}");
        assert!(
            (answer.variance(&x).unwrap() - variance).abs() < 1e-7,
            "{name}"
        );
        assert!(
            (answer.log_evidence().unwrap().value - log_evidence).abs() < 1e-7,
            "{name}"
        );
    }
}

/// Parts of likelihoods that are far narrower than the distribution of their number.
#[test]
fn narrow_parts_of_likelihoods() {
    let x = Normal::new(0.0, Variance(4.0));
    let density = |x: f64| (-x * x / 8.0).exp() / (4.0 * std::f64::consts::TAU).sqrt();
    let is_inside = |x: f64| x > 1.2345 && x < 1.2346;
    for model in [
        Model::new().condition(&x, move |&x| is_inside(x)),
        Model::new().observe(&x.map(move |&x| is_inside(x)), true),
    ] {
        let answer = ExpectationPropagation::new().run(&model, &x).unwrap();
        let log_evidence = answer.log_evidence().unwrap().value;
        assert!((log_evidence - (1e-4 * density(1.23455)).ln()).abs() < 1e-7);
        assert!((answer.mean(&x).unwrap() - 1.23455).abs() < 1e-8);
        let deviation = answer.variance(&x).unwrap().sqrt();
        assert!((deviation / (1e-4 / 12.0_f64.sqrt()) - 1.0).abs() < 1e-6);
    }
    let peak = |x: f64| 1e-3 + (-0.5 * ((x - 1.5) / 1e-4).powi(2)).exp();
    let model = Model::new().weigh(&x, move |&x| peak(x));
    let answer = ExpectationPropagation::new().run(&model, &x).unwrap();
    let mass = 1e-4 * std::f64::consts::TAU.sqrt() * density(1.5);
    let mean = 1.5 * mass / (mass + 1e-3);
    assert!((answer.mean(&x).unwrap() - mean).abs() < 1e-7);
}

/// Likelihoods that read several elements that are linear functions of one number, or a linear function of several numbers.
#[test]
fn linear_functions_of_one_number_are_one_number() {
    let x = Normal::new(1.0, Variance(2.0));
    let (moved, turned) = (&x * 0.5 + 1.0, &x * -2.0);
    let location = Normal::new(
        &moved,
        Variance(&turned.map(|&turned| (0.3 * turned).exp())),
    );
    let model = Model::new().observe(&location, 0.4);
    let log = |x: f64| {
        let (mean, variance) = (0.5 * x + 1.0, (-0.6 * x).exp());
        -0.5 * ((0.4 - mean).powi(2) / variance + (variance * std::f64::consts::TAU).ln())
    };
    let answer = ExpectationPropagation::new().run(&model, &x).unwrap();
    let [mean, variance, log_evidence] = by_trapezoids(1.0, 2.0, log);
    assert!((answer.mean(&x).unwrap() - mean).abs() < 1e-7);
    assert!((answer.variance(&x).unwrap() - variance).abs() < 1e-7);
    assert!((answer.log_evidence().unwrap().value - log_evidence).abs() < 1e-7);
    // A condition on a pair of them is a condition on the number.
    let pair = Apply::new((&moved, &turned), |(&moved, &turned)| (moved, turned));
    let model = Model::new().weigh(&pair, |(moved, turned)| {
        (-moved * moved + turned / 4.0).exp()
    });
    let answer = ExpectationPropagation::new().run(&model, &x).unwrap();
    let [mean, variance, _] = by_trapezoids(1.0, 2.0, |x| -(0.5 * x + 1.0).powi(2) - x / 2.0);
    assert!((answer.mean(&x).unwrap() - mean).abs() < 1e-7);
    assert!((answer.variance(&x).unwrap() - variance).abs() < 1e-7);
    // The sum of two numbers is one number.
    let (a, b) = (
        Normal::new(0.5, Variance(1.0)),
        Normal::new(0.5, Variance(1.0)),
    );
    let sum = &a + &b;
    let coin = Flip::new(sum.map(|&sum| 1.0 / (1.0 + (-sum).exp())));
    let model = Model::new().observe(&coin, true);
    let answer = ExpectationPropagation::new()
        .run(&model, (&a, &sum))
        .unwrap();
    let [mean, _, log_evidence] = by_trapezoids(1.0, 2.0, |x| -(-x).exp().ln_1p());
    assert!((answer.mean(&sum).unwrap() - mean).abs() < 1e-7);
    assert!((answer.mean(&a).unwrap() - mean / 2.0).abs() < 1e-7);
    assert!((answer.log_evidence().unwrap().value - log_evidence).abs() < 1e-7);
}
