//! Tables on paper.

use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId};

/// A table on paper.
pub(super) struct Sketch {
    pub(super) scope: Vec<VarId>,
    /// The base-2 logarithm of the share of non-zeros.
    pub(super) density: f64,
    pub(super) live: bool,
}

/// The base-2 logarithm of the share of a factor's entries that are not zero.
pub(super) fn log_density(graph: &FactorGraph, factor: &Factor) -> f64 {
    let dense = |variables: &[VarId]| -> f64 {
        variables
            .iter()
            .map(|&v| (graph.cardinality(v) as f64).log2())
            .sum()
    };
    match &factor.table {
        FactorTable::Dense(weights) => {
            let positive = (0..weights.len()).filter(|&i| !weights.is_zero(i)).count();
            (positive as f64).log2() - dense(&factor.variables)
        }
        FactorTable::Sparse { weights, .. } => {
            (weights.len() as f64).log2() - dense(&factor.variables)
        }
        FactorTable::Function { .. } => -factor.variables.last().map_or(0.0, |v| dense(&[*v])),
    }
    .max(-1e6)
}
