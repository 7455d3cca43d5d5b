//! Driver of the branch and bound search: removes excluded values, converts weights to costs, preprocesses the cost functions, searches each
//! connected component, and eliminates exactly if elimination is cheap.

use std::fmt;

use figrs_factor::bounds::Improvement;
use figrs_factor::consistency::reduce;
use figrs_factor::eliminate::{
    EliminationError, as_if_dense, available_bytes, log_weight, most_probable, validate,
};
use figrs_factor::graph::{FactorGraph, ReducedGraph, VarId};
use figrs_factor::mini_buckets::{BoundKind, BucketOrder, MiniBuckets};
use figrs_factor::order::MAX_WORK;
use figrs_factor::{Limits, Stopped, Until};

use super::component::{ComponentLimits, ComponentSearch};
use super::cost_table::add;
use super::fixed_point::FixedPointCosts;
use super::neighbourhood::Neighbourhoods;
use super::outward::difference_above;
use super::preprocessing::{Preprocessed, preprocess};
use super::search::SearchState;

/// Number of steps of the search of a component between two checks of the deadline.
const SLICE: u64 = 1 << 14;

/// Number of search steps after which an exact elimination is tried; after `NEIGHBOURHOODS` steps, large neighbourhood search is tried.
const FIRST_ELIMINATION: u64 = 1 << 23;
const NEIGHBOURHOODS: u64 = 1 << 24;

/// Divisor of the limit on search steps; an exact elimination and large neighbourhood search are tried after this fraction of the limit at the
/// latest.
const FIRST_SHARE: u64 = 8;

/// Factor by which the number of steps grows between two large neighbourhood searches. The next two constants are divisors of the number of search
/// steps; the quotients are the budgets of a whole large neighbourhood search and of each neighbourhood.
const GROWTH: u64 = 4;
const NEIGHBOURHOOD_SHARE: u64 = 4;
const ONE_NEIGHBOURHOOD: u64 = 32;

/// Divisor of the number of search steps: the upper bound is recorded whenever the number of steps has grown by the quotient.
const RECORDS: u64 = 16;

/// Maximum number of table entries in the elimination of a neighbourhood of variables.
const NEIGHBOURHOOD_TABLE: usize = 1 << 14;

/// Minimum increase of the lower bound for which costs are moved to earlier variables: 2 to the power of minus this number, in units of natural
/// logarithms of weights.
const WORTHWHILE: f64 = 20.0;

/// Tolerance of a proof: an assignment with the log-weight *w* is proven to be the best if the upper bound exceeds *w* by at most this number times
/// 1 + abs(*w*).
const PROVEN: f64 = 1e-9;

fn steps(limits: &Limits) -> u64 {
    limits.work as u64
}

fn memory(limits: &Limits) -> u64 {
    limits.memory.unwrap_or_else(available_bytes)
}

/// Returns the maximum number of bytes of the tables of an elimination. The tables of an elimination get half of the memory limit, because the open
/// search nodes stay in memory meanwhile.
fn memory_of_tables(limits: &Limits) -> u64 {
    memory(limits) / 2
}

fn memory_of_nodes(limits: &Limits) -> usize {
    usize::try_from(memory(limits).div_ceil(2)).unwrap_or(usize::MAX)
}

/// Listeners of a search, functions that are called while the search runs.
#[derive(Clone, Copy)]
pub struct SearchObserver<'a> {
    /// Listener that is called from time to time with the number of search steps.
    pub progress: &'a dyn Fn(u64),
    /// Listener that is called with each better assignment and each better upper bound.
    pub improvement: &'a dyn Fn(&Improvement),
}

impl Default for SearchObserver<'_> {
    fn default() -> Self {
        Self {
            progress: &|_| {},
            improvement: &|_| {},
        }
    }
}

impl fmt::Debug for SearchObserver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchObserver").finish_non_exhaustive()
    }
}

/// Result of a search.
#[derive(Debug)]
pub enum SolveResult {
    /// Every assignment has weight zero.
    Impossible,
    /// The best assignment that the search found, with all improvements, and the reason if the search ended early.
    Found(Vec<u32>, Vec<Improvement>, Option<Stopped>),
    /// The search has found no assignment.
    Unknown {
        /// Number of steps of the search so far.
        work: u64,
        /// Upper bound of the natural logarithm of the weight of every assignment.
        upper_bound: f64,
        /// True if the deadline or the interrupt ended the search.
        stopped: bool,
    },
}

