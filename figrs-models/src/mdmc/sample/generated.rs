//! A generated level with counts of its unseen configurations and fallbacks.

use crate::mdmc::{Level, MarkovChain};

/// A level from a sampler, with counts of the cells where the chain had to guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedLevel {
    pub(in crate::mdmc) level: Level,
    pub(in crate::mdmc) unseen: usize,
    pub(in crate::mdmc) tiles_by_structure: Vec<usize>,
    pub(in crate::mdmc) shortened: usize,
}

impl GeneratedLevel {
    /// Creates a level and counts for each tile the first structure that was shown its configuration.
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

    /// Creates a level of a model that has no structures.
    #[doc(hidden)]
    pub fn of_other(level: Level) -> Self {
        Self {
            level,
            unseen: 0,
            tiles_by_structure: Vec::new(),
            shortened: 0,
        }
    }

    /// The level.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// The level alone.
    pub fn into_level(self) -> Level {
        self.level
    }

    /// Number of cells whose configuration training never showed to the first structure; 0 for models other than chains.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// Number of tiles drawn from each structure, the first structure first.
    pub fn tiles_by_structure(&self) -> &[usize] {
        &self.tiles_by_structure
    }

    /// Number of tiles drawn from a structure simpler than the first.
    pub fn fallbacks(&self) -> usize {
        self.tiles_by_structure.iter().skip(1).sum()
    }

    /// Number of tiles placed with a shorter look-ahead, because none passed the full one.
    pub fn shortened(&self) -> usize {
        self.shortened
    }
}
