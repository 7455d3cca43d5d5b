//! A generated level with two counts: of its unseen configurations, and of the tiles drawn by simpler network structures.

use std::fmt;

use crate::mdmc::{Level, MarkovChain};

/// A level from a sampler, with counts of the cells for which training had no example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedLevel {
    pub(in crate::mdmc) level: Level,
    pub(in crate::mdmc) unseen: usize,
    pub(in crate::mdmc) tiles_by_structure: Vec<usize>,
    pub(in crate::mdmc) shortened: usize,
}

/// Writes the level as text, with a line break at its end.
impl fmt::Display for GeneratedLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.level)
    }
}

impl GeneratedLevel {
    /// Creates a generated level, and counts the cells for which each network structure is the first whose neighbours have tiles that occurred
    /// together in training.
    #[doc(hidden)]
    pub fn of(chain: &MarkovChain, level: Level) -> Self {
        let tiles_by_structure = chain.tiles_by_structure(&level);
        Self {
            unseen: tiles_by_structure[1..].iter().sum(),
            level,
            tiles_by_structure,
            shortened: 0,
        }
    }

    /// Creates a generated level of a model that has no network structures.
    #[doc(hidden)]
    pub fn of_other(level: Level) -> Self {
        Self {
            level,
            unseen: 0,
            tiles_by_structure: Vec::new(),
            shortened: 0,
        }
    }

    /// Returns the generated level.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// Returns the level without the counts.
    pub fn into_level(self) -> Level {
        self.level
    }

    /// Returns the number of cells whose neighbours in the first network structure have tiles that never occurred together in training; 0 for models
    /// other than Markov chains.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// Returns the number of tiles drawn from the counts of each network structure, in the order of the structures.
    pub fn tiles_by_structure(&self) -> &[usize] {
        &self.tiles_by_structure
    }

    /// Returns the number of tiles drawn from the counts of a network structure simpler than the first.
    pub fn fallbacks(&self) -> usize {
        self.tiles_by_structure.iter().skip(1).sum()
    }

    /// Returns the number of tiles for which the sampler shortened the look-ahead, because no tile passed the full look-ahead.
    pub fn shortened(&self) -> usize {
        self.shortened
    }
}
