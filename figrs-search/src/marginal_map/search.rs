//! Driver of a marginal MAP search: upper bounds of all assignments, local search, and best-first branch and bound.

use std::collections::BinaryHeap;

use figrs_factor::bounds::Improvement;
use figrs_factor::consistency::reduce;
use figrs_factor::eliminate::{
    EliminationError, as_if_dense, available_bytes, log_sums, validate, without_barren,
};
use figrs_factor::graph::{FactorGraph, VarId};
use figrs_factor::mini_buckets::{BucketOrder, MiniBuckets, product_of_maxima};
use figrs_factor::{Limits, Stopped};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::components::{GraphComponent, SplitGraph};
use super::conditional_sums::ConditionalSums;
use super::incumbent::{Incumbent, climb};
use super::prefix_bounds::{ORDER_WORK, PrefixBounds, slack};
use crate::branch_and_bound::{SearchObserver, SolveResult, solve};

/// Maximum numbers of entries of a table in successive mini-bucket eliminations; branch and bound also uses the last of these numbers.
const TABLES: [usize; 3] = [1 << 8, 1 << 12, 1 << 16];
/// Number of steps of the search for a most probable assignment of all variables; local search starts from its values of the maximised variables.
const FIRST_WORLD: f64 = 2e5;
/// Fraction of the allowed operations that local search may take before branch and bound begins.
const LOCAL_SHARE: f64 = 0.25;
/// Number of successive local searches without a better assignment after which branch and bound begins.
const FRUITLESS: usize = 8;

/// A marginal MAP problem for [`marginal_map_search`].
#[derive(Clone, Copy, Debug)]
pub struct MarginalMapSearch<'a> {
    /// The factor graph.
    pub graph: &'a FactorGraph,
    /// The variables to maximise; all other variables are summed out.
    pub maximised: &'a [VarId],
    /// Limits of each sum and of the tables for upper bounds; maximum memory of open nodes and messages together; deadline and interrupt of the
    /// search.
    pub limits: &'a Limits,
    /// Maximum number of operations of the search: predicted operations of sums, plus table entries that search nodes read.
    pub work: f64,
}

/// Result of a marginal MAP search.
#[derive(Clone, Debug)]
pub struct MarginalMapResult {
    /// Values of the maximised variables in the best known assignment, in the order of these variables; empty if no assignment was found.
    pub values: Vec<u32>,
    /// The natural logarithm of the total weight of the best known assignment, computed by an exact sum over the other variables.
    pub log_weight: f64,
    /// Upper bound of the log-weight of every assignment; equal to `log_weight` if the search was completed.
    pub upper_bound: f64,
    /// The history of improvements: each assignment that was better, and each upper bound that was lower, than all before it, in the order in which
    /// they were found.
    pub improvements: Vec<Improvement>,
    /// True if local search found the best assignment.
    pub is_local: bool,
    /// Reason for the end of the search; [`Stopped::Finished`] if the search has proved that no assignment is better.
    pub stopped: Stopped,
    /// Number of operations of the search.
    pub work: u64,
}

