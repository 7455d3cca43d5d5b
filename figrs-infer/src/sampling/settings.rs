//! Settings shared by the samplers: seed, threads, and limits on the size of a world.

use std::sync::Arc;

use figrs_core::{AnyElement, Limits};
use figrs_lower::internals::Block;

use figrs_answer::run::watch::{RunMonitor, Watch};

/// Maximum number of equal shares into which the memory limit is divided. If a run has more chains than shares of memory, only some of the chains run
/// at the same time.
const MOST_SHARES: usize = 16;

/// The seed of a sampler, and its limits on the size of a world.
#[derive(Clone, Debug)]
pub struct SamplerSettings {
    pub seed: u64,
    pub limits: Limits,
}

impl Default for SamplerSettings {
    fn default() -> Self {
        Self {
            seed: 0,
            limits: Limits::from(Limits::WORLD_ELEMENTS),
        }
    }
}

impl SamplerSettings {
    /// Returns the maximum number of threads of the sampler.
    pub fn threads(&self) -> usize {
        self.limits.thread_count()
    }

    /// Returns the settings for each chain of a run that stores `worlds` worlds at the same time. Each world may take an equal share of the memory
    /// limit, and the chain stops when the run stops.
    ///
    /// The share of memory per world does not depend on the number of threads. A model that fits into the memory limit with one thread therefore fits
    /// with any number of threads.
    pub(crate) fn of_run(&self, run: &RunMonitor<'_>, worlds: usize) -> Self {
        let mut limits = self.limits.until(run.until());
        limits.expansion_memory /= worlds.clamp(1, MOST_SHARES) as u64;
        Self {
            limits,
            seed: self.seed,
        }
    }
}

/// The settings that all samplers of independent worlds share.
#[derive(Clone, Debug)]
pub(crate) struct WorldSettings {
    /// Number of worlds that a run draws, if this number is fixed.
    pub(super) samples: Option<u64>,
    /// The effective sample size at which the run ends. The run ends only after a complete block of worlds, and after a minimum number of blocks.
    pub(super) target_ess: Option<f64>,
    pub(super) drawing: SamplerSettings,
    pub(super) keep_draws: bool,
    pub(super) assigned: Option<AssignedValues>,
    pub(super) watch: Watch,
}

/// A random variable of the type `usize` that is not drawn, and its value in each world of a run.
#[derive(Clone, Debug)]
pub(crate) struct AssignedValues {
    pub(crate) element: AnyElement,
    pub(crate) values: Arc<[u32]>,
}

impl AssignedValues {
    /// Assigns the values to the worlds of the block `block`; the first of these worlds has the number `first` among the worlds of the run.
    pub(super) fn assign_to(&self, block: &mut Block, first: u64) {
        let worlds = self.values[first as usize..].iter().take(block.width());
        let values: Vec<usize> = worlds.map(|&value| value as usize).collect();
        block.assign(&self.element, Box::new(values));
    }
}

impl WorldSettings {
    pub(super) fn new(samples: Option<u64>) -> Self {
        Self {
            samples,
            target_ess: None,
            drawing: SamplerSettings::default(),
            keep_draws: false,
            assigned: None,
            watch: Watch::default(),
        }
    }

    /// Returns the settings of a run with `more` more worlds, or with an effective sample size that is larger by `more`.
    pub(super) fn lengthened(&self, more: u64) -> Option<Self> {
        let mut longer = self.clone();
        if let Some(samples) = &mut longer.samples {
            *samples = samples.checked_add(more)?;
        }
        if let Some(enough) = &mut longer.target_ess {
            *enough += more as f64;
        }
        Some(longer)
    }
}
