//! A question to exact algorithms (a model with targets). All algorithms that try to answer it share the expansion of its model.

use std::cell::OnceCell;
use std::sync::Arc;

use figrs_core::expand::Expansion;
use figrs_core::{AnyElement, Limits, Model};

use figrs_answer::conflict;
use figrs_answer::error::Error;
use figrs_answer::limits::{expand, expand_for_best_world};

/// A question: a model and its targets, with the expansions of the model that have been made.
///
/// The first algorithm that needs an expansion makes it, within its own limits; later algorithms use it again. If an expansion fails, the next
/// algorithm expands the model again, because its limits may be different.
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

    /// Returns the expansion of the model for a search for its most probable world.
    pub(crate) fn expand_for_best_world(&self, limits: &Limits) -> Result<Arc<Expansion>, Error> {
        shared(&self.for_best_world, || {
            expand_for_best_world(limits, self.model, self.targets)
        })
    }

    /// Returns the expansion of the model for counting worlds or finding single worlds, in which recursive calls do not share their distributions.
    pub(crate) fn expand_for_worlds(&self, limits: &Limits) -> Result<Arc<Expansion>, Error> {
        shared(&self.for_worlds, || {
            Ok(Expansion::new(self.model, self.targets, limits)?)
        })
    }

    /// Returns the error for impossible evidence, with a conflict that is searched for within `limits`.
    pub(crate) fn impossible(&self, limits: &Limits) -> Error {
        conflict::impossible(self.model, self.targets, limits)
    }
}

/// Returns the expansion in `cell`. If the cell is empty, expands the model and stores the expansion.
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
