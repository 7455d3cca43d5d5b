//! Exploration of the reachable states of a model, one frontier after another.

use figrs_core::{AnyElement, ModelError, Support};

use super::coded_elements::CodedElements;
use super::element_order::ElementOrder;
use super::layer::TransitionLayer;
use super::sweep::{SweepGoal, SweepStep, sweep};
use figrs_answer::error::Error;
use figrs_answer::run::watch::RunMonitor;
use figrs_factor::WorkBudget;
use figrs_factor::graph::Weights;

/// Result of an exploration of states: the steps with their transitions, the values and the weights.
#[derive(Debug)]
pub(super) struct Exploration {
    pub(super) steps: Vec<SweepStep>,
    layers: Vec<TransitionLayer>,
    pub(super) weights: Weights,
    /// For each type of values, its values if some target has this type.
    pub(super) values: Vec<Support>,
    /// The index of the type of each target's values.
    pub(super) types: Vec<usize>,
    /// `true` if each transition stands for a single world.
    pub(super) are_worlds: bool,
    /// Number of steps that repeat earlier steps.
    pub(super) repeated: usize,
    pub(super) largest: usize,
    /// Size of all transitions in bytes.
    pub(super) bytes: u64,
}

impl Exploration {
    /// Returns the transitions of a step; the list may also contain, after them, transitions of
    /// other steps.
    pub(super) fn layer(&self, step: &SweepStep) -> &TransitionLayer {
        &self.layers[step.layer]
    }
}

/// Explores all reachable joint values of the elements of the model, frontier by frontier.
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

/// Limits of the exploration of states: memory, deadline, interrupt and, optionally, work.
#[derive(Clone, Copy)]
pub(super) struct ExplorationLimits<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a RunMonitor<'a>,
    /// The budget of transitions between states, if they are limited.
    pub(super) work: Option<&'a WorkBudget>,
}

impl ExplorationLimits<'_> {
    /// Subtracts the given number of transitions from the budget.
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

/// Reason why an exploration of states ends early or starts again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    /// The exploration fails with this error.
    Error(Error),
    /// The listed elements must be visited before a Chain, because branches of the Chain are or read these elements.
    Captured(Vec<AnyElement>),
    /// The states need keys with wider bit fields.
    Wider,
    /// The budget of transitions between states is used up.
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
