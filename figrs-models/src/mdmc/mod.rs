//! Multi-dimensional Markov chains (`MdMC`) that learn tile levels from examples and generate new ones.
//!
//! A chain is trained by counting: for every cell of every training level, the tiles at a few fixed
//! offsets (the *network structure*, such as left, below and left-below) form a *configuration*, and
//! the chain counts each tile in each configuration. Levels are generated from
//! the bottom row up and from left to right, so that the neighbours of a cell are decided before it.
//! A configuration that training never showed is *unseen*; looking ahead avoids most of them.
//!
//! | module idea | types |
//! |---|---|
//! | tiles and levels | [`Tile`], [`Level`], [`Corpus`], [`vglc`] |
//! | neighbours of a cell | [`Offset`], [`Structure`], [`Structures`], [`RowSplits`] |
//! | training | [`MarkovChain`], [`TileDistribution`] |
//! | generation with look-ahead | [`LookAheadSampler`], [`Generated`], [`ColumnStream`] |
//! | the element program | [`LevelElements`], [`ElementSampler`] |
//! | levels as demanded | [`Demand`], [`Mask`], [`SteeredLevel`], [`ConditionedSampler`], [`ExactSampler`], [`LevelSampler`] |
//! | other models of the same levels | [`ColumnNGrams`], [`HierarchicalChain`], [`LevelProgram`], [`TileField`] |
//! | measures of levels and of sets | [`Yardstick`], [`LevelMetrics`], [`TilePatterns`], [`Columns`], [`Diversity`] |
//! | pictures and maps for editors | [`LevelWriter`], [`write_tileset`], [`OutputError`] |
//! | playability of levels | [`Playability`], [`Obstacle`], [`Reach`], [`JUMP_ARCS`] |
//!
//! # Limits
//!
//! The alphabet is that of the Video Game Level Corpus for platformers ([`Tile::ALPHABET`]). All
//! levels of a corpus have one height, and generated levels have that height too.
//!
//! # References
//!
//! S. Snodgrass and S. Ontañón, "Learning to Generate Video Game Maps Using Markov Models", IEEE
//! Transactions on Computational Intelligence and AI in Games 9(4), 2017.

mod chain;
mod column_ngrams;
mod column_stream;
mod corpus;
mod distribution;
mod element_sampler;
mod elements;
mod error;
mod generated;
mod grid;
mod hierarchy;
mod level;
mod level_program;
mod look_ahead;
mod metrics;
mod output;
mod playability;
mod row_splits;
mod run;
mod saved_chain;
mod shipped;
mod solids;
mod steering;
mod structure;
mod structures;
mod table;
mod tile;
mod tile_field;
pub mod vglc;

pub use chain::MarkovChain;
pub use column_ngrams::ColumnNGrams;
pub use column_stream::ColumnStream;
pub use corpus::Corpus;
pub use distribution::TileDistribution;
pub use element_sampler::{ElementSampler, TileSelection};
pub use elements::LevelElements;
pub use error::MdmcError;
pub use generated::Generated;
pub use hierarchy::HierarchicalChain;
pub use level::Level;
pub use level_program::LevelProgram;
pub use look_ahead::LookAheadSampler;
pub use metrics::{
    Columns, Diversity, LevelMetrics, TilePatterns, Yardstick, density, ground_gaps, leniency,
    linearity,
};
#[cfg(feature = "png")]
pub use output::write_tileset;
pub use output::{LevelWriter, OutputError};
pub use playability::{JUMP_ARCS, Obstacle, Playability, Reach};
pub use row_splits::RowSplits;
pub use saved_chain::SavedChainError;
pub use steering::{
    ConditionedSampler, Demand, ExactSampler, LevelSampler, LookAhead, Mask, SteeredLevel,
    SteeringError,
};
pub use structure::{Offset, Structure};
pub use structures::Structures;
pub use tile::Tile;
pub use tile_field::{TileField, TileFieldElements};
