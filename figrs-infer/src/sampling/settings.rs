//! Settings shared by the samplers: seed, threads, and limits of a world.

use figrs_core::Limits;

use figrs_answer::run::watch::RunMonitor;

/// Maximum number of equal shares into which the memory limit is divided. If there are more chains than shares, only some of the chains run at the
/// same time.
const MOST_SHARES: usize = 16;

/// The seed and the limits of a sampler.
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
    /// The share does not depend on the number of threads. A model that fits into memory therefore fits with any number of threads.
    pub(crate) fn of_run(&self, run: &RunMonitor<'_>, worlds: usize) -> Self {
        let mut limits = self.limits.until(run.until());
        limits.expansion_memory /= worlds.clamp(1, MOST_SHARES) as u64;
        Self {
            limits,
            seed: self.seed,
        }
    }
}
