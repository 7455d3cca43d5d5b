//! The plan of an elimination and its predicted cost, computed before any factors are multiplied.

use serde::{Deserialize, Serialize};

use super::error::{EliminationError, check_interrupt, validate};
use super::memory::available_bytes;
use super::prune::{Pruned, UnknownSums, prune};
use crate::graph::{FactorGraph, VarId, Weights};
use crate::limits::{BarrenFactors, Limits, Order, Until};
use crate::order::MAX_WORK;
use crate::order::component_orders::eliminate_candidates;
use crate::order::symbolic_elimination::{Bucket, SymbolicElimination};

/// Predicted cost of an elimination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanCost {
    /// The number of variables in the largest bucket.
    pub width: usize,
    /// The predicted number of non-zero entries of the joint tables of all buckets together.
    pub operations: f64,
    /// The predicted number of entries of the largest message or answer.
    pub largest_table: f64,
    /// The predicted peak memory of the messages, including the answer, in bytes.
    ///
    /// The predicted peak memory assumes that each message is dropped immediately after its use, and excludes the factors. An entry of a dense
    /// message takes 8 bytes; an entry of a sparse message takes 4 more bytes for each variable.
    pub memory: f64,
    /// The predicted memory of the messages in bytes if all messages are stored until the end.
    pub memory_kept: f64,
}

impl PlanCost {
    pub(super) fn within(self, limits: &Limits, keep: Keep) -> Result<(), EliminationError> {
        limits.admit_operations(self.operations)?;
        if self.largest_table > limits.table_entries as f64 {
            return Err(EliminationError::TableTooLarge {
                needed: self.largest_table,
                limit: limits.table_entries,
            });
        }
        limits.check_memory(match keep {
            Keep::Nothing => self.memory,
            Keep::Messages => self.memory_kept,
        })
    }
}

/// The choice of the messages that an elimination stores after their use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All messages are stored, for a later pass from the roots to the leaves.
    Messages,
    /// No message is stored after its use.
    Nothing,
}

/// Storage format of a message: dense or sparse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageLayout {
    /// In dense storage, all entries of a message are stored in row-major order.
    Dense,
    /// In sparse storage, only the non-zero entries of a message are stored, in a list.
    Sparse,
}

impl MessageLayout {
    /// Returns the storage format of the message of `bucket`.
    pub fn of(graph: &FactorGraph, bucket: &Bucket, budget: usize) -> Self {
        Self::choose(entries(graph, &bucket.output), bucket.joint, budget)
    }

    /// Chooses dense storage if the dense message is within the limit `budget` and is not much larger than the list of its non-zero entries.
    ///
    /// `entries` is the size of the dense message; `joint` is the base-2 logarithm of the predicted number of its non-zero entries.
    pub(super) fn choose(entries: f64, joint: f64, budget: usize) -> Self {
        let is_worth_it = entries <= 4096.0 || entries.log2() <= joint + 3.0;
        if entries <= budget as f64 && is_worth_it {
            Self::Dense
        } else {
            Self::Sparse
        }
    }
}

/// The plan of an elimination: its buckets in the order of their computation, and its predicted cost.
#[derive(Default, Debug)]
pub struct Plan {
    /// The buckets in the order of elimination.
    pub buckets: Vec<Bucket>,
    /// The tables that remain after the elimination; they contain only variables that are not eliminated.
    pub(super) remaining_tables: Vec<u32>,
    /// For each factor, `true` if it takes part in the elimination.
    pub(super) live: Vec<bool>,
    /// The eliminated variables that occur in no factor, except the variables that were pruned with their factors.
    pub free: Vec<VarId>,
    /// The constant that results from the sum over the pruned factors, if it is not one.
    pub(super) constant: Option<Weights>,
    /// Predicted cost of all buckets.
    pub cost: PlanCost,
}

