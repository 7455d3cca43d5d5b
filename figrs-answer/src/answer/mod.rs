//! Answers of algorithms: marginals, bounds, or one world.

mod bound_queries;
pub mod bounds;
pub mod chain_error;
pub mod choice;
pub mod closed_form;
mod contents;
mod describe;
pub mod draws;
pub mod estimate;
pub mod family_mixture;
pub(crate) mod few_hits;
pub mod group_error;
pub mod marginal;
pub mod normal_mixture;
pub mod posterior;
pub(crate) mod quantiles;
mod queries;
pub mod text_table;
mod twins;
pub mod value_names;
pub mod world;

pub use contents::{
    Answer, AnswerContent, AnsweredModel, LogEvidence, RunStatistics, TargetMarginal,
};
