//! A generated level with two numbers: its number of unseen configurations (tiles that never occurred together in training), and its number of tiles
//! drawn by network structures with fewer neighbours.

use std::fmt;

use crate::mdmc::{Level, MarkovChain};

/// A level that a sampler has drawn, with the numbers of cells for which training had no example.
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
    /// Creates a generated level; for each network structure, counts the cells for which this structure is the first whose neighbours' tiles occurred
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

    /// Creates a generated level of a model other than a Markov chain, which has no network structures.
    #[doc(hidden)]
    pub fn of_other(level: Level) -> Self {
        Self {
            level,
            unseen: 0,
            tiles_by_structure: Vec::new(),
            shortened: 0,
        }
    }

    /// Returns the generated level itself.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// Returns the generated level without the numbers that describe it.
    pub fn into_level(self) -> Level {
        self.level
    }

    /// Returns the number of cells whose neighbours in the first network structure have tiles that never occurred together in training; 0 if the
    /// model is not a Markov chain of tiles.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// Returns, for each network structure, the number of tiles that were drawn from the training counts of this structure, in the order of the
    /// structures.
    pub fn tiles_by_structure(&self) -> &[usize] {
        &self.tiles_by_structure
    }

    /// Returns the number of tiles that were drawn from the training counts of a network structure other than the first, with fewer neighbours.
    pub fn fallbacks(&self) -> usize {
        self.tiles_by_structure.iter().skip(1).sum()
    }

    /// Returns the number of tiles for which the sampler shortened the look-ahead, because the full look-ahead rejected all tiles.
    pub fn shortened(&self) -> usize {
        self.shortened
    }
}
