//! Formulas in DIMACS CNF, with the extensions of model counters.

mod read;

pub(super) use read::read;

#[cfg(test)]
mod tests;
