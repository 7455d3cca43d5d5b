//! Hierarchies whose data hold what functions compute from parameters and offsets.

use figrs_core::{Element, Exponential, Model, Normal, Parents, Rate, StandardDeviation};

use super::is_right;
use crate::MetropolisHastings;
use figrs_answer::answer::quality::Quality;
use figrs_answer::{Answer, Run};

/// Means of groups, each known with a standard deviation of a tenth: far less than that between them.
const SEEN: [f64; 6] = [3.1, 5.2, 1.4, 4.0, 2.2, 6.3];
const NOISE: f64 = 0.1;

/// Posterior means of the mean and of the spread, by quadrature over the spread: given it, the mean is normal.
fn exact() -> [f64; 2] {
    let n = SEEN.len() as f64;
    let (mut total, mut sums) = (0.0, [0.0; 2]);
    let step = 1e-3;
    for i in 1..40_000 {
        let spread = f64::from(i) * step;
        let variance = spread * spread + NOISE * NOISE;
        let precision = 1.0 / 25.0 + n / variance;
        let sum: f64 = SEEN.iter().sum::<f64>() / variance;
        let squares: f64 = SEEN.iter().map(|x| x * x / variance).sum();
        let log = -0.5 * spread - 0.5 * n * variance.ln() - 0.5 * precision.ln()
            + 0.5 * (sum * sum / precision - squares);
        let weight = log.exp();
        total += weight;
        sums[0] += weight * sum / precision;
        sums[1] += weight * spread;
    }
    sums.map(|sum| sum / total)
}

fn effective_samples(answer: &Answer, element: &Element<f64>) -> f64 {
    match answer.quality(element).unwrap() {
        Quality::Sampled { effective_samples } => effective_samples,
        other => panic!("{other:?}"),
    }
}

/// Single steps of the mean or of the spread are twenty times shorter than the posterior is wide.
#[test]
fn parameters_move_with_the_offsets_behind_them() {
    let mean = Normal::new(0.0, StandardDeviation(5.0));
    let spread = Exponential::new(Rate(0.5));
    let offset = || Normal::new(0.0, StandardDeviation(1.0));
    let by_closure =
        || (&mean, &spread, &offset()).map(|(mean, spread, offset)| mean + spread * offset);
    let by_operators = || &mean + &(&spread * &offset());
    // The two measurements of a group share its offset, and one of them reads it behind a function of its own.
    let shifted = |effect: &Element<f64>| effect.map(|effect| effect + 2.0);
    let forms: [&dyn Fn() -> Element<f64>; 2] = [&by_closure, &by_operators];
    let [right_mean, right_spread] = exact();
    for effect in forms {
        let mut model = Model::new();
        for seen in SEEN {
            let effect = effect();
            let error = StandardDeviation(NOISE * 2.0_f64.sqrt());
            model = model
                .observe(&Normal::new(&effect, error), seen)
                .observe(&Normal::new(shifted(&effect), error), seen + 2.0);
        }
        let sampler = MetropolisHastings::new(3000).seed(1);
        let answer = sampler.run(&model, (&mean, &spread)).unwrap();
        for (element, right, largest) in [(&mean, right_mean, 0.1), (&spread, right_spread, 0.08)] {
            is_right(&answer, element, |&x| x, right, largest);
            let samples = effective_samples(&answer, element);
            assert!(samples > 100.0, "{samples}");
        }
    }
}

/// A function that is no line in its offset has no such move, and is drawn as before.
#[test]
fn offsets_that_enter_by_a_curve_do_not_move_along() {
    let mean = Normal::new(0.0, StandardDeviation(1.0));
    let mut model = Model::new();
    for _ in 0..2 {
        let offset = Normal::new(0.0, StandardDeviation(1.0));
        let effect = (&mean, &offset).map(|(mean, offset)| mean + offset * offset.abs());
        model = model.observe(&Normal::new(&effect, StandardDeviation(1.0)), 0.0);
    }
    let answer = MetropolisHastings::new(3000)
        .seed(1)
        .run(&model, &mean)
        .unwrap();
    is_right(&answer, &mean, |&mean| mean, 0.0, 0.05);
}

/// The density of three numbers whose covariance is `spread² min(i, j)`, each seen with some noise, up to a constant factor.
fn walk_density(spread: f64, seen: [f64; 3], noise: f64) -> f64 {
    let (s, e) = (spread * spread, noise * noise);
    let covariance = |i: usize, j: usize| s * (i.min(j) + 1) as f64 + if i == j { e } else { 0.0 };
    // Cholesky's factor, row by row.
    let mut factor = [[0.0_f64; 3]; 3];
    let (mut log, mut solved) = (0.0, [0.0_f64; 3]);
    for i in 0..3 {
        for j in 0..=i {
            let rest: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let left = covariance(i, j) - rest;
            factor[i][j] = if i == j {
                left.sqrt()
            } else {
                left / factor[j][j]
            };
        }
        let rest: f64 = (0..i).map(|k| factor[i][k] * solved[k]).sum();
        solved[i] = (seen[i] - rest) / factor[i][i];
        log -= factor[i][i].ln() + 0.5 * solved[i] * solved[i];
    }
    log.exp()
}

/// Positions of a random walk read the steps of all positions before: a move of the spread would have to solve for them together.
#[test]
fn steps_of_a_walk_keep_their_posterior() {
    let seen = [1.0, 2.5, 2.0];
    let spread = Exponential::new(Rate(1.0));
    let steps: Vec<Element<f64>> = (0..3)
        .map(|_| Normal::new(0.0, StandardDeviation(1.0)))
        .collect();
    let mut model = Model::new();
    for (last, seen) in seen.into_iter().enumerate() {
        let sum = steps[..=last].to_vec();
        let sum = figrs_core::Inject::new(&sum);
        let position = (&spread, &sum).map(|(spread, steps)| spread * steps.iter().sum::<f64>());
        model = model.observe(&Normal::new(&position, StandardDeviation(0.5)), seen);
    }
    let (mut total, mut sum) = (0.0, 0.0);
    for i in 1..10_000 {
        let at = f64::from(i) * 2e-3;
        let weight = (-at).exp() * walk_density(at, seen, 0.5);
        total += weight;
        sum += weight * at;
    }
    let answer = MetropolisHastings::new(8000).seed(2).run(&model, &spread);
    is_right(&answer.unwrap(), &spread, |&x| x, sum / total, 0.05);
}
