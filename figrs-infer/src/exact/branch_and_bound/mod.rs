//! Most probable world of models that are too wide to be eliminated: the best one found, and a bound on all.
//!
//! | file | what it holds |
//! |---|---|
//! | `pseudo_tree` | the pseudo tree: conditional independence of its subtrees |
//! | `mini_bucket`, `bounds` | upper bounds for all partial assignments along the tree |
//! | `incumbent`, `neighbourhood` | a first world, and better ones near a given one |
//! | `search`, `solve` | branch and bound in one tree, and over all of them |

mod bounds;
mod incumbent;
mod mini_bucket;
mod neighbourhood;
mod pseudo_tree;
mod search;
mod solve;
#[cfg(test)]
mod tests;

use figrs_core::expand::{Budget, Encoding};
use figrs_core::{AnyElement, Model};

use super::conflict;
use super::eliminate::log_weight;
use super::limits::Limits;
use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::answer::run_statistics::Sampling;
use crate::error::Error;
use crate::run::watch::{RunMonitor, Watch, watched};
use solve::{SearchResult, solve};

/// The most probable world of models that are too wide for
/// [`MpeVariableElimination`](crate::MpeVariableElimination): the best world found within a budget, and a proven upper
/// bound on the probability of every world.
///
/// If tables of the size allowed suffice, the model is eliminated and the answer exact. Else a mini-bucket elimination
/// gives bounds, and a depth-first search over a tree of the variables, which searches independent parts apart and caches
/// parts that come up again, leaves out all that cannot beat the best world known. [`Answer::upper_bound`] and
/// [`Answer::is_proven`] give the quality of the world, [`Answer::improvements`] the course of the gap.
///
/// **Guarantee.** The world is one of positive probability, which is recomputed from the factors in the end. The bound
/// holds up to rounding, for every budget; the two meet when the search ends before its budget does. Deterministic.
///
/// **Complexity.** Each mini-bucket takes two joint tables of the size allowed; a step of the search looks up
/// the tables of one variable for all its values. Exponential in the depth of the tree at worst, cut off by the budget;
/// memory is linear in the steps that found something better.
///
/// With a [`deadline`](Self::deadline) the search ends in time with the best world so far and the bound so far, and
/// [`Sampling::stopped`](crate::Sampling::stopped) of the answer says so.
///
/// **Errors.** [`Error::NothingDone`] if it was stopped before there was any world; [`Error::NoWorldFound`], which tells the bound, if the budget was used before there was any world; else as
/// [`MpeVariableElimination`](crate::MpeVariableElimination), except that no model is too wide. (Whether functions
/// that fail for some values matter is decided by elimination, which may be refused.)
///
/// **References.** Dechter and Rish (2003), "Mini-buckets: a general scheme for bounded inference"; Marinescu and Dechter
/// (2009), "AND/OR branch-and-bound search for combinatorial optimization in graphical models"; Ihler, Flerova, Dechter
/// and Otten (2012), "Join-graph based cost-shifting schemes".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{MpeBranchAndBound, Run};
/// // Thirty coins, each two of which agree rather than not: one table over all of them.
/// let coins: Vec<_> = (0..30).map(|i| Flip::new(0.3 + 0.01 * f64::from(i))).collect();
/// let mut model = Model::new();
/// for (i, a) in coins.iter().enumerate() {
///     for b in &coins[..i] {
///         model = model.weigh(&a.equals(b), |&same| if same { 1.05 } else { 1.0 });
///     }
/// }
/// let world = MpeBranchAndBound::new().bound_table(1 << 10).work(20_000).run(&model, &coins)?;
/// assert!(world.log_probability()? <= world.upper_bound()?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MpeBranchAndBound {
    budget: Budget,
    limits: solve::SearchLimits,
    watch: Watch,
}

impl Default for MpeBranchAndBound {
    /// Joint tables of up to `2^18` entries, ten million steps.
    fn default() -> Self {
        Self {
            budget: Budget::default(),
            limits: solve::SearchLimits {
                table: 1 << 18,
                work: 10_000_000,
            },
            watch: Watch::default(),
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

    /// Sets the maximum number of entries of the joint tables of the bounds: the larger, the tighter the bounds. They may
    /// always have as many as the largest factor of the model, and have fewer if all of them would take too much memory
    /// (`2^26` entries).
    pub fn bound_table(mut self, entries: usize) -> Self {
        self.limits.table = entries;
        self
    }

    /// Sets the maximum number of values that the search tries.
    pub fn work(mut self, steps: u64) -> Self {
        self.limits.work = steps;
        self
    }

    watched!();
}

impl Algorithm for MpeBranchAndBound {
    fn name(&self) -> &'static str {
        "MpeBranchAndBound"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let watching = self.watch.start(self.name(), Some(self.limits.work));
        let answer = self.search(model, targets, &watching);
        answer.map_err(|error| watching.error_of(error))
    }
}

impl MpeBranchAndBound {
    fn search(
        &self,
        model: &Model,
        targets: &[AnyElement],
        watching: &RunMonitor<'_>,
    ) -> Result<Answer, Error> {
        let limits = Limits {
            budget: self.budget,
            ..Limits::default()
        }
        .until(watching.until());
        let impossible = || conflict::impossible(model, targets, &limits);
        let expansion = limits.expand_for_best_world(model, targets)?;
        if expansion.impossible().is_some() {
            return Err(impossible());
        }
        conflict::check_failures(&expansion, &limits)?;
        let encoding = Encoding::for_worlds(&expansion)?;
        let (world, steps, stopped) = match solve(encoding.graph(), self.limits, watching)? {
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
        let mut run = Sampling::new(why, work, watching.elapsed());
        run.asked = Some(self.limits.work);
        Ok(answer.with_sampling(run))
    }
}
