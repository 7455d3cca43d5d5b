//! Levels to train on.

use ndarray::s;

use super::shipped;
use crate::mdmc::{Level, LevelError};

/// One or more levels of one height, each with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    names: Vec<String>,
    levels: Vec<Level>,
    height: usize,
}

impl Corpus {
    /// A corpus of named levels, in the given order.
    ///
    /// An error if there are none or if their heights differ.
    pub fn new(named: impl IntoIterator<Item = (String, Level)>) -> Result<Self, LevelError> {
        let (names, levels): (Vec<String>, Vec<Level>) = named.into_iter().unzip();
        let Some(first) = levels.first() else {
            return Err(LevelError::NoLevels {
                place: "corpus".to_owned(),
            });
        };
        let expected = first.height();
        match levels
            .iter()
            .zip(&names)
            .find(|(level, _)| level.height() != expected)
        {
            Some((level, name)) => Err(LevelError::UnequalHeights {
                place: name.clone(),
                height: level.height(),
                expected,
            }),
            None => Ok(Self {
                names,
                levels,
                height: expected,
            }),
        }
    }

    /// The training levels that come with figrs, fourteen rows high.
    pub fn shipped() -> Self {
        let (names, levels) = shipped::levels().unzip();
        Self {
            names,
            levels,
            height: shipped::HEIGHT,
        }
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
            names: self.names.clone(),
            height: rows,
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
