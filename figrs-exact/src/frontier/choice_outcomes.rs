//! Outcomes of random choices, each with its weight.

use std::any::Any;

use figrs_core::internals::{FiniteOutcomes, Kind, MemberFault, NotEnumerable};
use figrs_core::{AnyElement, Datum, ModelError};
use figrs_factor::graph::WorldWeight;

/// The outcomes of a random choice.
#[derive(Debug)]
pub(super) struct ChoiceOutcomes {
    pub(super) outcomes: Vec<(Datum, WorldWeight)>,
    /// `true` if an outcome may stand for several worlds.
    pub(super) merged: bool,
    /// `true` if the likelihood of an observed Chain is a density.
    pub(super) density: Option<bool>,
    /// An element that is treated as the choice's own.
    pub(super) owned: Option<AnyElement>,
}

impl ChoiceOutcomes {
    /// Outcomes that each stand for one world.
    pub(super) fn as_separate_worlds(outcomes: Vec<(Datum, WorldWeight)>) -> Self {
        Self {
            outcomes,
            merged: false,
            density: None,
            owned: None,
        }
    }
}

/// The outcomes of an atomic element; if it is observed, only that value, with its probability or density.
pub(super) fn atomic(
    element: &AnyElement,
    observed: Option<&Datum>,
) -> Result<Vec<(Datum, WorldWeight)>, ModelError> {
    let Kind::Atomic(op) = element.kind() else {
        return Ok(Vec::new());
    };
    op.check().map_err(|problem| element.invalid(problem))?;
    let fault = |fault| element.fault(fault);
    if let Some(value) = observed {
        let log = op.log_prob(value.as_any()).map_err(fault)?;
        let linear = log.exp();
        return Ok(vec![(value.clone(), WorldWeight { linear, log })]);
    }
    let finite = op.outcomes().map_err(fault)?;
    listed(element, finite, |value| {
        op.log_prob(value).map_err(MemberFault::Function)
    })
}

/// Outcomes as a list; an error if there are infinitely many.
pub(super) fn listed(
    element: &AnyElement,
    outcomes: Result<FiniteOutcomes, NotEnumerable>,
    log_prob: impl Fn(&dyn Any) -> Result<f64, MemberFault>,
) -> Result<Vec<(Datum, WorldWeight)>, ModelError> {
    let finite = outcomes.map_err(|endless| endless.unless_observed(element.label()))?;
    let mut listed = Vec::with_capacity(finite.probabilities.len());
    for (i, &linear) in finite.probabilities.iter().enumerate() {
        let log = if linear.is_normal() {
            linear.ln()
        } else {
            match log_prob(finite.support.any(i)) {
                Ok(log) => log,
                Err(MemberFault::Function(fault)) => return Err(element.fault(fault)),
                Err(MemberFault::Parameters(problem)) => return Err(element.invalid(problem)),
            }
        };
        listed.push((finite.support.datum(i), WorldWeight { linear, log }));
    }
    Ok(listed)
}
