//! Answers of algorithms: marginals, bounds, or one world.

mod answered_model;
mod bars;
mod bounded;
pub(crate) mod bounds;
pub(crate) mod chain_error;
pub(crate) mod choice;
mod contents;
mod describe;
pub mod draws;
pub(crate) mod estimate;
pub(crate) mod group_error;
pub(crate) mod marginal;
pub mod numeric;
pub(crate) mod posterior;
pub(crate) mod quality;
pub(crate) mod quantiles;
mod queries;
pub(crate) mod run_statistics;
pub mod text_table;
mod twins;
pub mod value_names;
pub(crate) mod world;

pub use answered_model::AnsweredModel;
pub(crate) use contents::AnswerContent;
pub use contents::{Answer, LogEvidence, TargetMarginal};
