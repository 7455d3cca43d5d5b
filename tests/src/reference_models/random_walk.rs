//! A Gaussian random walk, observed with noise.

use figrs::prelude::*;

use super::Question;
use crate::asked::Worlds;

const STEPS: usize = 50;

fn seen(t: usize) -> f64 {
    3.0 * (t as f64 / 5.0).sin()
}

/// A Gaussian random walk of fifty steps, observed with noise after each step; all variances are one.
pub fn random_walk() -> Question {
    let mut walk = vec![Normal::new(0.0, Variance(1.0))];
    let mut model = Model::new();
    for t in 1..=STEPS {
        let here = Normal::new(&walk[t - 1], Variance(1.0));
        model = model.observe(&Normal::new(&here, Variance(1.0)), seen(t));
        walk.push(here);
    }
    let last = &walk[STEPS];
    let exact = kalman();
    Question::new("M09_random_walk", model)
        .log_evidence("log p(y)", exact.log_evidence)
        .expectation("E[x_T|y]", last, |&x| x, exact.mean)
        .expectation(
            "Var[x_T|y]",
            last,
            move |&x| (x - exact.mean).powi(2),
            exact.variance,
        )
        .sequence(&walk)
        .worlds(Worlds::Continuous)
        .samples(20_000)
}

#[derive(Clone, Copy)]
struct Filtered {
    mean: f64,
    variance: f64,
    log_evidence: f64,
}

/// Computes the exact answers by the filter of Kalman (1960).
fn kalman() -> Filtered {
    let start = Filtered {
        mean: 0.0,
        variance: 1.0,
        log_evidence: 0.0,
    };
    (1..=STEPS).fold(start, |before, t| {
        let predicted = before.variance + 1.0;
        let spread = predicted + 1.0;
        let surprise = seen(t) - before.mean;
        let gain = predicted / spread;
        let density = surprise * surprise / spread + (std::f64::consts::TAU * spread).ln();
        Filtered {
            mean: before.mean + gain * surprise,
            variance: (1.0 - gain) * predicted,
            log_evidence: before.log_evidence - density / 2.0,
        }
    })
}
