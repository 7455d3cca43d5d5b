//! Bounds of marginals by variable elimination on a finite part of the model.

use figrs_core::expand::ExpansionCache;
use figrs_core::{AnyElement, Limits, Model};

use super::deepening_search::MAX_RANGE;
use super::lazy_run::LazyRun;
use figrs_answer::{Algorithm, Answer, Error, RunState, Watch, setters};

/// Lower and upper bounds of marginals and of the probability of evidence, for models that may be infinite.
///
/// Lazy variable elimination expands `Chain` elements that are nested in fewer than `depth` other `Chain` elements. The values of `Chain` elements at
/// greater depth, and of all elements that depend on them, are `unknown`. A world is known exactly if it has values of all elements that evidence and
/// targets need. The weight of a world that is not known exactly is at least zero, and at most the probability of its known choices times the maximum
/// weight of the evidence. The maximum weight of the evidence is one for observations and conditions, and the stated maximum for
/// [`Model::weigh_at_most`]. Let `L(x)` be the total weight of the exactly known worlds with value `x`, and `U(x)` the upper bound of the total
/// weight of all worlds with value `x`. The probability of `x` given the evidence lies between `L(x) / (L(x) + U(not x))` and
/// `U(x) / (U(x) + L(not x))`, where `L` is the exactly known weight and `U` the upper bound of the total weight. The model is expanded to greater
/// and greater depths of nested `Chain` elements until the lower and upper bounds are close.
///
/// An expansion of the model lists only some values of an element with infinitely many values, and lists more of them at greater depth. In the
/// expansion of an element whose values are counts, such as `Poisson`, the smallest counts keep their probabilities, and the value `unknown` has the
/// rest. A continuous number with a known distribution function is divided into cells between its quantiles. A function of a continuous number is
/// called with the middle and the ends of each cell (interval between two quantiles). If a function has equal results for the middle and the ends of
/// a cell, its result is known; if the results are different numbers, the result is a cell; otherwise the result is `unknown`. If a parameter of an
/// element is a cell (an interval), each value of the element gets the least of its probabilities for the ends and the middle of the cell, and the
/// value `unknown` gets the rest.
///
/// The bounds are read with [`Answer::bounds`], [`Answer::bounds_that`], [`Answer::expectation_bounds`] and [`Answer::log_evidence_bounds`]. If an
/// expansion (a list of the possible values of elements) contains the whole model, the answer is exact and contains probabilities instead of bounds.
///
/// **Guarantee.** The exact probability of an event lies between the bounds, up to rounding, and a greater expansion depth never widens the bounds.
/// If the answer reports [`DeepeningEnd::Width`], the bounds of any event (for a continuous target, of any half-line) differ by at most the requested
/// width. If the model has continuous elements, the bounds assume that functions of numbers are monotone in each cell (interval of values), and that
/// the probability of each value is least at an end of a cell. The assumption of monotone functions holds for `<`, `<=`, `>` and `>=` with a number,
/// and for most parameters of the distributions of figrs, such as the probability of a `Flip` and the mean of a `Normal`. The assumption does not
/// hold for equality with a number, for the location of a `VonMises`, for the bandwidth of a `KernelDensity`, and for functions that are not
/// monotone, such as squares and sines: the bounds may then exclude the exact probability.
/// [`Deepening::assumes_monotone`](figrs_answer::Deepening::assumes_monotone) states if the bounds rely on the assumption that functions are monotone
/// in each interval of values. The algorithm assumes that weights in unexpanded parts of the model are at most one: a `Score` must not exceed one,
/// and an observed value must not have a density. A `Score` above one, or a density, is an error if the expansion of the model reaches it. A `Score`
/// above one or a density is not detected in lazy variable elimination if the expansion of the model never reaches it. A failure of a function is no
/// error if only worlds with unknown values reach it; the bounds then hold if evidence that was not expanded excludes these worlds.
///
/// **Complexity.** For each target, the work is twice that of [`VariableElimination`](crate::VariableElimination) on the expanded part of the model.
/// All smaller expansion depths together take about as much work as the last depth. The function of a `Chain` is called once for each combination of
/// its parents' values. A call of a [`Recursive`](figrs_core::Recursive) function is solved once for each argument and each remaining depth; the work
/// for a function that calls itself twice therefore grows linearly with the depth.
///
/// **Errors.** [`ModelError::Unbounded`] if evidence without a maximum is undecided at the last depth; [`Error::ImpossibleEvidence`], or
/// [`Error::NoSampleMetEvidence`] if the evidence is impossible under the assumption that functions are monotone in each cell; the errors of
/// [`VariableElimination`](crate::VariableElimination), except that the deepening ends with the bounds of the last depth if the limits do not allow a
/// greater depth; [`ModelError::NotFinite`] if the density of an observed value depends on a continuous element. A [`deadline`](Self::deadline) also
/// ends the increase of the expansion depth with the bounds of the last depth, and [`Deepening::ended`](figrs_answer::Deepening::ended) then names
/// the deadline; [`Error::NothingDone`] if no depth was finished.
///
/// A run that was [started](figrs_answer::Run::start) gives the bounds of the last finished expansion depth at any time. `extend(more)` adds `more`
/// operations to the [work](Self::work), and the run then increases the depth until this work is done, however close the lower and the upper bounds
/// are. For a run [to a depth](Self::to_depth), `extend(more)` adds `more` to the expansion depth. The run to a depth increases the depth by one at a
/// time, and its work therefore includes the smaller depths.
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
///
/// [`DeepeningEnd::Width`]: figrs_answer::DeepeningEnd::Width
/// [`ModelError::NotFinite`]: figrs_core::ModelError::NotFinite
/// [`ModelError::Unbounded`]: figrs_core::ModelError::Unbounded
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
    /// Creates an algorithm that increases the expansion depth until the bounds of any event differ by at most 0.001, or the limit of work is
    /// reached.
    pub fn new() -> Self {
        Self::to_width(1e-3)
    }

    /// Creates an algorithm that increases the expansion depth until the bounds of any event differ by at most `width`, or the limit of work is
    /// reached.
    ///
    /// Without targets, the algorithm ends when the bounds of the probability of evidence differ by at most `width`, relative to the upper bound.
    pub fn to_width(width: f64) -> Self {
        Self::with(Goal::Width(width))
    }

    /// Creates an algorithm that expands `Chain` elements nested in fewer than `depth` other `Chain` elements, and returns the bounds, however far
    /// apart they are. If the limits do not allow `depth`, the bounds are those of the greatest depth that the limits allow.
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

    /// Sets the maximum total work at all depths (default 2^26, which takes some seconds). The work is one for each predicted operation of a variable
    /// elimination, and 250 for each expanded element.
    pub fn work(mut self, budget: u64) -> Self {
        self.work = budget;
        self
    }

    /// Sets the number of values that an expansion lists for each element with infinitely many values. By default, an expansion to a given depth
    /// lists 256 values of each element with infinitely many values. If a width of the bounds was requested, 16 values of an element with infinitely
    /// many values are listed at the first depth, and the number doubles from depth to depth.
    pub fn range(mut self, values: usize) -> Self {
        self.range = Some(values.min(MAX_RANGE));
        self
    }

    /// Divides the bins of each [discretised](figrs_core::Element::discretised) element further, so that the bounds enclose the answers of the model in
    /// which the continuous element stands in place of the discretised one.
    ///
    /// Without `refine_bins`, a discretised element has the value of its bin, and answers have a discretisation error. With `refine_bins`, a
    /// discretised element has the values of its source (the continuous element): functions, conditions and weights apply to the numbers of the
    /// source. The edges of the bins of a discretised element are edges of cells at every depth, and quantiles of the continuous element are added as
    /// further edges. With `refine_bins`, an observed value of a discretised element, and a value in [`Answer::bounds`], means the bin with this
    /// value. With `refine_bins`, a requested width (difference) of the lower and upper bounds applies to events that are sets of bins.
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
}