/// Searches for the assignment of some variables with the largest total weight, which is the sum of the weights over all other variables.
///
/// Mini-bucket eliminations give upper bounds of the weights of all assignments: one in an order without constraints, and one in an order with all
/// sums first. Local search (hill climbing on exact sums, with restarts near the best assignment) finds a good assignment. After local search, a
/// best-first branch and bound assigns the maximised variables one by one. The messages of the mini-bucket elimination with all sums first give an
/// upper bound of each partial assignment, and an exact sum gives the total weight of each complete assignment. Connected components of the factor
/// graph are searched one after another.
///
/// **Guarantee.** `log_weight` is the exact log-weight of `values` up to rounding, and no assignment has a log-weight above `upper_bound`, whatever
/// ends the search. If the search is completed, the returned assignment is the best one, up to rounding. The result of the search is deterministic
/// unless a deadline or an interrupt ends the search.
///
/// **Complexity.** The sum for one assignment of the maximised variables costs as much as an elimination of the graph without these variables. The
/// number of search nodes is exponential in the number of maximised variables in the worst case. Messages of the mini-bucket elimination take at most
/// one half of the memory, and open nodes of the search the other half.
///
/// **Errors.** Errors of malformed graphs; errors of the sum for given values of all maximised variables, if it exceeds a limit;
/// [`EliminationError::Impossible`] if no assignment has a positive weight; [`EliminationError::Interrupted`] if the search was stopped before it had
/// found an assignment of positive weight.
///
/// **References.** Park and Darwiche, *Solving MAP exactly using systematic search*, UAI 2003; Park and Darwiche, *Complexity results and
/// approximation strategies for MAP explanations*, Journal of Artificial Intelligence Research 21, 2004; Marinescu, Dechter and Ihler, *AND/OR
/// search for marginal MAP*, UAI 2014.
pub fn marginal_map_search(
    question: MarginalMapSearch<'_>,
    progress: &dyn Fn(u64),
) -> Result<MarginalMapResult, EliminationError> {
    let MarginalMapSearch {
        graph,
        maximised,
        limits,
        work,
    } = question;
    validate(graph, maximised)?;
    let needed = without_barren(graph, maximised);
    let reduced = reduce(needed.as_ref().unwrap_or(graph)).ok_or(EliminationError::Impossible)?;
    let names = maximised.iter().map(|&v| reduced.restriction.name(v));
    let names: Vec<VarId> = names.flatten().collect();
    let split = SplitGraph::new(&reduced.graph, &names);
    let rest = log_sums(&split.rest, &[], limits)?.0[0];
    let mut all = Searches {
        runs: Vec::new(),
        rest,
        improvements: Vec::new(),
    };
    for component in &split.components {
        let mut run = Run::new(component, limits, progress);
        run.first_assignment()?;
        all.runs.push(run);
    }
    all.record();
    let stopped = all.search(work)?;
    let (log_weight, upper_bound) = all.totals();
    if log_weight == f64::NEG_INFINITY {
        match stopped {
            Stopped::Finished => return Err(EliminationError::Impossible),
            Stopped::Budget => {}
            Stopped::Deadline | Stopped::Interrupted => return Err(EliminationError::Interrupted),
        }
    }
    let mut values = vec![0; reduced.graph.cardinalities.len()];
    for run in &all.runs {
        for (v, &value) in run.component.maximised.iter().zip(&run.best.values) {
            values[run.component.variables[v.index()].index()] = value;
        }
    }
    let world = reduced.restriction.world(&values);
    let is_finished = stopped == Stopped::Finished;
    let mut improvements = all.improvements;
    improvements.retain(|step| step.log_probability > f64::NEG_INFINITY);
    Ok(MarginalMapResult {
        values: values_of(maximised, &world),
        log_weight,
        upper_bound: if is_finished { log_weight } else { upper_bound },
        improvements,
        is_local: all.runs.iter().any(|run| run.best.is_local),
        stopped,
        work: all.runs.iter().map(Run::work).sum::<f64>() as u64,
    })
}

fn values_of(variables: &[VarId], world: &[u32]) -> Vec<u32> {
    variables.iter().map(|v| world[v.index()]).collect()
}

/// The searches of all connected components with maximised variables; the log-weights and the bounds of the components are added.
struct Searches<'a> {
    runs: Vec<Run<'a>>,
    /// The logarithm of the sum over all variables in components without maximised variables.
    rest: f64,
    improvements: Vec<Improvement>,
}

