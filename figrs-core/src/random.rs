//! Streams of random numbers.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random number generator of figrs: xoshiro256++ (Blackman and Vigna 2021).
pub type Stream = Xoshiro256PlusPlus;

/// Returns the random number generator for one part of a computation, such as a block of samples.
///
/// Because each part of the computation has its own generator, a seed gives the same result on any number of threads. The initial state of the
/// generator is a hash of `seed` and `part`.
pub fn stream(seed: u64, part: u64) -> Stream {
    let base = Stream::seed_from_u64(seed).next_u64();
    Stream::seed_from_u64(base.wrapping_add(part.wrapping_mul(0xd1b5_4a32_d192_ed03)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let first = |seed, part| stream(seed, part).next_u64();
        assert_eq!(first(7, 3), first(7, 3));
        assert_ne!(first(7, 3), first(7, 4));
        assert_ne!(first(7, 3), first(8, 3));
    }
}
