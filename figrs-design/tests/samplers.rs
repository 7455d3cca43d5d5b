//! The two methods that draw levels given demands.

use std::ops::Range;
use std::sync::Arc;

use figrs_design::{DemandedLevel, DemandedLevelError};
use figrs_infer::ItemSampler;
use figrs_models::board::{BoardError, ConditionalSampler, Method, NumberedBoards};
use figrs_models::mdmc::GeneratedLevel;

/// Numbered levels with the errors of levels.
pub(crate) trait Levels {
    fn levels(
        &self,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<GeneratedLevel>, DemandedLevelError>;
}

impl<S: ItemSampler<Item = GeneratedLevel, Error = BoardError>> Levels for S {
    fn levels(
        &self,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<GeneratedLevel>, DemandedLevelError> {
        Ok(self.items(seed, numbers)?)
    }
}

/// Sampler of numbered levels.
pub(crate) type NumberedLevels = NumberedBoards<Arc<DemandedLevel>>;

/// Levels from their exact law.
pub(crate) fn exactly(demanded: DemandedLevel) -> Result<NumberedLevels, DemandedLevelError> {
    let exact = ConditionalSampler::new().among([Method::Exact]);
    Ok(exact.numbered(Arc::new(demanded))?)
}

/// Drawing by particles.
pub(crate) fn particles() -> ConditionalSampler {
    ConditionalSampler::new().among([Method::Particles])
}

/// Levels by particles.
pub(crate) fn by_particles(demanded: DemandedLevel) -> NumberedLevels {
    particles().numbered(Arc::new(demanded)).unwrap()
}
