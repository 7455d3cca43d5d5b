//! Reads and writes the NET language of HUGIN, a text format for Bayesian networks.

mod block;
mod formula;
mod generated;
mod normal;
mod read;
mod token;
mod write;

pub(super) use read::read;
pub(super) use write::write;

#[cfg(test)]
mod tests;
