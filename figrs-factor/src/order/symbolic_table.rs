//! Symbolic tables, which have a scope and a predicted density, but no entries.

use std::ops::Range;

use crate::graph::{Factor, FactorTable};

/// Maximum base-2 logarithm of the ratio of assignments to rows at which a sparse table that determines its last variable gets the density of a
/// function. For one step of a multiplexer, this ratio is about the number of values of the result.
const MAX_LOG_ROW_EXPANSION: f64 = 8.0;

/// The scope and the predicted density of a table, without its entries.
#[derive(Clone, Debug)]
pub struct SymbolicTable {
    /// The variables of the table, as a range in the list of all scopes.
    pub scope: Range<u32>,
    /// The base-2 logarithm of the predicted fraction of non-zero entries.
    pub density: f64,
    /// True until the table is multiplied into a message.
    pub live: bool,
}

/// Returns the base-2 logarithm of the fraction of non-zero entries of `factor`; `log_cards` has the logarithms of the cardinalities of all
/// variables.
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

/// True if no two of the sorted `rows` have the same values of all variables except the last. A table that determines its last variable counts as a
/// function even if it lacks some assignments, because other tables may also exclude the missing assignments.
fn is_function(rows: &[u32], width: usize) -> bool {
    let all = || rows.chunks(width);
    width > 1
        && all()
            .zip(all().skip(1))
            .all(|(a, b)| a[..width - 1] != b[..width - 1])
}
