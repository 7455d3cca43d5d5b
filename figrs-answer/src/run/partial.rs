//! Sums of consecutive units of a sampler's work (such as blocks of samples), which can be merged.

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

/// The sums that a sampler accumulates. The contributions of a sampler's units of work are added in the order of the units' indices.
pub trait Sums: Clone + Debug + Send + 'static {
    /// The contribution of one unit of work: the sums of a block of worlds or of some populations of particles, or the draws of a Markov chain.
    type Unit: Clone + Debug + Send;
    /// The type of the answer that is computed from the sums.
    type Answer;

    /// Adds the contribution of the next unit of a sampler's work.
    fn absorb(&mut self, unit: Self::Unit);

    /// True if the run needs no further units of work, because the accumulated sums suffice.
    fn is_enough(&self) -> bool {
        false
    }

    /// Number of samples or populations whose contributions have been added to the sums.
    #[doc(hidden)]
    fn done(&self) -> u64 {
        0
    }

    /// True if the sums take so little memory that an answer keeps a copy of them.
    #[doc(hidden)]
    fn is_small(&self) -> bool {
        true
    }

    /// Sets the number of samples or populations of these sums to that of `longer`, the empty sums of a longer run. Returns `false` if the longer run
    /// has other units of work, so that these sums cannot be continued.
    #[doc(hidden)]
    fn lengthen(&mut self, _longer: Self) -> bool {
        false
    }

    /// Computes the answer of a run that ended for the reason `stopped` after the time `elapsed`.
    fn into_answer(self, stopped: Stopped, elapsed: Duration) -> Result<Self::Answer, Error>;
}

/// Partial sums of a sampler: the sums of some consecutive units of its work, as
/// [`MergeableSampler::partial`](crate::MergeableSampler::partial) computes them.
///
/// The result of adding floating-point numbers depends on the order of addition. Partial sums that begin with the first unit of work of the run
/// therefore add each contribution immediately. Partial sums that begin with a later unit of work store the contributions of their units separately,
/// until the sums are merged or converted to an answer. The memory of partial sums that begin with a later unit grows with the number of their units.
#[derive(Clone, Debug)]
#[must_use]
pub struct Partial<S: Sums> {
    units: Range<u64>,
    /// The sums of the units of work whose contributions have been added.
    sums: S,
    /// The contributions of the units of work that have not been added to the sums yet.
    waiting: Vec<S::Unit>,
    absorbs: bool,
    /// The index of the last unit of work of the run. The contribution of the last unit of work is kept apart until the end of the run, because the
    /// last unit may be larger if the run is lengthened.
    last: u64,
    stopped: Stopped,
    elapsed: Duration,
}

/// The time at which the contributions of units of work are added to the partial sums. Contributions can be added immediately only if the partial
/// sums begin with the first unit of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absorption {
    /// Each contribution is added to the sums as soon as all earlier contributions have been added.
    AtOnce,
    /// The contributions of units of work are stored separately, because they will be sent to another process.
    Later,
}

impl<S: Sums> Partial<S> {
    /// Creates partial sums without units of work; `first` is the index of the first unit of work to be added.
    #[doc(hidden)]
    pub fn new(sums: S, first: u64, absorption: Absorption) -> Self {
        Self {
            units: first..first,
            sums,
            waiting: Vec::new(),
            absorbs: first == 0 && absorption == Absorption::AtOnce,
            last: u64::MAX,
            stopped: Stopped::Finished,
            elapsed: Duration::ZERO,
        }
    }

    /// Sets the number of units of work of the whole run. The contribution of the last unit of work is added only when the sums are converted to an
    /// answer.
    #[doc(hidden)]
    pub fn of_units(self, units: u64) -> Self {
        Self {
            last: units.wrapping_sub(1),
            ..self
        }
    }

    /// Sets the number of units of work of these partial sums to that of `longer`, the empty partial sums of a longer run. The last unit of work is
    /// removed if it has been done, because the last unit may be larger in the longer run. Returns `false` if the longer run differs from this run in
    /// units of work before the last unit.
    pub(crate) fn lengthen(&mut self, longer: Self) -> bool {
        if self.units.end > self.last && self.waiting.pop().is_some() {
            self.units.end = self.last;
        }
        self.last = longer.last;
        self.sums.lengthen(longer.sums)
    }

    pub(crate) fn done(&self) -> u64 {
        self.sums.done()
    }

    pub(crate) fn is_small(&self) -> bool {
        self.sums.is_small()
    }

    /// Sets the reason why the run ended.
    pub(crate) fn because(self, stopped: Stopped) -> Self {
        Self { stopped, ..self }
    }

