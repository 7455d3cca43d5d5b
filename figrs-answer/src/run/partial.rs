//! Mergeable summaries: the sums of consecutive units of a sampler's work.

use std::fmt::Debug;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use figrs_core::{Model, Parents};

use super::portable_part::{PortablePart, PortableSums, UnitList};
use super::portable_targets::PortableTargets;
use super::watch::RunMonitor;
use super::work_queue::in_order;
use crate::answer::Answer;
use crate::error::Error;
use figrs_factor::Stopped;

/// The sums of a sampler, into which its units are absorbed in the order of their numbers.
pub trait Sums: Debug {
    /// The contribution of one unit: the sums of a block of worlds or of populations, or a chain.
    type Unit: Debug + Send;
    /// The answer that is made from the sums at the end.
    type Answer;

    /// Adds the contribution of the next unit.
    fn absorb(&mut self, unit: Self::Unit);

    /// True if the run needs no further units.
    fn is_enough(&self) -> bool {
        false
    }

    /// The answer of a run that ended for this reason after this time.
    fn into_answer(self, stopped: Stopped, elapsed: Duration) -> Result<Self::Answer, Error>;
}

/// Partial sums of a sampler: those of some consecutive units of its work, as [`MergeableSampler::partial`](crate::MergeableSampler::partial) computes
/// them.
///
/// Floating-point sums depend on their order. So the units from the first one on are added up as they come, but a part that begins
/// later keeps the contributions of its units separate until it is merged or turned into an answer: its memory grows with them.
#[derive(Debug)]
#[must_use]
pub struct Partial<S: Sums> {
    units: Range<u64>,
    /// The sums of the units, if the contributions of units are added as they come.
    sums: S,
    /// The contributions of the units, if they are not yet added to the sums.
    waiting: Vec<S::Unit>,
    absorbs: bool,
    stopped: Stopped,
    elapsed: Duration,
}

/// Treatment of the contributions of units, if these begin with the first unit of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absorption {
    /// Each contribution is added to the sums as soon as the contributions of all units before it are added.
    AtOnce,
    /// The contributions stay separate, to be sent to another process.
    Later,
}

impl<S: Sums> Partial<S> {
    /// Starts without units; the first will have this number.
    #[doc(hidden)]
    pub fn new(sums: S, first: u64, absorption: Absorption) -> Self {
        Self {
            units: first..first,
            sums,
            waiting: Vec::new(),
            absorbs: first == 0 && absorption == Absorption::AtOnce,
            stopped: Stopped::Finished,
            elapsed: Duration::ZERO,
        }
    }

