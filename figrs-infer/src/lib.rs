//! figrs-infer

mod algorithm;
mod answer;
mod conflict;
pub mod eliminate;
mod enumerate;
mod error;
mod importance_sampling;
mod marginal;
mod mpe;
mod tally;
mod variable_elimination;

pub use algorithm::{Algorithm, Run};
pub use answer::{Answer, LogEvidence, TargetMarginal};
pub use enumerate::Enumerate;
pub use error::Error;
pub use importance_sampling::ImportanceSampling;
pub use marginal::{Marginal, Quality};
pub use mpe::MpeVariableElimination;
pub use variable_elimination::VariableElimination;
