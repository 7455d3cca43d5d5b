//! Consistency of evidence: minimal conflicts, and failures that no world can have.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Model};

use super::algebra::Boolean;
use super::eliminate::eliminate;
use super::limits::Limits;
use crate::error::Error;

/// The error for impossible evidence, with a minimal conflict, as far as the limits allow to decide it.
///
/// Pieces are left out in halves, quarters, ... while the rest stays impossible, which needs about
/// `k log n` trials for a conflict of `k` among `n` pieces (Junker 2004, `QuickXplain`, has the same bound).
///
/// Scores are part of the program and not left out; where the evidence that is left conflicts with those
/// that the targets reach, they are named as well.
pub(crate) fn impossible(model: &Model, targets: &[AnyElement], limits: &Limits) -> Error {
    let mut kept: Vec<usize> = (0..model.evidence().len()).collect();
    let mut chunk = kept.len().div_ceil(2);
    while chunk > 0 {
        let mut start = 0;
        while start < kept.len() {
            let rest: Vec<usize> = kept
                .iter()
                .enumerate()
                .filter(|(i, _)| !(start..start + chunk).contains(i))
                .map(|(_, &piece)| piece)
                .collect();
            let rest_only = model.filtered(|piece| rest.binary_search(&piece).is_ok());
            let still = possible(&rest_only, targets, limits);
            if matches!(still, Ok(false)) {
                kept = rest;
            } else {
                start += chunk;
            }
        }
        chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
    }
    let pieces = kept.iter().map(|&piece| model.describe(piece));
    let mut conflict: Vec<String> = pieces.collect();
    let kept_only = model.filtered(|piece| kept.binary_search(&piece).is_ok());
    if !matches!(possible(&kept_only, &[], limits), Ok(false)) {
        conflict.extend(scores(&kept_only, targets, limits));
    }
    Error::ImpossibleEvidence { conflict }
}

/// The Scores that the roots reach, in words; the first few.
fn scores(model: &Model, targets: &[AnyElement], limits: &Limits) -> Vec<String> {
    const NAMED: usize = 8;
    let Ok(expansion) = limits.expand(model, targets) else {
        return Vec::new();
    };
    let elements = expansion.elements().iter().map(|e| &e.element);
    let scores = elements.filter_map(|element| match element.kind() {
        Kind::Score(_, evidence) => Some(format!("{} {evidence:?}", element.label())),
        _ => None,
    });
    let mut named: Vec<String> = scores.collect();
    named.dedup();
    named.truncate(NAMED);
    named
}

/// True if some world meets the evidence, or one that is not expanded may.
fn possible(model: &Model, targets: &[AnyElement], limits: &Limits) -> Result<bool, Error> {
    let expansion = limits.expand(model, targets)?;
    if expansion.impossible().is_some() {
        return Ok(false);
    }
    some_world(&Encoding::for_upper_sums(&expansion, &[])?, limits)
}

fn some_world(encoding: &Encoding, limits: &Limits) -> Result<bool, Error> {
    let outcome = eliminate::<Boolean>(encoding.graph(), &[], &limits.options)?;
    Ok(outcome.values.first().copied().unwrap_or(false))
}

/// An error if a function of the model fails in some world; failures for combinations of values that no world
/// has do not matter.
pub(crate) fn check_failures(expansion: &Expansion, limits: &Limits) -> Result<(), Error> {
    let fails = |position| some_world(&Encoding::for_failures(expansion, position)?, limits);
    if expansion.failures().next().is_none() || !fails(None)? {
        return Ok(());
    }
    for (position, failures) in expansion.failures() {
        if fails(Some(position))? {
            return Err(failures.error.clone().into());
        }
    }
    Ok(())
}
