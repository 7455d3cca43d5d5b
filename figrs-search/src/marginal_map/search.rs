//! The driver of a marginal MAP search: bounds of all assignments, local search, best-first branch and bound.

use std::collections::BinaryHeap;

use figrs_factor::bounds::Improvement;
use figrs_factor::consistency::reduce;
use figrs_factor::eliminate::{
    EliminationError, as_if_dense, available_bytes, validate, without_barren,
};
use figrs_factor::graph::{FactorGraph, ReducedGraph, VarId};
use figrs_factor::mini_buckets::{BucketOrder, MiniBuckets, product_of_maxima};
use figrs_factor::{Limits, Stopped};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::conditional_sums::ConditionalSums;
use super::incumbent::{Incumbent, climb};
use super::prefix_bounds::{PrefixBounds, slack};
use crate::branch_and_bound::{SearchObserver, SearchResult, solve};

/// Maximum numbers of entries of the tables of successive mini-bucket eliminations; the last is used for the search, too.
const TABLES: [usize; 3] = [1 << 8, 1 << 12, 1 << 16];
/// Number of steps of the search for a most probable world, with whose values of the maximised variables local search begins.
const FIRST_WORLD: f64 = 2e5;
/// Part of the work that local search may do before the branch and bound begins.
const LOCAL_SHARE: f64 = 0.25;
/// Number of local searches in a row without a better assignment after which the branch and bound begins.
const FRUITLESS: usize = 8;

/// A question to [`marginal_map_search`].
#[derive(Clone, Copy, Debug)]
pub struct MarginalMapSearch<'a> {
    /// The factor graph.
    pub graph: &'a FactorGraph,
    /// The variables to maximise; all others are summed out.
    pub maximised: &'a [VarId],
    /// Limits of each sum and of the tables of bounds, and of the memory of open nodes and messages together; deadline and interrupt of the search.
    pub limits: &'a Limits,
    /// Maximum number of operations of the search, as predicted for sums and counted for nodes.
    pub work: f64,
}

/// Result of a marginal MAP search.
#[derive(Clone, Debug)]
pub struct MarginalMapResult {
    /// Values of the maximised variables in the best assignment found, in their order; empty if no assignment was found.
    pub values: Vec<u32>,
    /// The natural logarithm of the total weight of that assignment, which is an exact sum.
    pub log_weight: f64,
    /// Upper bound of the log-weights of all assignments. If the search was completed, `log_weight`.
    pub upper_bound: f64,
    /// Better assignments and lower bounds in the order in which they were found.
    pub improvements: Vec<Improvement>,
    /// True if local search found the best assignment.
    pub is_local: bool,
    /// Reason why the search ended: [`Stopped::Finished`] if no assignment is better.
    pub stopped: Stopped,
    /// Number of operations done.
    pub work: u64,
}

