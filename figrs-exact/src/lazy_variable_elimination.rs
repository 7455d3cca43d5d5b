//! Bounds of marginals by variable elimination on a finite part of the model, which grows from depth to depth.

use figrs_core::expand::{Expansion, ExpansionCache};
use figrs_core::{AnyElement, Limits, Model, ModelError};

use super::bounded_sums::bounded_sums;
use super::lazy_run::LazyRun;
use super::variable_elimination::marginals;
use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::bounds::{Deepening, DeepeningEnd, TargetBounds, undecided_share};
use figrs_answer::answer::{Answer, LogEvidence, RunStatistics};
use figrs_answer::conflict;
use figrs_answer::error::Error;
use figrs_answer::limits::expand_to_depth;
use figrs_answer::run::run_state::RunState;
use figrs_answer::run::watch::{RunMonitor, Watch};
use figrs_answer::setters;
use figrs_factor::Stopped;

/// Work to expand one element (call its function and number its values), as a number of operations of an elimination.
const ELEMENT: u64 = 250;
/// Factor by which the work should grow from one depth to the next.
const GROWTH: f64 = 4.0;
/// Number of values that are listed for an element with infinitely many values at the first depth; the number doubles from depth to depth.
const FIRST_RANGE: usize = 16;
/// Default number of values that are listed for an element with infinitely many values at a given depth.
const RANGE: usize = 256;
/// Maximum number of values that are listed for an element with infinitely many values.
const MAX_RANGE: usize = 1 << 20;

