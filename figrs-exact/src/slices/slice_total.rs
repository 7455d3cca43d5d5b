//! The total of a slice (the sum of the weights of its worlds), and the sum of the totals of several slices.

use figrs_factor::Limits;
use std::ops::Range;

use figrs_core::AnyColumn;
use figrs_factor::graph::VarId;
use serde::{Deserialize, Serialize};

use super::sliced_graph::{IsLast, Slice, SlicedGraph};
use figrs_factor::eliminate::EliminationError;
use figrs_factor::tree::{Marginals, marginals};

/// The sum of the weights in one slice or one unit of work: its natural logarithm, and the fraction of each value of each target in the sum.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SliceTotal {
    pub(super) log_total: f64,
    pub(super) shares: Vec<Vec<f64>>,
    pub(super) plan: u64,
    #[serde(skip)]
    pub(super) values: Vec<Box<dyn AnyColumn>>,
}

impl SliceTotal {
    pub(super) fn new(log_total: f64, shares: Vec<Vec<f64>>) -> Self {
        Self {
            log_total,
            shares,
            plan: 0,
            values: Vec::new(),
        }
    }

    pub(super) fn impossible() -> Self {
        Self::new(f64::NEG_INFINITY, Vec::new())
    }
}

/// The sum of the totals of several slices, divided by the largest of these totals.
#[derive(Clone, Debug)]
pub(super) struct SumOfTotals {
    largest: f64,
    total: f64,
    /// For each target, the total weight of each of its values.
    pub(super) weights: Vec<Vec<f64>>,
}

impl SumOfTotals {
    /// Creates an empty sum; `values` has the number of values of each target.
    pub(super) fn new(values: impl IntoIterator<Item = usize>) -> Self {
        let weights = values.into_iter().map(|n| vec![0.0; n]);
        Self {
            largest: f64::NEG_INFINITY,
            total: 0.0,
            weights: weights.collect(),
        }
    }

    pub(super) fn add(&mut self, slice: &SliceTotal) {
        if slice.log_total == f64::NEG_INFINITY {
            return;
        }
        if slice.log_total > self.largest {
            let factor = (self.largest - slice.log_total).exp();
            self.total *= factor;
            for weight in self.weights.iter_mut().flatten() {
                *weight *= factor;
            }
            self.largest = slice.log_total;
        }
        let factor = (slice.log_total - self.largest).exp();
        self.total += factor;
        let shares = slice.shares.iter().flatten();
        for (weight, share) in self.weights.iter_mut().flatten().zip(shares) {
            *weight += factor * share;
        }
    }

    pub(super) fn log_total(&self) -> f64 {
        self.largest + self.total.ln()
    }

    /// Returns the sum of all totals of slices; if the sum is zero, the fractions of the values are meaningless.
    pub(super) fn into_total(self) -> SliceTotal {
        let log_total = self.log_total();
        let share = |weight: f64| weight / self.total;
        let shares = self.weights.into_iter();
        let shares = shares.map(|weights| weights.into_iter().map(share).collect());
        SliceTotal::new(log_total, shares.collect())
    }
}

impl SlicedGraph {
    /// Returns the sum over the slices of the units of work `units`, with the fraction of each value of each target. A target is given by its
    /// variable and its number of values; a target with one value needs no variable.
    pub(super) fn total(
        &self,
        units: Range<u64>,
        targets: &[(Option<VarId>, usize)],
        limits: &Limits,
    ) -> Result<SliceTotal, EliminationError> {
        let mut sum = SumOfTotals::new(targets.iter().map(|(_, values)| *values));
        for unit in units {
            self.for_each_slice(unit, limits, |slice, is_last| {
                sum.add(&self.total_of_slice(slice, is_last, targets, limits)?);
                Ok(())
            })?;
        }
        if sum.log_total() == f64::NEG_INFINITY {
            return Ok(SliceTotal::impossible());
        }
        Ok(sum.into_total())
    }

    fn total_of_slice(
        &self,
        slice: &mut Slice,
        is_last: IsLast,
        targets: &[(Option<VarId>, usize)],
        limits: &Limits,
    ) -> Result<SliceTotal, EliminationError> {
        let restrictions = [&self.whole.restriction, &slice.reduced.restriction];
        let name = |v: Option<VarId>| restrictions[1].name(restrictions[0].name(v?)?);
        let names: Vec<Option<VarId>> = targets.iter().map(|(v, _)| name(*v)).collect();
        let kept: Vec<VarId> = names.iter().flatten().copied().collect();
        let found = match marginals(&mut slice.reduced.graph, &kept, &slice.limits) {
            Err(error) if is_last.0 && error.is_budget() => {
                self.split(slice, &kept, limits, error)?
            }
            found => found?,
        };
        if found.log_total == f64::NEG_INFINITY {
            return Ok(SliceTotal::impossible());
        }
        let restrictions = [&self.whole.restriction, &slice.reduced.restriction];
        let mut left = found.shares.into_iter();
        let shares = targets.iter().zip(names).map(|(&(v, values), name)| {
            let left = name.and_then(|_| left.next()).unwrap_or_else(|| vec![1.0]);
            let Some(v) = v else { return left };
            let of_whole = match restrictions[0].name(v) {
                Some(v) => restrictions[1].shares_of_all(v, self.whole.graph.cardinality(v), left),
                None => left,
            };
            restrictions[0].shares_of_all(v, values, of_whole)
        });
        Ok(SliceTotal::new(found.log_total, shares.collect()))
    }

    /// Returns the sum over a slice that exceeded its memory, by fixing further variables and summing over their joint values.
    fn split(
        &self,
        slice: &Slice,
        kept: &[VarId],
        limits: &Limits,
        error: EliminationError,
    ) -> Result<Marginals, EliminationError> {
        let graph = &slice.reduced.graph;
        let values = |v: &VarId| graph.cardinality(*v);
        let targets: Vec<_> = kept.iter().map(|v| (Some(*v), values(v))).collect();
        match self.of_slice(graph, kept, limits, error)? {
            Some(parts) => {
                let SliceTotal {
                    log_total, shares, ..
                } = parts.total(0..parts.units(), &targets, limits)?;
                Ok(Marginals { log_total, shares })
            }
            None => Ok(Marginals {
                log_total: f64::NEG_INFINITY,
                shares: Vec::new(),
            }),
        }
    }
}
