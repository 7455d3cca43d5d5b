//! The most probable world, found by one elimination with maximisation for each joint value of some fixed variables.

use figrs_factor::Limits;
use std::ops::{ControlFlow, Range};

use figrs_core::{AnyElement, Model};

use super::SliceCost;
use super::slice_plan::MessageUse;
use super::sliced_graph::{IsLast, Slice, SlicedGraph};
use super::slicing::{Slicing, slicing_settings};
use crate::question::{Question, WorldGraph};
use figrs_answer::{Algorithm, Answer, Error, RunMonitor, in_order};
use figrs_factor::eliminate::{EliminationError, most_probable};

/// The most probable world within a limit of memory, by conditioning: the best of the most probable worlds for each joint value of some fixed
/// variables.
///
/// `MpeSlices` fixes variables as [`Slices`](crate::Slices) does, and computes maxima in place of sums. All messages of a slice (the elimination for
/// one joint value of the fixed variables) are stored until the best world of the slice has been found.
///
/// **Guarantee.** The result is exact up to rounding. If several worlds are most probable, the result is from the first slice (joint value of the
/// fixed variables) that contains such a world. The result does not depend on the number of threads.
///
/// **Complexity.** The complexity is that of [`Slices`](crate::Slices).
///
/// **Errors.** [`Error::MissingSlices`], with the log-probability of the best world found so far, or [`Error::NothingDone`] after a deadline or an
/// interrupt; other errors as [`MpeVariableElimination`](crate::MpeVariableElimination).
///
/// **References.** Dechter (1999), "Bucket elimination", section 9.
///
/// ```
/// # use figrs_core::{Element, Flip, Model};
/// # use figrs_exact::{MpeSlices, MpeVariableElimination};
/// # use figrs_answer::Run;
/// // Every pair of fourteen coins tends to differ: an elimination needs one table over all of them.
/// let coins: Vec<Element<bool>> = (0..14).map(|i| Flip::new(0.3 + 0.02 * f64::from(i))).collect();
/// let mut model = Model::new();
/// for (i, a) in coins.iter().enumerate() {
///     for b in &coins[..i] {
///         model = model.weigh(&a.equals(b), |&same| if same { 1.0 } else { 1.2 });
///     }
/// }
/// let world = MpeSlices::fitting("128KiB")?.run(&model, &coins)?;
/// let whole = MpeVariableElimination::new().run(&model, &coins)?;
/// assert!((world.log_probability()? - whole.log_probability()?).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MpeSlices {
    slicing: Slicing,
}

impl MpeSlices {
    const NAME: &'static str = "MpeSlices";

    slicing_settings!();

    pub(crate) fn plan(
        &self,
        run: &RunMonitor<'_>,
        question: &Question<'_>,
    ) -> Result<SlicedWorlds, Error> {
        let limits = self.slicing.limits.until(run.until());
        let worlds = question.world_graph(&limits);
        let worlds = worlds.map_err(|error| run.error_of(error))?;
        let uses = (MessageUse::Traceback, self.slicing.memory);
        let sliced = SlicedGraph::new(worlds.graph(), &[], uses, &limits)
            .map_err(|error| run.error_of(error.into()))?
            .ok_or_else(|| question.impossible(&limits))?;
        Ok(SlicedWorlds {
            worlds,
            sliced,
            limits,
        })
    }

    pub(crate) fn answer_by(
        &self,
        run: &RunMonitor<'_>,
        plan: &SlicedWorlds,
        question: &Question<'_>,
    ) -> Result<Answer, Error> {
        let sliced = &plan.sliced;
        let (units, of_unit) = (sliced.units(), sliced.slices_of_unit());
        let (mut best, mut added): (Option<BestAssignment>, u64) = (None, 0);
        let threads = self.slicing.threads(sliced.at_once());
        let work = |(): &mut (), number| Ok(sliced.best(number..number + 1, &plan.limits)?);
        let done = in_order(
            threads,
            (0..units, 1),
            || Ok(()),
            work,
            |found| {
                added += 1;
                run.report(added);
                best = BestAssignment::better(best.take(), found);
                ControlFlow::Continue(())
            },
        );
        match done {
            Err(error) if error.is_stopped() => {
                return Err(Error::MissingSlices {
                    added: added * of_unit,
                    slices: sliced.plan.slices,
                    lower_bound: best.map_or(f64::NEG_INFINITY, |best| best.log_weight),
                });
            }
            done => done?,
        }
        let impossible = || question.impossible(&self.slicing.limits);
        let world = best.ok_or_else(impossible)?.values;
        Ok(plan.worlds.answer(Self::NAME, &world, Vec::new()))
    }
}

/// A planned search for the most probable world of a model, by one elimination for each joint value of some fixed variables.
#[derive(Debug)]
pub(crate) struct SlicedWorlds {
    worlds: WorldGraph,
    sliced: SlicedGraph,
    limits: Limits,
}

impl SlicedWorlds {
    pub(crate) fn cost(&self) -> SliceCost {
        SliceCost {
            slices: self.sliced.plan.slices,
            slice: self.sliced.plan.cost,
        }
    }
}

impl Algorithm for MpeSlices {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn finds_world(&self) -> bool {
        true
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let run = self.start();
        let question = Question::new(model, targets);
        let plan = self.plan(&run, &question)?;
        self.answer_by(&run, &plan, &question)
    }
}

pub(super) struct BestAssignment {
    pub(super) values: Vec<u32>,
    log_weight: f64,
}

impl BestAssignment {
    /// Returns the one of two assignments with the larger weight; the first assignment if the weights are equal.
    fn better(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(first), Some(second)) if second.log_weight > first.log_weight => Some(second),
            (Some(first), _) => Some(first),
            (None, second) => second,
        }
    }
}

impl SlicedGraph {
    /// Returns the best assignment of all variables of the whole graph, among the slices in the units of work `units`; `None` if no assignment has a
    /// positive weight.
    pub(super) fn best(
        &self,
        units: Range<u64>,
        limits: &Limits,
    ) -> Result<Option<BestAssignment>, EliminationError> {
        let mut best = None;
        for unit in units {
            self.for_each_slice(unit, limits, |slice, is_last| {
                let found = self.best_of_slice(slice, is_last, limits)?;
                best = BestAssignment::better(best.take(), found);
                Ok(())
            })?;
        }
        Ok(best)
    }

    fn best_of_slice(
        &self,
        slice: &Slice,
        is_last: IsLast,
        limits: &Limits,
    ) -> Result<Option<BestAssignment>, EliminationError> {
        let graph = &slice.reduced.graph;
        let found = match most_probable(graph, &slice.limits) {
            Ok((values, log_weight)) => Some(BestAssignment { values, log_weight }),
            Err(EliminationError::Impossible) => None,
            Err(error) if is_last.0 && error.is_budget() => {
                match self.of_slice(graph, &[], limits, error)? {
                    Some(parts) => parts.best(0..parts.units(), limits)?,
                    None => None,
                }
            }
            Err(error) => return Err(error),
        };
        let whole = |best: BestAssignment| {
            let values = slice.reduced.restriction.world(&best.values);
            BestAssignment {
                values: self.whole.restriction.world(&values),
                ..best
            }
        };
        Ok(found.map(whole))
    }
}