/// Lower and upper bounds of marginals and of the probability of evidence, for models that may be infinite.
///
/// The algorithm expands Chains that are nested in fewer than `depth` other Chains. The values of Chains at greater depth, and of all elements that
/// depend on them, are `unknown`. A world is known exactly if it has values of all elements that evidence and targets need. The weight of any other
/// world is at least zero, and at most the probability of its known choices times the maximum weight of the evidence. This maximum is one for
/// observations and conditions, and the stated maximum for [`Model::weigh_at_most`]. Let `L(x)` be the total weight of the exactly known worlds with
/// value `x`, and `U(x)` the upper bound of the total weight of all worlds with value `x`. The probability of `x` given the evidence lies between
/// `L(x) / (L(x) + U(not x))` and `U(x) / (U(x) + L(not x))`. The depth of the expansion grows until the bounds are close.
///
/// An expansion lists only some values of an element with infinitely many values; their number grows with the depth. A count such as `Poisson` has
/// its first values, and the value `unknown` with the rest of the probability. A continuous number with a known distribution function is divided into
/// cells between its quantiles. A function of a cell is called with the middle and the ends of the cell. If the results are equal, the result is
/// known; if the results are numbers, the result is a cell; otherwise it is `unknown`. If a parameter of an element is a cell, each value of the
/// element gets the least of its probabilities for the ends and the middle of the cell, and the value `unknown` gets the rest.
///
/// The bounds are read with [`Answer::bounds`], [`Answer::bounds_that`], [`Answer::expectation_bounds`] and [`Answer::log_evidence_bounds`]. If an
/// expansion contains the whole model, the answer is exact and contains probabilities instead of bounds.
///
/// **Guarantee.** The exact probability lies between the bounds, up to rounding, and a greater depth never widens the bounds. If the answer reports
/// [`DeepeningEnd::Width`], the bounds of any event (for a continuous target, of any half-line) differ by at most the requested width. If the model
/// has continuous elements, the bounds assume that functions of numbers are monotone in each cell, and that the probability of each value is least at
/// an end of a cell. This assumption holds for `<`, `<=`, `>` and `>=` with a number, and for most parameters of the distributions of figrs, such as
/// the probability of a `Flip` and the mean of a `Normal`. It does not hold for equality with a number, for the location of a `VonMises`, for the
/// bandwidth of a `KernelDensity`, and for functions that are not monotone, such as squares and sines: the bounds may then exclude the exact
/// probability. [`Deepening::assumes_monotone`](figrs_answer::Deepening::assumes_monotone) states if the bounds rely on this assumption. The
/// algorithm assumes that weights in unexpanded parts of the model are at most one: a Score must not exceed one, and an observed value must not have
/// a density. An expanded Score or density that violates this assumption is an error; a Score or density that is never expanded is not detected. A
/// failure of a function is no error if only worlds with unknown values reach it; the bounds then hold if evidence that was not expanded excludes
/// these worlds.
///
/// **Complexity.** For each target, the work is twice that of [`VariableElimination`](crate::VariableElimination) on the expanded part of the model.
/// All smaller depths together take about as much work as the last depth. The function of a Chain is called once for each combination of its parents'
/// values. A call of a [`Recursive`](figrs_core::Recursive) function is solved once for each argument and each remaining depth; the work for a
/// function that calls itself twice therefore grows linearly with the depth.
///
/// **Errors.** [`ModelError::Unbounded`] if evidence without a maximum is undecided at the last depth; [`Error::ImpossibleEvidence`], or
/// [`Error::NoSampleMetEvidence`] if the evidence is impossible under the assumption that functions are monotone in each cell; the errors of
/// [`VariableElimination`](crate::VariableElimination), except that the deepening ends with the bounds of the last depth if the limits do not allow a
/// greater depth; [`ModelError::NotFinite`] if the density of an observed value depends on a continuous element. A [`deadline`](Self::deadline) also
/// ends the deepening with the bounds of the last depth, and [`Deepening::ended`](figrs_answer::Deepening::ended) then says so;
/// [`Error::NothingDone`] if no depth was finished.
///
/// A run that was [started](figrs_answer::Run::start) gives the bounds of the last finished depth at any time. `extend(more)` adds `more` operations
/// to the [work](Self::work), and the run then increases the depth until this work is done, however close the bounds are. For a run [to a
/// depth](Self::to_depth), `extend(more)` adds `more` to the depth. The run increases the depth by one at a time, and its work therefore includes the
/// smaller depths.
///
/// **References.** Pfeffer, Ruttenberg, Sliva, Howard and Takata, *Lazy factored inference for functional probabilistic programming*
/// (2015), where the weight of undecided evidence is always at most one; Ferson and others (2003), *Constructing probability boxes and
/// Dempster-Shafer structures*, for probabilities of cells.
///
/// ```
/// # use figrs_core::{Constant, Element, Flip, Model};
/// # use figrs_exact::LazyVariableElimination;
/// # use figrs_answer::Run;
/// fn geometric(p: f64) -> Element<u32> {
///     Flip::new(p).flat_map(move |&stop| {
///         if stop { Constant::new(0) } else { geometric(p).map(|n| n + 1) }
///     })
/// }
/// let n = geometric(0.3);
/// let even = Model::new().condition(&n, |n| n % 2 == 0);
/// let bounds = LazyVariableElimination::new().run(&even, [&n])?.bounds(&n, &2)?;
/// assert!(bounds.contains(0.3 * 0.7 * 0.7 / (0.3 / 0.51)) && bounds.width() <= 1e-3);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct LazyVariableElimination {
    pub(super) goal: Goal,
    pub(super) range: Option<usize>,
    pub(super) refines_bins: bool,
    pub(super) work: u64,
    pub(super) limits: Limits,
    pub(super) watch: Watch,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    Width(f64),
    Depth(usize),
}

impl Default for LazyVariableElimination {
    fn default() -> Self {
        Self::new()
    }
}

impl LazyVariableElimination {
    /// Creates an algorithm that increases the depth until the bounds of any event differ by at most 0.001, or the limit of work is reached.
    pub fn new() -> Self {
        Self::to_width(1e-3)
    }

    /// Creates an algorithm that increases the depth until the bounds of any event differ by at most `width`, or the limit of work is reached.
    ///
    /// Without targets, it ends when the bounds of the probability of evidence differ by at most `width`, relative to the upper bound.
    pub fn to_width(width: f64) -> Self {
        Self::with(Goal::Width(width))
    }