/// Searches the assignment of some variables with the largest total weight, summed over all other variables.
///
/// Mini-bucket eliminations bound all assignments: in an order without constraints, and in an order with all sums first. Local search (hill
/// climbing on exact sums, with restarts near the best assignment) finds a good assignment. A best-first branch and bound then assigns the
/// variables one by one; the messages of the constrained elimination bound each partial assignment, and every complete assignment is summed
/// exactly.
///
/// **Guarantee.** `log_weight` is the exact log-weight of `values` up to rounding, and no assignment has a log-weight above `upper_bound`,
/// however the search ends. If the search ends by itself, the assignment is the best, up to rounding. The result is deterministic unless a
/// deadline or an interrupt ends the search.
///
/// **Complexity.** A sum costs as much as an elimination of the graph without the maximised variables. The number of nodes is exponential in
/// the number of maximised variables in the worst case. Messages take at most half of the memory, and open nodes the other half.
///
/// **Errors.** Errors of malformed graphs; errors of the sum given all maximised variables, if it exceeds a limit;
/// [`EliminationError::Impossible`] if no assignment has a positive weight; [`EliminationError::Interrupted`] if the search was stopped before it
/// had found an assignment of positive weight.
///
/// **References.** Park and Darwiche, *Solving MAP exactly using systematic search*, UAI 2003; Park and Darwiche, *Complexity results and
/// approximation strategies for MAP explanations*, Journal of Artificial Intelligence Research 21, 2004; Marinescu, Dechter and Ihler, *AND/OR
/// search for marginal MAP*, UAI 2014.
pub fn marginal_map_search(
    question: MarginalMapSearch<'_>,
    progress: &dyn Fn(u64),
) -> Result<MarginalMapResult, EliminationError> {
    let MarginalMapSearch {
        graph, maximised, ..
    } = question;
    validate(graph, maximised)?;
    let needed = without_barren(graph, maximised);
    let reduced = reduce(needed.as_ref().unwrap_or(graph)).ok_or(EliminationError::Impossible)?;
    let mut open = maximised.to_vec();
    open.retain(|&v| reduced.restriction.name(v).is_some());
    let names: Vec<VarId> = open
        .iter()
        .filter_map(|&v| reduced.restriction.name(v))
        .collect();
    let mut run = Run {
        question,
        graph: &reduced.graph,
        maximised: &names,
        best: Incumbent::new(f64::INFINITY),
        nodes: 0.0,
        sums: None,
        progress,
    };
    let stopped = match run.search() {
        Ok(stopped) => stopped,
        Err(EliminationError::Interrupted) => {
            let why = question.limits.until.stopped();
            why.unwrap_or(Stopped::Deadline)
        }
        Err(error) => return Err(error),
    };
    let work = run.work() as u64;
    let best = run.best;
    if best.values.is_empty() && !names.is_empty() || best.log_weight == f64::NEG_INFINITY {
        match stopped {
            Stopped::Finished => return Err(EliminationError::Impossible),
            Stopped::Budget => {}
            Stopped::Deadline | Stopped::Interrupted => return Err(EliminationError::Interrupted),
        }
    }
    let upper_bound = match stopped {
        Stopped::Finished => best.log_weight,
        _ => best.upper_bound.max(best.log_weight),
    };
    Ok(MarginalMapResult {
        values: values_of(&reduced, maximised, &names, &best.values),
        log_weight: best.log_weight,
        upper_bound,
        improvements: best.improvements,
        is_local: best.is_local,
        stopped,
        work,
    })
}

/// Returns the values of the maximised variables of the original graph.
fn values_of(
    reduced: &ReducedGraph,
    maximised: &[VarId],
    names: &[VarId],
    best: &[u32],
) -> Vec<u32> {
    let mut all = vec![0; reduced.graph.cardinalities.len()];
    for (v, &value) in names.iter().zip(best) {
        all[v.index()] = value;
    }
    let world = reduced.restriction.world(&all);
    maximised.iter().map(|v| world[v.index()]).collect()
}

/// A search in progress.
struct Run<'a> {
    question: MarginalMapSearch<'a>,
    /// The graph without excluded values and without factors that sum to a constant.
    graph: &'a FactorGraph,
    maximised: &'a [VarId],
    best: Incumbent,
    /// Number of table entries that nodes of the search tree have read.
    nodes: f64,
    sums: Option<ConditionalSums<'a>>,
    progress: &'a dyn Fn(u64),
}

