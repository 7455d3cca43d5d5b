//! Reads and writes the file format of the UAI inference competitions.

mod model_factors;
mod read;
mod token;
mod write;

pub use model_factors::{FactorVariable, ModelFactors};
pub(super) use read::read;
pub(super) use token::{count, end};
pub(super) use write::write;

#[cfg(test)]
mod tests;
