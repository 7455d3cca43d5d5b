//! Samplers that draw levels from trained models: cell by cell, column by column, and as probabilistic programs.

pub(crate) mod column_stream;
pub(crate) mod drawn_levels;
pub(crate) mod element_sampler;
pub(crate) mod elements;
pub(crate) mod error;
pub(crate) mod generated;
pub mod level_model;
pub(crate) mod level_program;
pub(crate) mod line;
pub(crate) mod look_ahead;
pub(crate) mod run;
pub(crate) mod tile_field;
pub mod twist;
