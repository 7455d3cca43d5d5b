//! Expansions of models (lists of the elements' possible values): complete, with learned parameters, with decisions, and to a depth.

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
    /// Lists the possible values of all elements that `targets` and the evidence of `model` need.
    ///
    /// **Errors.** [`ModelError`] if an element is invalid, if its values cannot be listed, or if a limit is exceeded; [`ModelError::Stopped`] if the
    /// deadline or an interrupt ends the expansion.
    pub fn new(model: &Model, targets: &[AnyElement], limits: &Limits) -> Result<Self, ModelError> {
        let mut walk = Expander::new(model, limits, None);
        walk.reach_roots(model, targets)?;
        walk.finished(model, targets)
    }

    /// Expands a model as [`new`](Self::new) does, but with `Param`s in place of [`Learned`](crate::Learned) elements, at the present values of the
    /// `Param`s. For learned elements without `Param`s, new `Param`s are added to `learned`; they start at the means of the priors.
    ///
    /// If a learned element is a parameter of a family of distributions, it is no longer a parent of the members, which use the `Param`s instead. If
    /// a learned element is a target, or an argument of another function, its only value is the present value of its `Param`s. If the outcomes of an
    /// element in `stand_ins` cannot be listed, the value that `stand_ins` gives for the element is its only value.
    ///
    /// **Errors.** The method returns the same errors as [`new`](Self::new).
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

    /// Expands a model as [`new`](Self::new) does, but treats the elements of `decided` as decisions: the values of each decision are its given
    /// options, all with weight one, whatever the values of its parents.
    ///
    /// **Errors.** The method returns the same errors as [`new`](Self::new).
    pub fn deciding(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        decided: &[(AnyElement, Support)],
    ) -> Result<Self, ModelError> {
        let mut walk = Expander::new(model, limits, None);
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

    /// Expands only the `Chain` elements that are nested in fewer than `depth` other `Chain` elements. Elements that depend on more deeply nested
    /// `Chain` elements may have the value `unknown`.
    ///
    /// If a model is expanded to a greater depth, the expansion contains all elements of an expansion to a smaller depth.
    ///
    /// **Errors.** The method returns the same errors as [`new`](Self::new).
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
