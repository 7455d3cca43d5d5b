//! Reads formulas in the format DIMACS CNF, with the extensions of model counters.

mod read;

pub(super) use read::read;

#[cfg(test)]
mod tests;
