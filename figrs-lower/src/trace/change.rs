//! The change that a proposal makes to a world: differences of log-probabilities, and the changes to undo if it
//! is rejected.

use figrs_core::value::datum::Datum;

/// Differences of log-probabilities between the proposed world and the present world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Difference of the log-probability of the free choices that both worlds have.
    pub prior: f64,
    /// Difference of the logarithm of the likelihoods and weights of the evidence.
    pub likelihood: f64,
    /// Log-probability of the free choices that only the new world has, which were drawn from their priors.
    pub added: f64,
    /// Log-probability of the free choices that only the old world has.
    pub removed: f64,
    /// Number of free choices in the old world and in the new world.
    pub choices: (usize, usize),
    /// Number of densities among the likelihoods of the old world and of the new world.
    pub densities: (usize, usize),
    /// `true` if the new world has a positive weight, and all proposed choices are among its free choices. If it
    /// is `false`, all other fields are meaningless, because the evaluation may have stopped early.
    pub possible: bool,
}

/// A change of the dependency structure, to be undone in reverse order.
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
    /// Redirection of the last input of a node; records the previous input.
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
    /// Change of the value that observations require of the node.
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

/// The previous state of everything that a proposal changes.
#[derive(Debug, Default)]
pub(super) struct UndoLog {
    /// The nodes that the proposal has changed or evaluated; each stores its own previous state.
    pub(super) touched: Vec<u32>,
    pub(super) operations: Vec<StructureUndo>,
    /// Number of elements in the world, and number of densities among its likelihoods, before the proposal.
    pub(super) before: (usize, usize),
}

impl UndoLog {
    /// Begins a log of changes for a world of `alive` elements and `densities` densities.
    pub(super) fn begin(&mut self, alive: usize, densities: usize) {
        self.touched.clear();
        self.operations.clear();
        self.before = (alive, densities);
    }
}
