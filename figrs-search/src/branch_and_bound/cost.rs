//! Costs: fixed-point integers.

/// Cost of a forbidden assignment. Sums of eight of them do not overflow.
pub(super) const FORBIDDEN: i64 = 1 << 59;

/// Costs of at least this are forbidden: finite costs, and the costs moved from and to forbidden ones, stay far below.
pub(super) const LARGE: i64 = 1 << 58;

/// Maximum sum of all finite costs.
pub(super) const LARGEST_SUM: i64 = 1 << 56;

/// Sum of two costs; forbidden if one of them is.
#[inline]
pub(super) fn add(a: i64, b: i64) -> i64 {
    (a + b).min(FORBIDDEN)
}
