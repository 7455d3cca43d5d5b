//! Logarithms as fixed-point integers: a sum does not depend on the order of its terms, and subtraction is exact.

/// A base-2 logarithm as a fixed-point number, in units of `1 / ONE`.
pub(super) type FixedPoint = i64;

/// The number one (the base-2 logarithm of two) as a fixed-point number.
pub(super) const ONE: FixedPoint = 1 << 20;

pub(super) fn fixed(log: f64) -> FixedPoint {
    (log * ONE as f64).round() as FixedPoint
}

pub(super) fn power(log: FixedPoint) -> f64 {
    (log as f64 / ONE as f64).exp2()
}
