//! Distances from the windows of a level to the nearest windows of the training levels.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use figrs_models::mdmc::{Level, Tile};

/// Index of the windows (groups of adjacent columns) of some levels, which finds the nearest indexed window for each window of another level. A
/// window of a level is a few columns wide and as high as the level.
///
/// The distance between two windows is the share of cells in which they differ (Hamming distance).
///
/// # Complexity
///
/// The search for the nearest windows takes, for each column of a level, time proportional to the number of indexed columns plus the number of cells
/// of the distinct columns. The memory of the index is proportional to `n + d w`, for `n` indexed columns, `d` distinct columns among them, and
/// windows of `w` columns.
///
/// ```
/// use figrs_models::mdmc::Level;
/// use figrs_design::NearestWindows;
///
/// let training: Level = "----\nXX-X".parse()?;
/// let windows = NearestWindows::of([&training], 2);
/// // The window "-o" over "XX" has one cell of four that differs; the next one, "o-" over "XX", too.
/// let nearest = windows.distances(&"-o-\nXXX".parse()?).unwrap();
/// assert_eq!((nearest.mean, nearest.most), (0.25, 0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NearestWindows {
    columns: usize,
    height: usize,
    tiles: FxHashMap<Tile, u16>,
    distinct: Vec<u16>,
    /// For each level in the index of training levels, a list of its columns, each as an index in the list of distinct columns.
    levels: Vec<Vec<usize>>,
}

/// Distances from the windows of a level to the nearest windows of other levels. The distance between two windows is the share of cells in which they
/// differ.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearestDistances {
    /// Mean distance from a window of the level to the nearest window of other levels.
    pub mean: f64,
    /// Largest distance from a window of the level to the nearest window of other levels.
    pub most: f64,
}

impl NearestWindows {
    /// Default number of columns of a window: half of a screen of sixteen columns, which a player takes in at a glance.
    pub const COLUMNS: usize = 8;

    /// This number stands for a tile that occurs in no indexed level.
    const FOREIGN: u16 = u16::MAX;

