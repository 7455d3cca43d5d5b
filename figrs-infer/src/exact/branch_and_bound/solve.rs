//! Driver of the search: reduction by zeros, exact elimination if that is cheap, bounds, one search for each tree.

use figrs_core::factor::{FactorGraph, VarId};

use super::bounds::SearchBounds;
use super::incumbent::{descend, improve, score};
use super::neighbourhood::Neighbourhoods;
use super::pseudo_tree::PseudoTree;
use super::search::{AndOrSearch, SearchStatus, tolerance};
use crate::answer::Improvement;
use crate::exact::consistency::reduce;
use crate::exact::eliminate::{EliminationError, Options, as_if_dense, log_weight, most_probable};
use crate::run::watch::{RunMonitor, Stopped};

/// The search of a tree is interrupted after one in this many of its steps, and as many go to neighbourhoods.
const FIRST_SHARE: u64 = 8;
/// One neighbourhood may take one in this many steps.
const NEIGHBOURHOOD_SHARE: u64 = 256;

/// Tables of a neighbourhood, which are not kept, may have this many entries, if those of the bounds may not have more.
const NEIGHBOURHOOD_TABLE: usize = 1 << 14;

/// Number of values between two checks of the clock.
const SLICE: u64 = 4096;

/// Memory for the messages of an exact elimination, in bytes, equal to that of the bounds' messages: a constant, so that
/// all machines give the same answer.
const MEMORY: u64 = 8 << 26;

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLimits {
    /// Entries of a joint table of the bounds.
    pub(super) table: usize,
    /// Values tried.
    pub(super) work: u64,
}

/// Result of a search.
#[derive(Debug)]
pub(super) enum SearchResult {
    /// No assignment has weight.
    Impossible,
    /// The best assignment found, with the improvements on the way.
    Found(Vec<u32>, Vec<Improvement>, Option<Stopped>),
    /// No assignment was found.
    Unknown {
        work: u64,
        upper_bound: f64,
        stopped: bool,
    },
}

/// Looks for the assignment of the largest weight.
pub(super) fn solve(
    graph: &FactorGraph,
    limits: SearchLimits,
    watching: &RunMonitor<'_>,
) -> Result<SearchResult, EliminationError> {
    let Some(reduced) = reduce(graph) else {
        return Ok(SearchResult::Impossible);
    };
    let options = Options::default()
        .table_budget(limits.table)
        .operation_budget(limits.work as f64)
        .memory_budget(MEMORY)
        .until(watching.until());
    match most_probable(&reduced.graph, &options) {
        Ok((values, log)) => {
            let only = Improvement {
                work: 0,
                log_probability: log,
                upper_bound: log,
            };
            return Ok(SearchResult::Found(
                reduced.restriction.world(&values),
                vec![only],
                None,
            ));
        }
        Err(EliminationError::Impossible) => return Ok(SearchResult::Impossible),
        Err(error) if error.is_budget() => {}
        Err(error) => return Err(error),
    }
    let tree = PseudoTree::new(
        &reduced.graph,
        &as_if_dense(&reduced.graph, watching.until())?,
    );
    let bounds = SearchBounds::new(&reduced.graph, tree, limits.table, watching.until())?;
    let outcome = PseudoForest::new(&bounds, watching).run(limits)?;
    Ok(match outcome {
        SearchResult::Found(values, steps, stopped) => {
            SearchResult::Found(reduced.restriction.world(&values), steps, stopped)
        }
        other => other,
    })
}

/// The trees that no factor joins, with the best assignment of each.
struct PseudoForest<'b, 'g> {
    bounds: &'b SearchBounds<'g>,
    watching: &'b RunMonitor<'b>,
    stopped: Option<Stopped>,
    /// By root, the variables of its tree from there down.
    members: Vec<Vec<VarId>>,
    /// By variable, those that complete a factor that mentions it.
    affected: Vec<Vec<VarId>>,
    values: Vec<u32>,
    /// By root, the weight of the best assignment and a bound on all.
    best: Vec<f64>,
    bound: Vec<f64>,
    work: u64,
    steps: Vec<Improvement>,
}

impl<'b, 'g> PseudoForest<'b, 'g> {
    /// Starts from an assignment found without search.
    fn new(bounds: &'b SearchBounds<'g>, watching: &'b RunMonitor<'b>) -> Self {
        let tree = &bounds.tree;
        let n = bounds.graph.cardinalities.len();
        let mut tree_of = vec![0; n];
        let mut members = vec![Vec::new(); tree.roots.len()];
        for (i, root) in tree.roots.iter().enumerate() {
            tree_of[root.index()] = i;
        }
        for &v in tree.order.iter().rev() {
            if let Some(parent) = tree.parent[v.index()] {
                tree_of[v.index()] = tree_of[parent.index()];
            }
            members[tree_of[v.index()]].push(v);
        }
        let mut affected: Vec<Vec<VarId>> = vec![Vec::new(); n];
        for factor in &bounds.graph.factors {
            if let Some(last) = tree.deepest(&factor.variables) {
                for v in &factor.variables {
                    affected[v.index()].push(last);
                }
            }
        }
        for list in &mut affected {
            list.sort_unstable();
            list.dedup();
        }
        let mut forest = Self {
            bounds,
            watching,
            stopped: None,
            members,
            affected,
            values: vec![0; n],
            best: Vec::new(),
            bound: Vec::new(),
            work: 0,
            steps: Vec::new(),
        };
        for (members, &root) in forest.members.iter().zip(&tree.roots) {
            descend(bounds, members, &mut forest.values);
            forest.work += improve(bounds, &forest.affected, members, &mut forest.values);
            forest
                .best
                .push(score(bounds, members, &forest.values).log_weight());
            forest
                .bound
                .push(bounds.without_value(root, &forest.values));
        }
        forest.record();
        forest
    }

