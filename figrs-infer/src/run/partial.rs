//! Mergeable summaries: the sums of consecutive units of a sampler's work.

use std::fmt::Debug;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use figrs_core::{AnyElement, Model};

use super::watch::{RunMonitor, Stopped};
use super::work_queue::in_order;
use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::error::Error;

/// The sums of a sampler, into which its units are absorbed in the order of their numbers.
pub trait Sums: Debug {
    /// The contribution of one unit: the sums of a block of worlds or of populations.
    type Unit: Debug + Send;
    /// The answer that is made of the sums at the end.
    type Answer;

    /// Adds the contribution of the next unit.
    fn absorb(&mut self, unit: Self::Unit);

    /// True if the run needs no further units.
    fn is_enough(&self) -> bool {
        false
    }

    /// The answer, of a run that ended for this reason after this time.
    fn into_answer(self, stopped: Stopped, elapsed: Duration) -> Result<Self::Answer, Error>;
}

/// Partial sums of a sampler: those of some consecutive units of its work, as [`MergeableSampler::partial`] makes them.
///
/// Floating-point sums depend on their order. So the units from the first one on are added up as they come, and a part that begins
/// later keeps the contributions of its units apart until it is merged or made an answer: its memory grows with them.
#[derive(Debug)]
#[must_use]
pub struct Partial<S: Sums> {
    units: Range<u64>,
    /// The sums of the units, if they begin with the first one.
    sums: S,
    /// The contributions of the units, if they do not.
    waiting: Vec<S::Unit>,
    stopped: Stopped,
    elapsed: Duration,
}

impl<S: Sums> Partial<S> {
    /// Runs units on so many threads, in batches of so many, until `work` returns none because the run was stopped; `tell` is told of
    /// each before it is absorbed.
    pub(crate) fn run<W>(
        run: &RunMonitor<'_>,
        (threads, units, batch): (usize, Range<u64>, u64),
        sums: S,
        worker: impl Fn() -> Result<W, Error> + Sync,
        work: impl Fn(&mut W, u64) -> Result<Option<S::Unit>, Error> + Sync,
        mut tell: impl FnMut(&S::Unit),
    ) -> Result<Self, Error> {
        let mut partial = Self {
            units: units.start..units.start,
            sums,
            waiting: Vec::new(),
            stopped: Stopped::Finished,
            elapsed: Duration::ZERO,
        };
        let end = units.end;
        in_order(threads, (units, batch), worker, work, |unit| {
            let Some(unit) = unit else {
                partial.stopped = run.stopped().unwrap_or(Stopped::Interrupted);
                return ControlFlow::Break(());
            };
            tell(&unit);
            partial.push(unit);
            if partial.sums.is_enough() {
                return ControlFlow::Break(());
            }
            match run.stopped() {
                Some(why) if partial.units.end < end => {
                    partial.stopped = why;
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        })?;
        partial.elapsed = run.elapsed();
        Ok(partial)
    }

    /// The numbers of the units; fewer than were asked for if the run was stopped or needed no more.
    pub fn units(&self) -> Range<u64> {
        self.units.clone()
    }

    fn push(&mut self, unit: S::Unit) {
        if self.units.start == 0 {
            self.sums.absorb(unit);
        } else {
            self.waiting.push(unit);
        }
        self.units.end += 1;
    }

    /// Adds the units that come next, of the same run: same sampler, settings, model and targets.
    ///
    /// **Guarantee.** Associative: parts that are merged in any grouping, in the order of their units, are the same to the last bit as
    /// one part of all the units. Where the units so far are all that the run needs, as of
    /// [`until_effective`](crate::ImportanceSampling::until_effective), later ones are dropped.
    ///
    /// **Errors.** [`Error::NotConsecutive`] if they do not begin where these end.
    pub fn merge(&mut self, next: Self) -> Result<(), Error> {
        if self.sums.is_enough() {
            return Ok(());
        }
        if next.units.start != self.units.end {
            return Err(Error::NotConsecutive {
                end: self.units.end,
                begin: next.units.start,
            });
        }
        let elapsed = self.elapsed + next.elapsed;
        if self.units.is_empty() {
            *self = next;
        } else {
            self.stopped = next.stopped;
            for unit in next.waiting {
                if !self.sums.is_enough() {
                    self.push(unit);
                }
            }
        }
        self.elapsed = elapsed;
        Ok(())
    }

    /// The answer of these units alone; its time is that of all parts together.
    ///
    /// **Errors.** Those of the sampler.
    pub fn into_answer(mut self) -> Result<S::Answer, Error> {
        for unit in self.waiting {
            if !self.sums.is_enough() {
                self.sums.absorb(unit);
            }
        }
        self.sums.into_answer(self.stopped, self.elapsed)
    }
}

/// A sampler whose work is numbered units that may be done in parts, in other processes or on other machines, and merged.
///
/// The units follow from settings, model and targets: a unit is the same wherever it is done. Where a deadline or an interrupt ends
/// a part early, [`Partial::units`] tells from which unit on it may be continued.
///
/// **Guarantee.** The parts of a run, merged in the order of their units, give the answer of one run to the last bit, its time
/// apart.
///
/// ```
/// # use figrs_core::{Flip, Model, Parents};
/// # use figrs_infer::{ImportanceSampling, MergeableSampler, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let (model, targets) = (Model::new().observe(&wet, true), rain.elements());
/// let sampler = ImportanceSampling::new(20_000).seed(7);
/// let units = sampler.units(&model, &targets)?;
/// let mut sums = sampler.partial(&model, &targets, 0..units / 2)?;
/// sums.merge(sampler.partial(&model, &targets, units / 2..units)?)?;
/// let whole = sampler.run(&model, &rain)?;
/// assert_eq!(sums.into_answer()?.probability(&rain, &true)?, whole.probability(&rain, &true)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
pub trait MergeableSampler: Algorithm {
    /// The sums of the sampler.
    type Sums: Sums<Answer = Answer>;

    /// Number of units of the whole run; [`u64::MAX`] if its settings do not limit it.
    fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error>;

    /// Runs the units of these numbers, as far as there are so many, on all threads. A listener is told of progress towards the whole run.
    ///
    /// **Errors.** Those of the sampler that do not come from the answer.
    fn partial(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
    ) -> Result<Partial<Self::Sums>, Error>;
}
