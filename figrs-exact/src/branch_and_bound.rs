//! The most probable world of models that are too wide for elimination, with a bound on all worlds.

use std::fmt;
use std::sync::Arc;

use figrs_core::expand::{Budget, Encoding};
use figrs_core::{AnyElement, Model};
use figrs_factor::bounds::Improvement;
use figrs_factor::eliminate::log_weight;
use figrs_search::branch_and_bound::{SearchLimits, SearchObserver, SearchResult, solve};

use crate::conflict;
use crate::question::Question;
use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::answer::run_statistics::RunStatistics;
use figrs_answer::error::Error;
use figrs_answer::limits::Limits;
use figrs_answer::run::watch::{RunMonitor, Watch, watched, watched_by_run};

/// The most probable world of models that are too wide for
/// [`MpeVariableElimination`](crate::MpeVariableElimination): the best world found within a budget, and a proven upper
/// bound on the probability of every world.
///
/// The model is a weighted constraint satisfaction problem, whose costs are negative logarithms of weights. Variables of at most three neighbours are
/// eliminated, and the remaining variables form independent components, each searched alone. The first bound of a component comes from sequential
/// tree-reweighted moves of costs between functions (virtual arc consistency), the first world from tabu search. Then a hybrid best-first search takes
/// the open node of the smallest bound, searches it depth first for a while, and keeps its unexplored subtrees as open nodes. At each node, costs are moved
/// so that the lower bound grows (existential directional arc consistency), values that others dominate are removed, and variables of
/// at most two neighbours are eliminated. At the open nodes taken, tree-reweighted sweeps move costs as well, for as long as they raise bounds.
/// A component that small separators divide is also searched along a tree decomposition, with bounds for each assignment of a separator; both
/// searches do the same amount of work and share better assignments. If the search takes longer, an exact elimination is tried where tables of the size allowed suffice;
/// else a mini-bucket elimination with such tables bounds all worlds, and neighbourhoods of the best one are optimised.
/// [`Answer::upper_bound`] and [`Answer::is_proven`] give the quality of the world, [`Answer::improvements`] the course of the gap.
///
/// **Guarantee.** The world has positive probability, which is recomputed from the factors in the end. Costs are integers, so that sums of
/// them do not drift: the logarithms of weights are rounded down to multiples of `2^-46`, or of a larger power of two if all of them together
/// would not fit into 55 bits. The bound is on the costs before they were rounded, for every budget, and is itself rounded up; when the search ends before
/// its budget does, it is above the world by at most two such units for each factor that is not constant, plus floating-point
/// rounding. Deterministic. Of several most probable worlds it may find another
/// one than [`MpeVariableElimination`](crate::MpeVariableElimination), which prefers values that stand first.
///
/// **Complexity.** Exponential in the number of variables at worst, cut off by the budget. A step of the search looks at the functions whose
/// costs change. Along a tree decomposition, the search is exponential in the largest cluster of variables rather than in all, times the assignments of its
/// separator. Memory is linear in the model, in the depth of the search, in the open nodes and the tables of eliminations, up to the limit set, and in the
/// steps that found a better world or bound.
///
/// With a [`deadline`](Self::deadline) the preparation and the search end in time with the best world so far and the bound so far, and
/// [`RunStatistics::stopped`](figrs_answer::RunStatistics::stopped) of the answer says so.
///
/// **Errors.** [`Error::NothingDone`] if it was stopped before there was any world; [`Error::NoWorldFound`], with the bound, if the budget was used before there was any world; else as
/// [`MpeVariableElimination`](crate::MpeVariableElimination), except that no model is too wide. (Whether functions
/// that fail for some values matter is decided by elimination, which may be refused.)
///
/// **References.** De Givry, Heras, Zytnicki and Larrosa (2005), "Existential arc consistency: getting closer to full arc consistency in weighted CSPs";
/// Cooper, de Givry, Sanchez, Schiex, Zytnicki and Werner (2010), "Soft arc consistency revisited"; de Givry, Prestwich and O'Sullivan (2013), "Dead-end
/// elimination for weighted CSP"; Allouche, de Givry, Katsirelos, Schiex and Zytnicki (2015), "Anytime hybrid best-first search with tree
/// decomposition for weighted CSP"; de Givry, Schiex and Verfaillie (2006), "Exploiting tree decomposition and soft local consistency in weighted CSP"; Sanchez,
/// Allouche, de Givry and Schiex (2009), "Russian doll search with tree decomposition"; Ihler, Flerova, Dechter and Otten (2012), "Join-graph based cost-shifting schemes".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::MpeBranchAndBound;
/// # use figrs_answer::Run;
/// // Thirty coins, every two of which tend to agree: an elimination needs one table over all of them.
/// let coins: Vec<_> = (0..30).map(|i| Flip::new(0.3 + 0.01 * f64::from(i))).collect();
/// let mut model = Model::new();
/// for (i, a) in coins.iter().enumerate() {
///     for b in &coins[..i] {
///         model = model.weigh(&a.equals(b), |&same| if same { 1.05 } else { 1.0 });
///     }
/// }
/// let world = MpeBranchAndBound::new().bound_table(1 << 10).work(20_000).run(&model, &coins)?;
/// assert!(world.log_probability()? <= world.upper_bound()?);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MpeBranchAndBound {
    budget: Budget,
    limits: SearchLimits,
    watch: Watch,
    listener: ImprovementListener,
}

