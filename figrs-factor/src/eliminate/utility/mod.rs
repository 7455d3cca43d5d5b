//! Elimination of an influence diagram: chance variables are summed out, decisions are maximised, utilities stay a sum of tables.
//!
//! | file | what it holds |
//! |---|---|
//! | `planned_table` | scopes of the tables, with the variables of which a table is the distribution |
//! | `plan` | the steps in the order that the stages impose, and their cost |
//! | `run` | execution of the steps |
//! | `rule` | decision rules as tables |

mod plan;
mod planned_table;
mod rule;
mod run;

use crate::graph::{FactorGraph, VarId};

pub use rule::DecisionRule;

use super::error::EliminationError;
use super::options::Options;
use super::sum::scaled_or_logs;
use crate::algebra::{LogSumProduct, MeanWeights, SumProduct};
use plan::UtilityPlan;
use run::UtilityRun;

/// A utility: a number for each value of a variable.
#[derive(Clone, Debug)]
pub struct UtilityTable {
    /// The variable on which the utility depends.
    pub variable: VarId,
    /// The utility of each value.
    pub utilities: Vec<f64>,
}

/// A stage of the order that information imposes; the last stage is listed first.
#[derive(Clone, Debug)]
pub enum EliminationStage {
    /// Variables that are summed out, in any order.
    Sum(Vec<VarId>),
    /// A decision that is made when all variables of later stages are known.
    Choose(VarId),
}

/// The factors of an influence diagram and its utilities.
#[derive(Clone, Copy, Debug)]
pub struct UtilityGraph<'g> {
    /// The factors; a factor of a decision alone, which lists its options, is ignored where the decision is chosen.
    pub graph: &'g FactorGraph,
    /// The utilities, which add up.
    pub utilities: &'g [UtilityTable],
}

/// The weight and the expected utility of each assignment of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedUtilities {
    /// Weights up to a common factor; the largest is about one.
    pub weights: Vec<f64>,
    /// Expected sums of all utilities; zero where there is no weight.
    pub means: Vec<f64>,
}

/// The rules, one for each decision in the order of the stages, that maximise the expected sum of the utilities.
///
/// Options whose expected utilities differ by at most `tie` are equally good; the first of the best ones is chosen.
///
/// **Guarantee.** Exact up to rounding, if the probabilities of the variables of a stage do not depend on decisions of the same
/// or earlier stages of the list (those that are made later).
///
/// **Complexity.** Exponential in the width of the best order of this kind (the width of a strong junction tree), without what zeros
/// save. Utilities are joined where a decision influences several of them, and nowhere else.
///
/// **Errors.** When the plan does not fit the budget, and when factors are malformed.
///
/// **References.** Jensen, Jensen and Dittmer (1994), "From influence diagrams to junction trees"; Dechter (2000), "A new perspective on algorithms
/// for optimizing policies under uncertainty".
pub fn best_rules(
    diagram: UtilityGraph<'_>,
    stages: &[EliminationStage],
    tie: f64,
    options: &Options,
) -> Result<Vec<DecisionRule>, EliminationError> {
    let plan = UtilityPlan::new(diagram, stages, &[], options)?;
    scaled_or_logs(
        diagram.graph,
        || rules::<SumProduct>(diagram, &plan, tie, options),
        || rules::<LogSumProduct>(diagram, &plan, tie, options),
    )
}

/// The weight and the expected sum of the utilities for each assignment of the variables `keep`, row-major in their order, where
/// no decision is left open.
///
/// **Errors.** As [`best_rules`].
pub fn expected_utilities(
    diagram: UtilityGraph<'_>,
    keep: &[VarId],
    options: &Options,
) -> Result<ExpectedUtilities, EliminationError> {
    let all = (0..diagram.graph.cardinalities.len() as u32).map(VarId);
    let summed = all.filter(|v| !keep.contains(v)).collect();
    let plan = UtilityPlan::new(diagram, &[EliminationStage::Sum(summed)], keep, options)?;
    scaled_or_logs(
        diagram.graph,
        || table::<SumProduct>(diagram, &plan, keep, options),
        || table::<LogSumProduct>(diagram, &plan, keep, options),
    )
}

/// Returns `None` if a number was lost.
fn rules<S: MeanWeights>(
    diagram: UtilityGraph<'_>,
    plan: &UtilityPlan,
    tie: f64,
    options: &Options,
) -> Result<Option<Vec<DecisionRule>>, EliminationError> {
    let mut run = UtilityRun::<S>::new(diagram, plan, options);
    run.steps(tie)?;
    Ok((!run.lost()).then_some(run.rules))
}

/// Returns `None` if a number was lost.
fn table<S: MeanWeights>(
    diagram: UtilityGraph<'_>,
    plan: &UtilityPlan,
    keep: &[VarId],
    options: &Options,
) -> Result<Option<ExpectedUtilities>, EliminationError> {
    let mut run = UtilityRun::<S>::new(diagram, plan, options);
    run.steps(0.0)?;
    let found = run.table(keep)?;
    Ok((!run.lost()).then_some(found))
}