    /// Creates an algorithm that expands Chains nested in fewer than `depth` other Chains, and returns the bounds, however far apart they are. If the
    /// limits do not allow `depth`, the bounds are those of the greatest depth that the limits allow.
    pub fn to_depth(depth: usize) -> Self {
        Self::with(Goal::Depth(depth))
    }

    fn with(goal: Goal) -> Self {
        Self {
            goal,
            range: None,
            refines_bins: false,
            work: 1 << 26,
            limits: Limits::default(),
            watch: Watch::default(),
        }
    }

    setters!(watch: watch);

    /// Sets the maximum total work at all depths (default 2^26, which takes some seconds). Each predicted operation of an elimination counts one, and
    /// each expanded element counts 250.
    pub fn work(mut self, budget: u64) -> Self {
        self.work = budget;
        self
    }

    /// Sets the number of values that an expansion lists for each element with infinitely many values. The default is 256 for a given depth. If a
    /// width was requested, the number is 16 at the first depth and doubles from depth to depth.
    pub fn range(mut self, values: usize) -> Self {
        self.range = Some(values.min(MAX_RANGE));
        self
    }

    /// Divides the bins of each [discretised](figrs_core::Element::discretised) element further, so that the bounds enclose the answers of the model in
    /// which the continuous element stands in place of the discretised one.
    ///
    /// Without this setting, a discretised element has the value of its bin, and answers have a discretisation error. With this setting, the element
    /// has the values of its source: functions, conditions and weights apply to these numbers. The edges of the bins are edges of cells at every
    /// depth, and the quantiles of the source are added as for other continuous elements. An observed value, and a value in [`Answer::bounds`], means
    /// the bin with this value. A width that was requested applies to sets of bins.
    ///
    /// ```
    /// # use figrs_core::{Bins, Flip, Model, Normal, Variance};
    /// # use figrs_exact::{LazyVariableElimination, VariableElimination};
    /// # use figrs_answer::Run;
    /// let skill = Normal::new(0.0, Variance(1.0)).discretised(Bins::equal_width_clipped(-3.0, 3.0, 3));
    /// let wins = Flip::new(skill.map(|s| 1.0 / (1.0 + (-3.0 * s).exp())));
    /// let model = Model::new().observe(&wins, true);
    /// let answer = VariableElimination::new().run(&model, &skill)?;
    /// let refined = LazyVariableElimination::to_width(0.005).refine_bins().run(&model, &skill)?;
    /// // By symmetry, the bin from -1 to 1 keeps its probability.
    /// assert!(refined.bounds(&skill, &0.0)?.contains(0.682_689));
    /// let high = refined.bounds_that(&skill, |s| *s > 1.0)?;
    /// // With three values, this probability is 0.3165, because 2.0 stands for all numbers above one.
    /// println!("P(skill > 1) in {high}, and not {:.4}", answer.probability(&skill, &2.0)?);
    /// assert!(high.contains(0.31177) && high.upper < 0.3165);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn refine_bins(mut self) -> Self {
        self.refines_bins = true;
        self
    }

    setters!(limits: limits);
}

impl Algorithm for LazyVariableElimination {
    fn name(&self) -> &'static str {
        "LazyVariableElimination"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.check()?;
        let mut search = self.search((model, targets), ExpansionCache::default(), 0);
        match self.goal {
            Goal::Depth(depth) => search.run_at_depth(depth),
            Goal::Width(width) => search.deepen(width),
        }
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        LazyRun::begin(self, model, targets)
    }
}

impl LazyVariableElimination {
    pub(super) fn check(&self) -> Result<(), Error> {
        let invalid = |setting, value: f64, remedy| {
            Err(Error::invalid_setting(self.name(), setting, value, remedy))
        };
        match (self.goal, self.range) {
            (Goal::Width(width), _) if width.is_nan() || width < 0.0 => {
                invalid("width", width, "ask for a number that is not negative")
            }
            (_, Some(0)) => invalid("range", 0.0, "list at least one value"),
            _ => Ok(()),
        }
    }

