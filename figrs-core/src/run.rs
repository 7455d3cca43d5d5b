//! What a run of an algorithm brings to a model: its streams of random numbers, and its limits, whose errors name the element at which a limit was
//! exceeded.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::element::node::AnyElement;
use crate::error::ModelError;
use figrs_factor::{Limits, Until};

/// Returns an error if the deadline has passed or the interrupt flag is set. This check is made while a world is evaluated, because a single world
/// may have millions of elements.
#[inline]
pub fn check_time(until: &Until, element: &AnyElement) -> Result<(), ModelError> {
    if until.is_over() {
        let element = element.label();
        return Err(ModelError::Stopped { element });
    }
    Ok(())
}

/// Returns an error if an expansion or a world has more elements than the limits allow.
#[inline]
pub fn check_elements(
    limits: &Limits,
    element: &AnyElement,
    reached: usize,
) -> Result<(), ModelError> {
    if reached > limits.elements {
        return Err(ModelError::TooManyElements {
            element: element.label(),
            limit: limits.elements,
        });
    }
    Ok(())
}

/// Returns an error if an expansion or a world needs more bytes than the limits allow.
#[inline]
pub fn check_bytes(limits: &Limits, element: &AnyElement, needed: u64) -> Result<(), ModelError> {
    if needed > limits.expansion_memory {
        return Err(too_much_memory(limits, element, needed));
    }
    Ok(())
}

/// Returns an error if a world with `entered` elements and `bytes` bytes exceeds the limits, if the deadline has passed, or if the run was
/// interrupted.
pub fn check_world(
    limits: &Limits,
    element: &AnyElement,
    entered: usize,
    bytes: u64,
) -> Result<(), ModelError> {
    check_elements(limits, element, entered)?;
    check_time(&limits.until, element)?;
    check_bytes(limits, element, bytes)
}

/// Returns the error for an expansion or a world that needs more bytes than the limits allow.
#[cold]
pub fn too_much_memory(limits: &Limits, element: &AnyElement, needed: u64) -> ModelError {
    ModelError::TooMuchMemory {
        element: element.label(),
        needed,
        limit: limits.expansion_memory,
    }
}

/// The random number generator of figrs: xoshiro256++ (Blackman and Vigna 2021).
pub type Stream = Xoshiro256PlusPlus;

/// Returns the random number generator for one part of a computation, such as a block of samples.
///
/// Because each part of the computation has its own generator, a seed gives the same result on any number of threads. The state of the generator
/// starts as a hash of `seed` and `part`.
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
