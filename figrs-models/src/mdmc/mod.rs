//! Multi-dimensional Markov chains (`MdMC`), which learn the tiles of levels from examples and generate new levels.
//!
//! A Markov chain of tiles is trained by counting how often each tile follows its neighbours. For every cell of every training level, the tiles at a
//! few fixed offsets (the *network structure*, such as left, below and left-below) form a *configuration*; training counts how often each tile occurs
//! with each configuration. Levels are generated from the bottom row up and from left to right; the neighbours of a cell therefore get their tiles
//! before the cell does. A configuration of neighbouring tiles that never occurred in training is *unseen*; a sampler avoids most unseen
//! configurations if it looks ahead before it accepts a tile.
//!
//! | subject | types |
//! |---|---|
//! | tiles and levels | [`Tile`], [`TileSet`], [`Meaning`], [`Level`], [`Travel`], [`vglc`] |
//! | training levels | [`Corpus`], [`CorpusReader`], [`CorpusNote`], [`Rooms`], [`read_legend`] |
//! | neighbours of a cell | [`Offset`], [`Structure`], [`Structures`], [`RowSplits`] |
//! | training | [`MarkovChain`], [`TileDistribution`] |
//! | generation with look-ahead | [`LookAheadSampler`], [`GeneratedLevel`], [`ColumnStream`] |
//! | the probabilistic program | [`LevelElements`], [`ElementSampler`] |
//! | other models of the same levels | [`ColumnNGrams`], [`HierarchicalChain`], [`LevelProgram`], [`TileField`] |
//!
//! # Limits
//!
//! All training levels of a corpus have one height, which is the height of generated levels too. A set of tiles has at most 250 tiles.
//!
//! # References
//!
//! The model of levels is that of Snodgrass and Ontañón, "Learning to Generate Video Game Maps Using Markov Models", IEEE Transactions on
//! Computational Intelligence and AI in Games 9(4), 2017.

mod corpus;
mod level;
#[doc(hidden)]
pub mod sample;
#[cfg(test)]
mod small_corpora;
#[doc(hidden)]
pub mod tiles;
mod train;

pub use corpus::legends::read_legend;
pub use corpus::levels::Corpus;
pub use corpus::note::CorpusNote;
pub use corpus::reader::CorpusReader;
pub use corpus::rooms::Rooms;
pub use level::error::LevelError;
pub use level::travel::Travel;
pub use level::{Level, vglc};
pub use sample::column_stream::ColumnStream;
pub use sample::drawn_levels::DrawnLevels;
pub use sample::element_sampler::{ElementSampler, TileSelection};
pub use sample::elements::LevelElements;
pub use sample::error::SamplingError;
pub use sample::generated::GeneratedLevel;
pub use sample::level_model::LevelModel;
pub use sample::level_program::LevelProgram;
pub use sample::look_ahead::LookAheadSampler;
pub use sample::tile_field::TileFieldElements;
#[doc(hidden)]
pub use sample::twist;
pub use tiles::meaning::Meaning;
pub use tiles::tile::{Tile, TileClass};
pub use tiles::tile_set::TileSet;
pub use train::chain::MarkovChain;
pub use train::column_ngrams::ColumnNGrams;
pub use train::hierarchy::HierarchicalChain;
pub use train::row_splits::RowSplits;
pub use train::structure::{Offset, Structure, Structures};
pub use train::table::TileDistribution;
pub use train::tile_field::TileField;
