//! Tests of hierarchies in which the data determine numbers that are computed from parameters and offsets.

use figrs_core::{Element, Exponential, Model, Normal, Parents, Rate, StandardDeviation, stream};

use figrs_lower::internals::Trace;

use super::super::image_moves::{ImageMoves, Images};
use super::super::proposals::Proposals;
use super::is_right;
use crate::MetropolisHastings;
use figrs_answer::{Answer, Quality, Run};

/// Observed means of six groups. Each group mean is measured with a standard deviation of a tenth, far less than the standard deviation between the
/// groups.
const SEEN: [f64; 6] = [3.1, 5.2, 1.4, 4.0, 2.2, 6.3];
const NOISE: f64 = 0.1;

/// Posterior means of two parameters of the test hierarchy, the mean and the spread, by quadrature over the spread; given the spread, the mean is
/// normal.
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

/// In the test model, a step that changes only the mean or only the spread is twenty times shorter than the width of the posterior.
#[test]
fn parameters_move_with_the_offsets_behind_them() {
    let mean = Normal::new(0.0, StandardDeviation(5.0));
    let spread = Exponential::new(Rate(0.5));
    let offset = || Normal::new(0.0, StandardDeviation(1.0));
    let by_closure =
        || (&mean, &spread, &offset()).map(|(mean, spread, offset)| mean + spread * offset);
    let by_operators = || &mean + &(&spread * &offset());
    // The two measurements of a group depend on the same offset, and one of them depends on it through another function.
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

/// An offset that enters a function nonlinearly does not move jointly with the parameter, but changes alone.
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

/// Returns the number of joint moves, each of a parameter with its offsets, that are found in a world of `model`.
fn moves(model: &Model) -> usize {
    let mut trace = Trace::new(model, &[], 1000).unwrap();
    assert!(trace.restart(&mut stream(1, 0)).unwrap());
    let mut moves = ImageMoves::new(Images::of(model));
    moves.choose(&mut trace, &Proposals::new());
    moves.count()
}

/// Each position of the random walk in the test depends on all earlier steps of the walk. A joint move that computed each step of this random walk
/// separately would not be reversible.
#[test]
fn offsets_that_one_function_reads_together_do_not_move() {
    let observed = |reads_all: bool| {
        let spread = Exponential::new(Rate(1.0));
        let steps: Vec<Element<f64>> = (0..3)
            .map(|_| Normal::new(0.0, StandardDeviation(1.0)))
            .collect();
        let mut model = Model::new();
        for (last, step) in steps.iter().enumerate() {
            let sum = match reads_all {
                true => figrs_core::inject(&steps[..=last]),
                false => figrs_core::inject(std::slice::from_ref(step)),
            };
            let position =
                (&spread, &sum).map(|(spread, steps)| spread * steps.iter().sum::<f64>());
            model = model.observe(&Normal::new(&position, StandardDeviation(0.5)), 1.0);
        }
        model
    };
    assert_eq!((moves(&observed(true)), moves(&observed(false))), (0, 1));
}
