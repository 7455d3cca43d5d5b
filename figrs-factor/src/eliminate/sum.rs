//! Marginals, and the probability of evidence, as sums of products.

use crate::graph::is_wide;
use crate::graph::{FactorGraph, VarId, Weights};
use crate::limits::Limits;

use super::error::EliminationError;
use super::{EliminationResult, PlanCost, eliminate};
use crate::algebra::{LogSumProduct, NumberForm, Semiring, SumProduct};

/// A distribution over some variables, and the total weight before the normalisation.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginalTable {
    /// The natural logarithm of the sum of the weights of all assignments; minus infinity if and only if no assignment has a positive weight.
    pub log_total: f64,
    /// The probability of each assignment of the variables `keep`, row-major in their order; all probabilities are zero if the total weight
    /// is zero.
    pub probabilities: Vec<f64>,
}

/// For each assignment of the variables `keep`, sums the weights of all assignments that agree with it.
///
/// **Guarantee.** The result is exact up to rounding for weights of any magnitude. If ordinary numbers overflow or underflow, the sum is
/// repeated with logarithms. A sum is zero only because of zeros of the factors, never because of underflow.
///
/// **Complexity.** Time and memory are exponential in the width of the elimination order; zeros of the factors reduce both.
/// [`super::plan_cost`] predicts time and memory.
///
/// **Errors.** Returns an error if the plan exceeds a limit, or if the factors are malformed.
///
/// **References.** Dechter, *Bucket elimination: a unifying framework for reasoning*, Artificial Intelligence 113, 1999.
pub fn sum_product(
    graph: &FactorGraph,
    keep: &[VarId],
    limits: &Limits,
) -> Result<MarginalTable, EliminationError> {
    let found = sums(graph, keep, limits)?;
    let (probabilities, log_total) = found.form.normalised(found.values);
    Ok(MarginalTable {
        log_total: log_total + found.log_scale,
        probabilities,
    })
}

/// Returns the natural logarithm of the sum for each assignment of the variables `keep`, and the predicted cost. The ratio of two sums may exceed the
/// range of `f64`. Error conditions and complexity are the same as for [`sum_product`].
pub fn log_sums(
    graph: &FactorGraph,
    keep: &[VarId],
    limits: &Limits,
) -> Result<(Vec<f64>, PlanCost), EliminationError> {
    let found = sums(graph, keep, limits)?;
    let log = |&value: &f64| found.form.log(value) + found.log_scale;
    Ok((found.values.iter().map(log).collect(), found.cost))
}

/// Returns the probability of each assignment of the variables `keep` as a list of weights, and the predicted cost of the elimination. Error
/// conditions and complexity are the same as for [`sum_product`].
pub fn share_weights(
    graph: &FactorGraph,
    keep: &[VarId],
    limits: &Limits,
) -> Result<(Weights, PlanCost), EliminationError> {
    let found = sums(graph, keep, limits)?;
    let Sums {
        values, form, cost, ..
    } = found;
    let logs: Vec<f64> = values.iter().map(|&value| form.log(value)).collect();
    let (shares, log_total) = form.normalised(values);
    let is_held = |(share, log): (&f64, &f64)| share.is_normal() || *log == f64::NEG_INFINITY;
    if form == NumberForm::Scaled && shares.iter().zip(&logs).all(is_held) {
        return Ok((Weights::from_linear(shares), cost));
    }
    let logs = logs.iter().map(|log| log - log_total);
    Ok((Weights::from_logs(logs.collect()), cost))
}

/// The values of an elimination with their common scale, in scaled numbers or in logarithms.
struct Sums {
    values: Vec<f64>,
    form: NumberForm,
    log_scale: f64,
    cost: PlanCost,
}

impl Sums {
    fn new<S: Semiring<Value = f64>>(
        found: EliminationResult<S>,
        form: NumberForm,
    ) -> Option<Self> {
        (!found.lost).then_some(Self {
            values: found.values,
            form,
            log_scale: found.log_scale,
            cost: found.cost,
        })
    }
}

fn sums(graph: &FactorGraph, keep: &[VarId], limits: &Limits) -> Result<Sums, EliminationError> {
    let scaled = || {
        let found = eliminate::<SumProduct>(graph, keep, limits)?;
        Ok(Sums::new(found, NumberForm::Scaled))
    };
    let logs = || {
        let found = eliminate::<LogSumProduct>(graph, keep, limits)?;
        Ok(Sums::new(found, NumberForm::Logs))
    };
    scaled_or_logs(graph, scaled, logs)
}

/// Runs the computation `scaled` in scaled numbers, or if necessary `logs` in logarithms. `logs` runs if a weight of the graph is out of the range of
/// scaled numbers, or if `scaled` returns `None` because a number overflowed or underflowed.
///
/// **Errors.** The errors of `scaled` and `logs`; [`EliminationError::Impossible`] if `logs` returns `None`.
pub(super) fn scaled_or_logs<R>(
    graph: &FactorGraph,
    scaled: impl FnOnce() -> Result<Option<R>, EliminationError>,
    logs: impl FnOnce() -> Result<Option<R>, EliminationError>,
) -> Result<R, EliminationError> {
    if !graph.factors.iter().any(is_wide)
        && let Some(found) = scaled()?
    {
        return Ok(found);
    }
    logs()?.ok_or(EliminationError::Impossible)
}
