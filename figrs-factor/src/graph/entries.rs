//! Entries of a factor in any storage format: dense, sparse, function.

use super::assignment::Assignments;
use super::factor_graph::{Factor, FactorGraph, FactorTable};
use super::weights::Weights;

/// Calls `visit` for each stored non-zero entry of `factor`, with the index and the assignment of the entry.
pub fn for_each_entry(graph: &FactorGraph, factor: &Factor, mut visit: impl FnMut(usize, &[u32])) {
    let arity = factor.variables.len();
    let cards = factor.variables.iter().map(|&v| graph.cardinality(v));
    let mut values = vec![0; arity];
    match &factor.table {
        FactorTable::Dense(weights) => {
            let all = Assignments::rows(cards);
            for i in 0..weights.len() {
                if !weights.is_zero(i) {
                    visit(i, &values);
                }
                all.advance(&mut values);
            }
        }
        FactorTable::Sparse { rows, weights } => {
            for i in (0..weights.len()).filter(|&i| !weights.is_zero(i)) {
                visit(i, &rows[i * arity..(i + 1) * arity]);
            }
        }
        FactorTable::Function { index } => {
            let parents = Assignments::rows(cards.take(arity - 1));
            for (i, &x) in index.iter().enumerate() {
                if x != FactorTable::NO_VALUE {
                    values[arity - 1] = x;
                    visit(i, &values);
                }
                parents.advance(&mut values);
            }
        }
    }
}

/// Returns the natural logarithm of the stored entry with the index `entry`; for a function, the entry must not be zero.
pub fn log_stored(factor: &Factor, entry: usize) -> f64 {
    let weights = factor.table.weights();
    weights.map_or(0.0, |weights| weights.log(entry))
}

/// Returns the index of the stored entry of `factor` for the assignment `values` of all variables of the graph; `None` if the factor stores no such
/// entry.
pub fn stored_entry(graph: &FactorGraph, factor: &Factor, values: &[u32]) -> Option<usize> {
    let offset = |n: usize| {
        let parents = factor.variables[..n].iter();
        parents.fold(0, |at, &v| {
            at * graph.cardinality(v) + values[v.index()] as usize
        })
    };
    let arity = factor.variables.len();
    match &factor.table {
        FactorTable::Dense(_) => Some(offset(arity)),
        FactorTable::Sparse { rows, weights } => {
            let row = |i: usize| rows[i * arity..(i + 1) * arity].iter().copied();
            let sought = || factor.variables.iter().map(|v| values[v.index()]);
            let (mut low, mut high) = (0, weights.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                if row(middle).lt(sought()) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            (low < weights.len() && row(low).eq(sought())).then_some(low)
        }
        FactorTable::Function { index } => {
            let child = factor.variables.last()?;
            let entry = offset(arity - 1);
            (index[entry] == values[child.index()]).then_some(entry)
        }
    }
}

/// Returns the natural logarithm of the entry of `factor` for the assignment `values` of all variables of the graph.
pub fn log_entry(graph: &FactorGraph, factor: &Factor, values: &[u32]) -> f64 {
    let entry = stored_entry(graph, factor, values);
    entry.map_or(f64::NEG_INFINITY, |entry| log_stored(factor, entry))
}

/// True if some entry of `factor` is zero.
pub fn has_zeros(factor: &Factor) -> bool {
    match &factor.table {
        FactorTable::Dense(weights) => weights.count_zeros() > 0,
        FactorTable::Sparse { .. } | FactorTable::Function { .. } => true,
    }
}

/// True if a positive weight of `factor` underflows when all weights are divided by the largest weight.
pub fn is_wide(factor: &Factor) -> bool {
    factor.table.weights().is_some_and(Weights::is_flushed)
}
