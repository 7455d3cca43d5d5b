//! Settings of a comparison, and its execution.

use figrs_factor::Limits;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use figrs_core::{AnyElement, Model, Parents};

use super::comparison::{Comparison, ExactReference, is_exact};
use super::curve::{CurveRuns, CurveSettings};
use super::estimand::{estimands, qualities};
use super::row::{ComparisonRow, ReferenceValues};
use super::timed_run::{RunLimits, RunResult};
use figrs_answer::answer::value_names::distinct_names;
use figrs_answer::{Algorithm, Answer, AnswerContent};
use figrs_exact::{MpeVariableElimination, VariableElimination};

/// Limits on the computation of an exact answer: number of operations, number of entries per table, and number of random variables.
const OPERATIONS: f64 = 3e7;
const ENTRIES: u32 = 1 << 20;
const ELEMENTS: usize = 100_000;
/// Grace period in which an algorithm may still return its answer after the deadline of its run.
const GRACE: Duration = Duration::from_secs(2);

/// Progress of a comparison: the run of an algorithm that is about to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComparisonStep {
    /// Name of the run that is about to begin: the algorithm and, for a run of an error curve, its budget.
    pub name: String,
    /// Number of runs of the comparison that have finished before the run that is about to begin.
    pub done: usize,
    /// Total number of runs in the comparison.
    pub total: usize,
}

type StepListener = Box<dyn Fn(&ComparisonStep)>;

/// Settings of a comparison, which runs several algorithms on the same model and targets, and compares their answers with each other and with the
/// exact answer.
///
/// **Guarantee.** The rows of the comparison are in the order of the algorithms. If an algorithm fails, panics or does not end, the row of the
/// algorithm states the reason. If no exact answer is supplied, [`VariableElimination`] computes the exact answer, within about `3e7` operations and
/// `2^20` entries per table. If [`VariableElimination`] exceeds its limits, the first answer that claims to be exact is used instead. If an answer is
/// a world, its log-probability is compared with that of the most probable world, which [`MpeVariableElimination`] finds within the limits of
/// operations and table entries that apply to the exact answer. [`Verdict`](super::Verdict) describes how answers are judged.
///
/// **Complexity.** A comparison takes the sum of the costs of all its algorithms. The algorithms run one after the other, and each algorithm
/// enumerates the possible values of the model's variables anew.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{Compare, Enumerate, Gibbs, ImportanceSampling, Verdict, VariableElimination, algorithms};
/// let rain = Flip::new(0.2).named("rain");
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let comparison = Compare::new(&model, &rain)
///     .algorithms(algorithms![Enumerate::new(), VariableElimination::new(), Gibbs::new(2000)])
///     .curve([100, 1000], 3, |samples, seed| ImportanceSampling::new(samples).seed(seed))
///     .run();
/// println!("{comparison}");
/// assert_eq!(comparison.rows[0].verdict, Verdict::Agrees);
/// assert_eq!(comparison.curves[0].points.len(), 2);
/// ```
#[must_use]
pub struct Compare {
    model: Model,
    targets: Vec<AnyElement>,
    algorithms: Vec<Arc<dyn Algorithm>>,
    curves: Vec<CurveSettings>,
    exact: Option<Answer>,
    rules: RunLimits,
    listener: Option<StepListener>,
}

/// Runs `algorithms` for the posteriors of `targets` in `model`, and compares their answers; [`Compare`] has more settings.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{ImportanceSampling, JunctionTree, algorithms, compare};
/// let coin = Flip::new(0.3).named("coin");
/// let algorithms = algorithms![JunctionTree::new(), ImportanceSampling::new(1000)];
/// println!("{}", compare(&Model::new(), &coin, algorithms));
/// ```
pub fn compare(
    model: &Model,
    targets: impl Parents,
    algorithms: impl IntoIterator<Item = Box<dyn Algorithm>>,
) -> Comparison {
    Compare::new(model, targets).algorithms(algorithms).run()
}

impl Compare {
    /// Creates a comparison without algorithms.
    pub fn new(model: &Model, targets: impl Parents) -> Self {
        Self {
            model: model.clone(),
            targets: targets.elements(),
            algorithms: Vec::new(),
            curves: Vec::new(),
            exact: None,
            rules: RunLimits {
                grace: GRACE,
                ..RunLimits::default()
            },
            listener: None,
        }
    }