impl Default for MpeBranchAndBound {
    /// Tables of up to `2^18` entries, ten million steps, 1 GB of open nodes and tables.
    fn default() -> Self {
        Self {
            budget: Budget::default(),
            limits: SearchLimits {
                table: 1 << 18,
                work: 10_000_000,
                memory: 1 << 30,
            },
            watch: Watch::default(),
            listener: ImprovementListener::default(),
        }
    }
}

impl MpeBranchAndBound {
    /// With the default budgets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the expansion of the model.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the maximum number of entries of the tables of an exact elimination, which is tried when the search takes long, and of
    /// a mini-bucket elimination, which bounds all worlds where that is refused.
    pub fn bound_table(mut self, entries: usize) -> Self {
        self.limits.table = entries;
        self
    }

    /// Sets the maximum number of steps of the search: one for each cost function looked at, and one for each further 64 of its costs.
    pub fn work(mut self, steps: u64) -> Self {
        self.limits.work = steps;
        self
    }

    /// Sets the maximum number of bytes in addition to the cost functions. Half of these bytes are for the open nodes of all components, and for the bounds of
    /// each assignment of a separator: once they are used, the search goes on depth first, as fast as before, with bounds that come down later, and forgets the
    /// bounds of separators. The other half is for the tables of an elimination, which is refused, or divided into smaller mini-buckets, if it takes more.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Calls `listener` for each of [`Answer::improvements`] when it is made, on the calling thread: a better world was found, or the bound came
    /// down.
    pub fn on_improvement(
        mut self,
        listener: impl Fn(&Improvement) + Send + Sync + 'static,
    ) -> Self {
        self.listener = ImprovementListener(Some(Arc::new(listener)));
        self
    }

    watched!();

    watched_by_run!(watch);
}

impl Algorithm for MpeBranchAndBound {
    fn name(&self) -> &'static str {
        "MpeBranchAndBound"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.answer_to(&Question::new(model, targets))
    }
}

impl MpeBranchAndBound {
    /// Answers a question whose expansion other algorithms may share.
    pub(crate) fn answer_to(&self, question: &Question<'_>) -> Result<Answer, Error> {
        let watching = self.watch.start(self.name(), Some(self.limits.work));
        let answer = self.search(question, &watching);
        answer.map_err(|error| watching.error_of(error))
    }

    fn search(&self, question: &Question<'_>, watching: &RunMonitor<'_>) -> Result<Answer, Error> {
        let limits = Limits {
            budget: self.budget,
            ..Limits::default()
        }
        .until(watching.until());
        let impossible = || question.impossible(&limits);
        let expansion = question.expand_for_best_world(&limits)?;
        if expansion.impossible().is_some() {
            return Err(impossible());
        }
        conflict::check_failures(&expansion, &limits)?;
        let encoding = Encoding::for_worlds(&expansion)?;
        let observer = SearchObserver {
            progress: &|done| watching.report(done),
            improvement: &|step| {
                if let Some(listener) = &self.listener.0 {
                    listener(step);
                }
            },
        };
        let (world, steps, stopped) =
            match solve(encoding.graph(), self.limits, watching.until(), observer)? {
                SearchResult::Found(world, steps, stopped) => (world, steps, stopped),
                SearchResult::Impossible => return Err(impossible()),
                SearchResult::Unknown { stopped: true, .. } => return Err(watching.nothing_done()),
                SearchResult::Unknown {
                    work, upper_bound, ..
                } => {
                    return Err(Error::NoWorldFound { work, upper_bound });
                }
            };
        let values = expansion.elements().iter().filter_map(|expanded| {
            let value = encoding.value(&expansion, &expanded.element, &world)?;
            Some((expanded.element.clone(), value))
        });
        let log_probability = log_weight(encoding.graph(), &world);
        let work = steps.last().map_or(0, |last| last.work);
        let answer = Answer::searched_world(self.name(), values, log_probability, steps);
        let Some(why) = stopped else {
            return Ok(answer);
        };
        let mut run = RunStatistics::new(why, work, watching.elapsed());
        run.asked = Some(self.limits.work);
        Ok(answer.with_sampling(run))
    }
}

/// An optional function that is called with better worlds and better bounds.
#[derive(Clone, Default)]
struct ImprovementListener(Option<Arc<ListenerFn>>);

type ListenerFn = dyn Fn(&Improvement) + Send + Sync;

impl fmt::Debug for ImprovementListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ImprovementListener").finish_non_exhaustive()
    }
}
