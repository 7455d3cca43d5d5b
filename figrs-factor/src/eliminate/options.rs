//! Options of an elimination (the elimination order and the treatment of barren factors), and checks of its limits.

use crate::graph::VarId;
use crate::limits::Limits;

use super::error::{EliminationError, check_interrupt};
use super::memory::available_bytes;
use crate::order::MAX_WORK;

/// Memory of a plan in bytes (256 MB) up to which the plan is accepted without a query of the available memory.
const UNCHECKED_BYTES: f64 = 2.56e8;

/// Maximum number of memory words that the search for an elimination order may read, for each operation that the limit on work allows.
const ORDER_WORK: f64 = 0.1;
const LEAST_ORDER_WORK: u64 = 1_000_000;

/// Least limit on the number of partial assignments that an elimination may visit.
const LEAST_ASSIGNMENTS: f64 = 4e6;

/// Choice of the elimination order, which influences the cost of an elimination but not its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// An order found by a search whose effort is proportionate to the predicted cost of the elimination.
    ///
    /// If the first greedy order is cheap, the search ends. If no greedy order is cheap, the search also tries noisy restarts and local improvements
    /// for each component of the graph, and returns the best order. Steps, not time, limit the search, and its random numbers have a fixed seed.
    /// Therefore equal factor graphs have equal elimination orders.
    #[default]
    Greedy,
    /// The listed elimination order; variables that are not listed come last, sorted by identifier.
    Given(Vec<VarId>),
}

impl Order {
    /// Returns the option for an order that begins with `variables`.
    pub fn given(variables: Vec<VarId>) -> Self {
        Self::Given(variables)
    }
}

/// Treatment of a barren factor: a normalised factor whose last variable occurs in no other factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrenFactors {
    /// A barren factor is omitted if the omission cannot change the answer: in sums and in tests of satisfiability.
    #[default]
    Prune,
    /// A barren factor is multiplied like any other factor.
    Compute,
}

impl Limits {
    /// Returns the number of partial assignments that an elimination with `operations` predicted operations may visit.
    pub(super) fn assignment_budget(&self, operations: f64) -> usize {
        let assignments = (self.assignment_ratio * operations).max(LEAST_ASSIGNMENTS);
        assignments.min(self.most_assignments) as usize
    }

    /// Returns the maximum number of memory words that the search for an elimination order reads.
    ///
    /// A small limit on operations lowers the maximum, because costly plans are refused anyway.
    pub(super) fn order_work(&self) -> u64 {
        let work = ORDER_WORK * self.work;
        (work as u64).clamp(LEAST_ORDER_WORK, MAX_WORK)
    }

    /// Returns an error if the deadline has passed or the interrupt flag is set.
    pub fn check_interrupt(&self) -> Result<(), EliminationError> {
        check_interrupt(&self.until)
    }

    pub(super) fn admit_operations(&self, needed: f64) -> Result<(), EliminationError> {
        if needed > self.work {
            let limit = self.work;
            return Err(EliminationError::TooManyOperations { needed, limit });
        }
        Ok(())
    }

    /// Returns an error if `bytes` exceeds the memory that the limits allow an elimination.
    pub fn check_memory(&self, bytes: f64) -> Result<(), EliminationError> {
        let limit = match self.memory {
            Some(bytes) => bytes,
            None if bytes <= UNCHECKED_BYTES => return Ok(()),
            None => available_bytes(),
        };
        if bytes > limit as f64 {
            return Err(EliminationError::TooMuchMemory {
                needed: bytes,
                limit,
            });
        }
        Ok(())
    }
}