    /// Runs the units of work below `end` in batches on several threads, until `work` returns `None` because the run was stopped. Each contribution
    /// of a unit of work is passed to the function `tell` before it is added.
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
        // If the run ends while a unit of work is in progress, the unit does not count as done.
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

    /// Returns the time that the units of work took.
    #[doc(hidden)]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Adds all contributions and returns the sums.
    #[doc(hidden)]
    pub fn absorbed(mut self) -> S {
        for unit in self.waiting {
            if !self.sums.is_enough() {
                self.sums.absorb(unit);
            }
        }
        self.sums
    }

    /// Sets the time that the units of work took.
    #[doc(hidden)]
    pub fn after(self, elapsed: Duration) -> Self {
        Self { elapsed, ..self }
    }

    /// Sets the elapsed time and the reason for the end to those of the run `run`, if units of work can end before their run ends.
    #[doc(hidden)]
    pub fn of_run(self, run: &RunMonitor<'_>) -> Self {
        Self {
            stopped: run.stopped().unwrap_or(self.stopped),
            ..self.after(run.elapsed())
        }
    }

    /// Returns the range of the indices of the finished units of work. The range of finished units of work is shorter than the requested range if the
    /// run was stopped or needed no further units.
    pub fn units(&self) -> Range<u64> {
        self.units.clone()
    }

    /// True if the run needs no further units of work although more units exist, as in runs `until_effective`, which end at a requested effective
    /// sample size. The contributions of later units of work are ignored once the run needs no further units.
    pub fn is_enough(&self) -> bool {
        self.sums.is_enough()
    }

    /// True if the run needs no further units of work after the stored contributions have been added to the sums.
    pub(crate) fn will_be_enough(&self) -> bool {
        self.is_enough() || (!self.waiting.is_empty() && self.clone().absorbed().is_enough())
    }

    /// Adds the contribution of the next unit of work.
    #[doc(hidden)]
    pub fn push(&mut self, unit: S::Unit) {
        if self.absorbs && self.units.end != self.last {
            self.sums.absorb(unit);
        } else {
            self.waiting.push(unit);
        }
        self.units.end += 1;
    }

    /// Adds the partial sums `next`, whose units of work must directly follow the units of the sums `self`. The partial sums `self` and `next` must
    /// come from the same run, with the same sampler, settings, model and targets.
    ///
    /// **Guarantee.** Merging is associative. If partial sums are merged in the order of their units of work, the result is that of a single run to
    /// the last bit, however the units were divided among the sums. If the run needs no further units of work, as in runs `until_effective` (a
    /// requested effective sample size), later units are dropped.
    ///
    /// **Errors.** [`Error::NotConsecutive`] if the next units of work do not begin where the units of these sums end.
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

    /// Counts the units of work `units` as done, although their contributions are missing. The answer is computed without the contributions of the
    /// units of work `units`, which are missing.
    ///
    /// **Errors.** [`Error::NotConsecutive`] if `units` does not begin where the units of these sums end.
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

    /// Computes the answer from the units of work in these partial sums alone. The time of the answer is the sum of the times of all merged
    /// partial sums.
    ///
    /// **Errors.** The errors of the sampler.
    pub fn into_answer(self) -> Result<S::Answer, Error> {
        let (stopped, elapsed) = (self.stopped, self.elapsed);
        self.absorbed().into_answer(stopped, elapsed)
    }
}

impl<S: Sums<Answer = Answer>> Partial<S> {
    /// Computes the answer, and adds the model of the query to it, as [`Run::run`](crate::Run::run) does. The answer that
    /// [`into_answer`](Self::into_answer) returns does not support queries that need the model.
    ///
    /// **Errors.** The errors of the sampler.
    pub fn into_answer_about(self, model: &Model, targets: impl Parents) -> Result<Answer, Error> {
        let answer = self.into_answer()?;
        Ok(answer.with_model(model.clone(), targets.elements()))
    }
}

impl<S: PortableSums> Partial<S> {
    /// Converts the partial sums to a part of the run that can be sent to another process. The contributions of the partial sums must not have been
    /// added yet: all must be stored separately.
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

    /// Adds `part`, the next units of work of the same run, which another process has sent.
    ///
    /// **Guarantee.** The guarantee is the same as that of [`merge`](Self::merge). If an error is returned, the sums are unchanged.
    ///
    /// **Errors.** [`Error::NotConsecutive`] if the units of work do not begin where the units of these sums end, even if these sums contain no
    /// units. [`Error::UnfitPart`] if the part does not belong to this run: its targets or its numbers of values differ, or an index is out of range.
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