impl Run<'_> {
    fn work(&self) -> f64 {
        self.nodes + self.sums.as_ref().map_or(0.0, |sums| sums.operations)
    }

    /// Returns the reason to stop now; `None` to go on.
    fn stopped(&self) -> Option<Stopped> {
        (self.progress)(self.work() as u64);
        let budget = || (self.work() >= self.question.work).then_some(Stopped::Budget);
        self.question.limits.until.stopped().or_else(budget)
    }

    fn search(&mut self) -> Result<Stopped, EliminationError> {
        let rounding = slack(self.graph);
        self.best
            .bound(product_of_maxima(self.graph) + rounding, 0.0);
        self.first_assignment()?;
        self.bound_all(rounding)?;
        self.local_search()?;
        self.branch_and_bound()
    }

    /// Starts from the values of the maximised variables in a world of large weight.
    fn first_assignment(&mut self) -> Result<(), EliminationError> {
        let limits = (self.question.limits.clone())
            .work(FIRST_WORLD)
            .table_entries(TABLES[1]);
        let world = match solve(self.graph, &limits, SearchObserver::default())? {
            SearchResult::Impossible => return Err(EliminationError::Impossible),
            SearchResult::Found(world, ..) => world,
            SearchResult::Unknown { stopped: true, .. } => {
                return Err(EliminationError::Interrupted);
            }
            SearchResult::Unknown { .. } => vec![0; self.graph.cardinalities.len()],
        };
        let values: Vec<u32> = self.maximised.iter().map(|v| world[v.index()]).collect();
        let limits = self.question.limits.clone();
        let mut sums = ConditionalSums::new(self.graph, self.maximised, &values, limits)?;
        let log_weight = sums.log_weight(&values)?;
        self.sums = Some(sums);
        self.best.offer(&values, log_weight, true, self.work());
        Ok(())
    }

    /// Sums out all other variables exactly.
    fn evaluate(&mut self, values: &[u32], is_local: bool) -> Result<f64, EliminationError> {
        let Some(sums) = &mut self.sums else {
            return Ok(f64::NEG_INFINITY);
        };
        let log_weight = sums.log_weight(values)?;
        self.best.offer(values, log_weight, is_local, self.work());
        Ok(log_weight)
    }

    /// Bounds all assignments by mini-buckets in an order without constraints.
    fn bound_all(&mut self, rounding: f64) -> Result<(), EliminationError> {
        let until = &self.question.limits.until;
        let buckets = as_if_dense(self.graph, &[], until)?;
        let order = BucketOrder::new(self.graph.cardinalities.len(), &buckets);
        for table in self.tables() {
            let sizes = self.sizes(table);
            let messages =
                MiniBuckets::marginal_map(self.graph, &order, sizes, self.maximised, until)?;
            self.nodes += messages.entries() as f64;
            let bound = messages.bound(self.graph);
            if bound < f64::INFINITY {
                self.best.bound(bound + rounding, self.work());
            }
        }
        Ok(())
    }

    fn memory(&self) -> f64 {
        self.question.limits.memory.unwrap_or_else(available_bytes) as f64
    }

    /// Returns the sizes of tables of mini-bucket eliminations that the work allows; the smallest is always one of them.
    fn tables(&self) -> Vec<usize> {
        let left = self.question.work - self.work();
        let variables = self.graph.cardinalities.len() as f64;
        let is_small = |table: &usize| *table == TABLES[0] || *table as f64 * variables <= left;
        TABLES.into_iter().filter(is_small).collect()
    }

    /// Returns the maximum number of entries of a table and of all messages of a mini-bucket elimination.
    fn sizes(&self, table: usize) -> (usize, f64) {
        let messages = self.memory() / (2 * size_of::<f64>()) as f64;
        (table.min(self.question.limits.table_entries), messages)
    }

    /// Climbs from the first assignment, and from random changes of the best one.
    fn local_search(&mut self) -> Result<(), EliminationError> {
        if self.maximised.is_empty() {
            return Ok(());
        }
        let cardinality = |&v: &VarId| self.graph.cardinality(v) as u32;
        let cardinalities: Vec<u32> = self.maximised.iter().map(cardinality).collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        let share = LOCAL_SHARE * self.question.work;
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
                let until = &self.question.limits.until;
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

    /// Assigns the variables one by one, the partial assignment with the highest bound first.
    fn branch_and_bound(&mut self) -> Result<Stopped, EliminationError> {
        let table = self.tables().last().copied();
        let sizes = self.sizes(table.unwrap_or(TABLES[0]));
        let until = &self.question.limits.until;
        let bounds = PrefixBounds::new(self.graph, self.maximised, sizes, until)?;
        self.best.bound(bounds.root + bounds.slack, self.work());
        let order = &bounds.order;
        let node_bytes = size_of::<Node>() + size_of::<u32>() * order.len();
        let most_nodes = self.memory() / (2 * node_bytes) as f64;
        let mut world = vec![0; self.graph.cardinalities.len()];
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
            // Complete assignments lower no bound, but exclude partial ones; a few are made before their turn.
            let dive = popped.is_power_of_two();
            let mut next = Some(node);
            while let Some(node) = next.take() {
                let level = node.prefix.len();
                for (v, &value) in order.iter().zip(&node.prefix) {
                    world[v.index()] = value;
                }
                if level == order.len() {
                    let values: Vec<u32> =
                        self.maximised.iter().map(|v| world[v.index()]).collect();
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

/// An open node of the search tree: values of the first variables, and an upper bound of their completions.
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
    /// Orders nodes by bound, longer prefixes and smaller values later.
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
