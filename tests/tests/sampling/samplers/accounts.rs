//! Tests that samplers' reports of their runs agree with their draws.

use figrs::prelude::*;
use figrs::{LogEvidence, RunStatistics};

/// Returns a model whose worlds have several weights, times a factor that is far outside the range of `f64`.
fn weighed(log: f64) -> (Model, Element<u32>) {
    let n = Uniform::new(0..5_u32);
    let model = Model::new().weigh(&n, |&n| f64::from(n));
    (model.log_weigh(&n, move |_| log), n)
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} {b}");
}

/// Returns the weights of the draws, relative to the largest weight.
fn weights(answer: &Answer) -> Vec<f64> {
    let logs = answer.draws().unwrap().log_weights.as_ref().unwrap();
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.iter().map(|log| (log - top).exp()).collect()
}

fn message(answer: &Answer) -> (LogEvidence, &RunStatistics) {
    let sampling = answer.sampling().expect("a sampler");
    (answer.log_evidence().expect("weights"), sampling)
}

/// The error of the logarithm of a mean is the relative error of the mean.
#[test]
fn the_error_of_the_evidence_is_that_of_the_mean_weight() {
    for log in [0.0, -2000.0, 2000.0] {
        let (model, n) = weighed(log);
        let sampler = ImportanceSampling::new(3000).seed(8).keep_draws();
        let answer = sampler.run(&model, &n).unwrap();
        // Worlds of weight zero are not kept.
        let all = 3000.0;
        let weights = weights(&answer);
        let mean = weights.iter().sum::<f64>() / all;
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        let variance = (squares - all * mean * mean) / (all - 1.0);
        let (evidence, sampling) = message(&answer);
        close(evidence.standard_error, (variance / all).sqrt() / mean);
        close(sampling.largest_share.unwrap(), 1.0 / (all * mean));
    }
}

/// A point mass dominates every density, also if earlier blocks of worlds have only densities.
#[test]
fn draws_are_the_worlds_with_the_fewest_densities() {
    let is_exact = Flip::new(1e-4);
    let seen = is_exact.flat_map(|&exact| {
        if exact {
            Constant::new(1.0)
        } else {
            Normal::new(0.0, Variance(1.0))
        }
    });
    let model = Model::new().observe(&seen, 1.0);
    for seed in 0..4 {
        let sampler = ImportanceSampling::new(100_000).seed(seed).keep_draws();
        let answer = sampler.run(&model, &is_exact).unwrap();
        assert_eq!(answer.probability(&is_exact, &true).unwrap(), 1.0);
        let draws = answer.draws().unwrap();
        // About ten worlds have a point mass; there is none with a probability of exp(-10).
        let values = draws.values(&is_exact).unwrap();
        assert!(!values.is_empty() && values.into_iter().all(|exact| exact));
        close(
            message(&answer).1.largest_share.unwrap(),
            1.0 / draws.length as f64,
        );
    }
}

#[test]
fn the_largest_share_of_populations_is_that_of_a_particle() {
    let (model, n) = weighed(0.0);
    for populations in [1, 7] {
        let filter = SequentialMonteCarlo::new(20).populations(populations);
        // Without replacement, all weights stay with the particles.
        let filter = filter.threshold(0.0).seed(8).keep_draws();
        let answer = filter.run(&model, &n).unwrap();
        let weights = weights(&answer);
        let (_, sampling) = message(&answer);
        close(
            sampling.largest_share.unwrap(),
            1.0 / weights.iter().sum::<f64>(),
        );
    }
}

#[test]
fn chains_tell_how_many_steps_were_asked_for() {
    let (model, n) = weighed(0.0);
    let sampler = MetropolisHastings::new(50).chains(3).thin(4).seed(8);
    let answer = sampler.run(&model, &n).unwrap();
    let sampling = answer.sampling().unwrap();
    assert_eq!((sampling.asked, sampling.done), (Some(600), 600));
}