    /// Returns the state of a run after `spent` operations; the run may use the expansions in `memory` again.
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
    /// True if an expansion omitted values of an element with infinitely many values.
    is_ranged: bool,
    /// True if the last expansion omitted Chains.
    is_cut: bool,
    pub(super) spent: u64,
}

#[derive(Clone, Debug)]
pub(super) struct DepthResult {
    answer: Answer,
    /// Maximum difference between the bounds of any event; zero if the answer is exact.
    width: f64,
    pub(super) is_complete: bool,
    /// Number of values that were listed for an element with infinitely many values; `None` if there was no such element.
    range: Option<usize>,
    assumes_monotone: bool,
}

/// The result at the last depth, and the schedule of the depths.
#[derive(Debug, Default)]
pub(super) struct DeepeningProgress {
    pub(super) last: Option<(Result<DepthResult, Error>, usize)>,
    pub(super) pace: DepthSchedule,
}

impl DeepeningSearch<'_> {
    fn run_at_depth(&mut self, depth: usize) -> Result<Answer, Error> {
        match self.bounds_at_depth(depth) {
            Ok(found) => Ok(self.finished(found, depth, DeepeningEnd::Depth)),
            Err(error) if error.is_budget() => self.run_below(depth, error),
            Err(error) => Err(self.watching.error_of(error)),
        }
    }

    /// Computes the bounds for the greatest depth below `depth` that the limits allow. Returns `error`, the error of the expansion to `depth`, if the
    /// limits allow no smaller depth.
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

    /// Returns the error that the work does not suffice, if `error` comes from the limit of elements that the work sets.
    fn budget_error(&self, error: Error) -> Error {
        match error {
            Error::Model(ModelError::TooManyElements { limit, .. })
                if limit < self.limits.elements =>
            {
                let remedy = "allow more: the bounds at the first depth take more work";
                Error::invalid_setting(self.algorithm.name(), "work", self.algorithm.work, remedy)
            }
            error => error,
        }
    }

    fn deepen(&mut self, width: f64) -> Result<Answer, Error> {
        let mut progress = DeepeningProgress::default();
        let ended = loop {
            if let Some(ended) = self.deepen_once(width, &mut progress)? {
                break ended;
            }
        };
        self.answer_of(progress.last, ended)
    }

    /// Computes the bounds at the next depth; returns the reason for the end if there is no next depth.
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

    /// True if an expansion may list more values of an element with infinitely many values.
    fn may_raise_range(&self) -> bool {
        let is_open =
            self.algorithm.range.is_none() && matches!(self.algorithm.goal, Goal::Width(_));
        is_open && self.is_ranged && self.range < MAX_RANGE
    }

    /// Doubles the number of listed values, if the expansion omitted values of some element.
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

    /// Computes the bounds of the targets for an expansion to depth `depth`.
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

    /// Computes the bounds of the targets for an expansion.
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

    /// Returns the limits of the computation at one depth, from the user's limits and the remaining work.
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

    /// Returns the error or the answer for evidence that no world satisfies, whatever the unknown values are.
    fn impossible(&self, expansion: &Expansion, limits: &Limits) -> Result<DepthResult, Error> {
        if !self.targets.is_empty() || expansion.assumes_monotone() {
            return Err(conflict::impossible(self.model, self.targets, limits));
        }
        let log_evidence = LogEvidence {
            value: f64::NEG_INFINITY,
            standard_error: 0.0,
        };
        Ok(DepthResult {
            answer: Answer::marginals(self.algorithm.name(), Vec::new(), log_evidence),
            width: 0.0,
            is_complete: false,
            range: None,
            assumes_monotone: false,
        })
    }
}

/// Schedule of the depths: the work should grow by about the same factor from depth to depth.
#[derive(Debug, Default)]
pub(super) struct DepthSchedule {
    pub(super) depth: usize,
    /// The work at the last depth, and the difference between this depth and the depth before it.
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
