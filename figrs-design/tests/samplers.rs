//! The two methods that draw levels given demands.

use std::sync::Arc;

use figrs_design::{SteeredLevel, SteeringError};
use figrs_models::board::{ConditionalSampler, Method, NumberedBoards};

/// Sampler of numbered levels.
pub(crate) type NumberedLevels = NumberedBoards<Arc<SteeredLevel>>;

/// Levels from their exact law.
pub(crate) fn exactly(steered: SteeredLevel) -> Result<NumberedLevels, SteeringError> {
    let exact = ConditionalSampler::new().among([Method::Exact]);
    Ok(exact.numbered(Arc::new(steered))?)
}

/// Drawing by particles.
pub(crate) fn particles() -> ConditionalSampler {
    ConditionalSampler::new().among([Method::Particles])
}

/// Levels by particles.
pub(crate) fn by_particles(steered: SteeredLevel) -> NumberedLevels {
    particles().numbered(Arc::new(steered)).unwrap()
}
