//! Execution of a plan: bucket after bucket.

use std::borrow::Cow;

use crate::graph::Assignments;
use crate::graph::{Factor, FactorGraph, FactorTable, VarId};

use super::domain::Domain;
use super::error::EliminationError;
use super::join::{JoinScratch, join};
use super::options::Options;
use super::plan::{MessageLayout, Plan, entries};
use super::sink::{DenseSink, SparseSink};
use super::table::{EliminationTable, Entries, Message};
use crate::algebra::Semiring;
use crate::order::symbolic_elimination::Bucket;

/// A dense message becomes sparse if it has fewer non-zeros than its size divided by this.
const SPARSE_BELOW: usize = 16;
/// Size up to which dense messages stay dense.
const FEW_ENTRIES: usize = 4096;

/// Treatment of messages after their use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageRetention {
    Drop,
    Keep,
}

/// The product of all factors with all variables except the kept ones summed out.
pub(super) struct ResultTable<S: Semiring> {
    pub(super) values: Vec<S::Value>,
    pub(super) log_scale: f64,
    pub(super) lost: bool,
}

/// State of an elimination, with its messages.
pub(super) struct EliminationRun<'a, S: Semiring> {
    graph: &'a FactorGraph,
    plan: &'a Plan,
    /// The message of each bucket, `None` for scalars and dropped messages.
    messages: Vec<Option<Message<S>>>,
    /// The product of all scalars.
    pub(super) scalar: S::Value,
    pub(super) log_scale: f64,
    pub(super) lost: bool,
    options: &'a Options,
    /// Total size in bytes of the messages held.
    held: f64,
    scratch: JoinScratch<S::Value>,
}

impl<'a, S: Semiring> EliminationRun<'a, S> {
    /// Computes all buckets.
    pub(super) fn new(
        graph: &'a FactorGraph,
        plan: &'a Plan,
        options: &'a Options,
        messages: MessageRetention,
    ) -> Result<Self, EliminationError> {
        let mut run = Self {
            graph,
            plan,
            messages: Vec::with_capacity(plan.buckets.len()),
            scalar: S::one(),
            log_scale: 0.0,
            lost: false,
            options,
            held: 0.0,
            scratch: JoinScratch::new(options.end().clone())
                .with_assignment_limit(options.assignment_budget(plan.cost.operations)),
        };
        let live = graph.factors.iter().zip(&plan.live);
        for (factor, _) in live.filter(|(_, live)| **live) {
            if let FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } = &factor.table
            {
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
            options.check_interrupt()?;
            run.bucket(bucket, messages)?;
        }
        Ok(run)
    }

    /// The product of all remaining tables, as a table over the variables `keep` in their order.
    pub(super) fn answer(mut self, keep: &[VarId]) -> Result<ResultTable<S>, EliminationError> {
        let domain = Domain::new(self.graph, keep.to_vec());
        let tables = inputs(
            self.graph,
            &self.messages,
            &self.plan.remaining_tables,
            EliminationTable::of_factor,
        );
        let outputs: Vec<usize> = keep.iter().map(|&v| domain.position(v)).collect();
        let mut sink = DenseSink {
            values: vec![S::zero(); self.graph.dense_size(keep)],
        };
        self.lost |= join(tables, &domain, &outputs, &mut sink, &mut self.scratch)?;
        let mut values = sink.values;
        for value in &mut values {
            let product = S::mul(value, &self.scalar);
            self.lost |= S::is_out_of_range(value, &self.scalar, &product);
            *value = product;
        }
        self.log_scale += S::normalise(&mut values, &mut self.lost);
        Ok(ResultTable {
            values,
            log_scale: self.log_scale,
            lost: self.lost,
        })
    }

