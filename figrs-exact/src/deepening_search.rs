//! The search of lazy variable elimination for close bounds, by expansions of the model to increasing depths.

use figrs_core::expand::{Expansion, ExpansionCache};
use figrs_core::{AnyElement, Limits, Model, ModelError};

use super::bounded_sums::bounded_sums;
use super::lazy_variable_elimination::{Goal, LazyVariableElimination};
use super::variable_elimination::marginals;
use figrs_answer::answer::bounds::undecided_share;
use figrs_answer::expansion::expand_to_depth;
use figrs_answer::{
    Algorithm, Answer, Deepening, DeepeningEnd, Error, LogEvidence, RunMonitor, RunStatistics,
    TargetBounds, conflict,
};
use figrs_factor::Stopped;

/// Work to expand one element of a model (to call its function and to give numbers to its values), measured in operations of variable elimination.
const ELEMENT: u64 = 250;
/// Factor by which the work should grow from one expansion depth to the next.
const GROWTH: f64 = 4.0;
/// Number of values that are listed at the first expansion depth for an element with infinitely many values; the number doubles from depth to depth.
const FIRST_RANGE: usize = 16;
/// Default number of values that are listed for an element with infinitely many values in an expansion to a given depth.
const RANGE: usize = 256;
/// Maximum number of values that are listed for an element with infinitely many values.
pub(super) const MAX_RANGE: usize = 1 << 20;

impl LazyVariableElimination {
    /// Returns the state of a search after `spent` operations; the search may reuse the expansions in `memory`.
    pub(super) fn search<'a>(
        &'a self,
        (model, targets): (&'a Model, &'a [AnyElement]),
        memory: ExpansionCache,
        spent: u64,
    ) -> DeepeningSearch<'a> {
        let watching = self.watch.start(self.name(), Some(self.work));
        DeepeningSearch {
            limits: self.limits.until(watching.until()),
            watching,
            algorithm: self,
            model,
            targets,
            memory,
            range: self.range.unwrap_or(match self.goal {
                Goal::Width(_) => FIRST_RANGE,
                Goal::Depth(_) => RANGE,
            }),
            is_ranged: false,
            is_cut: true,
            spent,
        }
    }
}

pub(super) struct DeepeningSearch<'a> {
    algorithm: &'a LazyVariableElimination,
    watching: RunMonitor<'a>,
    limits: Limits,
    model: &'a Model,
    targets: &'a [AnyElement],
    pub(super) memory: ExpansionCache,
    /// Number of values that are listed for an element with infinitely many values.
    pub(super) range: usize,
    /// True if some expansion of the model omitted values of an element with infinitely many values.
    is_ranged: bool,
    /// True if the last expansion of the model omitted `Chain` elements beyond its depth.
    is_cut: bool,
    pub(super) spent: u64,
}

#[derive(Clone, Debug)]
pub(super) struct DepthResult {
    answer: Answer,
    /// Maximum difference between the two bounds on the probability of any event; zero if the answer is exact.
    width: f64,
    pub(super) is_complete: bool,
    /// Number of values that were listed for an element with infinitely many values; `None` if there was no such element.
    range: Option<usize>,
    assumes_monotone: bool,
}

/// The progress of a search by expansions to increasing depths: the bounds computed at the last depth, and the schedule of the depths.
#[derive(Debug, Default)]
pub(super) struct DeepeningProgress {
    pub(super) last: Option<(Result<DepthResult, Error>, usize)>,
    pub(super) pace: DepthSchedule,
}