impl Searches<'_> {
    /// Returns the log-weight of the best assignment of all components together, and the upper bound of the log-weights of all assignments.
    fn totals(&self) -> (f64, f64) {
        let logs: f64 = self.runs.iter().map(|run| run.best.log_weight).sum();
        let bounds: f64 = self.runs.iter().map(|run| run.best.upper_bound).sum();
        (self.rest + logs, self.rest + bounds)
    }

    fn record(&mut self) {
        let (log_probability, upper_bound) = self.totals();
        self.improvements.push(Improvement {
            work: self.runs.iter().map(Run::work).sum::<f64>() as u64,
            log_probability,
            upper_bound,
        });
    }

    /// Searches one connected component after another; each gets an equal share of the operations that remain. Returns the first reason other than
    /// [`Stopped::Finished`] for which the search of a component ended.
    fn search(&mut self, work: f64) -> Result<Stopped, EliminationError> {
        let mut ends = Vec::with_capacity(self.runs.len());
        let (mut log_weight, mut upper_bound) = self.totals();
        let mut done: f64 = self.runs.iter().map(Run::work).sum();
        let is_known = log_weight > f64::NEG_INFINITY && upper_bound < f64::INFINITY;
        let mut shares = self.runs.len() as f64;
        for run in &mut self.runs {
            let (log_before, bound_before) = (run.best.log_weight, run.best.upper_bound);
            let own = run.work();
            let first = run.best.improvements.len();
            run.allowed = own + (work - done).max(0.0) / shares;
            shares -= 1.0;
            ends.push(run.search()?);
            let steps = run.best.improvements[first..]
                .iter()
                .map(|step| Improvement {
                    work: done as u64 + step.work.saturating_sub(own as u64),
                    log_probability: log_weight + (step.log_probability - log_before),
                    upper_bound: upper_bound + (step.upper_bound - bound_before),
                });
            self.improvements.extend(steps.filter(|_| is_known));
            log_weight += run.best.log_weight - log_before;
            upper_bound += run.best.upper_bound - bound_before;
            done += run.work() - own;
        }
        self.record();
        Ok(Stopped::first_reason(ends))
    }
}

struct Run<'a> {
    component: &'a GraphComponent,
    limits: &'a Limits,
    allowed: f64,
    best: Incumbent,
    /// Number of table entries that have been read for upper bounds and for nodes of the search tree.
    nodes: f64,
    sums: Option<ConditionalSums<'a>>,
    progress: &'a dyn Fn(u64),
}

impl<'a> Run<'a> {
    fn new(component: &'a GraphComponent, limits: &'a Limits, progress: &'a dyn Fn(u64)) -> Self {
        let graph = &component.graph;
        Self {
            component,
            limits,
            allowed: 0.0,
            best: Incumbent::new(product_of_maxima(graph) + slack(graph)),
            nodes: 0.0,
            sums: None,
            progress,
        }
    }

    fn work(&self) -> f64 {
        self.nodes + self.sums.as_ref().map_or(0.0, |sums| sums.operations)
    }

    /// Returns the reason why the search must stop, or `None` if it may continue.
    fn stopped(&self) -> Option<Stopped> {
        (self.progress)(self.work() as u64);
        let budget = || (self.work() >= self.allowed).then_some(Stopped::Budget);
        self.limits.until.stopped().or_else(budget)
    }

    /// Runs all stages of the marginal MAP search: upper bounds, local search, branch and bound. The search must already have a first assignment when
    /// its stages begin.
    ///
    /// **Errors.** Errors of sums over the other variables; an interruption is not an error, but part of the result.
    fn search(&mut self) -> Result<Stopped, EliminationError> {
        let found = self
            .bound_all()
            .and_then(|()| self.local_search())
            .and_then(|()| self.branch_and_bound());
        match found {
            Ok(Stopped::Finished) => {
                self.best.bound(self.best.log_weight, self.work());
                Ok(Stopped::Finished)
            }
            Err(EliminationError::Interrupted) => {
                Ok(self.limits.until.stopped().unwrap_or(Stopped::Deadline))
            }
            found => found,
        }
    }