    /// Input tables of a bucket, restricted to `values`.
    pub(super) fn parts(
        &self,
        ids: &[u32],
        values: &[Option<u32>],
    ) -> Vec<EliminationTable<'_, S>> {
        inputs(self.graph, &self.messages, ids, |factor| {
            EliminationTable::of_part(factor, self.graph, values)
        })
    }

    fn bucket(
        &mut self,
        bucket: &Bucket,
        messages: MessageRetention,
    ) -> Result<(), EliminationError> {
        let domain = Domain::of_bucket(self.graph, bucket);
        let outputs: Vec<usize> = bucket.output.iter().map(|&v| domain.position(v)).collect();
        let tables = inputs(
            self.graph,
            &self.messages,
            &bucket.inputs,
            EliminationTable::of_factor,
        );
        let layout = MessageLayout::choose(
            entries(self.graph, &bucket.output),
            bucket.joint,
            self.options.table_budget,
        );
        let mut entries: Entries<'static, S> = if layout == MessageLayout::Dense {
            let mut sink = DenseSink {
                values: vec![S::zero(); self.graph.dense_size(&bucket.output)],
            };
            self.lost |= join(tables, &domain, &outputs, &mut sink, &mut self.scratch)?;
            Entries::Dense(Cow::Owned(sink.values))
        } else {
            let mut sink = SparseSink::new(self.options, self.held);
            self.lost |= join(tables, &domain, &outputs, &mut sink, &mut self.scratch)?;
            let (rows, values) = sink.into_rows(&self.rows(&bucket.output));
            Entries::Sparse {
                rows: Cow::Owned(rows),
                values: Cow::Owned(values),
            }
        };
        if let Entries::Dense(values) | Entries::Sparse { values, .. } = &mut entries {
            self.log_scale += S::normalise(values.to_mut(), &mut self.lost);
        }
        if messages == MessageRetention::Drop {
            let earlier = bucket
                .inputs
                .iter()
                .filter_map(|&id| (id as usize).checked_sub(self.graph.factors.len()));
            for message in earlier {
                let used = self.messages[message].take();
                self.held -= used.map_or(0.0, |message| message.bytes());
            }
        }
        match entries {
            Entries::Dense(values) if bucket.output.is_empty() => {
                self.multiply(values[0].clone());
                self.messages.push(None);
            }
            entries => {
                let entries = self.compact(entries, &bucket.output);
                let message = EliminationTable {
                    scope: Cow::Owned(bucket.output.clone()),
                    entries,
                };
                self.held += message.bytes();
                self.messages.push(Some(message));
            }
        }
        Ok(())
    }

    fn multiply(&mut self, value: S::Value) {
        let mut product = [S::mul(&self.scalar, &value)];
        self.lost |= S::is_out_of_range(&self.scalar, &value, &product[0]);
        self.log_scale += S::normalise(&mut product, &mut self.lost);
        [self.scalar] = product;
    }

    fn rows(&self, variables: &[VarId]) -> Assignments {
        Assignments::rows(variables.iter().map(|&v| self.graph.cardinality(v)))
    }

    /// Converts a dense message with few non-zeros to rows.
    fn compact(&self, entries: Entries<'static, S>, scope: &[VarId]) -> Entries<'static, S> {
        let Entries::Dense(values) = &entries else {
            return entries;
        };
        let places = || (0..values.len()).filter(|&i| !S::is_zero(&values[i]));
        if values.len() <= FEW_ENTRIES || places().count() * SPARSE_BELOW > values.len() {
            return entries;
        }
        let (all, mut rows) = (self.rows(scope), Vec::new());
        places().for_each(|place| rows.extend(all.values(place)));
        let values = places().map(|i| values[i].clone()).collect();
        Entries::Sparse {
            rows: Cow::Owned(rows),
            values: Cow::Owned(values),
        }
    }
}

/// The tables with these numbers: factors first, then messages.
fn inputs<'t, S: Semiring>(
    graph: &'t FactorGraph,
    messages: &'t [Option<Message<S>>],
    ids: &[u32],
    of_factor: impl Fn(&'t Factor) -> EliminationTable<'t, S>,
) -> Vec<EliminationTable<'t, S>> {
    let table = |&id: &u32| match (id as usize).checked_sub(graph.factors.len()) {
        None => Some(of_factor(&graph.factors[id as usize])),
        Some(message) => messages[message].as_ref().map(EliminationTable::view),
    };
    ids.iter().filter_map(table).collect()
}
