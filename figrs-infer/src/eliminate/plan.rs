//! The plan of an elimination and its price, before any number is multiplied.

use figrs_core::factor::{FactorGraph, VarId};

use super::error::EliminationError;
use super::interaction::{Bucket, Interaction};
use super::options::{Barren, Options, Order};
use super::parts::arrange;
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
    /// The predicted bytes of the messages that are there at once when each is dropped as soon as it is used, the answer
    /// among them; 8 for an entry, and 4 for each variable of a listed one. Factors are not counted.
    pub memory: f64,
    /// The same if all messages are kept.
    pub memory_kept: f64,
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
    /// `entries` is the size of the dense message, `joint` the base-2 logarithm of the predicted non-zeros.
    pub(super) fn choose(entries: f64, joint: f64, budget: usize) -> Self {
        let is_worth_it = entries <= 4096.0 || entries.log2() <= joint + 3.0;
        if entries <= budget as f64 && is_worth_it {
            Self::Dense
        } else {
            Self::Sparse
        }
    }
}

/// Buckets in the order they are computed.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) buckets: Vec<Bucket>,
    /// Tables left in the end, over kept variables only.
    pub(super) rest: Vec<u32>,
    /// For each factor, whether it takes part.
    pub(super) live: Vec<bool>,
    /// Eliminated variables that nothing mentions, except those that were pruned.
    pub(crate) free: Vec<VarId>,
    pub(crate) cost: PlanCost,
}

impl Plan {
    /// Plans the elimination of everything but `keep`.
    pub(crate) fn new(
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
        let mut mentioned = Vec::new();
        let mut free = Vec::new();
        let variables = (0..graph.cardinalities.len() as u32).map(VarId);
        for v in variables.filter(|&v| !interaction.is_settled(v)) {
            if interaction.is_mentioned(v) {
                mentioned.push(v);
            } else if !pruned.vanished[v.index()] {
                free.push(v);
            }
        }
        match &options.order {
            Order::Given(listed) => {
                interaction.eliminate_all(listed);
                interaction.eliminate_all(&mentioned);
            }
            Order::Greedy => arrange(&mut interaction, &mentioned),
        }
        Ok(Self {
            cost: price(graph, keep, &interaction.buckets, options.table_budget),
            rest: interaction.rest(),
            buckets: interaction.buckets,
            live: pruned.live,
            free,
        })
    }

    /// Refuses a plan that does not fit the budget.
    pub(crate) fn within(self, options: &Options) -> Result<Self, EliminationError> {
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
        options.admit(self.cost.memory)?;
        Ok(self)
    }
}

fn price(graph: &FactorGraph, keep: &[VarId], buckets: &[Bucket], budget: usize) -> PlanCost {
    let answer = entries(graph, keep);
    let mut cost = PlanCost {
        width: keep.len(),
        operations: answer,
        largest_table: answer,
        memory: 0.0,
        memory_kept: 8.0 * answer,
    };
    let mut alive = 8.0 * answer;
    let mut sizes = Vec::with_capacity(buckets.len());
    for bucket in buckets {
        let dense = entries(graph, &bucket.output);
        let (message, width) = match Layout::choose(dense, bucket.joint, budget) {
            Layout::Dense => (dense, 8),
            Layout::Sparse => (dense.min(bucket.joint.exp2()), 8 + 4 * bucket.output.len()),
        };
        cost.width = cost
            .width
            .max(bucket.output.len() + bucket.eliminated.len());
        cost.operations += bucket.joint.exp2();
        cost.largest_table = cost.largest_table.max(message);
        let bytes = message * width as f64;
        cost.memory_kept += bytes;
        alive += bytes;
        cost.memory = cost.memory.max(alive);
        sizes.push(bytes);
        let used = bucket.inputs.iter();
        let used = used.filter_map(|&id| (id as usize).checked_sub(graph.factors.len()));
        alive -= used.map(|message| sizes[message]).sum::<f64>();
    }
    cost.memory = cost.memory.max(alive);
    cost
}

/// The number of joint values of some variables.
pub(super) fn entries(graph: &FactorGraph, variables: &[VarId]) -> f64 {
    variables
        .iter()
        .map(|&v| graph.cardinality(v) as f64)
        .product()
}
