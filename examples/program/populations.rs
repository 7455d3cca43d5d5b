//! What populations of particles drew, by the weights of the populations.

use figrs::prelude::*;
use figrs::{Draws, stream};
use rand::RngExt;

/// Populations for each draw that is wanted, and how many there are at least.
const SPARE: u64 = 2;
const LEAST: u64 = 16;

/// How many populations are run to draw so often.
pub(crate) fn populations(wanted: usize) -> u64 {
    (SPARE * wanted as u64).max(LEAST)
}

/// The places of as many draws as are wanted, and how many populations of equal weight would tell as much. A population counts as
/// much as its estimate of the evidence: so draws are right on average whatever the number of particles, and in law as populations
/// become many.
pub(crate) fn chosen(draws: &Draws, wanted: usize, seed: u64) -> (Vec<u32>, f64) {
    let logs = draws.log_weights.clone();
    let logs = logs.unwrap_or_else(|| vec![0.0; draws.chains * draws.length]);
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let (total, squares) = (
        weights.iter().sum::<f64>(),
        weights.iter().map(|weight| weight * weight).sum::<f64>(),
    );
    let mut chosen = vec![0; wanted];
    let mut rng = stream(seed, u64::MAX);
    Resampling::Systematic.choose(&weights, &mut chosen, || rng.random());
    (chosen, total * total / squares)
}
