//! Levels to train on.

use std::collections::BTreeSet;
use std::sync::Arc;

use ndarray::s;

use super::shipped;
use crate::mdmc::{Level, LevelError, Tile, TileSet, Travel};

/// One or more levels of one height, each with a name and a weight, and the tiles that they consist of.
///
/// Models are trained from left to right. The levels of a game that is played upwards are stored [turned](Travel::turned): their columns are
/// its rows from the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    tiles: Arc<TileSet>,
    travel: Travel,
    names: Vec<String>,
    levels: Vec<Level>,
    /// The number of times that each level counts.
    weights: Vec<u32>,
    /// Style of each level, as a place in the list of styles.
    style_of: Vec<usize>,
    styles: Vec<String>,
    height: usize,
}

impl Corpus {
    /// The style of all levels if no styles are given.
    pub const ONE_STYLE: &str = "all";

    /// The largest weight of a level.
    pub const MAX_WEIGHT: u32 = 10_000;

    /// Creates a corpus of named levels of [platformer](TileSet::platformer) tiles, in the given order.
    ///
    /// An error if there are none or if their heights differ.
    pub fn new(named: impl IntoIterator<Item = (String, Level)>) -> Result<Self, LevelError> {
        Self::of_tiles(Arc::clone(TileSet::platformer()), named)
    }

    /// Creates a corpus of named levels of the tiles of a set, in the given order.
    ///
    /// An error if there are none, if their heights differ, if a tile is not of the set, or if the set has more than [`TileSet::MAX_TILES`].
    pub fn of_tiles(
        tiles: Arc<TileSet>,
        named: impl IntoIterator<Item = (String, Level)>,
    ) -> Result<Self, LevelError> {
        let (names, levels): (Vec<String>, Vec<Level>) = named.into_iter().unzip();
        let Some(first) = levels.first() else {
            return Err(LevelError::NoLevels {
                place: "corpus".to_owned(),
            });
        };
        let (expected, count) = (first.height(), tiles.tiles().count());
        if count > TileSet::MAX_TILES {
            return Err(LevelError::TooManyTiles {
                count,
                max: TileSet::MAX_TILES,
            });
        }
        for (level, name) in levels.iter().zip(&names) {
            if level.height() != expected {
                return Err(LevelError::UnequalHeights {
                    place: name.clone(),
                    height: level.height(),
                    expected,
                });
            }
            let is_foreign =
                |tile: &&Tile| tile.symbol().and_then(|symbol| tiles.tile(symbol)) != Some(**tile);
            if let Some(tile) = level.as_array().iter().find(is_foreign) {
                return Err(LevelError::ForeignTile {
                    place: name.clone(),
                    tile: tile.to_string(),
                    known: tiles.symbols(),
                });
            }
        }
        Ok(Self {
            tiles,
            travel: Travel::Right,
            weights: vec![1; levels.len()],
            style_of: vec![0; levels.len()],
            styles: vec![Self::ONE_STYLE.to_owned()],
            names,
            levels,
            height: expected,
        })
    }

    /// Sets the direction in which the levels are played; they must be stored turned by it.
    #[doc(hidden)]
    #[must_use]
    pub fn travelled(mut self, travel: Travel) -> Self {
        self.travel = travel;
        self
    }

    /// Sets the number of times that each level counts in training, as `weight` returns it for its name.
    ///
    /// **Errors.** [`LevelError::Weight`] unless each is from 1 to [`MAX_WEIGHT`](Self::MAX_WEIGHT).
    pub fn weighted(mut self, weight: impl Fn(&str) -> u32) -> Result<Self, LevelError> {
        for (own, name) in self.weights.iter_mut().zip(&self.names) {
            *own = weight(name);
            if !(1..=Self::MAX_WEIGHT).contains(own) {
                return Err(LevelError::Weight {
                    place: name.clone(),
                    weight: *own,
                    max: Self::MAX_WEIGHT,
                });
            }
        }
        Ok(self)
    }

