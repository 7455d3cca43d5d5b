//! Sums of weights over the slices of a factor graph (one slice for each joint value of some fixed variables).

use std::time::Duration;

use figrs_core::{AnyColumn, AnyElement, Support};

use super::slice_total::{SliceTotal, SumOfTotals};
use figrs_answer::run::portable_part::demand;
use figrs_answer::{
    Answer, Error, Estimate, LogEvidence, PortableSums, PortableUnit, Sums, TargetMarginal,
};
use figrs_factor::Stopped;

impl PortableUnit for SliceTotal {
    fn values(&mut self) -> &mut Vec<Box<dyn AnyColumn>> {
        &mut self.values
    }
}

/// A partial sum over slices; the slices are added in the order of their indices.
#[derive(Clone, Debug)]
pub struct SliceSums {
    slices: u64,
    of_unit: u64,
    /// Number of slices whose sums have been added.
    added: u64,
    sum: SumOfTotals,
    plan: u64,
    targets: Vec<(AnyElement, Support)>,
    is_query: bool,
}

impl SliceSums {
    /// Creates a sum to which no slice has been added. `is_query` is true if the question has targets, even if the expansion of a model with
    /// impossible evidence lacks them.
    pub(super) fn new(
        (slices, of_unit): (u64, u64),
        plan: u64,
        targets: Vec<(AnyElement, Support)>,
        is_query: bool,
    ) -> Self {
        Self {
            slices,
            of_unit,
            plan,
            added: 0,
            sum: SumOfTotals::new(targets.iter().map(|(_, support)| support.len())),
            targets,
            is_query,
        }
    }
}

impl Sums for SliceSums {
    type Unit = SliceTotal;
    type Answer = Answer;

    fn absorb(&mut self, slice: SliceTotal) {
        self.added += self.of_unit;
        self.sum.add(&slice);
    }

    fn into_answer(self, _: Stopped, _: Duration) -> Result<Answer, Error> {
        let found = self.sum.into_total();
        let value = found.log_total;
        if self.added < self.slices {
            return Err(Error::MissingSlices {
                added: self.added,
                slices: self.slices,
                lower_bound: value,
            });
        }
        if value == f64::NEG_INFINITY && self.is_query {
            return Err(Error::ImpossibleEvidence {
                conflict: Vec::new(),
                is_minimal: false,
            });
        }
        let marginals = self.targets.into_iter().zip(found.shares);
        let marginals = marginals.map(|((element, support), probabilities)| TargetMarginal {
            element,
            support,
            probabilities,
            estimate: Estimate::Exact,
        });
        let evidence = LogEvidence::exact(value);
        Ok(Answer::marginals("Slices", marginals.collect(), evidence))
    }
}

impl PortableSums for SliceSums {
    fn targets(&self) -> Vec<AnyElement> {
        self.targets
            .iter()
            .map(|(target, _)| target.clone())
            .collect()
    }

    fn check(&self, _: u64, slice: &SliceTotal) -> Result<(), String> {
        demand(
            !slice.log_total.is_nan() && slice.log_total < f64::INFINITY,
            "its total is not a number",
        )?;
        demand(slice.values.is_empty(), "a slice has no values")?;
        demand(
            slice.plan == self.plan,
            "its slices have other variables or table entries than the slices of this process; compute all parts with the same model, on machines \
             of the same kind",
        )?;
        let is_empty = slice.log_total == f64::NEG_INFINITY && slice.shares.is_empty();
        let lengths = slice.shares.iter().map(Vec::len);
        let fits = is_empty || lengths.eq(self.sum.weights.iter().map(Vec::len));
        demand(
            fits,
            "its shares belong to other values than those of the targets",
        )?;
        let is_share = |share: &f64| (0.0..=1.0 + 1e-9).contains(share);
        let all = slice.shares.iter().flatten().all(is_share);
        demand(all, "its shares are not numbers from 0 to 1")
    }
}
