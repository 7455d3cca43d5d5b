//! Measures of generated game levels: of one level, of a level compared with the training levels, and of a set of levels.
//!
//! | measured object | measures |
//! |---|---|
//! | one level | [`linearity`], [`leniency`], [`density`], [`ground_gaps`], [`DifficultyProfile`] |
//! | a level against a corpus | [`TilePatterns::divergence`], [`ColumnRuns::longest_copied_run`], [`ColumnRuns::novelty`], [`NearestWindows`] |
//! | a set of levels | [`Diversity`] |
//!
//! [`ReferenceCorpus`] computes all measures of levels except [`Diversity`].

mod columns;
mod corpus_metrics;
mod diversity;
mod nearest;
mod patterns;
mod profile;
pub(crate) mod shape;

pub use columns::ColumnRuns;
pub use corpus_metrics::{LevelMetrics, ReferenceCorpus};
pub use diversity::Diversity;
pub use nearest::{NearestDistances, NearestWindows};
pub use patterns::TilePatterns;
pub use profile::DifficultyProfile;
pub use shape::{density, ground_gaps, leniency, linearity};
