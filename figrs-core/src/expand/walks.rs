//! Expansions of models: complete, with learned parameters, with decisions, and to a depth.

use super::cache::ExpansionCache;
use super::expander::Expander;
use super::expander::learned::LearnedParameters;
use super::expansion::Expansion;
use super::submodels::SolvedSubmodel;
use crate::element::node::AnyElement;
use crate::error::ModelError;
use crate::model::Model;
use crate::value::datum::Datum;
use crate::value::support::Support;
use figrs_factor::Limits;
use figrs_factor::graph::Weights;

impl Expansion {
    /// Expands the elements that `targets` and the evidence of `model` need.
    ///
    /// **Errors.** [`ModelError`] if a reached element has a mistake, values cannot be listed, or a limit is exceeded;
    /// [`ModelError::Stopped`] if the deadline or the interrupt ends the expansion.
    pub fn new(model: &Model, targets: &[AnyElement], limits: &Limits) -> Result<Self, ModelError> {
        let mut walk = Expander::new(model, limits, None);
        walk.reach_roots(model, targets)?;
        walk.finished(model, targets)
    }

    /// Expands a model as [`new`](Self::new) does, but with parameters in place of [`Learned`](crate::Learned) elements, at the present
    /// values of the parameters. Missing parameters are added to `learned` and start at the means of their priors.
    ///
    /// A member of a family with a learned parameter depends only on its other parameters. A learned element that is a target, or that
    /// another function reads, is an element with a single value. An element of `stand_ins` whose outcomes cannot be listed has only the
    /// value that `stand_ins` gives.
    ///
    /// **Errors.** The conditions are those of [`new`](Self::new).
    pub fn learning(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        learned: &mut LearnedParameters,
        stand_ins: &[(AnyElement, Datum)],
    ) -> Result<Self, ModelError> {
        let mut walk = Expander::new(model, limits, None);
        walk.learn(learned, stand_ins);
        walk.reach_roots(model, targets)?;
        walk.finished(model, targets)
    }

    /// Expands a model as [`new`](Self::new) does, but with the decided elements `decided`. Each decided element has the given options
    /// as its values, all with weight one, independent of its parents. A decided element is a decision, or any other element that is to
    /// be controlled.
    ///
    /// **Errors.** The conditions are those of [`new`](Self::new).
    pub fn deciding(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        decided: &[(AnyElement, Support)],
    ) -> Result<Self, ModelError> {
        let mut walk = Expander::new(model, limits, None);
        // Each option has weight one.
        let options = decided.iter().map(|(decision, options)| SolvedSubmodel {
            root: decision.clone(),
            outer: Vec::new(),
            support: options.clone(),
            weights: Weights::from_linear(vec![1.0; options.len()]),
        });
        walk.replace(options);
        walk.reach_roots(model, targets)?;
        walk.finished(model, targets)
    }

    /// Expands the Chains that are nested in fewer than `depth` other Chains; all elements that need other Chains have the value
    /// `unknown`.
    ///
    /// A part of the model that is expanded to some depth is also expanded to any greater depth, even if elements are reached in another
    /// order.
    ///
    /// **Errors.** The conditions are those of [`new`](Self::new).
    pub fn to_depth(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        depth: usize,
        memory: &mut ExpansionCache,
    ) -> Result<Self, ModelError> {
        let mut reached = 0;
        loop {
            let mut walk = Expander::to_depth(model, limits, depth, memory);
            walk.expansion.reached = reached;
            let outcome = walk.reach_roots(model, targets);
            let is_outdated = walk.put_memory(memory);
            outcome?;
            if !is_outdated {
                return walk.finished(model, targets);
            }
            reached = walk.expansion.reached;
        }
    }
}
