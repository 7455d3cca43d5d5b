//! Outcomes of the branches of a `Chain` (the elements that its function returns), for [`Frontier`](crate::Frontier).

use std::any::Any;

use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, ModelError};
use indexmap::IndexMap;

use super::element_order::OrderedElement;
use super::explore::ExplorationError;
use crate::enumerate::Enumerate;
use figrs_answer::expansion::{expand, sums};
use figrs_answer::{Error, conflict};
use figrs_factor::graph::WorldWeight;

/// Calls the function of a `Chain` by `call`, and returns the outcomes of the resulting branch (the element that the function returns). `captured`
/// contains the known values of elements outside the branch of the `Chain`.
///
/// A branch of kind `Kind::Atomic` (an atomic element that the function of the `Chain` returns) that `may_own` accepts is treated as part of the
/// `Chain`, even if other code holds a reference to the branch. For any new branch that is not atomic, the function of the `Chain` is called twice:
/// elements that both calls reach are outside the branch.
pub(super) fn outcomes(
    slot: &OrderedElement,
    interventions: &Model,
    captured: &[(AnyElement, Datum)],
    (may_own, memory): (&dyn Fn(&AnyElement) -> bool, u64),
    call: &dyn Fn() -> Result<AnyElement, ModelError>,
) -> Result<ChoiceOutcomes, ExplorationError> {
    let observed = slot.observed();
    let branch = call()?;
    let known = captured.iter().find(|(e, _)| e.id() == branch.id());
    if let Some((_, value)) = known {
        return Ok(ChoiceOutcomes {
            density: observed.map(|_| false),
            ..ChoiceOutcomes::as_separate_worlds(vec![(value.clone(), WorldWeight::ONE)])
        });
    }
    let is_atomic = matches!(branch.kind(), Kind::Atomic(_));
    let is_unshared = branch.is_unshared();
    let is_own = is_unshared || (is_atomic && may_own(&branch));
    if !is_own {
        return Err(ExplorationError::Captured(vec![branch]));
    }
    if is_atomic {
        let is_continuous = |_| branch.is_continuous();
        return Ok(ChoiceOutcomes {
            density: observed.map(is_continuous).transpose()?,
            owned: (!is_unshared).then(|| branch.clone()),
            ..ChoiceOutcomes::as_separate_worlds(outcomes_given(&branch, &[], observed)?)
        });
    }
    let set = |model: Model, (element, value): &(AnyElement, Datum)| {
        model.intervene_any(element, value.clone())
    };
    let model = captured.iter().fold(interventions.clone(), set);
    let first = BranchWorlds::by_enumeration(&branch, &model, memory)?;
    let twin = call()?;
    let second = BranchWorlds::by_enumeration(&twin, &model, memory)?;
    let mut shared = Vec::new();
    for (id, element) in &first.reached {
        let known = captured.iter().any(|(e, _)| e.id() == *id);
        if known || !second.reached.contains_key(id) {
            continue;
        }
        match element.kind() {
            Kind::Score(..) => {
                return Err(ExplorationError::Error(Error::SharedScore {
                    element: slot.element.label(),
                }));
            }
            Kind::Apply(..) => {}
            Kind::Atomic(op) if matches!(op.outcomes(), Ok(Ok(one)) if one.support.len() == 1) => {}
            Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => shared.push(element.clone()),
        }
    }
    if !shared.is_empty() {
        return Err(ExplorationError::Captured(shared));
    }
    if slot.optional && first.is_weighed {
        return Err(ExplorationError::Error(Error::SharedScore {
            element: slot.element.label(),
        }));
    }
    Ok(ChoiceOutcomes {
        outcomes: first.outcomes.into_iter().collect(),
        merged: true,
        density: observed.map(|_| false),
        owned: None,
    })
}

#[derive(Default)]
struct BranchWorlds {
    outcomes: IndexMap<Datum, WorldWeight>,
    /// The elements on which the branch of a `Chain` depends, in the order in which the enumeration of its worlds finds them.
    reached: IndexMap<ElementId, AnyElement>,
    /// `true` if a `Score` weighs some worlds of the branch of a `Chain`.
    is_weighed: bool,
}

