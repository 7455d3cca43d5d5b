//! Dependencies among the elements of a model with evidence.

use figrs_core::expand::Expansion;
use figrs_core::graph::DependencyGraph;
use figrs_core::{AnyElement, Limits, Model, ModelError};

use figrs_answer::{Error, conflict};

/// Returns the dependency graph of a model with the given roots (targets).
pub fn dependency_graph(model: &Model, roots: &[AnyElement]) -> Result<DependencyGraph, Error> {
    match Expansion::new(model, roots, &Limits::default()) {
        Ok(expansion) if expansion.impossible().is_some() => {
            Err(conflict::impossible(model, roots, &Limits::default()))
        }
        Ok(expansion) => Ok(DependencyGraph::of_expansion(model, &expansion)),
        Err(error) => {
            let graph = match error {
                ModelError::NotFinite { .. } => DependencyGraph::without_branches(model, roots),
                _ => None,
            };
            graph.ok_or(Error::Model(error))
        }
    }
}
