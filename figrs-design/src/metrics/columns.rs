//! Measures how much of a game level is copied from a corpus: by the sequences of adjacent columns that the level and the corpus share.

use rustc_hash::{FxHashMap, FxHashSet};

use figrs_models::mdmc::{Level, Tile};

/// Index of all sequences of adjacent columns in some levels.
///
/// ```
/// use figrs_models::mdmc::{Corpus, Level};
/// use figrs_design::ColumnRuns;
///
/// let corpus = Corpus::shipped();
/// let columns = ColumnRuns::of(corpus.levels());
/// let level = &corpus.levels()[0];
/// assert_eq!(columns.longest_copied_run(level), level.width());
/// assert_eq!(columns.novelty(level), 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct ColumnRuns {
    numbers: FxHashMap<Box<[Tile]>, u32>,
    /// For each indexed level, a list of the numbers of its columns; equal columns have equal numbers.
    levels: Vec<Vec<u32>>,
    /// For each distinct column, the levels that contain the column, each with the position of the column in that level.
    places: Vec<Vec<(usize, usize)>>,
    windows: FxHashSet<[u32; Self::WINDOW]>,
}

impl ColumnRuns {
    /// Number of adjacent columns in the sequences that [`ColumnRuns::novelty`] compares.
    pub const WINDOW: usize = 4;

    /// Builds the index of all columns of `levels`.
    pub fn of<'a>(levels: impl IntoIterator<Item = &'a Level>) -> Self {
        let mut columns = Self {
            numbers: FxHashMap::default(),
            levels: Vec::new(),
            places: Vec::new(),
            windows: FxHashSet::default(),
        };
        for level in levels {
            columns.add(level);
        }
        columns
    }

    fn add(&mut self, level: &Level) {
        let mut numbers = Vec::with_capacity(level.width());
        for (index, column) in level.as_array().columns().into_iter().enumerate() {
            let next = self.places.len() as u32;
            let column: Vec<Tile> = column.iter().copied().collect();
            let number = *self
                .numbers
                .entry(column.into_boxed_slice())
                .or_insert(next);
            if number == next {
                self.places.push(Vec::new());
            }
            self.places[number as usize].push((self.levels.len(), index));
            numbers.push(number);
        }
        let windows = numbers.windows(Self::WINDOW);
        self.windows
            .extend(windows.filter_map(|run| <[u32; Self::WINDOW]>::try_from(run).ok()));
        self.levels.push(numbers);
    }

    /// Returns the index of each column of `level` in the list of indexed columns; `None` for a column that occurs in no indexed level.
    fn numbers(&self, level: &Level) -> Vec<Option<u32>> {
        let columns = level.as_array().columns().into_iter();
        columns
            .map(|column| self.numbers.get(column.to_vec().as_slice()).copied())
            .collect()
    }

    /// Returns the length of the longest sequence of adjacent columns of `level` that also occurs in an indexed level.
    pub fn longest_copied_run(&self, level: &Level) -> usize {
        let mut longest = 0;
        // For each occurrence of the latest column in an indexed level, the length of the copied sequence that ends there.
        let mut ending: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for number in self.numbers(level) {
            let places = number.map_or(&[][..], |number| &self.places[number as usize]);
            let run = |&(level, column): &(usize, usize)| {
                let before = column.checked_sub(1).and_then(|c| ending.get(&(level, c)));
                ((level, column), before.map_or(1, |run| run + 1))
            };
            ending = places.iter().map(run).collect();
            longest = ending.values().copied().fold(longest, usize::max);
        }
        longest
    }

    /// Returns the share of the sequences of [`ColumnRuns::WINDOW`] adjacent columns in `level` that occur in no indexed level; 0 if `level` has
    /// fewer columns.
    pub fn novelty(&self, level: &Level) -> f64 {
        let numbers = self.numbers(level);
        let runs = numbers.windows(Self::WINDOW);
        let known = |run: &&[Option<u32>]| {
            let run: Option<Vec<u32>> = run.iter().copied().collect();
            let run = run.and_then(|run| <[u32; Self::WINDOW]>::try_from(run).ok());
            run.is_some_and(|run| self.windows.contains(&run))
        };
        let (all, known) = (runs.len(), runs.filter(known).count());
        (all - known) as f64 / all.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(texts: &[&str]) -> ColumnRuns {
        let levels: Vec<Level> = texts.iter().map(|text| text.parse().unwrap()).collect();
        ColumnRuns::of(&levels)
    }

    #[test]
    fn the_longest_copied_run_is_found_across_levels() {
        let columns = columns(&["X-S?", "-SXXo"]);
        for (text, longest) in [
            ("-S?", 3),
            ("SXX-S", 3),
            ("E", 0),
            ("XoX-", 2),
            ("X-SXXo", 5),
            ("?X", 1),
        ] {
            let level = text.parse().unwrap();
            assert_eq!(columns.longest_copied_run(&level), longest, "{text}");
        }
    }

    #[test]
    fn novelty_is_the_share_of_runs_of_four_that_stand_nowhere() {
        let columns = columns(&["X-S?X", "--X"]);
        for (text, novelty) in [
            ("X-S?", 0.0),
            ("X-S?X", 0.0),
            ("X-S?XE", 1.0 / 3.0),
            ("---X", 1.0),
            ("EE", 0.0),
        ] {
            assert_eq!(columns.novelty(&text.parse().unwrap()), novelty, "{text}");
        }
    }
}
