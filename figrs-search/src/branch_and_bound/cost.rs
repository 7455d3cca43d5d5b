//! Costs: fixed-point integers.

/// Cost of a forbidden assignment. Sums of eight of them do not overflow.
pub(super) const FORBIDDEN: i64 = 1 << 59;

/// Costs from here on forbid: finite ones, and what is moved from and to forbidden ones, stay far below.
pub(super) const LARGE: i64 = 1 << 58;

/// Maximum sum of all finite costs.
pub(super) const LARGEST_SUM: i64 = 1 << 56;

/// Sum of two costs, of which a forbidden one stays as it is.
#[inline]
pub(super) fn add(a: i64, b: i64) -> i64 {
    (a + b).min(FORBIDDEN)
}
