//! Limits on a world: its size, and the time by which it must be finished.

use figrs_core::Limits;
use figrs_core::element::footprint::Footprint;
use figrs_core::element::node::AnyElement;
use figrs_core::error::ModelError;

/// A quarter of the memory limit may be used by caches that persist from one world to the next: a cache only saves
/// work.
const CACHE_DIVISOR: u64 = 4;

/// Checks of the limits of a world: a world that is too large, or unfinished when the time is over, ends with an error that names the
/// element and the limit. Deadline and interrupt are checked while elements are evaluated: a single world may have millions of them.
pub(crate) trait WorldLimits {
    /// Returns an error if a world of `entered` elements and `bytes` bytes is too large, or if the run has passed its
    /// deadline or was interrupted.
    fn check_world(
        &self,
        element: &AnyElement,
        entered: usize,
        bytes: u64,
    ) -> Result<(), ModelError>;

    /// Returns an error if the run has passed its deadline or was interrupted.
    fn check_time(&self, element: &AnyElement) -> Result<(), ModelError>;

    /// Returns an error if more bytes are needed than are allowed.
    fn check(&self, element: &AnyElement, needed: u64) -> Result<(), ModelError>;

    /// True if caches of `bytes` bytes have to be cleared before the next world.
    fn is_full(&self, bytes: u64) -> bool;
}

impl WorldLimits for Limits {
    fn check_world(
        &self,
        element: &AnyElement,
        entered: usize,
        bytes: u64,
    ) -> Result<(), ModelError> {
        if entered > self.elements {
            return Err(ModelError::TooManyElements {
                element: element.label(),
                limit: self.elements,
            });
        }
        self.check_time(element)?;
        self.check(element, bytes)
    }

    #[inline]
    fn check_time(&self, element: &AnyElement) -> Result<(), ModelError> {
        if self.until.is_over() {
            return Err(ModelError::Stopped {
                element: element.label(),
            });
        }
        Ok(())
    }

    fn is_full(&self, bytes: u64) -> bool {
        bytes > self.expansion_memory / CACHE_DIVISOR
    }

    #[inline]
    fn check(&self, element: &AnyElement, needed: u64) -> Result<(), ModelError> {
        if needed > self.expansion_memory {
            return Err(exceeded(self, element, needed));
        }
        Ok(())
    }
}

#[cold]
fn exceeded(limits: &Limits, element: &AnyElement, needed: u64) -> ModelError {
    ModelError::TooMuchMemory {
        element: element.label(),
        needed,
        limit: limits.expansion_memory,
    }
}

/// Returns the result of a call, and the memory footprint of the elements that the call created and that still exist.
#[inline]
pub(super) fn measured<R>(call: impl FnOnce() -> R) -> (R, Footprint) {
    let before = Footprint::now();
    let result = call();
    (result, before.since())
}
