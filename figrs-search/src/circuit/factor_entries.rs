//! Entries of factors, and the symbols that represent the weights of the entries in a search.

use figrs_factor::graph::{Assignments, Factor, FactorGraph, FactorTable, Weights, for_each_entry};

/// A symbol for the weight of factor entries: a constant of the model, or a weight that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WeightSymbol {
    /// A constant weight, given by the bits of its natural logarithm.
    Constant(u64),
    /// The probability of an outcome of a distribution with learnable parameters; the number is the index of the outcome.
    Origin(u32),
    /// The weight of one factor entry, given by the indices of the factor and of the entry.
    Entry(u32, u32),
}

/// For each factor, the indices of the entries that are zero only for the current parameters; an [`Encoding`](figrs_core::expand::Encoding) computes
/// this list.
pub(super) type OpenZeros<'a> = &'a [(usize, Vec<u32>)];

impl WeightSymbol {
    pub(super) const ONE: Self = Self::Constant(0.0f64.to_bits());
}

/// Returns the indices of the entries of the factor `factor` that are zero only for the current parameters.
pub(super) fn open_entries(open_zeros: OpenZeros<'_>, factor: usize) -> &[u32] {
    let place = open_zeros.binary_search_by_key(&factor, |(factor, _)| *factor);
    place.map_or(&[], |place| open_zeros[place].1.as_slice())
}

/// Returns the symbol for the weight of a stored entry; `None` if the entry is zero for all parameters.
pub(super) fn entry_symbol(
    factor: &Factor,
    number: usize,
    entry: usize,
    open: &[u32],
) -> Option<WeightSymbol> {
    let Some(weights) = factor.table.weights() else {
        return Some(WeightSymbol::ONE);
    };
    let is_zero = weights.is_zero(entry);
    if is_zero && open.binary_search(&(entry as u32)).is_err() {
        return None;
    }
    let origin = weights.origins().map(|origins| origins[entry]);
    Some(
        match origin.filter(|&origin| origin != Weights::NO_ORIGIN) {
            Some(origin) => WeightSymbol::Origin(origin),
            None if is_zero => WeightSymbol::Entry(number as u32, entry as u32),
            // Adding 0 turns negative zero into zero, so that equal weights have equal bits.
            None => WeightSymbol::Constant((weights.log(entry) + 0.0).to_bits()),
        },
    )
}

/// Returns the number of entries of a factor whose weight has a symbol.
pub(super) fn count_entries(factor: &Factor, open: &[u32]) -> usize {
    match &factor.table {
        FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } => {
            let is_open = |entry: usize| open.binary_search(&(entry as u32)).is_ok();
            let has_symbol = |&entry: &usize| !weights.is_zero(entry) || is_open(entry);
            (0..weights.len()).filter(has_symbol).count()
        }
        FactorTable::Function { index } => {
            let values = index
                .iter()
                .filter(|&&value| value != FactorTable::NO_VALUE);
            values.count()
        }
    }
}

/// Calls `visit` with the index and the values of each stored entry of a factor, including zeros; for a deterministic function, only with the
/// non-zero entries.
pub(super) fn for_each_stored(
    graph: &FactorGraph,
    factor: &Factor,
    mut visit: impl FnMut(usize, &[u32]),
) {
    let arity = factor.variables.len();
    match &factor.table {
        FactorTable::Dense(weights) => {
            let cards = factor.variables.iter().map(|&v| graph.cardinality(v));
            let rows = Assignments::rows(cards);
            let mut row = vec![0; arity];
            for entry in 0..weights.len() {
                visit(entry, &row);
                rows.advance(&mut row);
            }
        }
        FactorTable::Sparse { rows, weights } => {
            for entry in 0..weights.len() {
                visit(entry, &rows[entry * arity..(entry + 1) * arity]);
            }
        }
        FactorTable::Function { .. } => for_each_entry(graph, factor, visit),
    }
}
