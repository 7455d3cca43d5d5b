//! Limits on a world: its size, and the time by which it must be finished.

use figrs_core::element::footprint::Footprint;
use figrs_core::element::node::AnyElement;
use figrs_core::error::ModelError;
use figrs_factor::{Limits, Until};

/// Limits on a world: a world that is too large, or unfinished when the time is over, ends with an error that names the element and the
/// limit.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldLimit {
    /// Maximum number of elements of one world.
    pub elements: usize,
    /// Maximum number of bytes that a world, or the worlds that run side by side, and the elements made for them may take; counted as
    /// [`Limits::expansion_memory`](figrs_core::Limits::expansion_memory).
    pub bytes: u64,
    /// Deadline and interrupt, checked while elements are evaluated: a single world may have millions of them.
    pub(crate) until: Until,
}

impl Default for WorldLimit {
    /// The default limits are four million elements and 2 GiB.
    fn default() -> Self {
        Self::from(4_000_000)
    }
}

impl From<usize> for WorldLimit {
    /// A limit of this number of elements, and the default number of bytes.
    fn from(elements: usize) -> Self {
        Self {
            elements,
            bytes: Limits::EXPANSION_MEMORY,
            until: Until::default(),
        }
    }
}

impl WorldLimit {
    /// A quarter of the memory limit may be used by caches that persist from one world to the next: a cache only saves
    /// work.
    const CACHE_DIVISOR: u64 = 4;

    /// The same limits, with this deadline and interrupt.
    #[must_use]
    pub fn until(&self, until: &Until) -> Self {
        Self {
            until: until.clone(),
            ..self.clone()
        }
    }

    /// Returns an error if a world of `entered` elements and `bytes` bytes is too large, or if the run has passed its
    /// deadline or was interrupted.
    pub(super) fn check_world(
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

    /// Returns an error if the run has passed its deadline or was interrupted.
    #[inline]
    pub(super) fn check_time(&self, element: &AnyElement) -> Result<(), ModelError> {
        if self.until.is_over() {
            return Err(ModelError::Stopped {
                element: element.label(),
            });
        }
        Ok(())
    }

    /// True if caches of `bytes` bytes have to be cleared before the next world.
    pub(super) fn is_full(&self, bytes: u64) -> bool {
        bytes > self.bytes / Self::CACHE_DIVISOR
    }

    /// Returns an error if more bytes are needed than are allowed.
    #[inline]
    pub(super) fn check(&self, element: &AnyElement, needed: u64) -> Result<(), ModelError> {
        if needed > self.bytes {
            return Err(self.exceeded(element, needed));
        }
        Ok(())
    }

    #[cold]
    fn exceeded(&self, element: &AnyElement, needed: u64) -> ModelError {
        ModelError::TooMuchMemory {
            element: element.label(),
            needed,
            limit: self.bytes,
        }
    }
}

/// Returns the result of a call, and the memory footprint of the elements that the call created and that still exist.
#[inline]
pub(super) fn measured<R>(call: impl FnOnce() -> R) -> (R, Footprint) {
    let before = Footprint::now();
    let result = call();
    (result, before.since())
}
