//! Diversity of a set of levels: the mean distance between two levels of the set.

use ndarray::Array2;
use rustc_hash::FxHashMap;

use figrs_models::mdmc::{Level, LevelError, Tile};
use figrs_reading::{Mistake, MistakeKind};

/// The mean distance between two game levels of a set, updated whenever a level is added.
///
/// The distance between two levels of one size is the share of cells in which they differ. The memory of a `Diversity` is proportional to the number
/// of cells of one level times the number of distinct tiles that occur in a cell, and does not depend on the number of levels.
///
/// ```
/// use figrs_design::Diversity;
///
/// let mut diversity = Diversity::new();
/// for text in ["--\nXX", "--\nX-", "-S\nX-"] {
///     diversity.add(&text.parse()?)?;
/// }
/// // Two neighbours differ in one of four cells, the first and the last in two.
/// let mean = diversity.mean_distance().unwrap_or_default();
/// assert!((mean - (1.0 + 1.0 + 2.0) / 4.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Diversity {
    /// For each cell, a list of tiles, each with the number of levels that have the tile in this cell.
    cells: Option<Array2<FxHashMap<Tile, u64>>>,
    levels: u64,
}

impl Diversity {
    /// Creates the diversity of an empty set of levels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a level to the set; returns [`LevelError::Levels`] if its size differs from that of the first level.
    pub fn add(&mut self, level: &Level) -> Result<(), LevelError> {
        let size = (level.height(), level.width());
        let cells = self
            .cells
            .get_or_insert_with(|| Array2::from_elem(size, FxHashMap::default()));
        if cells.dim() != size {
            let ((rows, columns), (first, across)) = (size, cells.dim());
            let problem = format!(
                "a level of {rows} rows and {columns} columns cannot be compared with a level of {first} rows and {across} columns"
            );
            return Err(
                Mistake::new(MistakeKind::Count, problem, "use levels of equal size").into(),
            );
        }
        for (counts, &tile) in cells.iter_mut().zip(level.as_array()) {
            *counts.entry(tile).or_default() += 1;
        }
        self.levels += 1;
        Ok(())
    }

    /// Returns the mean distance over all pairs of levels, between 0 and 1; `None` if the set has fewer than two levels.
    pub fn mean_distance(&self) -> Option<f64> {
        let cells = self.cells.as_ref().filter(|_| self.levels > 1)?;
        let pairs = |n: u64| (n as f64) * (n as f64 - 1.0) / 2.0;
        let alike: f64 = cells
            .iter()
            .flat_map(FxHashMap::values)
            .map(|&n| pairs(n))
            .sum();
        Some(1.0 - alike / (pairs(self.levels) * cells.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_levels_have_no_distance_and_one_level_has_no_pair() {
        let mut diversity = Diversity::new();
        assert_eq!(diversity.mean_distance(), None);
        diversity.add(&"-X".parse().unwrap()).unwrap();
        assert_eq!(diversity.mean_distance(), None);
        diversity.add(&"-X".parse().unwrap()).unwrap();
        assert_eq!(diversity.mean_distance(), Some(0.0));
        diversity.add(&"SS".parse().unwrap()).unwrap();
        assert!((diversity.mean_distance().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn levels_of_another_size_are_an_error() {
        let mut diversity = Diversity::new();
        diversity.add(&"-X".parse().unwrap()).unwrap();
        let error = diversity.add(&"-\nX".parse().unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a level of 2 rows and 1 columns cannot be compared with a level of 1 rows and 2 columns; use levels of equal size"
        );
    }
}
