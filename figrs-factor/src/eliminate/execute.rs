//! Execution of an elimination plan: computes the message of one bucket after another.

use crate::graph::{FactorGraph, VarId};
use crate::limits::{Limits, MemoryAccount};

use super::EliminationResult;
use super::error::EliminationError;
use super::join::{JoinScratch, contract};
use super::plan::{Keep, MessageLayout, Plan};
use super::prepare::Domain;
use super::table::{EliminationTable, Message, inputs};
use crate::algebra::Semiring;
use crate::order::symbolic_elimination::Bucket;

pub(super) struct EliminationRun<'a, S: Semiring> {
    graph: &'a FactorGraph,
    plan: &'a Plan,
    /// The message of each bucket; `None` for a message without variables, and for a message that was dropped after its use.
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
        let tables = inputs(
            self.graph,
            &self.messages,
            left,
            EliminationTable::of_factor,
        );
        let layout = MessageLayout::Dense;
        let mut table = contract(
            tables,
            &domain,
            keep,
            layout,
            self.limits,
            self.memory,
            &mut self.scratch,
        )?;
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

    /// Returns the tables that a bucket multiplies, restricted to the entries that agree with the fixed values `values`.
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
        let tables = inputs(
            self.graph,
            &self.messages,
            &bucket.inputs,
            EliminationTable::of_factor,
        );
        let layout = MessageLayout::of(self.graph, bucket, self.limits.table_entries);
        let output = &bucket.output;
        let mut message = contract(
            tables,
            &domain,
            output,
            layout,
            self.limits,
            self.memory,
            &mut self.scratch,
        )?;
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
