//! Answers of algorithms: marginals, bounds, or one world.

mod bars;
mod bounded;
pub(crate) mod bounds;
pub(crate) mod chain_error;
mod contents;
mod describe;
pub(crate) mod draws;
pub(crate) mod estimate;
pub(crate) mod group_error;
mod joint_posterior;
pub(crate) mod marginal;
pub(crate) mod numeric;
pub(crate) mod posterior;
pub(crate) mod predictive;
pub(crate) mod quality;
pub(crate) mod quantiles;
mod queries;
pub(crate) mod run_statistics;
pub(crate) mod text_table;
mod twins;
pub(crate) mod value_names;
pub(crate) mod world;

pub(crate) use contents::AnswerContent;
pub use contents::{Answer, LogEvidence, TargetMarginal};