    /// Finds a first assignment: the values of the maximised variables in an assignment of all variables with a large weight.
    fn first_assignment(&mut self) -> Result<(), EliminationError> {
        let limits = (self.limits.clone())
            .work(FIRST_WORLD)
            .table_entries(TABLES[1]);
        let world = match solve(&self.component.graph, &limits, SearchObserver::default())? {
            SolveResult::Impossible => return Err(EliminationError::Impossible),
            SolveResult::Found(world, ..) => world,
            SolveResult::Unknown { stopped: true, .. } => {
                return Err(EliminationError::Interrupted);
            }
            SolveResult::Unknown { .. } => vec![0; self.component.graph.cardinalities.len()],
        };
        let values = values_of(&self.component.maximised, &world);
        let limits = self.limits.clone();
        let mut sums = ConditionalSums::new(
            &self.component.graph,
            &self.component.maximised,
            &values,
            limits,
        )?;
        let log_weight = sums.log_weight(&values)?;
        self.sums = Some(sums);
        self.best.offer(&values, log_weight, true, self.work());
        Ok(())
    }

    /// Computes the log-weight of an assignment by an exact sum, and makes the assignment the best known one if it is better.
    fn evaluate(&mut self, values: &[u32], is_local: bool) -> Result<f64, EliminationError> {
        let Some(sums) = &mut self.sums else {
            return Ok(f64::NEG_INFINITY);
        };
        let log_weight = sums.log_weight(values)?;
        self.best.offer(values, log_weight, is_local, self.work());
        Ok(log_weight)
    }

    /// Computes upper bounds of the weights of all assignments by mini-bucket elimination in an order without constraints.
    fn bound_all(&mut self) -> Result<(), EliminationError> {
        let rounding = slack(&self.component.graph);
        let until = &self.limits.until;
        let buckets = as_if_dense(&self.component.graph, &[], (ORDER_WORK, until))?;
        let order = BucketOrder::new(self.component.graph.cardinalities.len(), &buckets);
        for table in self.tables() {
            let sizes = self.sizes(table);
            let messages = MiniBuckets::marginal_map(
                &self.component.graph,
                &order,
                sizes,
                &self.component.maximised,
                until,
            )?;
            self.nodes += messages.entries() as f64;
            let bound = messages.bound(&self.component.graph);
            if bound < f64::INFINITY {
                self.best.bound(bound + rounding, self.work());
            }
        }
        Ok(())
    }

    fn memory(&self) -> f64 {
        self.limits.memory.unwrap_or_else(available_bytes) as f64
    }

    /// Returns the table sizes of the mini-bucket eliminations that the remaining operations allow; the smallest size is always among them.
    fn tables(&self) -> Vec<usize> {
        let left = self.allowed - self.work();
        let variables = self.component.graph.cardinalities.len() as f64;
        let is_small = |table: &usize| *table == TABLES[0] || *table as f64 * variables <= left;
        TABLES.into_iter().filter(is_small).collect()
    }

    /// Returns the maximum number of entries in a table and the maximum number of entries in all messages of a mini-bucket elimination.
    fn sizes(&self, table: usize) -> (usize, f64) {
        let messages = self.memory() / (2 * size_of::<f64>()) as f64;
        (table.min(self.limits.table_entries), messages)
    }

    /// Runs hill climbing from the first assignment, and from random changes of the best known assignment.
    fn local_search(&mut self) -> Result<(), EliminationError> {
        if self.component.maximised.is_empty() {
            return Ok(());
        }
        let cardinality = |&v: &VarId| self.component.graph.cardinality(v) as u32;
        let cardinalities: Vec<u32> = self.component.maximised.iter().map(cardinality).collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        let share = LOCAL_SHARE * self.allowed;
        let mut values = self.best.values.clone();
        if values.is_empty() {
            values = vec![0; cardinalities.len()];
        }
        let mut log_weight = self.best.log_weight;
        let mut fruitless = 0;
        while fruitless < FRUITLESS && self.work() < share && self.stopped().is_none() {
            let before = self.best.log_weight;
            if let Some(sums) = &mut self.sums {
                let nodes = self.nodes;
                let until = &self.limits.until;
                let mut is_over = |operations| nodes + operations >= share || until.is_over();
                let climbed = climb(
                    sums,
                    &cardinalities,
                    &mut values,
                    &mut log_weight,
                    &mut is_over,
                );
                let work = self.work();
                self.best.offer(&values, log_weight, true, work);
                climbed?;
            }
            fruitless = if self.best.log_weight > before {
                0
            } else {
                fruitless + 1
            };
            if self.best.values.is_empty() {
                for (value, &n) in values.iter_mut().zip(&cardinalities) {
                    *value = rng.random_range(0..n);
                }
            } else {
                values.clone_from(&self.best.values);
                for _ in 0..=rng.random_range(1..4) {
                    let position = rng.random_range(0..values.len());
                    values[position] = rng.random_range(0..cardinalities[position]);
                }
            }
            log_weight = self.evaluate(&values, true)?;
        }
        Ok(())
    }

