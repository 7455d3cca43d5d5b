//! Samplers whose runs can be repeated with other random numbers.

use figrs_core::stream;
use rand::RngExt;

use crate::algorithm::Algorithm;

/// A sampler whose runs can be repeated with independent random numbers, and which can keep its draws.
///
/// `SampledPolicies` runs a sampler of this kind once for each decision, and once more at the end.
pub trait Replicate: Algorithm + Sized {
    /// Returns the sampler of the repetition with the index `number`. The sampler of a repetition draws random numbers that are independent of those
    /// of the other repetitions, and keeps its draws.
    #[must_use]
    fn replicate(&self, number: u64) -> Self;
}

/// Returns the seed of the repetition with the index `number`, for a run with seed `seed`.
pub fn replicate_seed(seed: u64, number: u64) -> u64 {
    stream(seed, number).random()
}

/// Implements [`Replicate`] for a sampler whose seed is in the field `$place`.
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