    /// The training levels that come with figrs, fourteen rows high.
    pub fn shipped() -> Self {
        let (names, levels): (Vec<_>, Vec<_>) = shipped::levels().unzip();
        Self {
            tiles: Arc::clone(TileSet::platformer()),
            travel: Travel::Right,
            weights: vec![1; levels.len()],
            style_of: vec![0; levels.len()],
            styles: vec![Self::ONE_STYLE.to_owned()],
            names,
            levels,
            height: shipped::HEIGHT,
        }
    }

    /// Sets the style of each level, as `style` returns it for its name.
    #[must_use]
    pub fn styled(mut self, style: impl Fn(&str) -> String) -> Self {
        self.styles.clear();
        for (own, name) in self.style_of.iter_mut().zip(&self.names) {
            let style = style(name);
            let known = self.styles.iter().position(|known| *known == style);
            *own = known.unwrap_or_else(|| {
                self.styles.push(style);
                self.styles.len() - 1
            });
        }
        self
    }

    /// The styles of the levels, in the order of their first levels.
    pub fn styles(&self) -> &[String] {
        &self.styles
    }

    /// For each level the place of its style among [`styles`](Self::styles).
    pub fn style_of_levels(&self) -> &[usize] {
        &self.style_of
    }

    /// The same levels cut to their bottom rows, for a chain over less height.
    ///
    /// **Errors.** [`LevelError::Rows`] unless `1 <= rows <= height`.
    pub fn bottom_rows(&self, rows: usize) -> Result<Self, LevelError> {
        let height = self.height();
        if rows == 0 || rows > height {
            return Err(LevelError::Rows { rows, height });
        }
        let cut = |level: &Level| {
            let tiles = level.as_array().slice(s![height - rows.., ..]);
            Level::from_array(tiles.to_owned())
        };
        Ok(Self {
            levels: self.levels.iter().map(cut).collect::<Result<_, _>>()?,
            height: rows,
            ..self.clone()
        })
    }

    /// The levels, in order.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The names of the levels, in the same order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The set of tiles of the levels.
    pub fn tiles(&self) -> &Arc<TileSet> {
        &self.tiles
    }

    /// The direction in which the levels are played; see [`Travel::upright`].
    pub fn travel(&self) -> Travel {
        self.travel
    }

    /// The number of times that each level counts in training, in the same order.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The tiles that occur in the levels, in ascending order.
    pub(in crate::mdmc) fn tiles_in_use(&self) -> Vec<Tile> {
        let all = self.levels.iter().flat_map(Level::as_array);
        let distinct: BTreeSet<Tile> = all.copied().collect();
        distinct.into_iter().collect()
    }

    /// The levels with the number of times that they count.
    pub(in crate::mdmc) fn counted_levels(&self) -> impl Iterator<Item = (&Level, u64)> {
        let weights = self.weights.iter().map(|&weight| u64::from(weight));
        self.levels.iter().zip(weights)
    }

    /// The height of every level.
    pub fn height(&self) -> usize {
        self.height
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, text: &str) -> (String, Level) {
        (name.to_owned(), text.parse().unwrap())
    }

    #[test]
    fn a_corpus_keeps_names_levels_and_height() {
        let corpus = Corpus::new([named("b", "-\nX"), named("a", "--\nXX")]).unwrap();
        assert_eq!(corpus.names(), ["b", "a"]);
        assert_eq!(corpus.levels()[1].width(), 2);
        assert_eq!(corpus.height(), 2);
    }

    #[test]
    fn no_levels_is_an_error() {
        assert!(matches!(Corpus::new([]), Err(LevelError::NoLevels { .. })));
    }

    #[test]
    fn unequal_heights_are_an_error_that_names_the_level() {
        let error = Corpus::new([named("low", "X"), named("high", "-\nX")]).unwrap_err();
        assert!(
            matches!(&error, LevelError::UnequalHeights { place, height: 2, expected: 1 } if place == "high")
        );
    }
}
