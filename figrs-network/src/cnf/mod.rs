//! Formulas in DIMACS CNF, in the form that model counters read.

mod read;

pub(super) use read::read;

#[cfg(test)]
mod tests;
