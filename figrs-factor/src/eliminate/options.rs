//! Options of an elimination: order, memory, work.

use crate::graph::VarId;
use crate::until::Until;

use super::error::{EliminationError, check_interrupt};
use super::memory::available_bytes;
use crate::order::MAX_WORK;

/// A plan that needs at most this number of bytes (256 MB) is accepted without querying the available memory.
const UNCHECKED_BYTES: f64 = 2.56e8;

/// Maximum number of words that the order search may read for each operation that the budget allows.
const ORDER_WORK: f64 = 0.1;
const LEAST_ORDER_WORK: u64 = 1_000_000;

/// Number of partial assignments that a run may visit in any case, however few operations are predicted.
const LEAST_ASSIGNMENTS: f64 = 4e6;

/// Elimination order. All orders give the same answer at different costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// An order found by a search whose effort is proportionate to the predicted cost: one greedy order if that is cheap, else the
    /// best of several greedy rules, restarts with noise and local improvements, component by component. The search is limited by
    /// steps, not by time, and its noise is fixed: the same graph gives the same order.
    #[default]
    Greedy,
    /// The listed order; variables that are not listed come last, by identifier.
    Given(Vec<VarId>),
}

impl Order {
    /// The order that lists these variables.
    pub fn given(variables: Vec<VarId>) -> Self {
        Self::Given(variables)
    }
}

/// Treatment of a normalised factor whose last variable no other factor mentions (a barren factor).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrenFactors {
    /// A barren factor is omitted if that cannot change the answer, that is, in sums and in tests of satisfiability.
    #[default]
    Prune,
    /// A barren factor is computed like any other factor.
    Compute,
}

/// Options of an elimination: order, pruning, and budgets.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub(super) order: Order,
    pub(super) barren: BarrenFactors,
    pub(super) table_budget: usize,
    pub(super) operation_budget: f64,
    /// Number of partial assignments that the joins of a run may visit for each predicted operation.
    pub(super) assignment_ratio: f64,
    /// Maximum number of partial assignments that the joins of a run may visit in total.
    pub(super) most_assignments: f64,
    /// Maximum number of bytes; `None` is three quarters of the available memory.
    pub memory_budget: Option<u64>,
    pub(super) until: Until,
}

impl Default for Options {
    /// A searched order, pruned barren factors, tables up to `2^27` entries, any number of operations, three quarters of
    /// the memory available when the plan is made.
    fn default() -> Self {
        Self {
            order: Order::Greedy,
            barren: BarrenFactors::Prune,
            table_budget: 1 << 27,
            operation_budget: f64::INFINITY,
            assignment_ratio: f64::INFINITY,
            most_assignments: f64::INFINITY,
            memory_budget: None,
            until: Until::default(),
        }
    }
}

impl Options {
    /// Sets the elimination order.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Sets the treatment of barren factors.
    #[must_use]
    pub fn barren(mut self, barren: BarrenFactors) -> Self {
        self.barren = barren;
        self
    }

    /// Sets the maximum number of entries of the largest table.
    #[must_use]
    pub fn table_budget(mut self, entries: usize) -> Self {
        self.table_budget = entries;
        self
    }

    /// The same options with a lower budget of operations, if the present one is higher.
    #[must_use]
    pub fn with_operations_at_most(&self, operations: f64) -> Self {
        let operation_budget = self.operation_budget.min(operations);
        self.clone().operation_budget(operation_budget)
    }

    /// The same options with limits on the number of partial assignments that the joins of a run visit, for each predicted
    /// operation and in total. The limits are needed because the tables may contain fewer zeros than predicted.
    #[must_use]
    pub fn assignments(mut self, ratio: f64, most: f64) -> Self {
        (self.assignment_ratio, self.most_assignments) = (ratio, most);
        self
    }

    /// Number of partial assignments that a run may visit if this number of operations is predicted.
    pub(super) fn assignment_budget(&self, operations: f64) -> usize {
        let assignments = (self.assignment_ratio * operations).max(LEAST_ASSIGNMENTS);
        assignments.min(self.most_assignments) as usize
    }

    /// Maximum number of words that the order search reads; it is lower for a small operation budget, which would refuse a costly plan anyway.
    pub(super) fn order_work(&self) -> u64 {
        let work = ORDER_WORK * self.operation_budget;
        (work as u64).clamp(LEAST_ORDER_WORK, MAX_WORK)
    }

    /// Maximum number of entries of one table.
    pub fn table_entries(&self) -> usize {
        self.table_budget
    }

    /// Deadline and interrupt of the elimination.
    pub fn end(&self) -> &Until {
        &self.until
    }

    /// The same options with a deadline and an interrupt.
    #[must_use]
    pub fn until(&self, until: &Until) -> Self {
        Self {
            until: until.clone(),
            ..self.clone()
        }
    }

    /// Returns an error if the deadline has passed or the interrupt flag is set.
    pub fn check_interrupt(&self) -> Result<(), EliminationError> {
        check_interrupt(&self.until)
    }

    /// Sets the maximum number of predicted operations of the plan ([`PlanCost::operations`](super::PlanCost::operations)): the plan is
    /// refused or accepted before any number is multiplied. A run may take more operations than predicted; they are not
    /// counted.
    #[must_use]
    pub fn operation_budget(mut self, operations: f64) -> Self {
        self.operation_budget = operations;
        self
    }

    /// Sets the maximum number of bytes of all messages together. The budget decides whether a plan is refused, never which plan is made.
    #[must_use]
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.memory_budget = Some(bytes);
        self
    }

    /// Returns an error if `needed` exceeds the operation budget.
    pub(super) fn admit_operations(&self, needed: f64) -> Result<(), EliminationError> {
        if needed > self.operation_budget {
            let limit = self.operation_budget;
            return Err(EliminationError::TooManyOperations { needed, limit });
        }
        Ok(())
    }

    /// Returns an error if `bytes` exceeds the memory budget.
    pub fn check_memory(&self, bytes: f64) -> Result<(), EliminationError> {
        let limit = match self.memory_budget {
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
