//! The most probable assignment (MPE) by bucket elimination.

use crate::graph::{Assignments, FactorGraph, log_entry};
use crate::limits::Limits;

use super::error::EliminationError;
use super::execute::EliminationRun;
use super::join::{BestSink, JoinScratch, join};
use super::plan::{Keep, Plan};
use super::prepare::Domain;
use crate::algebra::{MaxProduct, Semiring};

/// Returns an assignment of all variables with the largest weight, and the natural logarithm of that weight.
///
/// **Guarantee.** The result is exact up to rounding. In the reverse of the elimination order, each variable takes the first of the values with the
/// largest weight, given the values of the variables chosen before. A variable that occurs in no factor takes its first value.
///
/// **Complexity.** The complexity is that of [`super::sum_product`], but no factor is pruned, and all messages are stored until the end. The limit on
/// table entries applies to the largest message, not to the sum of all messages.
///
/// **Errors.** [`EliminationError::Impossible`] if no assignment has a positive weight; all errors of [`super::sum_product`].
///
/// **References.** Dechter, *Bucket elimination: a unifying framework for reasoning*, Artificial Intelligence 113, 1999,
/// section 5.
pub fn most_probable(
    graph: &FactorGraph,
    limits: &Limits,
) -> Result<(Vec<u32>, f64), EliminationError> {
    let plan = Plan::new(graph, &[], limits, MaxProduct::SUMS_TO_ONE)?;
    let plan = plan.within(limits, Keep::Messages)?;
    let run = EliminationRun::<MaxProduct>::new(graph, &plan, limits, Keep::Messages)?;
    if MaxProduct::is_zero(&run.scalar) {
        return Err(EliminationError::Impossible);
    }
    let mut values: Vec<Option<u32>> = vec![None; graph.cardinalities.len()];
    let mut scratch = JoinScratch::new(limits.until.clone());
    for bucket in plan.buckets.iter().rev() {
        let mut domain = Domain::of_bucket(graph, bucket);
        for (pin, v) in domain.pins.iter_mut().zip(&domain.variables) {
            *pin = values[v.index()];
        }
        let tables = run.parts(&bucket.inputs, &values);
        let mut sink = BestSink::default();
        let eliminated = &bucket.eliminated;
        join(tables, &domain, eliminated, &mut sink, &mut scratch)?;
        let Some((_, number)) = sink.best else {
            return Err(EliminationError::Impossible);
        };
        let all = Assignments::rows(eliminated.iter().map(|&v| graph.cardinality(v)));
        for (v, value) in eliminated.iter().zip(all.values(number)) {
            values[v.index()] = Some(value);
        }
    }
    let values: Vec<u32> = values.into_iter().map(Option::unwrap_or_default).collect();
    let log_weight = log_weight(graph, &values);
    Ok((values, log_weight))
}

/// Returns the natural logarithm of the weight of an assignment: the sum of the logarithms of the factors' entries, in the order of the
/// factors.
///
/// `values` has the index of a value for each variable of the graph.
pub fn log_weight(graph: &FactorGraph, values: &[u32]) -> f64 {
    graph
        .factors
        .iter()
        .map(|factor| log_entry(graph, factor, values))
        .sum()
}