impl DeepeningSearch<'_> {
    pub(super) fn run_at_depth(&mut self, depth: usize) -> Result<Answer, Error> {
        match self.bounds_at_depth(depth) {
            Ok(found) => Ok(self.finished(found, depth, DeepeningEnd::Depth)),
            Err(error) if error.is_budget() => self.run_below(depth, error),
            Err(error) => Err(self.watching.error_of(error)),
        }
    }

    /// Computes the bounds for the greatest expansion depth below `depth` that the limits allow. Returns `error`, the error of the expansion to
    /// `depth`, if the limits allow no smaller depth.
    fn run_below(&mut self, depth: usize, error: Error) -> Result<Answer, Error> {
        let mut best = None;
        // The limits allow depths below `low`, and do not allow depths of at least `high`. At depth zero all values are unknown.
        let (mut low, mut high) = (1, depth);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.bounds_at_depth(middle) {
                Ok(found) => {
                    best = Some((found, middle));
                    low = middle + 1;
                }
                // Evidence that has no maximum weight, or that no tried point of a cell satisfies, may be known at a greater depth.
                Err(
                    Error::Model(ModelError::Unbounded { .. }) | Error::NoSampleMetEvidence { .. },
                ) => low = middle + 1,
                Err(error) if error.is_budget() => high = middle,
                Err(error) if error.is_stopped() => {
                    let why = self.watching.stopped().unwrap_or(Stopped::Deadline);
                    let best = best.map(|(found, depth)| (Ok(found), depth));
                    return self.answer_of(best, DeepeningEnd::Stopped(why));
                }
                Err(error) => return Err(error),
            }
        }
        let (found, depth) = best.ok_or_else(|| self.budget_error(error))?;
        Ok(self.finished(found, depth, DeepeningEnd::Budget))
    }

    /// Returns an error that the setting `work` is too small, if `error` comes from the limit of elements that follows from `work`.
    fn budget_error(&self, error: Error) -> Error {
        match error {
            Error::Model(ModelError::TooManyElements { limit, .. })
                if limit < self.limits.elements =>
            {
                let remedy = "allow more work: the bounds at the first depth need more";
                Error::invalid_setting(self.algorithm.name(), "work", self.algorithm.work, remedy)
            }
            error => error,
        }
    }

    pub(super) fn deepen(&mut self, width: f64) -> Result<Answer, Error> {
        let mut progress = DeepeningProgress::default();
        let ended = loop {
            if let Some(ended) = self.deepen_once(width, &mut progress)? {
                break ended;
            }
        };
        self.answer_of(progress.last, ended)
    }

    /// Computes the bounds at the next expansion depth; returns the reason why the search ends if there is no next depth.
    pub(super) fn deepen_once(
        &mut self,
        width: f64,
        progress: &mut DeepeningProgress,
    ) -> Result<Option<DeepeningEnd>, Error> {
        let (depth, before) = (progress.pace.depth, self.spent);
        let is_narrow = match self.bounds_at_depth(depth) {
            // Evidence that has no maximum weight, or that no tried point of a cell satisfies, may be known at a greater depth.
            outcome @ (Ok(_)
            | Err(
                Error::Model(ModelError::Unbounded { .. }) | Error::NoSampleMetEvidence { .. },
            )) => {
                let (outcome, _) = progress.last.insert((outcome, depth));
                outcome.as_ref().is_ok_and(|found| found.width <= width)
            }
            Err(error) if error.is_stopped() => {
                let why = self.watching.stopped().unwrap_or(Stopped::Deadline);
                return Ok(Some(DeepeningEnd::Stopped(why)));
            }
            Err(error) if error.is_budget() && progress.last.is_some() => {
                return Ok(Some(DeepeningEnd::Budget));
            }
            Err(error) => return Err(self.budget_error(error)),
        };
        self.watching.report(self.spent);
        let left = self.remaining_work();
        progress.pace.next(self.spent - before, left);
        progress.pace.depth = progress.pace.depth.min(self.deepest());
        if is_narrow {
            return Ok(Some(DeepeningEnd::Width));
        }
        let is_deepest = depth >= self.deepest() || !self.is_cut;
        if left == 0 || is_deepest && !self.may_raise_range() {
            return Ok(Some(DeepeningEnd::Budget));
        }
        self.raise_range();
        Ok(None)
    }

    pub(super) fn answer_of(
        &self,
        last: Option<(Result<DepthResult, Error>, usize)>,
        ended: DeepeningEnd,
    ) -> Result<Answer, Error> {
        let DeepeningEnd::Stopped(why) = ended else {
            let (outcome, depth) = last.ok_or_else(|| self.watching.nothing_done())?;
            let found = outcome.map_err(|error| self.budget_error(error))?;
            return Ok(self.finished(found, depth, ended));
        };
        match last {
            Some((Ok(found), depth)) => {
                let answer = self.finished(found, depth, ended);
                let elapsed = self.watching.elapsed();
                let mut run = RunStatistics::new(why, self.spent, elapsed);
                run.asked = Some(self.algorithm.work);
                Ok(answer.with_sampling(run))
            }
            Some((Err(_), _)) | None => Err(self.watching.nothing_done()),
        }
    }

    /// True if the next expansion of the model may list more values of an element with infinitely many values.
    fn may_raise_range(&self) -> bool {
        let is_open =
            self.algorithm.range.is_none() && matches!(self.algorithm.goal, Goal::Width(_));
        is_open && self.is_ranged && self.range < MAX_RANGE
    }

    /// Doubles the number of values that are listed for an element with infinitely many values, if an expansion omitted some of these values.
    fn raise_range(&mut self) {
        if self.may_raise_range() {
            self.range *= 2;
            self.memory.forget_calls();
        }
    }

    fn deepest(&self) -> usize {
        self.limits.depth
    }

    fn finished(&self, found: DepthResult, depth: usize, ended: DeepeningEnd) -> Answer {
        found.answer.with_deepening(Deepening {
            depth,
            range: found.range.unwrap_or(0),
            work: self.spent,
            assumes_monotone: found.assumes_monotone,
            ended: if found.is_complete {
                DeepeningEnd::Complete
            } else {
                ended
            },
        })
    }

    /// Computes the bounds of the targets for an expansion of the model to depth `depth`.
    fn bounds_at_depth(&mut self, depth: usize) -> Result<DepthResult, Error> {
        let limits = self.limits(depth);
        let mut operations = 0.0;
        let memory = &mut self.memory;
        let expansion = expand_to_depth(
            &limits,
            self.model,
            self.targets,
            depth,
            memory,
            &mut operations,
        )?;
        self.spent += expansion.reached() as u64 * ELEMENT + operations as u64;
        let limits = self.limits(depth);
        self.is_ranged |= expansion.is_ranged();
        self.is_cut = expansion.is_cut();
        let found = self.bounds_of(&expansion, &limits);
        // Between the points of an interval that were tried, a function may have values that satisfy the evidence.
        if expansion.assumes_monotone() && matches!(found, Err(Error::ImpossibleEvidence { .. })) {
            return Err(Error::NoSampleMetEvidence {
                algorithm: self.algorithm.name(),
                tried: self.range as u64,
                remedy: "raise `range` or `work`, or use ImportanceSampling",
            });
        }
        found
    }

    /// Computes the bounds of the targets for an expansion of the model.
    fn bounds_of(&mut self, expansion: &Expansion, limits: &Limits) -> Result<DepthResult, Error> {
        if expansion.is_complete() {
            // The expansion contains the whole model; the answer is therefore that of `VariableElimination`.
            let name = self.algorithm.name();
            return Ok(DepthResult {
                answer: marginals(name, self.model, self.targets, expansion, limits)?,
                width: 0.0,
                is_complete: true,
                range: None,
                assumes_monotone: expansion.assumes_monotone(),
            });
        }
        let mut operations = 0.0;
        let found = bounded_sums(expansion, limits, &mut operations);
        self.spent += operations as u64;
        let Some((bounds, log_evidence)) = found? else {
            return self.impossible(expansion, limits);
        };
        let name = self.algorithm.name();
        let widths = bounds.iter().map(TargetBounds::width);
        let evidence = undecided_share(log_evidence.lower, log_evidence.upper);
        Ok(DepthResult {
            width: widths.fold(evidence, f64::max),
            answer: Answer::bounded_marginals(name, bounds, log_evidence),
            is_complete: false,
            range: expansion.is_ranged().then_some(self.range),
            assumes_monotone: expansion.assumes_monotone(),
        })
    }

    fn remaining_work(&self) -> u64 {
        self.algorithm.work.saturating_sub(self.spent)
    }

    /// Returns the limits of the computation at one expansion depth, which follow from the user's limits and from the remaining work.
    fn limits(&self, depth: usize) -> Limits {
        let left = self.remaining_work();
        let elements = usize::try_from(left / ELEMENT).unwrap_or(usize::MAX);
        let mut limits = self.limits.with_work_at_most(left as f64);
        limits.elements = limits.elements.min(elements);
        limits.element_entries = limits.element_entries.min(left);
        limits.expanded_depth = Some(depth);
        limits.range = Some(self.range);
        limits.refines_bins = self.algorithm.refines_bins;
        limits
    }

    /// Returns the error or the answer for evidence that no world satisfies, whatever the values beyond the expansion depth are.
    fn impossible(&self, expansion: &Expansion, limits: &Limits) -> Result<DepthResult, Error> {
        if !self.targets.is_empty() || expansion.assumes_monotone() {
            return Err(conflict::impossible(self.model, self.targets, limits));
        }
        let log_evidence = LogEvidence::exact(f64::NEG_INFINITY);
        Ok(DepthResult {
            answer: Answer::marginals(self.algorithm.name(), Vec::new(), log_evidence),
            width: 0.0,
            is_complete: false,
            range: None,
            assumes_monotone: false,
        })
    }
}

/// Schedule of the expansion depths: the work should grow by about the same factor from depth to depth.
#[derive(Debug, Default)]
pub(super) struct DepthSchedule {
    pub(super) depth: usize,
    /// The work (number of operations) at the last expansion depth, and the difference between this depth and the depth before it.
    last: Option<(u64, usize)>,
}

impl DepthSchedule {
    fn next(&mut self, work: u64, left: u64) {
        let step = match self.last {
            Some((before, step)) if self.depth > 1 => {
                let work = work.max(1) as f64;
                // The natural logarithm of the factor by which the work grows if the depth grows by one.
                let rate = (work / before.max(1) as f64).ln() / step as f64;
                let factor = GROWTH.min(left as f64 / work).max(1.0);
                let affordable = factor.ln() / rate.max(f64::MIN_POSITIVE);
                (affordable as usize).clamp(1, self.depth)
            }
            _ => 1,
        };
        self.last = Some((work, step));
        self.depth = self.depth.saturating_add(step);
    }
}
