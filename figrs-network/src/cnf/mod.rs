//! Formulas in DIMACS CNF, as model counters take them.

mod read;

pub(super) use read::read;

#[cfg(test)]
mod tests;
