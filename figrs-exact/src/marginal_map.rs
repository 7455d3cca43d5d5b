//! Marginal MAP: the most probable joint values of some elements, after all other elements are summed out.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Limits, Model, Parents};
use figrs_factor::Stopped;
use figrs_factor::bounds::Improvement;
use figrs_factor::graph::{FactorGraph, VarId};
use figrs_search::marginal_map::{MarginalMapResult, MarginalMapSearch, marginal_map_search};

use figrs_answer::{
    Algorithm, Answer, Error, RunMonitor, RunStatistics, Watch, conflict, expand, guarded, setters,
};
use figrs_factor::eliminate::{EliminationError, MarginalMapCost, marginal_map, marginal_map_cost};

/// An elimination with at most this number of predicted operations (at most a second) runs without an earlier search over the values of the targets.
const CHEAP: f64 = 1e8;
/// A better elimination order is searched for only if the largest table is at most this number of times as large as the limit on tables.
const HOPELESS: f64 = 1e4;
/// Default of the maximum number of operations of the marginal MAP search for the most probable values of the targets.
const SEARCH_WORK: f64 = 1e9;

/// Marginal MAP: the joint values of the targets with the largest probability; the probability is a sum over all other elements.
///
/// The result of marginal MAP may differ from the most probable value of each single target, and from the targets' values in the most probable world
/// ([`MpeVariableElimination`](crate::MpeVariableElimination)). The answer of marginal MAP has the values of the targets, and the log-probability of
/// these values together with the evidence.
///
/// A variable elimination sums out all elements that are not targets, and then maximises over the targets. If the planned elimination exceeds the
/// limits, or is expensive, a search over the values of the targets runs first: local search (hill climbing with restarts), then a best-first branch
/// and bound with upper bounds by weighted mini-buckets. If the search does not finish, the answer has the best values that were found, with their
/// exact log-probability, and [`Answer::upper_bound`] is an upper bound of the log-probability of all other values; [`Answer::is_proven`] is false.
/// [`Answer::algorithm`] names the algorithm that found the values: `MarginalMap` is the elimination, `MarginalMapBranchAndBound` is the branch and
/// bound (it found or proved the values), and `MarginalMapLocalSearch` is local search without a proof.
///
/// **Guarantee.** The result of the elimination, and of a search that finished, is exact up to rounding. If neither an elimination nor a finished
/// search gave the answer, the log-probability of the values is exact up to rounding, and no values of the targets have a log-probability above the
/// upper bound. Of equally probable values, the elimination chooses the first in the support, in an order of the targets that is fixed for each
/// model; a search may choose other values. The result is deterministic if neither a deadline nor an interrupt ends the run.
///
/// **Complexity.** The elimination sums out all elements that are not targets before it maximises over the targets; this order may take far more work
/// than a sum or a maximum over all elements. The work of the elimination is exponential in the width of the best elimination order in which all sums
/// come before all maximisations. The elimination never multiplies all tables of the targets to one table. [`cost`](Self::cost) predicts the work of
/// the sum over the other elements and of the maximisation over the targets. The search takes at most [`search_work`](Self::search_work) operations;
/// each sum in the search costs as much as an elimination of the model with observed targets.
///
/// **Errors.** The errors of [`VariableElimination`](crate::VariableElimination), if even the sum for given values of all targets exceeds a limit;
/// [`Error::NothingDone`] if the deadline passed before any values were found; [`Error::NoWorldFound`], with the upper bound, if a search found no
/// possible values within its limit of work.
///
/// **References.** Park and Darwiche (2004), "Complexity results and approximation strategies for MAP explanations"; Park and Darwiche (2003),
/// "Solving MAP exactly using systematic search"; Marinescu, Dechter and Ihler (2014), "AND/OR search for marginal MAP".
///
/// ```
/// # use figrs_core::{Constant, Flip, If, Model, Uniform};
/// # use figrs_exact::MarginalMap;
/// # use figrs_answer::Run;
/// let a = Flip::new(0.6);
/// let c = If::new(&a, Uniform::new(1..=10), Constant::new(0));
/// // The most probable world has no `a`: it is split among ten values of `c`, which do not matter here.
/// let answer = MarginalMap::new().run(&Model::new(), &a)?;
/// assert!(answer.most_likely_value(&a)?);
/// assert!((answer.log_probability()?.exp() - 0.6).abs() < 1e-12);
/// assert!(answer.is_proven()?);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MarginalMap {
    limits: Limits,
    search_work: f64,
    watch: Watch,
}

