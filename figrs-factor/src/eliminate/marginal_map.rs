//! Marginal MAP: the most probable assignment of some variables after all other variables are summed out.

use crate::limits::Limits;
use std::borrow::Cow;

use crate::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};

use super::error::EliminationError;
use super::execute::{EliminationRun, scaled_or_logs};
use super::mpe::most_probable;
use super::plan::{Keep, Plan, PlanCost};
use super::prepare::EliminationTable;
use crate::algebra::{LogSumProduct, Semiring, SumProduct};

/// Predicted cost of the two stages of [`marginal_map`], which are the summation and the maximisation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MarginalMapCost {
    /// Predicted cost of summing out all variables that are not in `keep`.
    pub sum: PlanCost,
    /// Predicted cost of maximising over the variables `keep`. The predicted memory of the maximisation includes the tables that remain after the
    /// summation.
    pub maximum: PlanCost,
}

impl MarginalMapCost {
    /// Returns an error if the summation or the maximisation exceeds a limit.
    pub fn within(&self, limits: &Limits) -> Result<(), EliminationError> {
        self.sum.within(limits, Keep::Nothing)?;
        self.maximum.within(limits, Keep::Messages)
    }
}

/// Finds the assignment of the variables `keep` with the largest total weight: the sum of the weights of all complete assignments that agree with it.
/// Returns the assignment and the natural logarithm of its total weight.
///
/// The marginal MAP algorithm first sums out all variables that are not in `keep`. The remaining tables contain only variables of `keep`, which the
/// algorithm then maximises one after another. The algorithm never multiplies the remaining tables to one table over all of `keep`.
///
/// **Guarantee.** The result is exact up to rounding for weights of any magnitude, as for [`super::sum_product`] and [`most_probable`].
///
/// **Complexity.** The algorithm runs two eliminations: a summation and a maximisation. Because all summations precede all maximisations, the cost is
/// exponential in the width of the best elimination order in which the summed variables come first (the constrained width). The constrained width may
/// be far larger than the width for the summation or the maximisation of all variables. [`marginal_map_cost`] predicts the cost.
///
/// **Errors.** [`EliminationError::Impossible`] if no assignment has a positive weight; other errors if the summation or the maximisation exceeds a
/// limit, or if the factors or `keep` are malformed.
///
/// **References.** Park and Darwiche, *Complexity results and approximation strategies for MAP explanations*, Journal of
/// Artificial Intelligence Research 21, 2004.
pub fn marginal_map(
    graph: &FactorGraph,
    keep: &[VarId],
    limits: &Limits,
) -> Result<(Vec<u32>, f64), EliminationError> {
    let (plan, maximum) = Plan::in_two_parts(graph, keep, limits, SumProduct::SUMS_TO_ONE)?;
    let plan = plan.within(limits, Keep::Nothing)?;
    maximum.within(limits, Keep::Messages)?;
    let (left, log_scale) = scaled_or_logs(
        graph,
        || remaining_factors::<SumProduct>(graph, &plan, limits, Weights::from_linear),
        || remaining_factors::<LogSumProduct>(graph, &plan, limits, Weights::from_logs),
    )?;
    let (values, log_weight) = most_probable(&left, limits)?;
    let values = keep.iter().map(|v| values[v.index()]).collect();
    Ok((values, log_weight + log_scale))
}

/// Predicts the cost of [`marginal_map`] without running it, even if the cost exceeds a limit.
///
/// **Errors.** Returns an error if the factors or the variables `keep` are malformed.
pub fn marginal_map_cost(
    graph: &FactorGraph,
    keep: &[VarId],
    limits: &Limits,
) -> Result<MarginalMapCost, EliminationError> {
    let (plan, maximum) = Plan::in_two_parts(graph, keep, limits, SumProduct::SUMS_TO_ONE)?;
    Ok(MarginalMapCost {
        sum: plan.cost,
        maximum,
    })
}

/// Sums out the variables that are not in `keep`, in the first stage of marginal MAP. Returns the factors that remain after the summation and the
/// natural logarithm of the common scale of their product. Returns `None` if a number overflowed or underflowed.
fn remaining_factors<S: Semiring<Value = f64>>(
    graph: &FactorGraph,
    plan: &Plan,
    limits: &Limits,
    weights: fn(Vec<f64>) -> Weights,
) -> Result<Option<(FactorGraph, f64)>, EliminationError> {
    let run = EliminationRun::<S>::new(graph, plan, limits, Keep::Nothing)?;
    if run.lost() {
        return Ok(None);
    }
    let tables = run.parts(
        &plan.remaining_tables,
        &vec![None; graph.cardinalities.len()],
    );
    let mut factors: Vec<Factor> = tables.into_iter().map(|t| factor(t, weights)).collect();
    factors.push(Factor {
        variables: Vec::new(),
        table: FactorTable::Dense(weights(vec![run.scalar])),
        normalised: false,
    });
    let left = FactorGraph {
        cardinalities: graph.cardinalities.clone(),
        factors,
    };
    Ok(Some((left, run.log_scale)))
}

fn factor<S: Semiring<Value = f64>>(
    table: EliminationTable<'_, S>,
    weights: fn(Vec<f64>) -> Weights,
) -> Factor {
    let weights = |values: Cow<'_, [f64]>| weights(values.into_owned());
    Factor {
        variables: table.scope.into_owned(),
        table: table.entries.map(Cow::into_owned, weights),
        normalised: false,
    }
}
