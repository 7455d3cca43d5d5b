//! Exploration of the reachable states of a model, one frontier after another.

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
    /// For each type, its values if some target has values of this type; otherwise an empty list.
    pub(super) values: Vec<Support>,
    /// For each target, the index of the type of its values.
    pub(super) types: Vec<usize>,
    /// `true` if each path of transitions represents a single world; `false` if a transition between two states may represent several worlds.
    pub(super) are_worlds: bool,
    /// Number of steps that repeat earlier steps.
    pub(super) repeated: usize,
    pub(super) largest: usize,
    pub(super) bytes: u64,
}

impl Exploration {
    /// Returns the transitions of a step; the list may also contain transitions of other steps after them.
    pub(super) fn layer(&self, step: &SweepStep) -> &TransitionLayer {
        &self.layers[step.layer]
    }
}

/// Explores all reachable joint values of the elements of the model, one frontier after another.
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
    /// The maximum number of transitions between states; `None` if it is not limited.
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

/// Reason why an exploration of states ends early or begins again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    Error(Error),
    /// The sweep must visit the listed elements before a `Chain`, because branches of the `Chain` are these elements or read them.
    Captured(Vec<AnyElement>),
    /// The codes in the states need wider bit fields.
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
