//! A sum of weights over the slices of a model.

use std::hash::Hasher;
use std::ops::Range;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Limits};
use figrs_factor::graph::{FactorGraph, FactorTable, VarId};

use super::SliceCost;
use super::slice_plan::MessageUse;
use super::slice_sums::SliceSums;
use super::slice_total::SliceTotal;
use super::sliced_graph::SlicedGraph;
use crate::question::Question;
use figrs_answer::{Absorption, Error, Partial, RunMonitor, conflict};
use figrs_factor::eliminate::{EliminationError, PlanCost};
use figrs_factor::fnv::Fnv;

#[derive(Debug)]
pub(crate) struct SlicedSum {
    expansion: Arc<Expansion>,
    /// The division of the factor graph into slices; `None` if zeros or the expansion of the model exclude all worlds.
    sliced: Option<SlicedGraph>,
    /// For each target, its variable (if it has one) and its number of values.
    variables: Vec<(Option<VarId>, usize)>,
    weights: u64,
    limits: Limits,
    targets: Vec<AnyElement>,
}

impl SlicedSum {
    pub(super) fn new(
        question: &Question<'_>,
        memory: u64,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let targets = question.targets;
        let expansion = question.expand(limits)?;
        let mut sum = Self {
            expansion,
            sliced: None,
            variables: Vec::new(),
            weights: 0,
            limits: limits.clone(),
            targets: targets.to_vec(),
        };
        if sum.expansion.impossible().is_some() {
            return Ok(sum);
        }
        conflict::check_failures(&sum.expansion, limits)?;
        let mut encoding = Encoding::for_sums(&sum.expansion, sum.expansion.targets())?;
        let positions = sum.expansion.targets().iter();
        let variables = positions.map(|&position| {
            let values = sum.expansion.elements()[position].support.len();
            (encoding.variable(position), values)
        });
        sum.variables = variables.collect();
        let graph = encoding.take_graph();
        let keep = sum.variables.iter().filter_map(|(v, _)| *v);
        let keep: Vec<VarId> = keep.collect();
        sum.weights = weight_fingerprint(&graph);
        let uses = match targets.len() {
            0 | 1 => MessageUse::Once,
            _ => MessageUse::Derivatives,
        };
        sum.sliced = SlicedGraph::new(&graph, &keep, (uses, memory), &sum.limits)?;
        Ok(sum)
    }

    pub(crate) fn cost(&self) -> SliceCost {
        let sliced = self.sliced.as_ref();
        SliceCost {
            slices: self.slices(),
            slice: sliced.map_or_else(PlanCost::default, |sliced| sliced.plan.cost),
        }
    }

    /// Returns the number of slices; if no world is possible, there is one slice of weight zero.
    fn slices(&self) -> u64 {
        self.sliced.as_ref().map_or(1, |sliced| sliced.plan.slices)
    }

    pub(super) fn units(&self) -> u64 {
        self.sliced.as_ref().map_or(1, SlicedGraph::units)
    }

    /// Returns the number of slices whose messages fit the memory at the same time.
    pub(super) fn at_once(&self) -> usize {
        self.sliced.as_ref().map_or(1, SlicedGraph::at_once)
    }

    fn fingerprint(&self) -> u64 {
        let sliced = self.sliced.as_ref();
        let plan = sliced.map_or(0, |sliced| sliced.plan.fingerprint());
        let mut hasher = Fnv::default();
        hasher.write_u64(plan);
        hasher.write_u64(self.weights);
        hasher.finish()
    }

    fn sums(&self) -> SliceSums {
        let targets = self.targets.iter().zip(self.expansion.targets());
        let targets = targets.map(|(target, &position)| {
            let support = self.expansion.elements()[position].support.clone();
            (target.clone(), support)
        });
        SliceSums::new(
            (self.slices(), self.slices() / self.units()),
            self.fingerprint(),
            targets.collect(),
            !self.targets.is_empty(),
        )
    }

    pub(super) fn run(
        &self,
        run: &RunMonitor<'_>,
        units: Range<u64>,
        threads: usize,
        absorption: Absorption,
    ) -> Result<Partial<SliceSums>, Error> {
        let partial = Partial::new(self.sums(), units.start, absorption);
        let end = units.end.min(self.units());
        let limits = self.limits.until(run.until());
        let plan = self.fingerprint();
        let mut done = units.start;
        partial.run(
            run,
            (threads, end, 1),
            || Ok(()),
            |(), number| {
                let Some(sliced) = &self.sliced else {
                    return Ok(Some(SliceTotal::impossible()));
                };
                match sliced.total(number..number + 1, &self.variables, &limits) {
                    Err(EliminationError::Interrupted) => Ok(None),
                    total => Ok(Some(SliceTotal { plan, ..total? })),
                }
            },
            |_| {
                done += 1;
                run.report(done);
            },
        )
    }
}

fn weight_fingerprint(graph: &FactorGraph) -> u64 {
    let mut hasher = Fnv::default();
    for factor in &graph.factors {
        match &factor.table {
            FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } => {
                for entry in 0..weights.len() {
                    hasher.write_u64(weights.log(entry).to_bits());
                }
            }
            FactorTable::Function { index } => {
                for &value in index {
                    hasher.write_u32(value);
                }
            }
        }
    }
    hasher.finish()
}
