//! Tables on paper.

use figrs_core::factor::{Factor, FactorTable, VarId};

/// A table on paper.
#[derive(Clone)]
pub(super) struct Sketch {
    pub(super) scope: Vec<VarId>,
    /// The base-2 logarithm of the share of non-zeros.
    pub(super) density: f64,
    pub(super) live: bool,
}

/// The base-2 logarithm of the share of a factor's entries that are not zero, given those of the cardinalities.
pub(super) fn log_density(factor: &Factor, log_cards: &[f64]) -> f64 {
    let dense = || -> f64 {
        let logs = factor.variables.iter().map(|v| log_cards[v.index()]);
        logs.sum()
    };
    match &factor.table {
        FactorTable::Dense(weights) => {
            let zeros = if weights.is_flushed() {
                (0..weights.len()).filter(|&i| weights.is_zero(i)).count()
            } else {
                weights.linear().iter().filter(|&&x| x == 0.0).count()
            };
            match zeros {
                0 => 0.0,
                _ => ((weights.len() - zeros) as f64).log2() - (weights.len() as f64).log2(),
            }
        }
        FactorTable::Sparse { weights, .. } => (weights.len() as f64).log2() - dense(),
        FactorTable::Function { .. } => {
            let child = factor.variables.last();
            -child.map_or(0.0, |v| log_cards[v.index()])
        }
    }
    .max(-1e6)
}
