//! Rows of conditional tables.

use figrs_factor::graph::sums_to_one;

/// Largest deviation of a row's sum from one for which the reader assumes that the numbers of the row were rounded to three decimals.
///
/// Some files have probabilities rounded to three decimals; the sum of three probabilities of one third is then 0.999.
pub const ROUNDING: f64 = 1e-3;

/// A row of a conditional table that was divided by its sum when its file was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalisedRow {
    /// The index of the variable, whose table has the row, in the network.
    pub variable: usize,
    /// The index of the row in its table, where the last parent varies fastest.
    pub row: usize,
    /// The sum of the row's numbers in the file.
    pub sum: f64,
    /// The line of the row in the file, counted from 1.
    pub line: usize,
    /// The column in the file where the row begins, counted from 1.
    pub column: usize,
}

pub(super) enum RowSumCheck {
    One,
    /// The row was divided by its sum, which deviated from one; the number is the sum before the division.
    Normalised(f64),
    /// The sum of the row is too far from one to be a rounding error.
    Wrong(f64),
}

/// Divides `row` by its sum if the sum deviates from one by no more than rounding or, if `always` is true, by any amount.
pub(super) fn normalise(row: &mut [f64], always: bool) -> RowSumCheck {
    if sums_to_one(row) {
        return RowSumCheck::One;
    }
    let sum: f64 = row.iter().sum();
    // The tolerance is slightly enlarged, because the sum of numbers with three decimals is itself rounded.
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
