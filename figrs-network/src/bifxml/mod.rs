//! Reads and writes BIFXML, the XML format for Bayesian networks, version 0.3.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

#[cfg(test)]
mod tests;
