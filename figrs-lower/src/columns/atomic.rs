//! Atomic elements: outcomes and likelihoods.

use std::any::Any;

use figrs_core::element::node::{AnyElement, AtomicOp, FiniteOutcomes, Kind, NotEnumerable};
use figrs_core::error::ModelError;
use figrs_core::value::datum::Datum;

/// The distribution of an atomic element.
pub(super) fn atomic(element: &AnyElement) -> Option<&dyn AtomicOp> {
    match element.kind() {
        Kind::Atomic(op) => Some(&**op),
        _ => None,
    }
}

/// The probability that a finite truth value is true.
pub(super) fn probability_of_true(outcomes: &FiniteOutcomes) -> f64 {
    let truth = outcomes.support.index_of(&true);
    truth.map_or(0.0, |at| outcomes.probabilities[at])
}

/// The outcomes of an atomic element whose parameters are valid.
pub(super) fn checked_outcomes(
    element: &AnyElement,
    op: &dyn AtomicOp,
) -> Result<Result<FiniteOutcomes, NotEnumerable>, ModelError> {
    op.check().map_err(|problem| element.invalid(problem))?;
    op.outcomes().map_err(|fault| element.fault(fault))
}

/// The likelihood of a value under an atomic element.
pub(super) fn likelihood(
    element: &AnyElement,
    op: &dyn AtomicOp,
    value: &dyn Any,
) -> Result<(f64, f64), ModelError> {
    let log = op.log_prob(value).map_err(|fault| element.fault(fault))?;
    Ok((log.exp(), log))
}

/// True if the likelihood of a value under an atomic element is a density.
pub(super) fn is_density(element: &AnyElement, value: &Datum) -> Result<bool, ModelError> {
    Ok(!value.is_countable() && element.is_continuous()?)
}