    /// Builds the index of all windows of `columns` adjacent columns (at least one) in the levels. Levels whose height differs from that of the first
    /// level are not added to the index.
    pub fn of<'a>(levels: impl IntoIterator<Item = &'a Level>, columns: usize) -> Self {
        let mut windows = Self {
            columns: columns.max(1),
            height: 0,
            tiles: FxHashMap::default(),
            distinct: Vec::new(),
            levels: Vec::new(),
        };
        let mut numbers: FxHashMap<Vec<u16>, usize> = FxHashMap::default();
        for level in levels {
            if windows.levels.is_empty() {
                windows.height = level.height();
            }
            let mut own = Vec::new();
            let is_as_high = level.height() == windows.height;
            for column in level
                .as_array()
                .columns()
                .into_iter()
                .filter(|_| is_as_high)
            {
                let tiles: Vec<u16> = column
                    .iter()
                    .map(|&tile| {
                        let next = windows.tiles.len() as u16;
                        *windows.tiles.entry(tile).or_insert(next)
                    })
                    .collect();
                let next = numbers.len();
                let number = *numbers.entry(tiles.clone()).or_insert(next);
                if number == next {
                    windows.distinct.extend(tiles);
                }
                own.push(number);
            }
            windows.levels.push(own);
        }
        windows
    }

    /// Returns the distances from the windows of `level` to the nearest windows of the levels in the index. Returns no distances (`None`) if `level`,
    /// or every level in the index, is narrower than a window, or if `level` and the levels in the index differ in height.
    pub fn distances(&self, level: &Level) -> Option<NearestDistances> {
        self.to_all_but(level, None)
    }

    /// Returns the distances from the windows of `level`, which is the level with the number `place` in the index, to the nearest windows of the
    /// other levels; `None` in the same cases as [`distances`](Self::distances).
    pub fn distances_to_others(&self, level: &Level, place: usize) -> Option<NearestDistances> {
        self.to_all_but(level, Some(place))
    }

    fn to_all_but(&self, level: &Level, other: Option<usize>) -> Option<NearestDistances> {
        if level.height() != self.height || level.width() < self.columns {
            return None;
        }
        let levels = self.levels.iter().enumerate();
        let levels: Vec<&[usize]> = levels
            .filter(|&(place, numbers)| Some(place) != other && numbers.len() >= self.columns)
            .map(|(_, numbers)| numbers.as_slice())
            .collect();
        // For each indexed level and column, the number of differing cells in the columns up to this one, as far as a window reaches.
        let mut sums: Vec<Vec<u32>> = levels.iter().map(|level| vec![0; level.len()]).collect();
        let mut recent = VecDeque::with_capacity(self.columns + 1);
        let (mut windows, mut total, mut most) = (0, 0, 0);
        for column in level.as_array().columns() {
            recent.push_back(self.to_distinct(column.iter().copied()));
            let gone = (recent.len() > self.columns)
                .then(|| recent.pop_front())
                .flatten();
            let now = &recent[recent.len() - 1];
            let mut nearest: Option<u32> = None;
            for (sums, numbers) in sums.iter_mut().zip(&levels) {
                for end in (0..numbers.len()).rev() {
                    let before = end.checked_sub(1).map_or(0, |before| sums[before]);
                    let first = end.checked_sub(self.columns);
                    let left = gone.as_ref().zip(first);
                    let left = left.map_or(0, |(gone, first): (&Vec<u32>, _)| gone[numbers[first]]);
                    sums[end] = before + now[numbers[end]] - left;
                }
                let whole = sums[self.columns - 1..].iter().copied().min();
                nearest = nearest.into_iter().chain(whole).min();
            }
            if recent.len() == self.columns {
                let nearest = nearest?;
                windows += 1;
                total += u64::from(nearest);
                most = most.max(nearest);
            }
        }
        let cells = (self.columns * self.height) as f64;
        Some(NearestDistances {
            mean: total as f64 / cells / f64::from(windows),
            most: f64::from(most) / cells,
        })
    }

    fn to_distinct(&self, column: impl Iterator<Item = Tile>) -> Vec<u32> {
        let number = |tile| self.tiles.get(&tile).copied().unwrap_or(Self::FOREIGN);
        let column: Vec<u16> = column.map(number).collect();
        let differ = |other: &[u16]| {
            let cells = column.iter().zip(other);
            cells.map(|(one, other)| u32::from(one != other)).sum()
        };
        self.distinct.chunks(self.height).map(differ).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn levels(height: usize, most: usize) -> impl Strategy<Value = Vec<Level>> {
        let tile = proptest::sample::select(vec!['-', 'X', 'S', 'E']);
        let one = (1..10_usize).prop_flat_map(move |width| {
            let tiles = proptest::collection::vec(tile.clone(), width * height);
            tiles.prop_map(move |tiles| {
                let rows: Vec<String> = tiles.chunks(width).map(String::from_iter).collect();
                rows.join("\n").parse::<Level>().unwrap()
            })
        });
        proptest::collection::vec(one, 1..most)
    }

    /// Returns the mean and the largest distance to the nearest window, computed for a test by comparing every window with every other one.
    fn compared(training: &[Level], columns: usize, asked: &Level) -> Option<(f64, f64)> {
        let windows = |level: &Level| -> Vec<Vec<Tile>> {
            let shape = (level.height(), columns);
            let windows = level.as_array().windows(shape);
            windows
                .into_iter()
                .map(|window| window.iter().copied().collect())
                .collect()
        };
        let theirs: Vec<_> = training.iter().flat_map(windows).collect();
        let nearest = |own: &Vec<Tile>| {
            let differ = |other: &Vec<Tile>| own.iter().zip(other).filter(|(a, b)| a != b).count();
            theirs.iter().map(differ).min()
        };
        let nearest: Option<Vec<usize>> = windows(asked).iter().map(nearest).collect();
        let nearest = nearest.filter(|nearest| !nearest.is_empty())?;
        let cells = (columns * asked.height()) as f64;
        let mean = nearest.iter().sum::<usize>() as f64 / nearest.len() as f64 / cells;
        Some((mean, *nearest.iter().max()? as f64 / cells))
    }

    proptest! {
        #[test]
        fn distances_are_those_of_comparing_all_windows(
            training in levels(3, 4),
            asked in levels(3, 2),
            columns in 1..6_usize,
        ) {
            let windows = NearestWindows::of(&training, columns);
            let close = |found: Option<NearestDistances>, expected: Option<(f64, f64)>| match (found, expected) {
                (None, None) => true,
                (Some(found), Some((mean, most))) => {
                    (found.mean - mean).abs() < 1e-12 && (found.most - most).abs() < 1e-12
                }
                _ => false,
            };
            let expected = compared(&training, columns, &asked[0]);
            prop_assert!(close(windows.distances(&asked[0]), expected));
            let found = windows.distances_to_others(&training[0], 0);
            prop_assert!(close(found, compared(&training[1..], columns, &training[0])));
        }
    }

    #[test]
    fn levels_without_a_window_have_no_distance() {
        let training: Level = "----\nXX-X".parse().unwrap();
        let windows = NearestWindows::of([&training], 3);
        for text in ["--\nXX", "----", "---\n---\nXXX"] {
            assert_eq!(windows.distances(&text.parse().unwrap()), None, "{text}");
        }
        assert_eq!(windows.distances_to_others(&training, 0), None);
        assert_eq!(NearestWindows::of([], 3).distances(&training), None);
        let zero = windows.distances(&training).unwrap();
        assert_eq!((zero.mean, zero.most), (0.0, 0.0));
    }
}