/// Maximum number of elements that are evaluated to enumerate the worlds of a branch of a `Chain`; the worlds of a larger branch are summed by
/// variable elimination.
const FEW_EVALUATIONS: u64 = 1 << 15;

impl BranchWorlds {
    /// Enumerates the worlds of a branch of a `Chain`; returns an error if one world takes more than `memory` bytes.
    fn by_enumeration(branch: &AnyElement, model: &Model, memory: u64) -> Result<Self, Error> {
        let all = Enumerate::new().max_bytes(memory);
        let few = all.clone().max_evaluations(FEW_EVALUATIONS);
        match Self::listed(branch, model, &few) {
            Err(Error::TooManyWorlds { .. }) => Self::by_elimination(branch, model, memory)
                .or_else(|_| Self::listed(branch, model, &all)),
            found => found,
        }
    }

    /// Sums over the worlds of a branch of a `Chain` by variable elimination; equal calls of recursive functions share their distributions.
    fn by_elimination(branch: &AnyElement, model: &Model, memory: u64) -> Result<Self, Error> {
        let limits = &Limits::default().expansion_memory(memory);
        let expansion = expand(limits, model, std::slice::from_ref(branch))?;
        conflict::check_failures(&expansion, limits)?;
        let mut worlds = Self::default();
        for expanded in expansion.elements() {
            let element = expanded.element.clone();
            worlds.is_weighed |= matches!(element.kind(), Kind::Score(..));
            worlds.reached.insert(element.id(), element);
        }
        if let (None, &[position]) = (expansion.impossible(), expansion.targets()) {
            let support = &expansion.elements()[position].support;
            let weights = sums(&expansion, limits)?.0;
            for i in (0..support.len()).filter(|&i| !weights.is_zero(i)) {
                let log = weights.log(i);
                let linear = log.exp();
                let weight = WorldWeight { linear, log };
                worlds.outcomes.insert(support.datum(i), weight);
            }
        }
        Ok(worlds)
    }

    fn listed(branch: &AnyElement, model: &Model, enumerate: &Enumerate) -> Result<Self, Error> {
        let mut worlds = Self::default();
        let targets = [branch.clone()];
        enumerate.for_each_world(model, &targets, |program, weight| {
            for (element, _) in program.world() {
                worlds.is_weighed |= matches!(element.kind(), Kind::Score(..));
                let reached = worlds.reached.entry(element.id());
                reached.or_insert_with(|| element.clone());
            }
            let value = program
                .targets()
                .first()
                .and_then(|&slot| program.value(slot));
            let Some(value) = value.filter(|_| !weight.is_zero()) else {
                return;
            };
            let total = worlds.outcomes.entry(value.clone());
            total
                .and_modify(|total| *total = sum(*total, weight))
                .or_insert(weight);
        })?;
        Ok(worlds)
    }
}

fn sum(a: WorldWeight, b: WorldWeight) -> WorldWeight {
    let (high, low) = if a.log > b.log {
        (a.log, b.log)
    } else {
        (b.log, a.log)
    };
    WorldWeight {
        linear: a.linear + b.linear,
        log: high + (low - high).exp().ln_1p(),
    }
}

/// The outcomes of a random choice, with their properties.
#[derive(Debug)]
pub(super) struct ChoiceOutcomes {
    pub(super) outcomes: Vec<(Datum, WorldWeight)>,
    /// `true` if one outcome of the random choice may represent several worlds.
    pub(super) merged: bool,
    /// `true` if the choice is an observed `Chain` whose likelihood is a density, `false` if its likelihood is a probability; `None` for other
    /// choices.
    pub(super) density: Option<bool>,
    /// A branch of kind `Kind::Atomic` that is treated as part of its `Chain`, although elements outside the `Chain` might read the branch.
    pub(super) owned: Option<AnyElement>,
}

impl ChoiceOutcomes {
    /// Creates the outcomes of a random choice, each of which represents exactly one world.
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
pub(super) fn outcomes_given(
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