/// Searches for the assignment with the largest weight. The limits apply to the number of search steps, to the memory (open nodes of all components,
/// and tables of eliminations), to the entries of a table in an exact elimination, and to the time.
pub fn solve(
    graph: &FactorGraph,
    limits: &Limits,
    observer: SearchObserver<'_>,
) -> Result<SolveResult, EliminationError> {
    validate(graph, &[])?;
    let Some(reduced) = reduce(graph) else {
        return Ok(SolveResult::Impossible);
    };
    let Some(fixed) = FixedPointCosts::new(&reduced.graph) else {
        return Ok(SolveResult::Impossible);
    };
    let units = (fixed.scale, fixed.best());
    let run = SearchRun {
        reduced: &reduced,
        limits,
        until: &limits.until,
        observer,
    };
    let (mut end, mut known) = run.search(fixed, KnownWorlds::default())?;
    // A second search forbids entries that are too expensive for any better assignment; its costs can therefore have a larger scale.
    if end == SearchEnd::Finished
        && let Some(distance) = known.unresolved_distance(units.1)
        && let Some(fixed) = FixedPointCosts::within(&reduced.graph, distance)
        && fixed.scale > units.0
    {
        (end, known) = run.search(fixed, known)?;
    }
    Ok(known.into_result(end, &reduced))
}

/// The settings of a branch and bound search that do not depend on the scale of the fixed-point costs.
#[derive(Clone, Copy)]
struct SearchRun<'a> {
    reduced: &'a ReducedGraph,
    limits: &'a Limits,
    until: &'a Until,
    observer: SearchObserver<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchEnd {
    /// The search has proved that every assignment has weight zero.
    Impossible,
    /// Every connected component has been searched completely, or all variables have been eliminated.
    Finished,
    /// The search has taken all allowed steps, or was stopped.
    Unfinished(Option<Stopped>),
}

/// The best known assignment, the upper bound of the weights of all assignments, and the number of search steps.
struct KnownWorlds {
    work: u64,
    best: Option<(Vec<u32>, f64)>,
    upper_bound: f64,
    steps: Vec<Improvement>,
}

impl Default for KnownWorlds {
    fn default() -> Self {
        Self {
            work: 0,
            best: None,
            upper_bound: f64::INFINITY,
            steps: Vec::new(),
        }
    }
}

impl KnownWorlds {
    /// Returns the logarithm of the product of the largest weights, `product`, minus the log-weight of the best known assignment; `None` if this
    /// assignment is proven to be the best.
    fn unresolved_distance(&self, product: f64) -> Option<f64> {
        let (_, log) = self.best.as_ref()?;
        let gap = self.upper_bound - log;
        (gap > PROVEN * (1.0 + log.abs())).then(|| difference_above(product, *log))
    }

    fn into_result(self, end: SearchEnd, reduced: &ReducedGraph) -> SolveResult {
        let stopped = match end {
            SearchEnd::Unfinished(stopped) => stopped,
            SearchEnd::Impossible | SearchEnd::Finished => None,
        };
        match self.best {
            Some((values, _)) => {
                let world = reduced.restriction.world(&values);
                SolveResult::Found(world, self.steps, stopped)
            }
            None if end == SearchEnd::Impossible => SolveResult::Impossible,
            None => SolveResult::Unknown {
                work: self.work,
                upper_bound: self.upper_bound,
                stopped: stopped.is_some(),
            },
        }
    }
}

impl SearchRun<'_> {
    /// Searches with the fixed-point costs `fixed` for an assignment that is better than the best known assignment.
    fn search(
        self,
        mut fixed: FixedPointCosts,
        known: KnownWorlds,
    ) -> Result<(SearchEnd, KnownWorlds), EliminationError> {
        let Self {
            reduced,
            limits,
            until,
            observer,
        } = self;
        let preprocessed = preprocess(std::mem::take(&mut fixed.costs), until)?;
        let limits_of_components = ComponentLimits {
            upper: fixed.dearest + fixed.slack() + 1,
            slack: fixed.slack(),
            worthwhile: (fixed.scale * (-WORTHWHILE).exp2()) as i64,
            memory: memory_of_nodes(limits),
        };
        if preprocessed.tables.constant >= limits_of_components.upper {
            return Ok((SearchEnd::Impossible, known));
        }
        let components = ComponentSearch::all(&preprocessed.tables, limits_of_components, until);
        let Some(components) = components else {
            return Ok((SearchEnd::Impossible, known));
        };
        let mut search = WorldSearch {
            reduced,
            fixed: &fixed,
            preprocessed: &preprocessed,
            components,
            until,
            observer,
            stopped: None,
            known,
            mini_bucket_bound: f64::INFINITY,
            is_eliminated: false,
            next_record: 0,
        };
        if let Some((values, _)) = search.known.best.clone() {
            search.adopt(&values);
        }
        let end = search.run(limits)?;
        Ok((end, search.known))
    }
}

