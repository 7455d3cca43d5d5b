//! Samplers that can be repeated with other random numbers.

use figrs_core::stream;
use rand::RngExt;

use crate::algorithm::Algorithm;

/// A sampler whose runs can be repeated with random numbers that are independent of each other, and that keeps its draws.
///
/// `SampledPolicies` runs it once for each decision and once more.
pub trait Replicate: Algorithm + Sized {
    /// The sampler with the random numbers of this replicate; it keeps its draws.
    #[must_use]
    fn replicate(&self, number: u64) -> Self;
}

/// The seed of a replicate of a run with a seed.
pub fn replicate_seed(seed: u64, number: u64) -> u64 {
    stream(seed, number).random()
}

/// Implements [`Replicate`] for a sampler whose seed is in this field.
#[doc(hidden)]
#[macro_export]
macro_rules! replicated {
    ($sampler:ty, $($place:ident).+) => {
        impl $crate::run::replicate::Replicate for $sampler {
            fn replicate(&self, number: u64) -> Self {
                let seed = self.$($place).+;
                let seed = $crate::run::replicate::replicate_seed(seed, number);
                self.clone().seed(seed).keep_draws()
            }
        }
    };
}
pub use replicated;
