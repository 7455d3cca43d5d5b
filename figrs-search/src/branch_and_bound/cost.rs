//! Costs of assignments, represented as fixed-point integers.

/// Cost of a forbidden assignment. The sum of eight such costs does not overflow.
pub(super) const FORBIDDEN: i64 = 1 << 59;

/// Costs above this threshold count as forbidden. Finite costs stay far below it, even after costs have been moved between functions.
pub(super) const LARGE: i64 = 1 << 58;

/// Maximum sum of all finite costs of a problem.
pub(super) const LARGEST_SUM: i64 = 1 << 56;

/// Returns the sum of two costs; the sum is forbidden if one of the costs is forbidden.
#[inline]
pub(super) fn add(a: i64, b: i64) -> i64 {
    (a + b).min(FORBIDDEN)
}
