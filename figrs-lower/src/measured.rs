//! Memory footprint of a call.

use figrs_core::element::footprint::Footprint;

/// Returns the result of a call, and the memory footprint of the elements that the call created and that still exist.
#[inline]
pub(super) fn measured<R>(call: impl FnOnce() -> R) -> (R, Footprint) {
    let before = Footprint::now();
    let result = call();
    (result, before.since())
}