    /// Adds algorithms to the comparison.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Box<dyn Algorithm>>) -> Self {
        let algorithms = algorithms.into_iter();
        self.algorithms
            .extend(algorithms.map(Arc::<dyn Algorithm>::from));
        self
    }

    /// Adds the error curve of an algorithm. For each budget and each seed below `runs`, `make` builds the algorithm, which is then run.
    pub fn curve<A: Algorithm + 'static>(
        mut self,
        budgets: impl IntoIterator<Item = u64>,
        runs: u64,
        make: impl Fn(u64, u64) -> A + 'static,
    ) -> Self {
        self.curves.push(CurveSettings {
            budgets: budgets.into_iter().collect(),
            runs,
            make: Box::new(move |budget, seed| Box::new(make(budget, seed))),
        });
        self
    }

    figrs_factor::field_setters! {
        /// Sets the exact answer, with marginals of all targets; the comparison then computes no exact answer itself.
        exact: Answer => exact;
        /// Sets a deadline for each algorithm; two seconds after the deadline, the comparison stops waiting for the algorithm. In addition, give each
        /// sampler a deadline of its own, at which the sampler returns its answer so far. An algorithm without its own deadline continues on its
        /// thread until the program ends, and slows down the algorithms after it.
        deadline: Duration => rules.deadline;
        /// Ends the comparison when the flag `interrupt` becomes `true`. After the interrupt, the algorithm that is running has two seconds to return
        /// its answer so far, and is abandoned afterwards. Algorithms that have not begun at the interrupt are not run.
        interrupt: Arc<AtomicBool> => rules.interrupt;
    }

    /// Sets the function `peak`, with which the comparison measures the memory of each run. A call of `peak` returns the peak number of bytes in use
    /// since the last call; for example, it may read and reset a counting allocator.
    pub fn peak_memory(mut self, peak: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.rules.peak_memory = Some(Arc::new(peak));
        self
    }

    /// Calls `listener` before each run of an algorithm in the comparison, on the calling thread.
    pub fn on_step(mut self, listener: impl Fn(&ComparisonStep) + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Runs all algorithms, one after the other, and compares their answers.
    pub fn run(self) -> Comparison {
        let courses = self.curves.iter().map(CurveSettings::steps).sum::<usize>();
        let total = self.algorithms.len() + courses + usize::from(self.exact.is_none());
        let mut done = 0;
        let mut tell = |name: &str| {
            if let Some(listener) = &self.listener {
                listener(&ComparisonStep {
                    name: name.to_owned(),
                    done,
                    total,
                });
            }
            done += 1;
        };
        let mut exact = self.exact_answer(&mut tell);
        let mut outcomes: Vec<(String, RunResult)> = Vec::new();
        for contender in &self.algorithms {
            tell(contender.name());
            let outcome = self
                .rules
                .run(contender.clone(), &self.model, &self.targets);
            outcomes.push((contender.name().to_owned(), outcome));
        }
        let run =
            |course: &CurveSettings| course.run(&self.rules, &self.model, &self.targets, &mut tell);
        let laps: Vec<CurveRuns> = self.curves.iter().map(run).collect();
        let answers = outcomes.iter().filter_map(|(_, outcome)| {
            let answer = outcome.answer.as_ref().ok()?;
            Some((answer, outcome.seconds))
        });
        if exact.is_none() {
            let first = answers.clone().find(|(answer, _)| is_exact(answer));
            exact = first.map(|(answer, seconds)| (answer.clone(), seconds));
        }
        let answers: Vec<&Answer> = answers.map(|(answer, _)| answer).collect();
        let is_world = |answer: &&Answer| matches!(answer.content, AnswerContent::World(..));
        let best = answers.iter().any(is_world).then(|| self.best_world());
        let best = best.flatten();
        let names = distinct_names(&self.targets, &[]);
        let reference = exact.as_ref().map(|(answer, _)| answer);
        let estimands = estimands(&self.targets, &names, reference, &answers);
        let read = |(answer, seconds): &(Answer, f64)| {
            let qualities = qualities(answer, &self.targets);
            let read =
                |estimand: &super::Estimand| estimand.read(answer, &self.targets, &qualities);
            let values: Option<Vec<_>> = estimands.iter().map(read).collect();
            Some(ExactReference {
                algorithm: answer.algorithm().to_owned(),
                values: values?.into_iter().map(|reading| reading.value).collect(),
                seconds: *seconds,
                answer: answer.clone(),
            })
        };
        let exact = exact.as_ref().and_then(read);
        let yardstick = ReferenceValues {
            targets: &self.targets,
            names: &names,
            estimands: &estimands,
            exact: exact.as_ref().map(|exact| &exact.values[..]),
            best,
        };
        let rows = outcomes
            .into_iter()
            .map(|(name, outcome)| ComparisonRow::new(name, outcome, &yardstick));
        let rows = rows.collect();
        let curves = laps.into_iter().map(|laps| laps.curve(&yardstick));
        let curves = curves.collect();
        Comparison {
            rows,
            curves,
            targets: names,
            estimands,
            exact,
            best_log_probability: best,
            model: self.model,
            elements: self.targets,
        }
    }

    /// Returns the exact answer that the user supplied, or else computes an exact answer within small limits; `None` if the computation fails.
    fn exact_answer(&self, tell: &mut impl FnMut(&str)) -> Option<(Answer, f64)> {
        if let Some(answer) = &self.exact {
            return Some((answer.clone(), 0.0));
        }
        tell("exact answer");
        let search = VariableElimination::new().limits(self.small());
        let found = self.rules.run(Arc::new(search), &self.model, &self.targets);
        let answer = found.answer.ok().filter(is_exact)?;
        Some((answer, found.seconds))
    }

    /// Returns the log-probability of the most probable world, if this world can be found within small limits.
    fn best_world(&self) -> Option<f64> {
        let search = MpeVariableElimination::new().limits(self.small());
        let found = self.rules.run(Arc::new(search), &self.model, &self.targets);
        found.answer.ok()?.log_probability().ok()
    }

    fn small(&self) -> Limits {
        let targets = self.targets.len().max(1) as f64;
        Limits::default()
            .element_entries(u64::from(ENTRIES))
            .elements(ELEMENTS)
            .table_entries(ENTRIES as usize)
            .work(OPERATIONS / targets)
    }
}

impl fmt::Debug for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compare")
            .field("targets", &self.targets)
            .field("algorithms", &self.algorithms)
            .field("curves", &self.curves.len())
            .finish_non_exhaustive()
    }
}