    fn run(mut self, limits: SearchLimits) -> Result<SearchResult, EliminationError> {
        let trees = self.members.len();
        for i in 0..trees {
            // What small trees leave of their share goes to the larger ones.
            let share = limits.work.saturating_sub(self.work) / (trees - i) as u64;
            self.search(i, share, limits.table)?;
        }
        self.record();
        let upper_bound = self.upper_bound();
        if upper_bound == f64::NEG_INFINITY {
            return Ok(SearchResult::Impossible);
        }
        if self.steps.is_empty() {
            return Ok(SearchResult::Unknown {
                work: self.work,
                upper_bound,
                stopped: self.stopped.is_some(),
            });
        }
        Ok(SearchResult::Found(self.values, self.steps, self.stopped))
    }

    /// Searches one tree; if that takes long, neighbourhoods of the best assignment known are searched in between.
    fn search(&mut self, i: usize, share: u64, table: usize) -> Result<(), EliminationError> {
        if self.bound[i] <= self.best[i] + tolerance(self.bound[i]) {
            return Ok(());
        }
        let start = self.work;
        let mut search = AndOrSearch::new(self.bounds, self.bounds.tree.roots[i], self.best[i]);
        let finished = self.advance(i, &mut search, start + share / FIRST_SHARE);
        if finished == SearchStatus::Stopped && self.stopped.is_none() {
            let options = Options::default()
                .table_budget(table.max(NEIGHBOURHOOD_TABLE))
                .operation_budget((share / NEIGHBOURHOOD_SHARE) as f64)
                .memory_budget(MEMORY)
                .until(self.watching.until());
            let mut values = self.values.clone();
            let near = Neighbourhoods::new(self.bounds.graph);
            let budget = share / FIRST_SHARE;
            match near.improve(&self.members[i], &mut values, &options, budget) {
                Ok(work) => self.work += work,
                // What was found until then is taken.
                Err(EliminationError::Interrupted) => {}
                Err(error) => return Err(error),
            }
            self.adopt(i, &mut search, values);
            self.advance(i, &mut search, start + share);
        }
        self.bound[i] = self.bound[i].min(search.bound().max(self.best[i]));
        Ok(())
    }

    /// Searches until `limit` values have been tried in all.
    fn advance(&mut self, i: usize, search: &mut AndOrSearch<'_, '_>, limit: u64) -> SearchStatus {
        // To weigh a whole assignment costs as much as to try that many values.
        let pause = self.members[i].len() as u64;
        let mut next = 0;
        loop {
            self.stopped = self.watching.stopped();
            if self.stopped.is_some() {
                return SearchStatus::Stopped;
            }
            let before = search.work;
            let left = limit.saturating_sub(self.work);
            let progress = search.advance(before + left.min(SLICE));
            self.work += search.work - before;
            match progress {
                SearchStatus::Stopped if left > SLICE => {
                    self.watching.report(self.work);
                    continue;
                }
                SearchStatus::Candidate => {}
                other => return other,
            }
            if search.work >= next || search.is_at_root() {
                next = search.work + pause;
                let mut values = self.values.clone();
                search.candidate(&mut values);
                self.adopt(i, search, values);
            }
        }
    }

    /// Adopts an assignment of a tree as the best one, if it is.
    fn adopt(&mut self, i: usize, search: &mut AndOrSearch<'_, '_>, mut values: Vec<u32>) {
        let members = &self.members[i];
        if score(self.bounds, members, &values).log_weight() <= self.best[i] {
            return;
        }
        self.work += improve(self.bounds, &self.affected, members, &mut values);
        self.best[i] = score(self.bounds, members, &values).log_weight();
        self.values = values;
        self.bound[i] = self.bound[i].min(search.bound().max(self.best[i]));
        self.record();
        search.raise_limit(self.best[i]);
    }

    fn upper_bound(&self) -> f64 {
        self.bounds.scalars() + self.bound.iter().sum::<f64>()
    }

    /// Records the present bounds as an improvement, if there is a world at all.
    fn record(&mut self) {
        let log_probability = log_weight(self.bounds.graph, &self.values);
        if log_probability > f64::NEG_INFINITY {
            self.steps.push(Improvement {
                work: self.work,
                log_probability,
                upper_bound: self.upper_bound().max(log_probability),
            });
        }
    }
}