impl Default for MarginalMap {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            search_work: SEARCH_WORK,
            watch: Watch::default(),
        }
    }
}

struct MarginalMapEncoding {
    expansion: Expansion,
    encoding: Encoding,
    keep: Vec<VarId>,
}

impl MarginalMap {
    const NAME: &'static str = "MarginalMap";
    const BRANCH_AND_BOUND: &'static str = "MarginalMapBranchAndBound";
    const LOCAL_SEARCH: &'static str = "MarginalMapLocalSearch";

    /// True if `algorithm` is a name of the algorithms of `MarginalMap`, for which the probability of the answer's values is a sum over many worlds.
    #[doc(hidden)]
    pub fn is_name(algorithm: &str) -> bool {
        [Self::NAME, Self::BRANCH_AND_BOUND, Self::LOCAL_SEARCH].contains(&algorithm)
    }

    /// Creates a marginal MAP search with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(limits: limits);

    /// Sets the maximum number of operations of the search that runs if the elimination is refused (default `1e9`). With a deadline, the maximum
    /// number of operations may be `f64::INFINITY`.
    pub fn search_work(mut self, operations: f64) -> Self {
        self.search_work = operations;
        self
    }

    setters!(watch: watch);

    /// Predicts the cost of the sum over the other elements and of the maximisation over the targets, even if the cost exceeds the limits.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_exact::MarginalMap;
    /// let coins: Vec<_> = (0..50).map(|_| Flip::new(0.5)).collect();
    /// let cost = MarginalMap::new().cost(&Model::new(), &coins)?;
    /// assert_eq!(cost.maximum.width, 1);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn cost(&self, model: &Model, targets: impl Parents) -> Result<MarginalMapCost, Error> {
        let targets = targets.elements();
        let Some(question) = guarded(|| self.question(model, &targets))? else {
            return Ok(MarginalMapCost::default());
        };
        let graph = question.encoding.graph();
        Ok(marginal_map_cost(graph, &question.keep, &self.limits)?)
    }

    /// Returns the factor graph for the targets; `None` if the evidence is impossible.
    fn question(
        &self,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Option<MarginalMapEncoding>, Error> {
        let expansion = expand(&self.limits, model, targets)?;
        if expansion.impossible().is_some() {
            return Ok(None);
        }
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let variable = |&position: &usize| encoding.variable(position);
        let mut keep: Vec<VarId> = expansion.targets().iter().filter_map(variable).collect();
        keep.sort_unstable();
        keep.dedup();
        Ok(Some(MarginalMapEncoding {
            expansion,
            encoding,
            keep,
        }))
    }
}

/// The best values found for the variables of the targets, and the name of the algorithm that found them.
struct BestValues {
    algorithm: &'static str,
    values: Vec<u32>,
    log_probability: f64,
    /// Improvements of the best values during a search that did not finish; empty if the values are proven to be the best.
    improvements: Vec<Improvement>,
    /// Reason why an unfinished search ended, and the number of operations that it took.
    stopped: Option<(Stopped, u64)>,
}

impl From<MarginalMapResult> for BestValues {
    fn from(found: MarginalMapResult) -> Self {
        let is_finished = found.stopped == Stopped::Finished;
        let mut improvements = found.improvements;
        if is_finished {
            improvements.clear();
        } else {
            improvements.push(Improvement {
                work: found.work,
                log_probability: found.log_weight,
                upper_bound: found.upper_bound,
            });
        }
        Self {
            algorithm: if is_finished || !found.is_local {
                MarginalMap::BRANCH_AND_BOUND
            } else {
                MarginalMap::LOCAL_SEARCH
            },
            values: found.values,
            log_probability: found.log_weight,
            improvements,
            stopped: (!is_finished).then_some((found.stopped, found.work)),
        }
    }
}

