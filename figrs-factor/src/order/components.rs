//! Connected components of the variables to be eliminated.

use crate::graph::VarId;

use super::fixed_point::fixed;
use super::interaction_graph::{InteractionGraph, VertexWeight};
use super::symbolic_elimination::SymbolicElimination;

/// A connected component of the graph, whose elimination order does not depend on the other components.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// The sorted variables to be eliminated, followed by the other variables that share a table with them.
    pub(super) variables: Vec<VarId>,
    /// The number of variables to be eliminated, which are the first of `variables`.
    pub(super) free: usize,
    /// The live tables that contain the variables to be eliminated.
    pub(super) tables: Vec<u32>,
}

impl Component {
    /// Splits the candidates that have not been eliminated into components.
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
