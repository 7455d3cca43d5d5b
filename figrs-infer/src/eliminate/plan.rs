//! The plan of an elimination and its price, before any number is multiplied.

use figrs_core::factor::{FactorGraph, VarId};

use super::error::EliminationError;
use super::interaction::{Bucket, Interaction};
use super::options::{Barren, Options};
use super::order::eliminate_all;
use super::prune::{Pruned, prune};
use super::validate::validate;

/// What an elimination is predicted to cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanCost {
    /// The number of variables in the largest bucket.
    pub width: usize,
    /// The predicted non-zeros of all joint tables together.
    pub operations: f64,
    /// The predicted entries of the largest message or answer.
    pub largest_table: f64,
}

/// How a message is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Dense,
    Sparse,
}

impl Layout {
    /// Dense if that is small or not much larger than what is in it, and within the budget.
    ///
    /// Both sizes are base-2 logarithms.
    pub(super) fn choose(dense: f64, joint: f64, budget: usize) -> Self {
        if dense <= (budget as f64).log2() && (dense <= 12.0 || dense <= joint + 3.0) {
            Self::Dense
        } else {
            Self::Sparse
        }
    }
}

/// Buckets in the order they are computed.
pub(super) struct Plan {
    pub(super) buckets: Vec<Bucket>,
    /// Tables left in the end, over kept variables only.
    pub(super) rest: Vec<u32>,
    /// For each factor, whether it takes part.
    pub(super) live: Vec<bool>,
    /// Eliminated variables that nothing mentions, except those that were pruned.
    pub(super) free: Vec<VarId>,
    pub(super) cost: PlanCost,
}

impl Plan {
    /// Plans the elimination of everything but `keep`; refuses what does not fit the budget.
    pub(super) fn new(
        graph: &FactorGraph,
        keep: &[VarId],
        options: &Options,
        sums_to_one: bool,
    ) -> Result<Self, EliminationError> {
        validate(graph, keep)?;
        let pruned = if sums_to_one && options.barren == Barren::Prune {
            prune(graph, keep)
        } else {
            Pruned::nothing(graph)
        };
        let mut interaction = Interaction::new(graph, &pruned.live, keep);
        let variables = (0..graph.cardinalities.len() as u32).map(VarId);
        let (mut mentioned, mut free) = (Vec::new(), Vec::new());
        for v in variables.filter(|&v| !interaction.is_settled(v)) {
            if interaction.is_mentioned(v) {
                mentioned.push(v);
            } else if !pruned.vanished[v.index()] {
                free.push(v);
            }
        }
        let buckets = eliminate_all(&mut interaction, &mentioned, &options.order);
        let plan = Self {
            cost: price(graph, keep, &buckets, options.table_budget),
            rest: interaction.rest(),
            live: pruned.live,
            buckets,
            free,
        };
        plan.check(options)?;
        Ok(plan)
    }

    fn check(&self, options: &Options) -> Result<(), EliminationError> {
        let PlanCost {
            operations,
            largest_table,
            ..
        } = self.cost;
        if largest_table > options.table_budget as f64 {
            return Err(EliminationError::TableTooLarge {
                needed: largest_table,
                limit: options.table_budget,
            });
        }
        if operations > options.operation_budget {
            return Err(EliminationError::TooManyOperations {
                needed: operations,
                limit: options.operation_budget,
            });
        }
        Ok(())
    }
}

fn price(graph: &FactorGraph, keep: &[VarId], buckets: &[Bucket], budget: usize) -> PlanCost {
    let answer = log_size(graph, keep).exp2();
    let mut cost = PlanCost {
        width: keep.len(),
        operations: answer,
        largest_table: answer,
    };
    for bucket in buckets {
        let dense = log_size(graph, &bucket.output);
        let entries = match Layout::choose(dense, bucket.joint, budget) {
            Layout::Dense => dense,
            Layout::Sparse => dense.min(bucket.joint),
        };
        cost.width = cost
            .width
            .max(bucket.output.len() + bucket.eliminated.len());
        cost.operations += bucket.joint.exp2();
        cost.largest_table = cost.largest_table.max(entries.exp2());
    }
    cost
}

/// The base-2 logarithm of the number of joint values of some variables.
pub(super) fn log_size(graph: &FactorGraph, variables: &[VarId]) -> f64 {
    variables
        .iter()
        .map(|&v| f64::from(graph.cardinalities[v.index()]).log2())
        .sum()
}