impl Plan {
    /// Plans the elimination of all variables that are not in `keep`, and the multiplication of the remaining tables to one table over `keep`.
    pub fn new(
        graph: &FactorGraph,
        keep: &[VarId],
        limits: &Limits,
        sums_to_one: bool,
    ) -> Result<Self, EliminationError> {
        let (mut plan, _) = Self::without_cost(graph, keep, limits, sums_to_one)?;
        let count = graph.factors.len();
        plan.cost = predicted_cost(graph, keep, (&plan.buckets, count), limits.table_entries);
        Ok(plan)
    }

    /// Plans the elimination of all variables that are not in `keep`, and predicts the cost of a second elimination of `keep` from the remaining
    /// tables, which stay in memory.
    pub(super) fn in_two_parts(
        graph: &FactorGraph,
        keep: &[VarId],
        limits: &Limits,
        sums_to_one: bool,
    ) -> Result<(Self, PlanCost), EliminationError> {
        let (mut plan, mut interaction) = Self::without_cost(graph, keep, limits, sums_to_one)?;
        let (count, budget) = (graph.factors.len(), limits.table_entries);
        plan.cost = predicted_cost(graph, &[], (&plan.buckets, count), budget);
        let kept = interaction.release(keep);
        eliminate_in_order(limits, &mut interaction, &kept)?;
        let given = count + plan.buckets.len();
        let mut afterwards = predicted_cost(graph, &[], (&interaction.buckets, given), budget);
        let left = plan.remaining_tables.iter();
        let left = left.filter_map(|&id| plan.buckets.get((id as usize).checked_sub(count)?));
        let held: f64 = left.map(|bucket| message(graph, bucket, budget).1).sum();
        afterwards.memory += held;
        afterwards.memory_kept += held;
        Ok((plan, afterwards))
    }

    /// Makes the plan of an elimination without predicting its cost. Returns the elimination plan and the final state of the symbolic elimination.
    fn without_cost(
        graph: &FactorGraph,
        keep: &[VarId],
        limits: &Limits,
        sums_to_one: bool,
    ) -> Result<(Self, SymbolicElimination), EliminationError> {
        validate(graph, keep)?;
        let pruned = if sums_to_one && limits.barren == BarrenFactors::Prune {
            prune(graph, keep, UnknownSums::Computed)
        } else {
            Pruned::nothing(graph)
        };
        let mut interaction = SymbolicElimination::new(graph, &pruned.live, keep);
        let mut mentioned = Vec::with_capacity(graph.cardinalities.len());
        let mut free = Vec::new();
        let variables = (0..graph.cardinalities.len() as u32).map(VarId);
        for v in variables.filter(|&v| !interaction.is_no_candidate(v)) {
            if interaction.is_mentioned(v) {
                mentioned.push(v);
            } else if !pruned.vanished[v.index()] {
                free.push(v);
            }
        }
        eliminate_in_order(limits, &mut interaction, &mentioned)?;
        let plan = Self {
            buckets: std::mem::take(&mut interaction.buckets),
            remaining_tables: interaction.remaining_tables(),
            live: pruned.live,
            free,
            constant: pruned.constant,
            cost: PlanCost::default(),
        };
        Ok((plan, interaction))
    }

    /// Returns this plan, or an error if its predicted cost exceeds a limit.
    pub fn within(self, limits: &Limits, keep: Keep) -> Result<Self, EliminationError> {
        self.cost.within(limits, keep)?;
        Ok(self)
    }
}

/// Returns the buckets of an elimination of all variables, for a prediction that treats all entries as non-zero; the variables `last` are eliminated
/// after all other variables. Searches that assign values to variables one by one use the buckets of an elimination in which all entries count as
/// non-zero. The order of the variables `last` and the order of the other variables are each searched for within a budget of memory words, such as
/// [`MAX_WORK`](crate::order::MAX_WORK).
///
/// **Errors.** [`EliminationError::Interrupted`] if the run is stopped.
pub fn as_if_dense(
    graph: &FactorGraph,
    last: &[VarId],
    (work, until): (u64, &Until),
) -> Result<Vec<Bucket>, EliminationError> {
    let mut interaction = SymbolicElimination::new(graph, &vec![true; graph.factors.len()], last);
    interaction.ignore_zeros();
    let variables = (0..graph.cardinalities.len() as u32).map(VarId);
    let first: Vec<VarId> = variables
        .filter(|&v| !interaction.is_no_candidate(v))
        .collect();
    eliminate_candidates(&mut interaction, &first, work, until)?;
    let last = interaction.release(last);
    eliminate_candidates(&mut interaction, &last, work, until)?;
    Ok(interaction.buckets)
}

