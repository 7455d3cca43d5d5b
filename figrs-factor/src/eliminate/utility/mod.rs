//! Elimination of an influence diagram: chance variables are summed out and decisions are maximised, while the utility remains a sum of tables.
//!
//! | file | content |
//! |---|---|
//! | `planned_table` | scopes of the tables, and the child variables of conditional distributions |
//! | `plan` | the steps in the order that the stages impose, and their cost |
//! | `run` | execution of the steps |
//! | `rule` | decision rules as tables |

mod plan;
mod planned_table;
mod rule;
mod run;

use crate::graph::{FactorGraph, VarId};
use crate::limits::Limits;

pub use rule::DecisionRule;

use super::error::EliminationError;
use super::execute::scaled_or_logs;
use crate::algebra::{LogSumProduct, MeanWeights, SumProduct};
use plan::UtilityPlan;
use run::UtilityRun;

/// A utility of an influence diagram: a number for each value of one variable.
#[derive(Clone, Debug)]
pub struct UtilityTable {
    /// The variable on which the utility depends.
    pub variable: VarId,
    /// The utility of each value of the variable.
    pub utilities: Vec<f64>,
}

/// A stage of the elimination order of an influence diagram.
///
/// The variables that are known at each decision determine the stages; the list of stages begins with the stage of the latest decision.
#[derive(Clone, Debug)]
pub enum EliminationStage {
    /// In this stage of the elimination, chance variables are summed out, in any order.
    Sum(Vec<VarId>),
    /// In this stage of the elimination, the expected utility is maximised over a decision. The variables of all later stages in the list are known
    /// when the decision of this stage is made.
    Choose(VarId),
}

/// The factors of an influence diagram and its utilities.
#[derive(Clone, Copy, Debug)]
pub struct UtilityGraph<'g> {
    /// The factors of the influence diagram. A factor that only states which options a decision has is ignored when the expected utility is maximised
    /// over the decision.
    pub graph: &'g FactorGraph,
    /// The utilities, whose sum is maximised.
    pub utilities: &'g [UtilityTable],
}

/// The total weight and the expected utility of each assignment of some variables of an influence diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedUtilities {
    /// The weights, divided by a common factor that makes the largest weight about one.
    pub weights: Vec<f64>,
    /// The expected sum of all utilities given each assignment; zero if the weight of the assignment is zero.
    pub means: Vec<f64>,
}

/// Returns the decision rules that maximise the expected sum of the utilities, one for each decision, in the order of the stages.
///
/// Of the options whose expected utilities are at most `tie` below the best expected utility, the decision rule chooses the first.
///
/// **Guarantee.** The decision rules are exact up to rounding if no variable of a stage has probabilities that depend on decisions of the same stage
/// or of stages that come earlier in the list.
///
/// **Complexity.** The cost is exponential in the width of the best elimination order that respects the stages (the width of a strong junction tree);
/// zeros reduce the cost. Utility tables are joined only if the same decision influences all of them.
///
/// **Errors.** Returns an error if the plan exceeds a limit, or if factors are malformed.
///
/// **References.** Jensen, Jensen and Dittmer (1994), "From influence diagrams to junction trees"; Dechter (2000), "A new perspective on algorithms
/// for optimizing policies under uncertainty".
pub fn best_rules(
    diagram: UtilityGraph<'_>,
    stages: &[EliminationStage],
    tie: f64,
    limits: &Limits,
) -> Result<Vec<DecisionRule>, EliminationError> {
    let plan = UtilityPlan::new(diagram, stages, &[], limits)?;
    scaled_or_logs(
        diagram.graph,
        || rules::<SumProduct>(diagram, &plan, tie, limits),
        || rules::<LogSumProduct>(diagram, &plan, tie, limits),
    )
}

/// Returns the total weight and the expected sum of the utilities for each assignment of the variables `keep`, row-major in their order. All
/// variables that are not in `keep` are summed out; each decision among these variables needs a factor with its decision rule.
///
/// **Errors.** The errors of [`best_rules`], under the same conditions.
pub fn expected_utilities(
    diagram: UtilityGraph<'_>,
    keep: &[VarId],
    limits: &Limits,
) -> Result<ExpectedUtilities, EliminationError> {
    let all = (0..diagram.graph.cardinalities.len() as u32).map(VarId);
    let summed = all.filter(|v| !keep.contains(v)).collect();
    let plan = UtilityPlan::new(diagram, &[EliminationStage::Sum(summed)], keep, limits)?;
    scaled_or_logs(
        diagram.graph,
        || table::<SumProduct>(diagram, &plan, keep, limits),
        || table::<LogSumProduct>(diagram, &plan, keep, limits),
    )
}

/// Computes the decision rules in the semiring `S`; `None` if a number overflowed or underflowed.
fn rules<S: MeanWeights>(
    diagram: UtilityGraph<'_>,
    plan: &UtilityPlan,
    tie: f64,
    limits: &Limits,
) -> Result<Option<Vec<DecisionRule>>, EliminationError> {
    let mut run = UtilityRun::<S>::new(diagram, plan, limits);
    run.steps(tie)?;
    Ok((!run.lost()).then_some(run.rules))
}

/// Computes the expected utilities in the semiring `S`; `None` if a number overflowed or underflowed.
fn table<S: MeanWeights>(
    diagram: UtilityGraph<'_>,
    plan: &UtilityPlan,
    keep: &[VarId],
    limits: &Limits,
) -> Result<Option<ExpectedUtilities>, EliminationError> {
    let mut run = UtilityRun::<S>::new(diagram, plan, limits);
    run.steps(0.0)?;
    let found = run.table(keep)?;
    Ok((!run.lost()).then_some(found))
}
