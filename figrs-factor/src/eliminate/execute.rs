//! Execution of an elimination plan: computes the message of one bucket after another, and from them marginals and the probability of evidence.

use super::error::EliminationError;
use super::join::{JoinScratch, contract};
use super::plan::{Keep, MessageLayout, Plan};
use super::prepare::{Domain, EliminationTable, Message, inputs};
use super::{EliminationResult, PlanCost, eliminate};
use crate::algebra::{LogSumProduct, NumberForm, Semiring, SumProduct};
use crate::graph::{FactorGraph, VarId, Weights, is_wide};
use crate::limits::{Limits, MemoryAccount};
use crate::order::symbolic_elimination::Bucket;

pub(super) struct EliminationRun<'a, S: Semiring> {
    graph: &'a FactorGraph,
    plan: &'a Plan,
    /// The message (result table) of each bucket of the elimination; `None` for a message without variables, and for a message that was dropped after
    /// its use.
    messages: Vec<Option<Message<S>>>,
    /// The product of all messages and factors without variables.
    pub(super) scalar: S::Value,
    pub(super) log_scale: f64,
    limits: &'a Limits,
    /// Memory of the messages that are stored.
    memory: MemoryAccount,
    scratch: JoinScratch<S::Value>,
}

impl<'a, S: Semiring> EliminationRun<'a, S> {
    pub(super) fn new(
        graph: &'a FactorGraph,
        plan: &'a Plan,
        limits: &'a Limits,
        keep: Keep,
    ) -> Result<Self, EliminationError> {
        let mut run = Self {
            graph,
            plan,
            messages: Vec::with_capacity(plan.buckets.len()),
            scalar: S::one(),
            log_scale: 0.0,
            limits,
            memory: MemoryAccount::default(),
            scratch: JoinScratch::new(limits.until.clone())
                .with_assignment_limit(limits.assignment_budget(plan.cost.operations)),
        };
        let live = graph.factors.iter().zip(&plan.live);
        for (factor, _) in live.filter(|(_, live)| **live) {
            if let Some(weights) = factor.table.weights() {
                run.log_scale += S::scale(weights);
                if factor.variables.is_empty() {
                    run.multiply(if weights.is_empty() {
                        S::zero()
                    } else {
                        S::lift(weights, 0)
                    });
                }
            }
        }
        if let Some(constant) = &plan.constant {
            run.log_scale += S::scale(constant);
            run.multiply(S::lift(constant, 0));
        }
        for &v in &plan.free {
            run.multiply(S::repeated(graph.cardinality(v)));
        }
        for bucket in &plan.buckets {
            limits.check_interrupt()?;
            run.bucket(bucket, keep)?;
        }
        Ok(run)
    }

    pub(super) fn lost(&self) -> bool {
        self.scratch.lost
    }

    /// Returns the product of all tables that remain after the elimination, over the variables `keep` in the given order.
    pub(super) fn answer(
        mut self,
        keep: &[VarId],
    ) -> Result<EliminationResult<S>, EliminationError> {
        let domain = Domain::new(self.graph, keep.to_vec());
        let left = &self.plan.remaining_tables;
        let mut table = self.product(left, &domain, keep, MessageLayout::Dense)?;
        let values = table.values_mut();
        let lost = &mut self.scratch.lost;
        for value in &mut *values {
            let product = S::mul(value, &self.scalar);
            *lost |= S::is_out_of_range(value, &self.scalar, &product);
            *value = product;
        }
        self.log_scale += S::normalise(values, lost);
        Ok(EliminationResult {
            values: table.into_values(),
            log_scale: self.log_scale,
            lost: *lost,
            cost: self.plan.cost,
        })
    }

    /// Returns the product of the tables `ids`, summed over all variables except `output`.
    fn product(
        &mut self,
        ids: &[u32],
        domain: &Domain,
        output: &[VarId],
        layout: MessageLayout,
    ) -> Result<Message<S>, EliminationError> {
        let (limits, memory) = (self.limits, self.memory);
        let tables = inputs(self.graph, &self.messages, ids, EliminationTable::of_factor);
        contract(
            tables,
            domain,
            output,
            layout,
            limits,
            memory,
            &mut self.scratch,
        )
    }

    /// Returns the tables that are multiplied in a bucket, restricted to the entries that agree with the fixed values `values`.
    pub(super) fn parts(
        &self,
        ids: &[u32],
        values: &[Option<u32>],
    ) -> Vec<EliminationTable<'_, S>> {
        inputs(self.graph, &self.messages, ids, |factor| {
            EliminationTable::of_part(factor, self.graph, values)
        })
    }

    fn bucket(&mut self, bucket: &Bucket, keep: Keep) -> Result<(), EliminationError> {
        let domain = Domain::of_bucket(self.graph, bucket);
        let layout = MessageLayout::of(self.graph, bucket, self.limits.table_entries);
        let output = &bucket.output;
        let mut message = self.product(&bucket.inputs, &domain, output, layout)?;
        let values = message.values_mut();
        self.log_scale += S::normalise(values, &mut self.scratch.lost);
        if keep == Keep::Nothing {
            let earlier = bucket
                .inputs
                .iter()
                .filter_map(|&id| (id as usize).checked_sub(self.graph.factors.len()));
            for message in earlier {
                let used = self.messages[message].take();
                (self.memory).release(used.map_or(0, |message| message.bytes()));
            }
        }
        if output.is_empty() && layout == MessageLayout::Dense {
            self.multiply(message.values()[0].clone());
            self.messages.push(None);
        } else {
            message.compact(self.graph);
            self.memory.add(message.bytes());
            self.messages.push(Some(message));
        }
        Ok(())
    }

    fn multiply(&mut self, value: S::Value) {
        let mut product = [S::mul(&self.scalar, &value)];
        let lost = &mut self.scratch.lost;
        *lost |= S::is_out_of_range(&self.scalar, &value, &product[0]);
        self.log_scale += S::normalise(&mut product, lost);
        [self.scalar] = product;
    }
}

/// A distribution over some variables, and the total weight before the normalisation.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginalTable {
    /// The natural logarithm of the total weight (the sum of the weights of all assignments); minus infinity if and only if no assignment has a
    /// positive weight.
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

/// Returns the natural logarithm of the sum of weights for each assignment of the variables `keep`, and the predicted cost. The sums are returned as
/// logarithms because the ratio of two sums may exceed the range of `f64`. Error conditions and complexity are the same as for [`sum_product`].
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

/// The resulting numbers of an elimination with the scale that divides all of them, in scaled numbers or in logarithms.
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

/// Runs the closure `scaled`, which computes in scaled numbers; if necessary, runs the closure `logs`, which computes in logarithms. `logs` runs if a
/// weight of the graph is out of the range of scaled numbers, or if `scaled` returns `None` because a number overflowed or underflowed.
///
/// **Errors.** The errors of the closures `scaled` and `logs`; [`EliminationError::Impossible`] if `logs` returns `None`.
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
