//! Search for the most probable world of models that are too wide for variable elimination, with a proven upper bound on the probability of all
//! worlds.

use figrs_core::{AnyElement, Limits, Model};
use figrs_factor::bounds::Improvement;
use figrs_search::branch_and_bound::{SearchObserver, SolveResult, solve};

use crate::question::Question;
use figrs_answer::{Algorithm, Answer, Error, Listener, RunMonitor, RunStatistics, Watch, setters};

/// The most probable world of models that are too wide for [`MpeVariableElimination`](crate::MpeVariableElimination): the best world found within a
/// limit of work, and a proven upper bound on the probability of every world.
///
/// The search treats the model as a weighted constraint satisfaction problem, whose costs are negative logarithms of weights. Before the
/// branch-and-bound search, variables with at most three neighbours are eliminated. The variables that are not eliminated before the search form
/// independent components, which are searched separately. Sequential tree-reweighted sweeps (virtual arc consistency) move costs between cost
/// functions, and give the first bound for an independent component of the model; tabu search gives the first world. A hybrid best-first search of an
/// independent component repeatedly takes the open node with the smallest lower bound of the cost. The hybrid best-first search explores each taken
/// node depth first, for a limited time, and adds the node's unexplored subtrees to the open nodes. At each node of the search, costs are moved
/// between cost functions to raise the lower bound (existential directional arc consistency), dominated values are removed, and variables with at
/// most two neighbours are eliminated. At each open node that the best-first search takes, tree-reweighted sweeps move costs between cost functions
/// as long as the lower bound rises. A component with small separators is also searched along a tree decomposition, with bounds for each assignment
/// of a separator. The search along the tree decomposition and the search without it do the same amount of work, and share the best assignment found.
/// If the search takes long, an exact elimination is tried, provided that its tables do not exceed the permitted size. If the exact elimination is
/// refused, mini-bucket elimination with tables of the permitted size gives an upper bound for all worlds, and large neighbourhood search improves
/// the best world. [`Answer::upper_bound`] and [`Answer::is_proven`] state the quality of the world, and [`Answer::improvements`] lists the better
/// worlds and the closer bounds in the order in which they were found.
///
/// **Guarantee.** The returned world has a positive probability, which is recomputed from the factors at the end. The costs (negative logarithms of
/// weights) are integers, so that sums of costs have no rounding errors. The logarithms of weights are rounded down to multiples of `2^-46`, or of a
/// larger power of two if the sum of all costs does not fit into 55 bits. The upper bound on the probability holds for the weights before rounding,
/// even if the limit of work ends the search; the bound itself is rounded up. If the search is completed, the bound exceeds the log-probability of
/// the world by at most two units of rounding (usually `2^-46`) for each factor that is not constant, plus floating-point rounding. The result of the
/// search is deterministic. If several worlds are most probable, the search may find another world than
/// [`MpeVariableElimination`](crate::MpeVariableElimination), which prefers values that come first in their supports.
///
/// **Complexity.** The time is exponential in the number of variables in the worst case, but is bounded by the limit of work. The time of a step of
/// the search is the time to read the cost functions that the step changes. The time of the search along a tree decomposition is exponential in the
/// size of the largest cluster of variables, times the number of assignments of the cluster's separator. The memory is linear in the size of the
/// model, in the depth of the search, and in the number of improvements of the best world or its bound. The open nodes of the search and the tables
/// of eliminations take additional memory, up to the limit of memory.
///
/// With a [`deadline`](Self::deadline), the branch-and-bound search and its preparation end at the deadline, and the answer contains the best world
/// and the bound found so far. [`RunStatistics::stopped`](figrs_answer::RunStatistics::stopped) of the answer gives the reason why the search ended.
///
/// **Errors.** [`Error::NothingDone`] if the run was stopped before a world was found; [`Error::NoWorldFound`], with the bound, if the limit of work
/// was reached first; other errors as [`MpeVariableElimination`](crate::MpeVariableElimination), except that no model is too wide. (If functions of
/// the model fail for some values, a variable elimination decides whether a world contains these values; this elimination may exceed the limits and
/// be refused.)
///
/// **References.** De Givry, Heras, Zytnicki and Larrosa (2005), "Existential arc consistency: getting closer to full arc consistency in weighted
/// CSPs"; Cooper, de Givry, Sanchez, Schiex, Zytnicki and Werner (2010), "Soft arc consistency revisited"; de Givry, Prestwich and O'Sullivan (2013),
/// "Dead-end elimination for weighted CSP"; Allouche, de Givry, Katsirelos, Schiex and Zytnicki (2015), "Anytime hybrid best-first search with tree
/// decomposition for weighted CSP"; de Givry, Schiex and Verfaillie (2006), "Exploiting tree decomposition and soft local consistency in weighted
/// CSP"; Sanchez, Allouche, de Givry and Schiex (2009), "Russian doll search with tree decomposition"; Ihler, Flerova, Dechter and Otten (2012),
/// "Join-graph based cost-shifting schemes".
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
    limits: Limits,
    watch: Watch,
    listener: Listener<Improvement>,
}