    /// Assigns the maximised variables one by one; the partial assignment with the highest upper bound is extended first.
    fn branch_and_bound(&mut self) -> Result<Stopped, EliminationError> {
        let table = self.tables().last().copied();
        let sizes = self.sizes(table.unwrap_or(TABLES[0]));
        let until = &self.limits.until;
        let bounds = PrefixBounds::new(
            &self.component.graph,
            &self.component.maximised,
            sizes,
            until,
        )?;
        self.best.bound(bounds.root + bounds.slack, self.work());
        let order = &bounds.order;
        let node_bytes = size_of::<Node>() + size_of::<u32>() * order.len();
        let most_nodes = self.memory() / (2 * node_bytes) as f64;
        let mut world = vec![0; self.component.graph.cardinalities.len()];
        let mut open = BinaryHeap::from([Node {
            bound: bounds.root,
            prefix: Box::default(),
        }]);
        let mut popped = 0_u64;
        while let Some(node) = open.pop() {
            if node.bound <= self.best.log_weight + bounds.slack {
                return Ok(Stopped::Finished);
            }
            self.best.bound(node.bound + bounds.slack, self.work());
            let budget = || (open.len() as f64 > most_nodes).then_some(Stopped::Budget);
            if let Some(why) = self.stopped().or_else(budget) {
                return Ok(why);
            }
            popped += 1;
            // A complete assignment lowers no upper bound, but excludes partial assignments; the search therefore dives to a few early.
            let dive = popped.is_power_of_two();
            let mut next = Some(node);
            while let Some(node) = next.take() {
                let level = node.prefix.len();
                for (v, &value) in order.iter().zip(&node.prefix) {
                    world[v.index()] = value;
                }
                if level == order.len() {
                    let values = values_of(&self.component.maximised, &world);
                    self.evaluate(&values, false)?;
                    break;
                }
                let children = bounds.children(level, node.bound, &mut world);
                self.nodes += (bounds.tables(level) * children.len() + order.len()) as f64;
                let mut children: Vec<Node> = (0..)
                    .zip(children)
                    .filter(|(_, bound)| *bound > self.best.log_weight + bounds.slack)
                    .map(|(value, bound)| node.child(value, bound))
                    .collect();
                if dive {
                    children.sort();
                    next = children.pop();
                }
                open.extend(children);
            }
        }
        Ok(Stopped::Finished)
    }
}

/// An open node of the search tree: values of the first variables, and an upper bound of the weight of all completions.
#[derive(Debug)]
struct Node {
    bound: f64,
    prefix: Box<[u32]>,
}

impl Node {
    fn child(&self, value: u32, bound: f64) -> Self {
        let mut prefix = Vec::with_capacity(self.prefix.len() + 1);
        prefix.extend_from_slice(&self.prefix);
        prefix.push(value);
        Self {
            bound,
            prefix: prefix.into(),
        }
    }
}

impl Ord for Node {
    /// Orders nodes by bound. Of nodes with equal bounds, the one with the longer prefix is greater; of equal lengths, the one with the smaller
    /// values is greater.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_bound = self.bound.total_cmp(&other.bound);
        let by_length = || self.prefix.len().cmp(&other.prefix.len());
        let by_values = || other.prefix.cmp(&self.prefix);
        by_bound.then_with(by_length).then_with(by_values)
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Node {}
