//! What a caller may choose.

use figrs_core::factor::VarId;

/// In which order variables are eliminated. Any order gives the same answer, not the same cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Next the variable whose bucket is predicted to have the fewest non-zeros, then the one with the smallest
    /// message, then the one that makes the fewest neighbours meet, then the first. Where that is costly, the order
    /// that looks at new neighbours first is tried too, and the cheaper one taken.
    #[default]
    Greedy,
    /// As listed; variables that are not listed come last, by identifier.
    Given(Vec<VarId>),
}

impl Order {
    /// The order as listed.
    pub fn given(variables: Vec<VarId>) -> Self {
        Self::Given(variables)
    }
}

/// What happens to a normalised factor whose variable nothing else mentions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Barren {
    /// It is left out where that cannot change the answer (sums and satisfiability).
    #[default]
    Prune,
    /// It is computed like any other.
    Compute,
}

/// How to eliminate, and how much that may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub(super) order: Order,
    pub(super) barren: Barren,
    pub(super) table_budget: usize,
    pub(super) operation_budget: f64,
}

impl Default for Options {
    /// Greedy order, barren factors pruned, tables up to `2^27` entries, any number of operations.
    fn default() -> Self {
        Self {
            order: Order::Greedy,
            barren: Barren::Prune,
            table_budget: 1 << 27,
            operation_budget: f64::INFINITY,
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

    /// Sets what happens to barren factors.
    #[must_use]
    pub fn barren(mut self, barren: Barren) -> Self {
        self.barren = barren;
        self
    }

    /// Sets how many entries the largest table may have.
    #[must_use]
    pub fn table_budget(mut self, entries: usize) -> Self {
        self.table_budget = entries;
        self
    }

    /// The same with fewer operations, if the plan may take more.
    pub(crate) fn at_most(&self, operations: f64) -> Self {
        let operation_budget = self.operation_budget.min(operations);
        self.clone().operation_budget(operation_budget)
    }

    /// Sets how many operations the plan may be predicted to take.
    #[must_use]
    pub fn operation_budget(mut self, operations: f64) -> Self {
        self.operation_budget = operations;
        self
    }
}
