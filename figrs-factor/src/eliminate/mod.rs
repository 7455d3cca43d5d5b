//! Bucket elimination of a factor graph, in any commutative semiring.
//!
//! | file | content |
//! |---|---|
//! | `error` | errors, validation of the input |
//! | `prune`, `plan`, `memory` | the plan: buckets with their inputs and costs |
//! | `execute` | the elimination in numbers: tables and messages, bucket after bucket |
//! | `variable_order`, `compile` | one bucket: the order of its variables, compiled to steps |
//! | `prepare` | tables of semiring values, with sorted rows |
//! | `join`, `batch`, `steps` | one bucket: execution of the steps |
//! | `mpe`, `marginal_map` | the most probable assignment of all variables, or of some |
//! | `utility` | decisions that maximise an expected utility |
//! | `project` | other uses of the join: bounds, and lists of assignments |

mod batch;
mod compile;
pub mod error;
mod execute;
mod join;
mod marginal_map;
mod memory;
mod mpe;
mod plan;
mod prepare;
mod project;
mod prune;
mod steps;
mod utility;
mod variable_order;

use crate::graph::{FactorGraph, VarId};

use crate::algebra::Semiring;
use crate::limits::Limits;

pub use crate::limits::{BarrenFactors, Order};
pub use error::{EliminationError, validate};
pub use execute::{MarginalTable, log_sums, share_weights, sum_product};
pub use marginal_map::{MarginalMapCost, marginal_map, marginal_map_cost};
pub use memory::{available_bytes, readable};
pub use mpe::{log_weight, most_probable};
pub use plan::{Keep, MessageLayout, Plan, PlanCost, as_if_dense, predicted_cost};
pub use prune::without_barren;
pub use utility::{
    DecisionRule, EliminationStage, ExpectedUtilities, UtilityGraph, UtilityTable, best_rules,
    expected_utilities,
};

pub(crate) use prepare::{EliminationTable, Entries};
pub(crate) use project::{AssignmentLimits, Projection, Projector, assignments};

use execute::EliminationRun;

/// Result of an elimination of all variables that are not in `keep`.
#[derive(Clone, Debug, PartialEq)]
pub struct EliminationResult<S: Semiring> {
    /// The sum of the products for each assignment of the variables `keep`, row-major in their order.
    pub values: Vec<S::Value>,
    /// The natural logarithm of the number by which all sums must be multiplied; zero except for [`SumProduct`](crate::algebra::SumProduct).
    pub log_scale: f64,
    /// `true` if a number overflowed or underflowed; the computed sums are then unreliable.
    pub lost: bool,
    /// The cost of the elimination that its plan predicts.
    pub cost: PlanCost,
}

/// Multiplies all factors and sums out every variable that is not in `keep`.
///
/// **Guarantee.** For any elimination order, the result is the sum of products of the factors in the semiring `S`, up to rounding. The sum for an
/// assignment of the variables `keep` is over all complete assignments that agree with this assignment. The result is deterministic.
///
/// **Complexity.** The time is proportional to the number of operations that [`PlanCost`] predicts, times the number of tables in a bucket; see
/// [`plan_cost`]. The memory holds only the messages that a later bucket still needs. The call stack of the elimination does not grow with the model.
///
/// **Errors.** Returns an error if the plan exceeds a limit (before memory is allocated), if a sparse message exceeds a limit, or
/// if the factors or `keep` are malformed.
///
/// **References.** Dechter, *Bucket elimination: a unifying framework for reasoning*, Artificial Intelligence 113, 1999;
/// Aji and McEliece, *The generalized distributive law*, IEEE Transactions on Information Theory 46(2), 2000.
pub fn eliminate<S: Semiring>(
    graph: &FactorGraph,
    keep: &[VarId],
    limits: &Limits,
) -> Result<EliminationResult<S>, EliminationError> {
    let plan = Plan::new(graph, keep, limits, S::SUMS_TO_ONE)?.within(limits, Keep::Nothing)?;
    EliminationRun::<S>::new(graph, &plan, limits, Keep::Nothing)?.answer(keep)
}

/// Predicts the cost of [`eliminate`] without running it, even if the cost exceeds a limit.
///
/// **Errors.** Returns an error if the factors or the variables `keep` are malformed.
pub fn plan_cost<S: Semiring>(
    graph: &FactorGraph,
    keep: &[VarId],
    limits: &Limits,
) -> Result<PlanCost, EliminationError> {
    Ok(Plan::new(graph, keep, limits, S::SUMS_TO_ONE)?.cost)
}
