//! Exploration of the reachable states (joint values) of a model, one frontier of the sweep after another.

use figrs_core::{AnyElement, ModelError, Support};

use super::coded_elements::CodedElements;
use super::element_order::ElementOrder;
use super::sweep::{SweepGoal, SweepStep, sweep};
use super::transitions::TransitionLayer;
use figrs_answer::{Error, RunMonitor};
use figrs_factor::WorkBudget;
use figrs_factor::graph::Weights;

#[derive(Debug)]
pub(super) struct Exploration {
    pub(super) steps: Vec<SweepStep>,
    layers: Vec<TransitionLayer>,
    pub(super) weights: Weights,
    /// For each type of values, the list of its values if some target has values of this type; otherwise an empty list.
    pub(super) values: Vec<Support>,
    /// For each target, the index of the type of its values.
    pub(super) types: Vec<usize>,
    /// `true` if each path of transitions between states represents a single world; `false` if a transition may represent several worlds.
    pub(super) are_worlds: bool,
    /// Number of steps of the sweep that repeat earlier steps.
    pub(super) repeated: usize,
    pub(super) largest: usize,
    pub(super) bytes: u64,
}

impl Exploration {
    /// Returns a list that begins with the transitions of a step of the sweep; transitions of other steps may follow in the list.
    pub(super) fn layer(&self, step: &SweepStep) -> &TransitionLayer {
        &self.layers[step.layer]
    }
}

/// Explores all reachable joint values of the elements of the model by a frontier sweep.
pub(super) fn explore(
    linear: ElementOrder,
    allowance: ExplorationLimits<'_>,
) -> Result<Exploration, Error> {
    let mut rules = CodedElements::new(linear, allowance.memory);
    let swept = sweep(&mut rules, SweepGoal::Everything, allowance)?;
    let slots = &rules.linear.slots;
    let optional = slots.iter().any(|slot| slot.optional && slot.is_random());
    let targets = rules.linear.targets.iter();
    let types: Vec<usize> = targets.map(|&place| rules.types[place]).collect();
    Ok(Exploration {
        steps: swept.steps,
        layers: swept.layers,
        are_worlds: !rules.merged && !optional,
        weights: rules.weighing.finish(),
        values: rules.codes.finish(&types),
        types,
        repeated: swept.repeated,
        largest: swept.largest,
        bytes: swept.bytes,
    })
}

#[derive(Clone, Copy)]
pub(super) struct ExplorationLimits<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a RunMonitor<'a>,
    /// The maximum number of transitions between states; `None` if an exploration may have any number of them.
    pub(super) work: Option<&'a WorkBudget>,
}

impl ExplorationLimits<'_> {
    /// Subtracts `transitions` from the work budget.
    ///
    /// **Errors.** [`ExplorationError::Budget`] if the budget allows fewer transitions.
    pub(super) fn spend(&self, transitions: usize) -> Result<(), ExplorationError> {
        let is_within = |work: &WorkBudget| work.spend(transitions as u64);
        if self.work.is_none_or(is_within) {
            Ok(())
        } else {
            Err(ExplorationError::Budget)
        }
    }
}

/// Reason why an exploration of the states of frontiers ends early or begins again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    Error(Error),
    /// The sweep must visit the listed elements before a `Chain`, because they are branches of the `Chain` or are read by its branches.
    Captured(Vec<AnyElement>),
    /// The codes of values need wider bit fields than the packed states have.
    Wider,
    Budget,
}

impl From<Error> for ExplorationError {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<ModelError> for ExplorationError {
    fn from(error: ModelError) -> Self {
        Self::Error(error.into())
    }
}
