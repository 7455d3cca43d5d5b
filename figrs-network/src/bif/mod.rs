//! Reads and writes BIF, the Interchange Format for Bayesian Networks.

mod block;
mod notes;
mod read;
mod table;
mod token;
mod write;

pub(super) use read::read;
pub(super) use write::write;

#[cfg(test)]
mod tests;
