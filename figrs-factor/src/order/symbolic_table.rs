//! Symbolic tables: a scope and a predicted density.

use std::ops::Range;

use crate::graph::{Factor, FactorTable};

/// A sparse table that determines its last variable is given the density of a function if the base-2 logarithm of the number of
/// assignments for each row is at most this number. In a table for one step of a multiplexer, there are about as many assignments
/// for each row as the result has values.
const MAX_LOG_ROW_EXPANSION: f64 = 8.0;

/// A symbolic table.
#[derive(Clone, Debug)]
pub struct SymbolicTable {
    /// The variables of the table, as a range of the list of all scopes.
    pub scope: Range<u32>,
    /// The base-2 logarithm of the predicted fraction of non-zero entries.
    pub density: f64,
    /// True until the table is multiplied into a message.
    pub live: bool,
}

/// The base-2 logarithm of the fraction of a factor's entries that are non-zero, given the logarithms of the
/// cardinalities.
pub(crate) fn log_density(factor: &Factor, log_cards: &[f64]) -> f64 {
    let dense = || -> f64 {
        let logs = factor.variables.iter().map(|v| log_cards[v.index()]);
        logs.sum()
    };
    match &factor.table {
        FactorTable::Dense(weights) => match weights.count_zeros() {
            0 => 0.0,
            zeros => ((weights.len() - zeros) as f64).log2() - (weights.len() as f64).log2(),
        },
        FactorTable::Sparse { rows, weights } => {
            let listed = (weights.len() as f64).log2() - dense();
            let function = -log_child(factor, log_cards);
            let is_spread = function - listed <= MAX_LOG_ROW_EXPANSION;
            if is_spread && is_function(rows, factor.variables.len()) {
                function
            } else {
                listed
            }
        }
        FactorTable::Function { .. } => -log_child(factor, log_cards),
    }
    .max(-1e6)
}

fn log_child(factor: &Factor, log_cards: &[f64]) -> f64 {
    let child = factor.variables.last();
    child.map_or(0.0, |v| log_cards[v.index()])
}

/// True if the sorted rows contain each assignment of all variables except the last at most once. A table that determines its last
/// variable has the density of a function: the other variables determine the last variable, and other tables may also exclude the
/// assignments for which this table has no row.
fn is_function(rows: &[u32], width: usize) -> bool {
    let all = || rows.chunks(width);
    width > 1
        && all()
            .zip(all().skip(1))
            .all(|(a, b)| a[..width - 1] != b[..width - 1])
}