    /// Runs the units up to a number on several threads, in batches, until `work` returns `None` because the run was stopped; calls `tell`
    /// with each unit before it is absorbed.
    #[doc(hidden)]
    pub fn run<W>(
        mut self,
        run: &RunMonitor<'_>,
        (threads, end, batch): (usize, u64, u64),
        worker: impl Fn() -> Result<W, Error> + Sync,
        work: impl Fn(&mut W, u64) -> Result<Option<S::Unit>, Error> + Sync,
        mut tell: impl FnMut(&S::Unit),
    ) -> Result<Self, Error> {
        let units = self.units.start..end;
        // A unit whose worlds were ended by the end of the run is not done.
        let work = |worker: &mut W, unit: u64| match work(worker, unit) {
            Err(error) if error.is_stopped() => Ok(None),
            done => done,
        };
        in_order(threads, (units, batch), worker, work, |unit| {
            let Some(unit) = unit else {
                self.stopped = run.stopped().unwrap_or(Stopped::Interrupted);
                return ControlFlow::Break(());
            };
            tell(&unit);
            self.push(unit);
            if self.sums.is_enough() {
                return ControlFlow::Break(());
            }
            match run.stopped() {
                Some(why) if self.units.end < end => {
                    self.stopped = why;
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        })
        .map_err(|error| run.error_of(error))?;
        self.elapsed = run.elapsed();
        Ok(self)
    }

    /// Sets the time that the units took.
    pub(crate) fn after(self, elapsed: Duration) -> Self {
        Self { elapsed, ..self }
    }

    /// Sets the time of a run whose units end early by themselves, and the reason if it was stopped.
    #[doc(hidden)]
    pub fn of_run(self, run: &RunMonitor<'_>) -> Self {
        Self {
            stopped: run.stopped().unwrap_or(self.stopped),
            ..self.after(run.elapsed())
        }
    }

    /// The numbers of the units; fewer than requested if the run was stopped or needed no more.
    pub fn units(&self) -> Range<u64> {
        self.units.clone()
    }

    /// True if the run needs no further units before its last, as with `until_effective`: later units are dropped.
    pub fn is_enough(&self) -> bool {
        self.sums.is_enough()
    }

    /// Takes the next unit.
    #[doc(hidden)]
    pub fn push(&mut self, unit: S::Unit) {
        if self.absorbs {
            self.sums.absorb(unit);
        } else {
            self.waiting.push(unit);
        }
        self.units.end += 1;
    }

    /// Adds the units that come next, from the same run: same sampler, settings, model and targets.
    ///
    /// **Guarantee.** Associative: parts that are merged in any grouping, in the order of their units, are the same to the last bit as
    /// one part of all the units. If the units so far are all that the run needs, as with `until_effective`, later units are dropped.
    ///
    /// **Errors.** [`Error::NotConsecutive`] if the next units do not begin where these units end.
    pub fn merge(&mut self, next: Self) -> Result<(), Error> {
        if self.sums.is_enough() {
            return Ok(());
        }
        self.check_follows(&next.units)?;
        if self.units.is_empty() {
            let elapsed = self.elapsed + next.elapsed;
            *self = next.after(elapsed);
            return Ok(());
        }
        self.append(UnitList {
            units: next.units,
            each: next.waiting,
            stopped: next.stopped,
            elapsed: next.elapsed,
        });
        Ok(())
    }

    fn check_follows(&self, units: &Range<u64>) -> Result<(), Error> {
        if units.start == self.units.end {
            return Ok(());
        }
        Err(Error::NotConsecutive {
            end: self.units.end,
            begin: units.start,
        })
    }

    /// Counts the next units as done without their contributions: the answer is that of the other units.
    ///
    /// **Errors.** [`Error::NotConsecutive`] if the next units do not begin where these units end.
    pub fn leave_out(&mut self, units: Range<u64>) -> Result<(), Error> {
        self.check_follows(&units)?;
        self.units.end = units.end.max(units.start);
        Ok(())
    }

    fn append(&mut self, next: UnitList<S::Unit>) {
        self.stopped = next.stopped;
        self.elapsed += next.elapsed;
        for unit in next.each {
            if !self.sums.is_enough() {
                self.push(unit);
            }
        }
    }

    /// The answer of these units alone; its time is the sum over all parts.
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

impl<S: Sums<Answer = Answer>> Partial<S> {
    /// The answer as [`Run::run`](crate::Run::run) returns it, with the model that it is about: the answer of
    /// [`into_answer`](Self::into_answer) does not support queries that need the model.
    ///
    /// **Errors.** Those of the sampler.
    pub fn into_answer_about(self, model: &Model, targets: impl Parents) -> Result<Answer, Error> {
        let answer = self.into_answer()?;
        Ok(answer.with_model(model.clone(), targets.elements()))
    }
}

impl<S: PortableSums> Partial<S> {
    /// The units, for sending to another process; their contributions must not have been added to the sums.
    pub(super) fn into_portable<T>(
        self,
        targets: &T,
    ) -> Result<PortablePart<S::Unit, T::Columns>, Error>
    where
        T: PortableTargets + ?Sized,
    {
        let list = UnitList {
            units: self.units,
            each: self.waiting,
            stopped: self.stopped,
            elapsed: self.elapsed,
        };
        PortablePart::new(list, targets)
    }

    /// Adds the next units, which were read and come from the same run in another process.
    ///
    /// **Guarantee.** As for [`merge`](Self::merge). After an error nothing has changed.
    ///
    /// **Errors.** [`Error::NotConsecutive`] if the next units do not begin where these units end, also if there are no units yet; [`Error::UnfitPart`] if the
    /// part does not belong to this run: other targets, other numbers of values, positions out of range.
    pub fn merge_portable<T>(
        &mut self,
        part: PortablePart<S::Unit, T::Columns>,
        targets: &T,
    ) -> Result<(), Error>
    where
        T: PortableTargets + ?Sized,
    {
        if self.sums.is_enough() {
            return Ok(());
        }
        self.check_follows(&part.units())?;
        let list = part.checked(&self.sums, targets)?;
        self.append(list);
        Ok(())
    }
}
