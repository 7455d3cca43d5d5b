//! Symbolic elimination of a graph, in the order that is found for each connected component.

use crate::graph::VarId;
use crate::until::Until;

use super::components::Component;
use super::fixed_point::ONE;
use super::interaction_graph::DISCOUNT;
use super::restarts::{CHEAP_ORDER_ENTRIES, search};
use super::score::OrderCriterion;
use super::symbolic_elimination::{Bucket, SymbolicElimination};
use super::very_large::greedily;
use crate::eliminate::error::{EliminationError, check_interrupt};

/// Maximum number of variables of a component whose order is searched for with restarts; the order of a larger component is greedy, on adjacency
/// lists.
const MAX_RESTART_VARIABLES: usize = 4096;

/// Eliminates the variables `candidates` symbolically in the cheapest order that a search finds.
///
/// After it has found a first order for a component, the search reads at most `max_work` memory words. If `max_work` is zero, it returns the first
/// order.
///
/// **Errors.** [`EliminationError::Interrupted`] if the run is stopped.
pub fn eliminate_candidates(
    graph: &mut SymbolicElimination,
    candidates: &[VarId],
    max_work: u64,
    until: &Until,
) -> Result<(), EliminationError> {
    graph.eliminate_covered(candidates);
    let mut wide = Vec::new();
    let mut places = Vec::new();
    let mut size = 0;
    for component in Component::all(graph, candidates) {
        check_interrupt(until)?;
        let free = &component.variables[..component.free];
        if free.len() == 1 {
            graph.eliminate_all(free);
        } else if component.variables.len() > MAX_RESTART_VARIABLES {
            wide.extend_from_slice(free);
            size += free.len() + component.tables.len();
        } else {
            places.resize(graph.log_cards.len(), 0);
            let core = component.core(graph, &mut places);
            let zeros = |core: &mut _| component.count_zeros(graph, &places, core);
            let order = search(core, component.tables.len(), (max_work, until), zeros)?.order;
            if order.is_empty() {
                // The number of entries of the joint tables is too large for a floating-point number.
                wide.extend_from_slice(free);
                size += free.len() + component.tables.len();
            }
            for v in order {
                graph.eliminate_all(&[component.variables[v as usize]]);
            }
        }
    }
    if !wide.is_empty() && max_work == 0 {
        greedily(graph, &wide, OrderCriterion::Entries, until)?;
    } else if !wide.is_empty() {
        eliminate_very_large(graph, &wide, CHEAP_ORDER_ENTRIES * size as f64, until)?;
    }
    Ok(())
}

/// Eliminates each very large component symbolically in the cheapest of a few greedy orders.
fn eliminate_very_large(
    graph: &mut SymbolicElimination,
    wide: &[VarId],
    cheap: f64,
    until: &Until,
) -> Result<(), EliminationError> {
    let before = graph.clone();
    greedily(graph, wide, OrderCriterion::Entries, until)?;
    let from = before.buckets.len();
    if entries(graph, from) <= cheap {
        return Ok(());
    }
    for aim in [OrderCriterion::NonZeros, OrderCriterion::FillIn] {
        let mut other = before.clone();
        greedily(&mut other, wide, aim, until)?;
        if cost(&other, from) < cost(graph, from) {
            *graph = other;
        }
    }
    Ok(())
}

fn entries(graph: &SymbolicElimination, from: usize) -> f64 {
    let buckets = graph.buckets[from..].iter();
    buckets.map(|bucket| dense(graph, bucket).exp2()).sum()
}

/// Returns the cost of the buckets from index `from` on: the number of entries of their joint tables, reduced by the predicted fraction of zeros.
fn cost(graph: &SymbolicElimination, from: usize) -> f64 {
    let discount = (DISCOUNT / ONE) as f64;
    let price = |bucket: &Bucket| dense(graph, bucket).min(bucket.joint + discount).exp2();
    graph.buckets[from..].iter().map(price).sum()
}

fn dense(graph: &SymbolicElimination, bucket: &Bucket) -> f64 {
    let all = bucket.output.iter().chain(&bucket.eliminated);
    all.map(|v| graph.log_cards[v.index()]).sum()
}
