//! Rows of conditional tables.

use figrs_factor::graph::sums_to_one;

/// Largest difference between a row's sum and one that counts as rounding of numbers with three decimals.
///
/// The numbers of some files are rounded to three decimals, so that three thirds are 0.999.
pub const ROUNDING: f64 = 1e-3;

/// A row of a conditional table that was divided by its sum when its file was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalisedRow {
    /// The position of the variable in the network.
    pub variable: usize,
    /// The position of the row in its table, the last parent varying fastest.
    pub row: usize,
    /// The sum of the row's numbers in the file.
    pub sum: f64,
    /// The line of the row, counted from 1.
    pub line: usize,
    /// The column of the row, counted from 1.
    pub column: usize,
}

/// Result of checking the sum of a row.
pub(super) enum RowSumCheck {
    /// The sum is one.
    One,
    /// The row had another sum, and was divided by it.
    Normalised(f64),
    /// The row is not a distribution.
    Wrong(f64),
}

/// Divides a row by its sum if the sum is one up to rounding or, with `always`, if it is any positive number.
pub(super) fn normalise(row: &mut [f64], always: bool) -> RowSumCheck {
    if sums_to_one(row) {
        return RowSumCheck::One;
    }
    let sum: f64 = row.iter().sum();
    // The sum of three decimals is itself rounded.
    let is_rounded = (sum - 1.0).abs() <= ROUNDING * (1.0 + 1e-9);
    let is_divided = always && sum > 0.0 && sum.is_finite();
    if !is_rounded && !is_divided {
        return RowSumCheck::Wrong(sum);
    }
    for number in row {
        *number /= sum;
    }
    RowSumCheck::Normalised(sum)
}
