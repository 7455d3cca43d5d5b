//! Commutative semirings: sums, maxima, Booleans, counts, logarithms.

mod logarithmic;
mod scaled;
mod semiring;

pub use logarithmic::{LogSumProduct, MaxProduct};
pub use scaled::{ScaledMaxProduct, SumProduct};
pub use semiring::{Boolean, Counting, ExponentRange, Semiring, ValueBounds};