/// Plans the elimination of the variables of all tables that take part in it, in the elimination order that the limits select.
pub(super) fn eliminate_in_order(
    limits: &Limits,
    interaction: &mut SymbolicElimination,
    variables: &[VarId],
) -> Result<(), EliminationError> {
    match &limits.order {
        Order::Given(listed) => {
            interaction.eliminate_all(listed);
            interaction.eliminate_all(variables);
            Ok(())
        }
        Order::Greedy => {
            let work = limits.order_work();
            eliminate_candidates(interaction, variables, work, &limits.until)
        }
    }
}

/// Predicts the cost of the elimination with the buckets `buckets`. The message of the first bucket has the table index `first`; the predicted memory
/// excludes the tables with lower indices.
pub fn predicted_cost(
    graph: &FactorGraph,
    keep: &[VarId],
    (buckets, first): (&[Bucket], usize),
    budget: usize,
) -> PlanCost {
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
        let (message, bytes) = message(graph, bucket, budget);
        cost.width = cost
            .width
            .max(bucket.output.len() + bucket.eliminated.len());
        cost.operations += bucket.joint.exp2();
        cost.largest_table = cost.largest_table.max(message);
        cost.memory_kept += bytes;
        alive += bytes;
        cost.memory = cost.memory.max(alive);
        sizes.push(bytes);
        let used = bucket.inputs.iter();
        let used = used.filter_map(|&id| (id as usize).checked_sub(first));
        alive -= used.map(|message| sizes[message]).sum::<f64>();
    }
    cost.memory = cost.memory.max(alive);
    cost
}

/// Returns the predicted number of entries of the message of `bucket`, and the predicted size of the message in bytes.
fn message(graph: &FactorGraph, bucket: &Bucket, budget: usize) -> (f64, f64) {
    let dense = entries(graph, &bucket.output);
    let (entries, width) = match MessageLayout::choose(dense, bucket.joint, budget) {
        MessageLayout::Dense => (dense, 8),
        MessageLayout::Sparse => (dense.min(bucket.joint.exp2()), 8 + 4 * bucket.output.len()),
    };
    (entries, entries * width as f64)
}

pub(super) fn entries(graph: &FactorGraph, variables: &[VarId]) -> f64 {
    variables
        .iter()
        .map(|&v| graph.cardinality(v) as f64)
        .product()
}

/// Predicted memory of an elimination plan in bytes (256 MB) up to which the plan is accepted without a query of the available memory.
const UNCHECKED_BYTES: f64 = 2.56e8;

/// Maximum number of memory words that the search for an elimination order may read, for each operation that the limit on work allows.
const ORDER_WORK: f64 = 0.1;
const LEAST_ORDER_WORK: u64 = 1_000_000;

/// Least limit on the number of partial assignments that an elimination may visit.
const LEAST_ASSIGNMENTS: f64 = 4e6;

impl Limits {
    /// Returns the number of partial assignments that an elimination with `operations` predicted operations may visit.
    pub(super) fn assignment_budget(&self, operations: f64) -> usize {
        let assignments = (self.assignment_ratio * operations).max(LEAST_ASSIGNMENTS);
        assignments.min(self.most_assignments) as usize
    }

    /// Returns the maximum number of memory words that the search for an elimination order reads.
    ///
    /// A small limit on the operations of an elimination lowers the maximum work of the search for its order, because costly plans are refused
    /// anyway.
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
