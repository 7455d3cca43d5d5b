//! Converts shares of the cells of a board to numbers of cells.

/// Returns the smallest and the largest number of cells whose share of `cells` cells is from `low` to `high`. A bound that differs from a whole
/// number only by a rounding error is taken as this number.
pub fn whole_numbers(low: f64, high: f64, cells: usize) -> (usize, usize) {
    const ROUNDING: f64 = 1e-9;
    let cells = cells as f64;
    let least = (low * cells - ROUNDING).ceil().max(0.0);
    let most = (high * cells + ROUNDING).floor().max(0.0);
    (least as usize, most as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_that_are_whole_numbers_are_not_rounded_away() {
        assert_eq!(whole_numbers(0.07, 0.07, 100), (7, 7));
        assert_eq!(whole_numbers(0.0, 0.29, 100), (0, 29));
        assert_eq!(whole_numbers(0.101, 0.199, 10), (2, 1));
        assert_eq!(whole_numbers(-1.0, 1.0, 5), (0, 5));
    }
}
