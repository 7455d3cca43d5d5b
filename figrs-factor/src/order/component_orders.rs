//! Connected components of a graph after the removal of the variables to keep, and their elimination orders.

use super::interaction_graph::{DISCOUNT, InteractionGraph, ONE, VertexWeight, fixed};
use super::restarts::{CHEAP_ORDER_ENTRIES, search};
use super::symbolic_elimination::{Bucket, SymbolicElimination};
use super::very_large::{OrderCriterion, greedily};
use crate::eliminate::error::{EliminationError, check_interrupt};
use crate::graph::VarId;
use crate::limits::Until;

/// Maximum number of variables of a component whose order is searched for with restarts; the order of a larger component is greedy, on adjacency
/// lists.
const MAX_RESTART_VARIABLES: usize = 4096;

/// Eliminates the variables `candidates` symbolically in the cheapest order that a search finds.
///
/// After the search has found a first order for a component, it reads at most `max_work` memory words. If `max_work` is zero, the function eliminates
/// in the first order that the search finds.
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

/// A connected component of the graph, whose elimination order does not depend on the other components.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// The sorted variables to be eliminated, followed by the other variables that share a table with them.
    pub(super) variables: Vec<VarId>,
    /// The number of variables to be eliminated, which are the first of `variables`.
    pub(super) free: usize,
    /// The indices of the current tables that contain the variables to be eliminated.
    pub(super) tables: Vec<u32>,
}

impl Component {
    /// Splits the candidates that have not been eliminated into connected components.
    ///
    /// Candidates that are connected only through other variables are in different components.
    ///
    /// **Complexity.** The time is linear in the total number of variables of all tables.
    pub(super) fn all(graph: &SymbolicElimination, candidates: &[VarId]) -> Vec<Self> {
        let mut seen = vec![false; graph.log_cards.len()];
        let mut listed = vec![false; graph.sketches.len()];
        let mut components = Vec::new();
        for &first in candidates {
            if seen[first.index()] || graph.is_no_candidate(first) || !graph.is_mentioned(first) {
                continue;
            }
            let mut component = Self::default();
            let mut kept = Vec::new();
            seen[first.index()] = true;
            component.variables.push(first);
            let mut next = 0;
            while let Some(&v) = component.variables.get(next) {
                next += 1;
                for t in graph.tables_of(v) {
                    if std::mem::replace(&mut listed[t as usize], true) {
                        continue;
                    }
                    component.tables.push(t);
                    for &u in graph.scope(t) {
                        if graph.is_no_candidate(u) {
                            kept.push(u);
                        } else if !std::mem::replace(&mut seen[u.index()], true) {
                            component.variables.push(u);
                        }
                    }
                }
            }
            kept.sort_unstable();
            kept.dedup();
            component.variables.sort_unstable();
            component.free = component.variables.len();
            component.variables.extend(kept);
            components.push(component);
        }
        components
    }

    /// Returns the interaction graph of the component; `places` is a scratch list with an entry for each variable of the graph.
    pub(super) fn core(&self, graph: &SymbolicElimination, places: &mut [u32]) -> InteractionGraph {
        for (i, v) in self.variables.iter().enumerate() {
            places[v.index()] = i as u32;
        }
        let weight = |v: &VarId| {
            let log = graph.log_cards[v.index()];
            VertexWeight {
                card: log.exp2(),
                log: fixed(log),
            }
        };
        let scope = |t: &u32| -> Vec<u32> {
            let scope = graph.scope(*t);
            scope.iter().map(|v| places[v.index()]).collect()
        };
        let scopes: Vec<Vec<u32>> = self.tables.iter().map(scope).collect();
        let weights = self.variables.iter().map(weight).collect();
        InteractionGraph::new(weights, self.free, scopes.iter().map(Vec::as_slice))
    }

    /// Adds the predicted densities of the tables with zeros to the interaction graph of the component.
    pub(super) fn count_zeros(
        &self,
        graph: &SymbolicElimination,
        places: &[u32],
        core: &mut InteractionGraph,
    ) {
        for &t in &self.tables {
            let sketch = &graph.sketches[t as usize];
            if sketch.density < 0.0 {
                let scope = graph.scope(t).iter().map(|v| places[v.index()]).collect();
                core.densities
                    .add(scope, fixed(sketch.density), self.variables.len());
            }
        }
    }
}
