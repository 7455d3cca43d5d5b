//! Sum of the weights of all assignments of a factor graph, computed by a search that records no circuit.

use figrs_factor::graph::FactorGraph;

use super::decomposition::preferences;
use super::logical_form::LogicalForm;
use super::memory_budget::cache_share;
use super::preprocess::preprocess;
use super::scaled_number::ScaledNumber;
use super::search::{ExhaustiveSearch, SearchControl};
use super::search_trace::SumTrace;
use figrs_factor::eliminate::{EliminationError, without_barren};

/// Returns the natural logarithm of the sum over all assignments of the product of all factors.
///
/// The search for the sum uses all zeros of the factors, and omits variables that are functions of other variables.
///
/// **Errors.** [`EliminationError::TableTooLarge`] if the clauses and decision diagrams of the graph have too many entries;
/// [`EliminationError::TooMuchMemory`] if the search exceeds the memory; [`EliminationError::Interrupted`] at a deadline or an interrupt.
pub fn log_sum(
    graph: &FactorGraph,
    cache_bytes: u64,
    control: &SearchControl<'_>,
) -> Result<f64, EliminationError> {
    let needed = without_barren(graph, &[]);
    let graph = needed.as_ref().unwrap_or(graph);
    let kept = vec![false; graph.cardinalities.len()];
    let mut form = LogicalForm::new(graph, &[], &kept, control.limits)?;
    let defined = preprocess(&mut form, &kept, control.limits)?;
    let preferences = preferences(&form, &control.limits.until)?;
    let trace = SumTrace::new(form.symbol_logs.iter().copied());
    let cache_bytes = cache_share(cache_bytes, control.limits);
    let mut search = ExhaustiveSearch::new(&mut form, (preferences, &defined), trace, cache_bytes);
    let sum = search.run(control)?;
    Ok(sum.map_or(f64::NEG_INFINITY, ScaledNumber::ln))
}
