//! Tests of elimination of real numbers, against dense normal distributions and the filter of Kalman.

mod chain;
mod far_peaks;
mod narrow_peaks;
mod quotients;
mod random_graphs;
mod random_network;

use figrs_gaussian::{HybridPosterior, Mixture, RealId};

/// Returns the distribution of a vector.
fn mixture(posterior: &HybridPosterior<'_>, real: RealId) -> Mixture {
    let joint = posterior.joint(&[real], 1 << 20).unwrap();
    let components = joint.components.into_iter().map(|(_, component)| component);
    Mixture {
        components: components.collect(),
    }
}
