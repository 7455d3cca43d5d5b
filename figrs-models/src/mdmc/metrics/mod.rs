//! Measures of generated levels, alone, against the levels that a model was trained on, and as a set.
//!
//! | of | measures |
//! |---|---|
//! | one level | [`linearity`], [`leniency`], [`density`], [`ground_gaps`] |
//! | a level against a corpus | [`TilePatterns::divergence`], [`Columns::longest_copied_run`], [`Columns::novelty`] |
//! | a set of levels | [`Diversity`] |
//!
//! [`Yardstick`] takes them all at once.

mod columns;
mod corpus_metrics;
mod diversity;
mod patterns;
mod shape;

pub use columns::Columns;
pub use corpus_metrics::{LevelMetrics, Yardstick};
pub use diversity::Diversity;
pub use patterns::TilePatterns;
pub use shape::{density, ground_gaps, leniency, linearity};
