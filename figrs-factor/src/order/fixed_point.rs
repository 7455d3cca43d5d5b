//! Logarithms as integers, so that their sums do not depend on the order and can be undone.

/// A base-2 logarithm in units of `1 / ONE`.
pub(super) type FixedPoint = i64;

/// The logarithm of two.
pub(super) const ONE: FixedPoint = 1 << 20;

/// The nearest fixed number.
pub(super) fn fixed(log: f64) -> FixedPoint {
    (log * ONE as f64).round() as FixedPoint
}

/// Two to the power of a fixed number.
pub(super) fn power(log: FixedPoint) -> f64 {
    (log as f64 / ONE as f64).exp2()
}