impl MarginalMap {
    /// Finds the best values of the targets by an elimination, by a search, or by both.
    fn best_values(
        &self,
        graph: &FactorGraph,
        keep: &[VarId],
        run: &RunMonitor<'_>,
    ) -> Result<BestValues, EliminationError> {
        let limits = self.limits.until(run.until());
        let eliminate = |limits: &Limits| {
            let (values, log_probability) = marginal_map(graph, keep, limits)?;
            Ok(BestValues {
                algorithm: Self::NAME,
                values,
                log_probability,
                improvements: Vec::new(),
                stopped: None,
            })
        };
        let search = |work: f64| {
            let question = MarginalMapSearch {
                graph,
                maximised: keep,
                limits: &limits,
                work,
            };
            marginal_map_search(question, &|done| run.report(done)).map(BestValues::from)
        };
        let cheap = limits.with_work_at_most(CHEAP);
        match eliminate(&cheap) {
            Err(error) if is_limit(&error) => {}
            found => return found,
        }
        let cost = marginal_map_cost(graph, keep, &cheap)?;
        let refused = cost.within(&limits).err();
        let work = if refused.is_some() {
            self.search_work
        } else {
            let operations = cost.sum.operations + cost.maximum.operations;
            self.search_work.min(operations)
        };
        let found = search(work);
        let largest = cost.sum.largest_table.max(cost.maximum.largest_table);
        let is_hopeless = largest > HOPELESS * limits.table_entries as f64;
        match (found, refused) {
            (Ok(found), _) if found.stopped.is_some_and(|(why, _)| why == Stopped::Budget) => {
                match is_hopeless {
                    true => Ok(found),
                    false => eliminate(&limits).or(Ok(found)),
                }
            }
            // If the search cannot compute any sum, the error of the refused elimination has the better remedy.
            (Err(error), Some(refused)) if is_limit(&error) && is_hopeless => Err(refused),
            (Err(error), _) if is_limit(&error) => eliminate(&limits),
            (found, _) => found,
        }
    }
}

fn is_limit(error: &EliminationError) -> bool {
    !matches!(
        error,
        EliminationError::Interrupted | EliminationError::Impossible
    )
}

impl Algorithm for MarginalMap {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let work = self.search_work;
        if work.is_nan() || work < 0.0 {
            let remedy = "give a number of operations";
            return Err(Error::invalid_setting(
                self.name(),
                "search_work",
                work,
                remedy,
            ));
        }
        let run = self.watch.start(self.name(), None);
        let impossible = || conflict::impossible(model, targets, &self.limits);
        let Some(question) = self.question(model, targets)? else {
            return Err(impossible());
        };
        let MarginalMapEncoding {
            expansion,
            encoding,
            keep,
        } = question;
        conflict::check_failures(&expansion, &self.limits)?;
        let graph = encoding.graph();
        let best = match self.best_values(graph, &keep, &run) {
            Ok(found) => found,
            Err(EliminationError::Impossible) => return Err(impossible()),
            Err(error) => return Err(run.error_of(error.into())),
        };
        if let (f64::NEG_INFINITY, Some((_, work))) = (best.log_probability, best.stopped) {
            let upper_bound = best
                .improvements
                .last()
                .map_or(f64::INFINITY, |last| last.upper_bound);
            return Err(Error::NoWorldFound { work, upper_bound });
        }
        let mut world = vec![0; graph.cardinalities.len()];
        for (v, value) in keep.iter().zip(best.values) {
            world[v.index()] = value;
        }
        let values = targets.iter().filter_map(|target| {
            let value = encoding.value(&expansion, target, &world)?;
            Some((target.clone(), value))
        });
        let log_probability = best.log_probability;
        let answer =
            Answer::searched_world(best.algorithm, values, log_probability, best.improvements);
        let Some((why, work)) = best.stopped else {
            return Ok(answer);
        };
        Ok(answer.with_sampling(RunStatistics::new(why, work, run.elapsed())))
    }
}
