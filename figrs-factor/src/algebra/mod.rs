//! Commutative semirings: sums, maxima, Booleans, counts, logarithms, expected utilities.

mod expected_utility;
mod logarithmic;
mod precision;
mod scaled;
mod semiring;

pub use expected_utility::{ExpectedUtility, MeanWeights, WeighedUtility};
pub use logarithmic::{LogSumProduct, MaxProduct};
pub use precision::{MaxProductPrecision, NumberForm, Precision, SumProductPrecision};
pub use scaled::{ScaledMaxProduct, SumProduct};
pub use semiring::{Boolean, Counting, ExponentRange, Semiring, ValueBounds};
