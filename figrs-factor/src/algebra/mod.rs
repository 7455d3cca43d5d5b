//! Commutative semirings: sums, maxima, Booleans, counts, logarithms, expected utilities.

mod expected_utility;
mod logarithmic;
mod scaled;
mod semiring;

pub use expected_utility::{ExpectedUtility, MeanWeights, WeighedUtility};
#[doc(hidden)]
pub use logarithmic::log_sum;
pub use logarithmic::{LogSumProduct, MaxProduct};
pub use scaled::{
    MaxProductPrecision, NumberForm, Precision, ScaledMaxProduct, SumProduct, SumProductPrecision,
};
pub use semiring::{Boolean, Counting, ExponentRange, Semiring, ValueBounds};
