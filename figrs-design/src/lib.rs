//! Levels that meet a designer's demands (requirements), playability, measures of levels, pictures, and maps for editors.
//!
//! | subject | types |
//! |---|---|
//! | levels as demanded | [`Demand`], [`Pattern`], [`Area`], [`Mask`], [`DemandFile`], [`DemandScope`], [`DemandedLevel`], which `figrs_models::board::ConditionalSampler` draws; [`ProposedLevels`] |
//! | playability of levels under a movement (the rules of a player's moves) | [`Movement`], [`MovementRules`], [`Route`], [`Playability`], [`Obstacle`], [`Reach`], [`JUMP_ARCS`] |
//! | boards given demands | [`BoardDemands`], [`DemandedBoards`] |
//! | measures of levels and of sets | [`ReferenceCorpus`], [`LevelMetrics`], [`TilePatterns`], [`ColumnRuns`], [`NearestWindows`], [`DifficultyProfile`], [`Diversity`] |
//! | errors | [`DemandError`], [`DemandedLevelError`] with [`Remedy`], [`MovementError`], [`FileError`] |
//! | pictures and maps for editors | [`LevelWriter`], [`TileSheet`], [`write_tileset`], [`OutputError`] |
//!
//! The module `figrs_models::mdmc` contains the trained models and the type of levels.

#![warn(clippy::unwrap_used)]

mod demands;
mod metrics;
mod play;
mod text_error;
mod write;

pub use demands::demand_error::{DemandError, Remedy};
pub use demands::demand_file::{DemandFile, DemandScope};
pub use demands::{
    Area, BoardDemands, Demand, DemandedBoards, DemandedLevel, DemandedLevelError, Mask, Mirror,
    Pattern, ProposedLevels,
};
pub use figrs_reading::{FileError, Mistake, MistakeKind};
pub use metrics::{
    ColumnRuns, DifficultyProfile, Diversity, LevelMetrics, NearestDistances, NearestWindows,
    ReferenceCorpus, TilePatterns, density, ground_gaps, leniency, linearity,
};
pub use play::{
    JUMP_ARCS, Movement, MovementError, MovementRules, Obstacle, Playability, Reach, Route,
};
pub use write::{LevelWriter, OutputError};
#[cfg(feature = "png")]
pub use write::{TileSheet, write_tileset};
