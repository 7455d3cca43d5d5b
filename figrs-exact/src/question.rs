//! A question to exact algorithms (a model with targets). All algorithms that try to answer a question share the expansion of its model (the lists of
//! possible values).

use std::cell::OnceCell;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Datum, Limits, Model};

use figrs_answer::expansion::{expand, expand_for_best_world};
use figrs_answer::{Answer, Error, conflict};
use figrs_factor::bounds::Improvement;
use figrs_factor::eliminate::log_weight;
use figrs_factor::graph::FactorGraph;

/// A question: a model and its targets, with the expansions of the model (lists of possible values) that have been made.
///
/// The first algorithm that needs an expansion of the model makes the expansion within its own limits; later algorithms use the expansion again. If
/// an expansion of the model fails, the next algorithm expands the model again, because the limits of that algorithm may be different.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) model: &'a Model,
    pub(crate) targets: &'a [AnyElement],
    for_sums: OnceCell<Arc<Expansion>>,
    for_best_world: OnceCell<Arc<Expansion>>,
    for_worlds: OnceCell<Arc<Expansion>>,
}

impl<'a> Question<'a> {
    pub(crate) fn new(model: &'a Model, targets: &'a [AnyElement]) -> Self {
        Self {
            model,
            targets,
            for_sums: OnceCell::new(),
            for_best_world: OnceCell::new(),
            for_worlds: OnceCell::new(),
        }
    }

    /// Returns the expansion of the model for sums over its worlds.
    pub(crate) fn expand(&self, limits: &Limits) -> Result<Arc<Expansion>, Error> {
        shared(&self.for_sums, || expand(limits, self.model, self.targets))
    }

    /// Builds the factor graph for a search for the most probable world of the model.
    ///
    /// **Errors.** The errors of the expansion of the model; [`Error::ImpossibleEvidence`] if the expansion shows that no world satisfies the
    /// evidence.
    pub(crate) fn world_graph(&self, limits: &Limits) -> Result<WorldGraph, Error> {
        let expansion = shared(&self.for_best_world, || {
            expand_for_best_world(limits, self.model, self.targets)
        })?;
        let encoding = encode_worlds(&expansion, limits, || self.impossible(limits))?;
        Ok(WorldGraph {
            expansion,
            encoding,
        })
    }

    /// Returns the expansion of the model for counting worlds or finding single worlds, in which recursive calls do not share their distributions.
    pub(crate) fn expand_for_worlds(&self, limits: &Limits) -> Result<Arc<Expansion>, Error> {
        shared(&self.for_worlds, || {
            Ok(Expansion::new(self.model, self.targets, limits)?)
        })
    }

    /// Returns the error for impossible evidence, with a conflict (contradictory statements of evidence) that is searched for within `limits`.
    pub(crate) fn impossible(&self, limits: &Limits) -> Error {
        conflict::impossible(self.model, self.targets, limits)
    }
}

/// Converts an expansion of a model to a factor graph, for a search for the most probable world. The closure `impossible` makes the error for
/// impossible evidence.
pub(crate) fn encode_worlds(
    expansion: &Expansion,
    limits: &Limits,
    impossible: impl FnOnce() -> Error,
) -> Result<Encoding, Error> {
    if expansion.impossible().is_some() {
        return Err(impossible());
    }
    conflict::check_failures(expansion, limits)?;
    Ok(Encoding::for_worlds(expansion)?)
}

/// Returns the values of the elements in the world that an assignment of all variables of the factor graph describes.
pub(crate) fn values_in_world(
    expansion: &Expansion,
    encoding: &Encoding,
    assignment: &[u32],
) -> impl Iterator<Item = (AnyElement, Datum)> {
    expansion.elements().iter().filter_map(|expanded| {
        let value = encoding.value(expansion, &expanded.element, assignment)?;
        Some((expanded.element.clone(), value))
    })
}

/// The factor graph for a search for the most probable world of a model.
#[derive(Debug)]
pub(crate) struct WorldGraph {
    expansion: Arc<Expansion>,
    encoding: Encoding,
}

impl WorldGraph {
    pub(crate) fn graph(&self) -> &FactorGraph {
        self.encoding.graph()
    }

    /// Returns the answer with the world that an assignment of all variables describes; `improvements` are those of [`Answer::searched_world`].
    pub(crate) fn answer(
        &self,
        algorithm: &'static str,
        assignment: &[u32],
        improvements: Vec<Improvement>,
    ) -> Answer {
        let Self {
            expansion,
            encoding,
        } = self;
        let values = values_in_world(expansion, encoding, assignment);
        let log_probability = log_weight(self.graph(), assignment);
        Answer::searched_world(algorithm, values, log_probability, improvements)
    }
}

/// Returns the expansion of the model that the memory cell `cell` stores. If `cell` is empty, calls `expand` and stores the resulting expansion in
/// `cell`.
fn shared(
    cell: &OnceCell<Arc<Expansion>>,
    expand: impl FnOnce() -> Result<Expansion, Error>,
) -> Result<Arc<Expansion>, Error> {
    if let Some(expansion) = cell.get() {
        return Ok(Arc::clone(expansion));
    }
    let expansion = Arc::new(expand()?);
    Ok(Arc::clone(cell.get_or_init(|| expansion)))
}
