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

/// Predicted cost of the two stages of [`marginal_map`]: the sum and the maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MarginalMapCost {
    /// Cost of summing out all other variables.
    pub sum: PlanCost,
    /// Predicted cost of maximising over the variables `keep`; the memory includes the memory of the tables that remain after the sum.
    pub maximum: PlanCost,
}

impl MarginalMapCost {
    /// Returns an error if the sum or the maximum exceeds a limit.
    pub fn within(&self, limits: &Limits) -> Result<(), EliminationError> {
        self.sum.within(limits, Keep::Nothing)?;
        self.maximum.within(limits, Keep::Messages)
    }
}

/// Finds the assignment of the variables `keep` whose completions have the largest total weight. Returns the assignment of `keep` and the
/// natural logarithm of its total weight.
///
/// All variables that are not in `keep` are summed out first. The tables that remain after the sums contain only variables of `keep`, and
/// are maximised one variable after another. The tables over variables of `keep` are never multiplied to one table over all of `keep`.
///
/// **Guarantee.** Marginal MAP is exact up to rounding for weights of any magnitude, as are [`super::sum_product`] and [`most_probable`].
///
/// **Complexity.** Marginal MAP takes two eliminations: a sum and a maximum. Because all sums come before all maxima, the cost is
/// exponential in the width of the best elimination order with all sums first (the constrained width). The constrained width may be far
/// larger than the width of the sum or of the maximum alone; [`marginal_map_cost`] predicts the cost.
///
/// **Errors.** [`EliminationError::Impossible`] if no assignment has a positive weight; other errors if the sum or the maximum exceeds a
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

/// Predicts the cost of [`marginal_map`] without running it. The cost is predicted even if the plan exceeds a limit.
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

/// Sums out the variables that are not in `keep`; returns the remaining factors and the natural logarithm of the scale of their product.
/// Returns `None` if a number overflowed or underflowed.
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
