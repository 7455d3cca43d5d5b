//! The memory of the elements that are created in a call.

use figrs_core::element::footprint::Footprint;

/// Returns the result of `call`, and the size of the elements that `call` has created and that still exist.
#[inline]
pub(super) fn measured<R>(call: impl FnOnce() -> R) -> (R, Footprint) {
    let before = Footprint::now();
    let result = call();
    (result, before.since())
}