struct WorldSearch<'a> {
    reduced: &'a ReducedGraph,
    fixed: &'a FixedPointCosts,
    preprocessed: &'a Preprocessed,
    components: Vec<ComponentSearch>,
    until: &'a Until,
    observer: SearchObserver<'a>,
    stopped: Option<Stopped>,
    known: KnownWorlds,
    /// The upper bound of the log-weights of all assignments that mini-bucket elimination has computed.
    mini_bucket_bound: f64,
    /// True if an exact elimination found the best assignment.
    is_eliminated: bool,
    /// The number of search steps at which the upper bound is recorded again.
    next_record: u64,
}

impl WorldSearch<'_> {
    fn run(&mut self, limits: &Limits) -> Result<SearchEnd, EliminationError> {
        self.record();
        self.advance(FIRST_ELIMINATION.min(steps(limits) / FIRST_SHARE));
        if self.is_unfinished() && steps(limits) > 0 {
            match self.eliminate(limits) {
                Ok(()) => return Ok(self.end()),
                Err(EliminationError::Impossible) => return Ok(SearchEnd::Impossible),
                Err(EliminationError::Interrupted) => self.stopped = self.until.stopped(),
                Err(error) if error.is_budget() => self.bound_by_mini_buckets(limits)?,
                Err(error) => return Err(error),
            }
        }
        let mut next = NEIGHBOURHOODS.min(steps(limits) / FIRST_SHARE).max(1);
        while self.is_unfinished() && self.known.work < steps(limits) {
            self.advance(steps(limits).min(next));
            next = next.saturating_mul(GROWTH);
            if self.is_unfinished() && self.known.work < steps(limits) {
                self.search_neighbourhoods(limits)?;
            }
        }
        self.record();
        Ok(self.end())
    }

    fn end(&self) -> SearchEnd {
        if self.is_impossible() {
            SearchEnd::Impossible
        } else if self.is_finished() {
            // A proof that was completed before the deadline is valid, even if the deadline has passed.
            SearchEnd::Finished
        } else {
            SearchEnd::Unfinished(self.stopped)
        }
    }

    fn is_unfinished(&self) -> bool {
        self.stopped.is_none() && !self.is_finished()
    }

    /// True if every connected component has been searched completely, all variables have been eliminated, or some component has no assignment.
    fn is_finished(&self) -> bool {
        let mut components = self.components.iter();
        self.is_eliminated || components.all(|part| part.is_finished) || self.is_impossible()
    }

    fn is_impossible(&self) -> bool {
        self.components.iter().any(ComponentSearch::is_impossible)
    }

    /// Searches the connected components, one after another, until their total number of steps reaches `limit`.
    fn advance(&mut self, limit: u64) {
        while self.is_unfinished() && self.known.work < limit {
            for i in 0..self.components.len() {
                if self.components[i].is_finished {
                    continue;
                }
                self.stopped = self.until.stopped();
                if self.stopped.is_some() || self.known.work >= limit {
                    return;
                }
                self.advance_component(i, limit - self.known.work);
                if self.components[i].is_impossible() {
                    return;
                }
            }
            (self.observer.progress)(self.known.work);
            if self.known.work >= self.next_record {
                self.record();
                self.next_record = self.known.work + self.known.work / RECORDS;
            }
        }
        if !self.is_unfinished() {
            self.record();
        }
    }

    fn advance_component(&mut self, i: usize, most: u64) {
        let component = &mut self.components[i];
        let (state, done) = component.advance(SLICE.min(most), most, self.until);
        self.known.work += done;
        match state {
            SearchState::Finished => component.is_finished = true,
            SearchState::Improved => self.record(),
            SearchState::Paused | SearchState::Decided => {}
        }
    }

    /// Eliminates all variables exactly, if the limits on tables allow the elimination.
    fn eliminate(&mut self, limits: &Limits) -> Result<(), EliminationError> {
        let limits = Limits::default()
            .table_entries(limits.table_entries)
            .work(limits.work)
            .memory(memory_of_tables(limits))
            .until(self.until);
        let (values, log) = most_probable(&self.reduced.graph, &limits)?;
        self.take_better(values);
        self.record_bound(log);
        self.is_eliminated = true;
        Ok(())
    }

    /// Computes an upper bound of the log-weights of all assignments by mini-bucket elimination.
    fn bound_by_mini_buckets(&mut self, limits: &Limits) -> Result<(), EliminationError> {
        let graph = &self.reduced.graph;
        let until = self.until;
        let entries = memory_of_tables(limits) as f64 / size_of::<f64>() as f64;
        let tables = (limits.table_entries, entries);
        let bound = as_if_dense(graph, &[], (MAX_WORK, until)).and_then(|buckets| {
            let tree = BucketOrder::new(graph.cardinalities.len(), &buckets);
            let kind = BoundKind::MaximumAbove;
            let messages = MiniBuckets::new(graph, &tree, tables, kind, until)?;
            Ok(messages.bound_above(graph, self.fixed.magnitude))
        });
        match bound {
            Ok(bound) => {
                self.mini_bucket_bound = bound;
                self.record();
                Ok(())
            }
            Err(EliminationError::Interrupted) => {
                self.stopped = self.until.stopped();
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Records the current best assignment and upper bound, if one of them has improved.
    fn record(&mut self) {
        let bounds = self.components.iter().map(ComponentSearch::lower);
        let lower = bounds.fold(self.preprocessed.tables.constant, add);
        let bound = self.fixed.log(lower);
        let bound = bound.min(self.mini_bucket_bound);
        let mut values = vec![0; self.preprocessed.names.len()];
        let is_complete = self
            .components
            .iter()
            .all(|component| component.write_best(&mut values));
        if is_complete {
            let values = self
                .preprocessed
                .complete(&self.reduced.graph.cardinalities, &values);
            self.take_better(values);
        }
        self.record_bound(bound);
    }

    /// Makes `values`, an assignment of the reduced graph, the best known assignment if it is better.
    fn take_better(&mut self, values: Vec<u32>) {
        let log = log_weight(&self.reduced.graph, &values);
        if self.known.best.as_ref().is_none_or(|(_, best)| log > *best) {
            self.known.best = Some((values, log));
        }
    }

    /// Records the best known assignment and the upper bound `bound`, if one of them has improved.
    fn record_bound(&mut self, bound: f64) {
        let is_better = bound < self.known.upper_bound;
        self.known.upper_bound = self.known.upper_bound.min(bound);
        let Some((_, log)) = &self.known.best else {
            return;
        };
        let step = Improvement {
            work: self.known.work,
            log_probability: *log,
            upper_bound: self.known.upper_bound.max(*log),
        };
        let last = self.known.steps.last();
        if last.is_none_or(|last| is_better || last.log_probability < step.log_probability) {
            self.known.steps.push(step);
            (self.observer.improvement)(&step);
        }
    }

    /// Searches for better assignments by large neighbourhood search from the best known assignment.
    fn search_neighbourhoods(&mut self, limits: &Limits) -> Result<(), EliminationError> {
        let Some((values, _)) = &self.known.best else {
            return Ok(());
        };
        let graph = &self.reduced.graph;
        let budget = (self.known.work / NEIGHBOURHOOD_SHARE).min(steps(limits) - self.known.work);
        let limits = Limits::default()
            .table_entries(NEIGHBOURHOOD_TABLE)
            .work((budget / ONE_NEIGHBOURHOOD) as f64)
            .memory(memory_of_tables(limits))
            .until(self.until);
        let centres: Vec<_> = (0..graph.cardinalities.len() as u32).map(VarId).collect();
        let mut values = values.clone();
        match Neighbourhoods::new(graph).improve(&centres, &mut values, &limits, budget) {
            Ok(work) => self.known.work += work,
            // The improvements before the interrupt are kept.
            Err(EliminationError::Interrupted) => {}
            Err(error) => return Err(error),
        }
        self.adopt(&values);
        Ok(())
    }

    /// Passes the cost of the assignment `values` to the searches of all components, which then search only for better assignments.
    fn adopt(&mut self, values: &[u32]) {
        let left: Vec<u32> = self
            .preprocessed
            .names
            .iter()
            .map(|&v| values[v as usize])
            .collect();
        for component in &mut self.components {
            if !component.is_finished {
                component.adopt(&left);
            }
        }
        self.record();
    }
}
