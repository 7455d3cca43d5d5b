//! Marginals and the probability of evidence.

use crate::graph::is_wide;
use crate::graph::{FactorGraph, VarId, Weights};

use super::error::EliminationError;
use super::options::Options;
use super::{EliminationResult, PlanCost, eliminate};
use crate::algebra::{LogSumProduct, SumProduct};

/// A distribution over some variables, and the total by which it was normalised.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginalTable {
    /// The natural logarithm of the sum of the weights of all assignments; minus infinity if and only if no assignment has weight.
    pub log_total: f64,
    /// The share of each assignment of the kept variables, row-major in their order; all zero if the total is zero.
    pub probabilities: Vec<f64>,
}

/// Sums the weights of all assignments, for each assignment of the variables `keep`.
///
/// **Guarantee.** Exact up to rounding for weights of any magnitude: where ordinary numbers do not suffice, the sum is
/// repeated with logarithms. A total is zero because of zeros of the factors, never because of underflow.
///
/// **Complexity.** Time and memory are exponential in the width of the elimination order, without what zeros save;
/// [`super::plan_cost`] predicts both.
///
/// **Errors.** When the plan does not fit the budget, or the factors are malformed.
///
/// **References.** Dechter, *Bucket elimination: a unifying framework for reasoning*, Artificial Intelligence 113, 1999.
pub fn sum_product(
    graph: &FactorGraph,
    keep: &[VarId],
    options: &Options,
) -> Result<MarginalTable, EliminationError> {
    Ok(match sums(graph, keep, options)? {
        SumResult::Linear(outcome) => of_linear(outcome),
        SumResult::Logarithmic(outcome) => of_logs(&outcome.values),
    })
}

/// The natural logarithm of the sum for each assignment of the variables `keep`, however far apart they are, and the
/// predicted cost; otherwise as [`sum_product`].
pub fn log_sums(
    graph: &FactorGraph,
    keep: &[VarId],
    options: &Options,
) -> Result<(Vec<f64>, PlanCost), EliminationError> {
    Ok(match sums(graph, keep, options)? {
        SumResult::Linear(outcome) => {
            let log = |value: &f64| value.ln() + outcome.log_scale;
            (outcome.values.iter().map(log).collect(), outcome.cost)
        }
        SumResult::Logarithmic(outcome) => (outcome.values, outcome.cost),
    })
}

/// The share of each assignment of the variables `keep` in the total, as weights; otherwise as [`sum_product`].
pub fn share_weights(
    graph: &FactorGraph,
    keep: &[VarId],
    options: &Options,
) -> Result<Weights, EliminationError> {
    let logs = match sums(graph, keep, options)? {
        SumResult::Linear(outcome) => {
            let mut linear = outcome.values;
            let is_zero: Vec<bool> = linear.iter().map(|&x| x == 0.0).collect();
            let logs: Vec<f64> = linear.iter().map(|x| x.ln()).collect();
            normalise(&mut linear);
            let is_held = |(x, is_zero): (&f64, &bool)| x.is_normal() || *is_zero;
            if linear.iter().zip(&is_zero).all(is_held) {
                return Ok(Weights::from_linear(linear));
            }
            logs
        }
        SumResult::Logarithmic(outcome) => outcome.values,
    };
    let log_total = of_logs(&logs).log_total;
    let logs = logs.iter().map(|log| log - log_total);
    Ok(Weights::from_logs(logs.collect()))
}

/// Result of a sum, in ordinary numbers where they suffice.
enum SumResult {
    Linear(EliminationResult<SumProduct>),
    Logarithmic(EliminationResult<LogSumProduct>),
}

fn sums(
    graph: &FactorGraph,
    keep: &[VarId],
    options: &Options,
) -> Result<SumResult, EliminationError> {
    if !graph.factors.iter().any(is_wide) {
        let outcome = eliminate::<SumProduct>(graph, keep, options)?;
        if !outcome.lost {
            return Ok(SumResult::Linear(outcome));
        }
    }
    Ok(SumResult::Logarithmic(eliminate(graph, keep, options)?))
}

fn of_linear(outcome: EliminationResult<SumProduct>) -> MarginalTable {
    let mut probabilities = outcome.values;
    let total = normalise(&mut probabilities);
    MarginalTable {
        log_total: total.ln() + outcome.log_scale,
        probabilities,
    }
}

fn of_logs(logs: &[f64]) -> MarginalTable {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return MarginalTable {
            log_total: largest,
            probabilities: vec![0.0; logs.len()],
        };
    }
    let mut probabilities: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let total = normalise(&mut probabilities);
    MarginalTable {
        log_total: largest + total.ln(),
        probabilities,
    }
}

/// Divides the values by their sum, unless it is zero, and returns the sum.
fn normalise(values: &mut [f64]) -> f64 {
    let total: f64 = values.iter().sum();
    if total > 0.0 {
        for value in values {
            *value /= total;
        }
    }
    total
}
