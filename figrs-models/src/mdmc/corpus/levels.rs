//! Levels to train on.

use std::collections::BTreeSet;
use std::sync::Arc;

use ndarray::s;

use super::shipped;
use crate::mdmc::level::error::{foreign_tile, no_levels, too_many_tiles, wrong_rows};
use crate::mdmc::{Level, LevelError, Meaning, Tile, TileSet, Travel};
use figrs_reading::{Mistake, MistakeKind};

/// A corpus of training levels: one or more levels of the same height, each with a name and a weight, and the set of their tiles.
///
/// Models of levels read a level from left to right. Levels in which the player climbs are stored [turned](Travel::turned) on their side: a column of
/// the stored level is a row of the upright level, counted from the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    tiles: Arc<TileSet>,
    travel: Travel,
    names: Vec<String>,
    levels: Vec<Level>,
    weights: Vec<u32>,
    style_of: Vec<usize>,
    styles: Vec<String>,
    height: usize,
}

impl Corpus {
    /// The name of the style of all levels in a corpus whose levels have no styles.
    pub const ONE_STYLE: &str = "all";

    /// The largest weight of a level in training.
    pub const MAX_WEIGHT: u32 = 10_000;

    /// Creates a corpus of training levels, with their names, of [platformer](TileSet::platformer) tiles; the order of the levels is kept.
    ///
    /// **Errors.** [`LevelError`] if there are no levels, or if the heights of the levels differ.
    pub fn new(named: impl IntoIterator<Item = (String, Level)>) -> Result<Self, LevelError> {
        Self::of_tiles(Arc::clone(TileSet::platformer()), named)
    }

    /// Creates a corpus of training levels, with their names, of tiles from the set `tiles`; the order of the levels is kept.
    ///
    /// **Errors.** [`LevelError`] if there are no levels, their heights differ, a tile of a level is not in the set, or the set has more than
    /// [`TileSet::MAX_TILES`] tiles.
    pub fn of_tiles(
        tiles: Arc<TileSet>,
        named: impl IntoIterator<Item = (String, Level)>,
    ) -> Result<Self, LevelError> {
        let (names, levels): (Vec<String>, Vec<Level>) = named.into_iter().unzip();
        let Some(first) = levels.first() else {
            return Err(no_levels("corpus"));
        };
        let (expected, count) = (first.height(), tiles.tiles().count());
        if count > TileSet::MAX_TILES {
            return Err(too_many_tiles(count));
        }
        for (level, name) in levels.iter().zip(&names) {
            if level.height() != expected {
                let height = level.height();
                let mistake = Mistake::new(
                    MistakeKind::Count,
                    format!("the level has {height} rows, but the first level has {expected}"),
                    "give all levels of a corpus the same height",
                );
                return Err(mistake.of(name).into());
            }
            let is_foreign =
                |tile: &&Tile| tile.symbol().and_then(|symbol| tiles.tile(symbol)) != Some(**tile);
            if let Some(tile) = level.as_array().iter().find(is_foreign) {
                return Err(foreign_tile(name, *tile, &tiles));
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

    /// Sets the direction in which the levels are played; the stored levels must already be turned for this direction.
    #[doc(hidden)]
    #[must_use]
    pub fn travelled(mut self, travel: Travel) -> Self {
        self.travel = travel;
        self
    }

    /// Sets how many times each level is counted in training; `weight` returns this number, given the name of a level.
    ///
    /// **Errors.** [`LevelError::File`] unless the number for each level is from 1 to [`MAX_WEIGHT`](Self::MAX_WEIGHT).
    pub fn weighted(mut self, weight: impl Fn(&str) -> u32) -> Result<Self, LevelError> {
        for (own, name) in self.weights.iter_mut().zip(&self.names) {
            *own = weight(name);
            if !(1..=Self::MAX_WEIGHT).contains(own) {
                let mistake = Mistake::new(
                    MistakeKind::Value,
                    format!("a level cannot be counted {own} times"),
                    format!("use 1 to {}", Self::MAX_WEIGHT),
                );
                return Err(mistake.of(name).into());
            }
        }
        Ok(self)
    }

    /// Returns the training levels that are part of figrs; they are fourteen rows high.
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

    /// Sets the style of each level; `style` returns the style, given the name of a level.
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

    /// Returns the names of the styles of the levels; a style comes before another one if its first level does.
    pub fn styles(&self) -> &[String] {
        &self.styles
    }

    /// Returns, for each level, the index of its style in [`styles`](Self::styles).
    pub fn style_of_levels(&self) -> &[usize] {
        &self.style_of
    }

    /// Returns the training levels cut to their bottom `rows` rows, so that a model of levels of this height can be trained.
    ///
    /// **Errors.** [`LevelError::Levels`] unless `rows` is from 1 to the height of the levels.
    pub fn bottom_rows(&self, rows: usize) -> Result<Self, LevelError> {
        let height = self.height();
        if rows == 0 || rows > height {
            return Err(wrong_rows(rows, height));
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

    /// Returns the training levels in the order of the corpus.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Returns the names of the levels, in the order of [`levels`](Self::levels).
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the set of tiles of which the levels consist.
    pub fn tiles(&self) -> &Arc<TileSet> {
        &self.tiles
    }

    /// Returns the direction in which the levels are played; [`Travel::upright`] turns stored levels back.
    pub fn travel(&self) -> Travel {
        self.travel
    }

    /// Returns how many times each level is counted in training, in the order of [`levels`](Self::levels).
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    pub(in crate::mdmc) fn tiles_in_use(&self) -> Vec<Tile> {
        let all = self.levels.iter().flat_map(Level::as_array);
        let distinct: BTreeSet<Tile> = all.copied().collect();
        let inside = distinct
            .into_iter()
            .filter(|tile| !tile.is(Meaning::Outside));
        inside.collect()
    }

    pub(in crate::mdmc) fn counted_levels(&self) -> impl Iterator<Item = (&Level, u64)> {
        let weights = self.weights.iter().map(|&weight| u64::from(weight));
        self.levels.iter().zip(weights)
    }

    /// Returns the height of the levels, which is the same for all levels of the corpus.
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
        let error = Corpus::new([]).unwrap_err();
        assert!(
            error.to_string().starts_with("corpus: no levels"),
            "{error}"
        );
    }

    #[test]
    fn unequal_heights_are_an_error_that_names_the_level() {
        let error = Corpus::new([named("low", "X"), named("high", "-\nX")]).unwrap_err();
        let expected = "high: the level has 2 rows, but the first level has 1; give all levels of a corpus the same height";
        assert_eq!(error.to_string(), expected);
    }
}
