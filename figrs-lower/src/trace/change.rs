//! The change of a world by a Metropolis-Hastings proposal: differences of log-probabilities, and the log of changes to undo if the proposal is
//! rejected.

use figrs_core::value::datum::Datum;

/// Differences of log-probabilities between the proposed world and the present world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Difference of the log-probability of those free choices (choices that no observation determines) that are in both worlds.
    pub prior: f64,
    /// Difference of the logarithm of the product of all likelihoods and evidence weights of a world.
    pub likelihood: f64,
    /// Log-probability of the free choices (choices that no observation determines) that only the proposed world has; they were drawn from their
    /// priors.
    pub added: f64,
    /// Log-probability of the free choices (choices that no observation determines) that only the present world has.
    pub removed: f64,
    /// Numbers of free choices (choices that no observation determines) in the present world and in the proposed world.
    pub choices: (usize, usize),
    /// Numbers of densities among the likelihoods in the present world and in the proposed world.
    pub densities: (usize, usize),
    /// `true` if the proposed world has a positive weight, and observations determine none of the choices with proposed values in this world. If
    /// `possible` is `false`, the other fields have no meaning, because the evaluation may have ended early.
    pub possible: bool,
}

/// A change of the dependency graph of a world; the changes of a rejected proposal are undone in reverse order.
#[derive(Debug)]
pub(super) enum StructureUndo {
    Link {
        by: u32,
    },
    Unlink {
        by: u32,
        to: u32,
        at: u32,
        demand: Option<Datum>,
    },
    /// The last input of the node `by` in the dependency graph was replaced; `to` is the previous input.
    Switch {
        by: u32,
        to: u32,
        at: u32,
    },
    Demand {
        by: u32,
        input: usize,
        old: Option<Datum>,
    },
    /// The value that observations require of the node, through its children, has changed.
    Demanded {
        node: u32,
        old: Option<Datum>,
    },
    Freed,
    Unfreed {
        node: u32,
        position: u32,
    },
}

/// The changes that a proposal has made in a world, which are undone if the proposal is rejected.
#[derive(Debug, Default)]
pub(super) struct UndoLog {
    /// The nodes that the proposal has changed or evaluated; each node stores its own previous value and log-probability.
    pub(super) touched: Vec<u32>,
    pub(super) operations: Vec<StructureUndo>,
    /// Number of elements in the world, and number of densities among the likelihoods, before the proposal.
    pub(super) before: (usize, usize),
}

impl UndoLog {
    pub(super) fn begin(&mut self, alive: usize, densities: usize) {
        self.touched.clear();
        self.operations.clear();
        self.before = (alive, densities);
    }
}
