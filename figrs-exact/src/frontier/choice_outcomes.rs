//! Outcomes of random choices in a frontier sweep, with their weights.

use std::any::Any;

use figrs_core::{AnyElement, Datum, ModelError};
use figrs_factor::graph::WorldWeight;

/// The outcomes of a random choice, with their properties.
#[derive(Debug)]
pub(super) struct ChoiceOutcomes {
    pub(super) outcomes: Vec<(Datum, WorldWeight)>,
    /// `true` if one outcome may represent several worlds.
    pub(super) merged: bool,
    /// `true` if the choice is an observed Chain whose likelihood is a density, `false` if its likelihood is a probability; `None` for other choices.
    pub(super) density: Option<bool>,
    /// A branch of kind `Kind::Atomic` that counts as a part of this choice, although other code might read it.
    pub(super) owned: Option<AnyElement>,
}

impl ChoiceOutcomes {
    /// Creates outcomes that each represent exactly one world.
    pub(super) fn as_separate_worlds(outcomes: Vec<(Datum, WorldWeight)>) -> Self {
        Self {
            outcomes,
            merged: false,
            density: None,
            owned: None,
        }
    }
}

/// Returns the outcomes of the random choice of an element for given values of its parents. If the element is observed, the only outcome is the
/// observed value, with its probability or density.
pub(super) fn outcomes(
    element: &AnyElement,
    arguments: &[&dyn Any],
    observed: Option<&Datum>,
) -> Result<Vec<(Datum, WorldWeight)>, ModelError> {
    element.check_parameters()?;
    let Some(choice) = element.choice(arguments)? else {
        return Ok(Vec::new());
    };
    let fault = |fault| element.fault(fault);
    if let Some(value) = observed {
        let weight = choice.weight(value.as_any()).map_err(fault)?;
        return Ok(vec![(value.clone(), weight)]);
    }
    let outcomes = choice.outcomes().map_err(fault)?;
    outcomes.map_err(|endless| endless.unless_observed(element.label()))
}