impl Default for MpeBranchAndBound {
    fn default() -> Self {
        Self {
            limits: Limits::default()
                .table_entries(1 << 18)
                .work(1e7)
                .memory(1 << 30),
            watch: Watch::default(),
            listener: Listener::default(),
        }
    }
}

impl MpeBranchAndBound {
    /// Creates a branch-and-bound search with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(expansion: limits);

    /// Sets the maximum number of entries of the tables of an exact elimination, which is tried if the search takes long. The maximum number of table
    /// entries also applies to the mini-bucket elimination, which gives an upper bound for all worlds if the exact elimination is refused.
    pub fn bound_table(mut self, entries: usize) -> Self {
        self.limits.table_entries = entries;
        self
    }

    /// Sets the maximum number of steps of the search: one step for each cost function that is read, and one more for each further 64 costs that the
    /// function contains.
    pub fn work(mut self, steps: u64) -> Self {
        self.limits.work = steps as f64;
        self
    }

    /// Sets the maximum number of bytes that the search and the eliminations take, not counting the cost functions. One half of the permitted bytes
    /// is for the open nodes of all components, and for the bounds of each assignment of a separator. When the bytes for open nodes and bounds are
    /// used up, the search continues depth first at the same speed, but the upper bound falls later, and bounds of separators are dropped. The second
    /// half of the permitted bytes is for the tables of an elimination. An elimination whose tables need more bytes is refused or divided into
    /// smaller mini-buckets.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Calls `listener` on the calling thread with each entry of [`Answer::improvements`], when a better world is found or the upper bound falls.
    pub fn on_improvement(
        mut self,
        listener: impl Fn(&Improvement) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Listener::new(listener);
        self
    }

    setters!(watch: watch);
    setters!(part_of: watch);
}

impl Algorithm for MpeBranchAndBound {
    fn name(&self) -> &'static str {
        "MpeBranchAndBound"
    }

    fn finds_world(&self) -> bool {
        true
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.answer_to(&Question::new(model, targets))
    }
}

impl MpeBranchAndBound {
    /// Answers a question (a model with targets), and may reuse the expansion (the lists of possible values) that another algorithm made of the
    /// model.
    pub(crate) fn answer_to(&self, question: &Question<'_>) -> Result<Answer, Error> {
        let watching = self.watch.start(self.name(), Some(self.limits.work as u64));
        let answer = self.search(question, &watching);
        answer.map_err(|error| watching.error_of(error))
    }

    fn search(&self, question: &Question<'_>, watching: &RunMonitor<'_>) -> Result<Answer, Error> {
        let limits = Limits::default().until(watching.until());
        let limits = limits.with_expansion_of(&self.limits);
        let worlds = question.world_graph(&limits)?;
        let observer = SearchObserver {
            progress: &|done| watching.report(done),
            improvement: &|step| self.listener.tell(step),
        };
        let search_limits = self.limits.until(watching.until());
        let (world, steps, stopped) = match solve(worlds.graph(), &search_limits, observer)? {
            SolveResult::Found(world, steps, stopped) => (world, steps, stopped),
            SolveResult::Impossible => return Err(question.impossible(&limits)),
            SolveResult::Unknown { stopped: true, .. } => return Err(watching.nothing_done()),
            SolveResult::Unknown {
                work, upper_bound, ..
            } => {
                return Err(Error::NoWorldFound { work, upper_bound });
            }
        };
        let work = steps.last().map_or(0, |last| last.work);
        let answer = worlds.answer(self.name(), &world, steps);
        let Some(why) = stopped else {
            return Ok(answer);
        };
        let mut run = RunStatistics::new(why, work, watching.elapsed());
        run.asked = Some(self.limits.work as u64);
        Ok(answer.with_sampling(run))
    }
}
