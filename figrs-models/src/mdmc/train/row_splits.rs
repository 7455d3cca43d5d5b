//! Bands of rows of a level, each with its own table of tile counts.

use figrs_reading::Mistake;

/// Number of equal bands of rows into which a level is divided; each band has its own tables of tile counts.
///
/// With several bands of rows, the Markov chain of tiles learns that the ground is at the bottom and the sky at the top, but each table has fewer
/// examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowSplits(usize);

impl RowSplits {
    /// A single band of rows: all rows share one table of tile counts.
    pub const NONE: RowSplits = RowSplits(1);

    /// Creates a division of `height` rows into `splits` bands.
    ///
    /// **Errors.** An error if the number of bands `splits` is not from 1 to `height`.
    pub fn new(splits: usize, height: usize) -> Result<Self, Mistake> {
        Self(splits).checked(height)
    }

    /// Returns the number of bands of rows.
    pub fn count(self) -> usize {
        self.0
    }

    /// Returns the index of the band of rows that contains `row`; bands and rows are counted from the top.
    pub fn band(self, row: usize, height: usize) -> usize {
        let band = row.saturating_mul(self.0) / height.max(1);
        band.min(self.0 - 1)
    }

    pub(in crate::mdmc) fn rows(self, band: usize, height: usize) -> std::ops::Range<usize> {
        let first = |band: usize| {
            let before = band as u128 * height as u128;
            before.div_ceil(self.0 as u128).min(height as u128) as usize
        };
        first(band)..first(band + 1)
    }

    /// Returns the division `self` into bands if `height` rows have at least as many rows as bands.
    pub(in crate::mdmc) fn checked(self, height: usize) -> Result<Self, Mistake> {
        if (1..=height).contains(&self.0) {
            Ok(self)
        } else {
            Err(Mistake::value(
                format!("{height} rows cannot be split into {} bands", self.0),
                format!("use 1 to {height}"),
            ))
        }
    }
}

impl Default for RowSplits {
    fn default() -> Self {
        Self::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_contiguous_nonempty_and_of_nearly_equal_size() {
        for height in 1..20 {
            for count in 1..=height {
                let splits = RowSplits::new(count, height).unwrap();
                let bands: Vec<_> = (0..height).map(|row| splits.band(row, height)).collect();
                assert!(bands.is_sorted());
                for (row, &band) in bands.iter().enumerate() {
                    assert!(splits.rows(band, height).contains(&row));
                }
                let sizes: Vec<_> = (0..count)
                    .map(|b| bands.iter().filter(|&&x| x == b).count())
                    .collect();
                let (least, most) = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
                assert!(
                    least >= 1 && most - least <= 1,
                    "{height} rows, {count} bands: {sizes:?}"
                );
            }
        }
    }

    #[test]
    fn no_bands_or_more_bands_than_rows_are_errors() {
        for splits in [0, 15] {
            let error = RowSplits::new(splits, 14).unwrap_err();
            let problem = format!("14 rows cannot be split into {splits} bands");
            assert_eq!(error.problem, problem);
        }
    }
}
