//! The memory that the elements created in a call occupy.

use figrs_core::element::footprint::Footprint;

/// Returns the result of `call`, and the memory footprint of the elements that it created and that still exist.
#[inline]
pub(super) fn measured<R>(call: impl FnOnce() -> R) -> (R, Footprint) {
    let before = Footprint::now();
    let result = call();
    (result, before.since())
}
