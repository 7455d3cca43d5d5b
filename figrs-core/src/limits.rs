//! Checks of the limits on the size of expanded models and of sampled worlds. The error for an exceeded limit names the element at which the limit
//! was exceeded.

use figrs_factor::{Limits, Until};

use crate::element::node::AnyElement;
use crate::error::ModelError;

/// Returns an error if the deadline of the inference run has passed or the interrupt flag is set. The deadline and the interrupt flag are also
/// checked while a single world is evaluated, because a world may have millions of elements.
#[inline]
pub fn check_time(until: &Until, element: &AnyElement) -> Result<(), ModelError> {
    if until.is_over() {
        let element = element.label();
        return Err(ModelError::Stopped { element });
    }
    Ok(())
}

/// Returns an error if an expanded model or a sampled world has more elements than the limits allow.
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

/// Returns an error if an expanded model or a sampled world needs more bytes than the limits allow.
#[inline]
pub fn check_bytes(limits: &Limits, element: &AnyElement, needed: u64) -> Result<(), ModelError> {
    if needed > limits.expansion_memory {
        return Err(too_much_memory(limits, element, needed));
    }
    Ok(())
}

/// Returns an error if a world with `entered` elements and `bytes` bytes exceeds the limits, if the deadline has passed, or if the inference run was
/// interrupted.
#[inline]
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

/// Returns the error for an expanded model or a sampled world that needs more bytes than the limits allow.
#[cold]
pub fn too_much_memory(limits: &Limits, element: &AnyElement, needed: u64) -> ModelError {
    ModelError::TooMuchMemory {
        element: element.label(),
        needed,
        limit: limits.expansion_memory,
    }
}
