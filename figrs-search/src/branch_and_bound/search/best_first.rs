//! Hybrid best-first search: a depth-first search with a limited number of backtracks explores the open node with the smallest lower bound, and its
//! unexplored subtrees become open nodes.

use super::super::network::{Conflict, Decision, Network};
use super::open_nodes::{OpenNodes, ROOT};

/// Maximum number of backtracks of one depth-first search, unless the memory is nearly full.
const MOST_BACKTRACKS: u64 = 1 << 14;

/// Peak memory of a list while it moves to an array of twice its size, as a multiple of the size of its contents.
const GROWING: usize = 3;

/// A depth-first search gets fewer backtracks if less than one in `FEW_REPEATED` nodes is visited repeatedly, and more backtracks if more than one in
/// `MANY_REPEATED` nodes is.
const FEW_REPEATED: u64 = 20;
const MANY_REPEATED: u64 = 10;

const SWEEPS: usize = 16;

/// Divisor of the difference between upper and lower bound: reweighting at a search node was useful if it raised the lower bound by more than the
/// quotient.
const WORTH_SWEEPS: i64 = 1 << 5;

/// Maximum number of search nodes between two reweightings of the costs.
const MOST_PASSED: u32 = 1 << 10;

/// The state of a search after some steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum SearchState {
    /// No assignment costs less than the upper bound.
    Finished,
    /// The search found an assignment that is better than the best known assignment.
    Improved,
    /// The search has taken all steps that it was allowed.
    Paused,
    /// All variables of the cluster's network have values; the variables of child clusters, which are searched separately, may have none.
    Decided,
}

/// A branching of the search whose second decision has not been tried.
#[derive(Clone, Copy, Debug)]
struct Frame {
    second: Decision,
    lower: i64,
    /// Number of decisions that the search made before the branching.
    taken: u32,
}

/// Hybrid best-first search in a network of cost functions.
///
/// **References.** Allouche, de Givry, Katsirelos, Schiex and Zytnicki, *Anytime hybrid best-first search with tree decomposition for
/// weighted CSP*, CP 2015.
#[derive(Debug)]
pub(in super::super) struct BestFirst {
    pub(in super::super) network: Network,
    pub(in super::super) best: Option<Vec<u32>>,
    open: OpenNodes,
    /// True if the network belongs to a cluster of a tree decomposition with child clusters, which are searched separately.
    pub(in super::super) is_partial: bool,
    /// The decisions that lead from the empty assignment to the root of the searched subproblem.
    given: Vec<Decision>,
    /// An assignment whose values are tried first if no best assignment is known.
    pub(in super::super) hint: Option<Vec<u32>>,
    /// The path of decisions that leads to the current open node; `base_lower` is the lower bound of this node, and `taken` has the decisions after
    /// it.
    base: u32,
    base_lower: i64,
    taken: Vec<Decision>,
    frames: Vec<Frame>,
    is_running: bool,
    backtracks: u64,
    most_backtracks: u64,
    pub(in super::super) nodes: u64,
    /// Number of nodes at which the search branched.
    pub(in super::super) branchings: u64,
    repeated: u64,
    last_conflict: u32,
    /// Number of search nodes before the next reweighting; `passed` is the number of nodes between the last two reweightings.
    nodes_to_pass: u32,
    passed: u32,
    /// Minimum difference of the costs of two assignments for one of them to be treated as better.
    slack: i64,
    memory: usize,
}

impl BestFirst {
    pub(in super::super) fn new(network: Network, slack: i64, memory: usize) -> Self {
        Self {
            open: OpenNodes::root(network.lower),
            base_lower: network.lower,
            network,
            best: None,
            is_partial: false,
            given: Vec::new(),
            hint: None,
            base: ROOT,
            taken: Vec::new(),
            frames: Vec::new(),
            is_running: false,
            backtracks: 0,
            most_backtracks: 1,
            nodes: 0,
            branchings: 0,
            repeated: 0,
            last_conflict: u32::MAX,
            nodes_to_pass: 0,
            passed: 0,
            slack,
            memory,
        }
    }

    /// Returns a lower bound of the costs of all assignments, except possibly of the best known assignment.
    pub(in super::super) fn lower(&self) -> i64 {
        let mut lower = self.network.upper;
        if let Some(least) = self.open.least() {
            lower = lower.min(least);
        }
        if self.is_running {
            let mut running = self.network.lower;
            for frame in &self.frames {
                running = running.min(frame.lower);
            }
            lower = lower.min(running.max(self.base_lower));
        }
        lower
    }

    /// Begins the search of a subproblem, which is given by the decisions `given`, its open nodes, its best assignment and its upper bound.
    pub(in super::super) fn begin(
        &mut self,
        given: Vec<Decision>,
        open: OpenNodes,
        best: Option<Vec<u32>>,
        upper: i64,
    ) {
        while self.network.depth() > 0 {
            self.network.pop_level();
        }
        self.given = given;
        self.open = open;
        self.best = best;
        self.network.upper = upper;
        self.is_running = false;
        self.last_conflict = u32::MAX;
    }

    /// Replaces the network of cost functions by `network`, which has the same variables. The search of a subproblem must have ended before the
    /// network is replaced.
    pub(in super::super) fn renew(&mut self, mut network: Network) {
        network.count_from(&self.network);
        self.network = network;
    }

    /// Ends the search of a subproblem. Returns the open nodes of the search, including the current node, and the best assignment that the search
    /// found.
    pub(in super::super) fn end(&mut self) -> (OpenNodes, Option<Vec<u32>>) {
        if self.is_running {
            self.push_present(self.network.lower);
            self.leave();
        }
        (std::mem::take(&mut self.open), self.best.take())
    }

    /// Leaves the current search node, because it has no assignment below the upper bound.
    pub(in super::super) fn close(&mut self) {
        self.backtrack();
    }

    /// Adds the current search node to the open nodes with the lower bound `lower`, and leaves the node.
    pub(in super::super) fn defer(&mut self, lower: i64) {
        self.push_present(lower);
        self.backtrack();
    }

    fn push_present(&mut self, lower: i64) {
        let mut path = self.base;
        for i in 0..self.taken.len() {
            path = self.open.step(path, self.taken[i]);
        }
        self.open.push(lower.max(self.base_lower), path);
    }

    /// Searches until an assignment below the upper bound is found, which becomes the best assignment, or until `work` steps have been taken.
    pub(in super::super) fn advance(&mut self, work: u64) -> SearchState {
        let limit = self.network.work().saturating_add(work);
        self.network.pause_at = limit;
        loop {
            if self.network.work() >= limit {
                return SearchState::Paused;
            }
            if self.network.is_paused {
                if self.network.propagate().is_ok() {
                    continue;
                }
                if self.network.depth() == 0 {
                    self.open.clear();
                    return SearchState::Finished;
                }
                self.backtrack();
                continue;
            }
            if !self.is_running {
                if !self.restore_best() {
                    return SearchState::Finished;
                }
                continue;
            }
            self.nodes += 1;
            self.network.look(self.network.open().len());
            let Some(v) = self.network.next_variable(self.last_conflict) else {
                if self.is_partial {
                    return SearchState::Decided;
                }
                let found = self.network.complete_assignment();
                self.adopt(found, self.network.lower);
                self.last_conflict = u32::MAX;
                self.backtrack();
                return SearchState::Improved;
            };
            let preferred = self.best.as_ref().or(self.hint.as_ref());
            let preferred = preferred.map(|values| values[v as usize]);
            let branching = self.network.branching(v, preferred);
            self.branchings += 1;
            self.frames.push(Frame {
                second: branching.second,
                lower: branching.lower,
                taken: self.taken.len() as u32,
            });
            self.network.push_level();
            self.taken.push(branching.first);
            let result = self.network.decide(branching.first);
            if result.and_then(|()| self.network.propagate()).is_err() {
                self.last_conflict = v;
                self.backtrack();
            }
        }
    }

    /// Makes `values` the best known assignment if it costs less than the upper bound. From then on, an assignment replaces the best known one only
    /// if it is cheaper by more than `slack`.
    pub(in super::super) fn adopt(&mut self, values: Vec<u32>, cost: i64) {
        let upper = cost - self.slack;
        if upper < self.network.upper {
            self.network.upper = upper;
            self.best = Some(values);
        }
    }

    /// Moves to the open search node with the smallest lower bound; returns `false` if no open node has a lower bound below the upper bound.
    fn restore_best(&mut self) -> bool {
        let Some((lower, path)) = self.open.pop() else {
            return false;
        };
        if lower >= self.network.upper {
            self.open.clear();
            return false;
        }
        self.adapt();
        while self.network.depth() > 0 {
            self.network.pop_level();
        }
        self.base = path;
        self.base_lower = lower;
        self.taken.clear();
        self.frames.clear();
        self.backtracks = 0;
        let decisions = self.open.decisions(path);
        self.repeated += decisions.len() as u64;
        self.nodes += decisions.len() as u64;
        self.network.push_level();
        let mut result = Ok(());
        for &decision in self.given.iter().chain(decisions.iter().rev()) {
            result = self.network.decide(decision);
            if result.is_err() {
                break;
            }
        }
        let result = result.and_then(|()| self.network.propagate());
        let result = result.and_then(|()| self.reweigh());
        self.is_running = result.is_ok();
        true
    }

    /// Raises the lower bound of the current search node by tree-reweighted sweeps. If reweighting sweeps gain little, they become less frequent.
    fn reweigh(&mut self) -> Result<(), Conflict> {
        if self.network.is_paused || self.network.open().is_empty() {
            return Ok(());
        }
        if self.nodes_to_pass > 0 {
            self.nodes_to_pass -= 1;
            return Ok(());
        }
        let (before, gap) = (self.network.lower, self.network.gap());
        let result = self.network.reweigh(SWEEPS);
        let result = result.and_then(|()| self.network.propagate());
        let is_good = result.is_err() || self.network.lower - before > gap / WORTH_SWEEPS;
        self.passed = if is_good {
            self.passed / 2
        } else {
            MOST_PASSED.min(2 * self.passed + 1)
        };
        self.nodes_to_pass = self.passed;
        result
    }

    /// Adapts the maximum number of backtracks of a depth-first search: raises it if many nodes are visited repeatedly, and lowers it if few nodes
    /// are.
    fn adapt(&mut self) {
        if self.repeated == 0 {
            return;
        }
        if self.repeated > self.nodes / MANY_REPEATED && self.most_backtracks <= MOST_BACKTRACKS {
            self.most_backtracks *= 2;
        } else if self.repeated < self.nodes / FEW_REPEATED && self.most_backtracks >= 2 {
            self.most_backtracks /= 2;
        }
        if GROWING * self.bytes() >= self.memory {
            self.most_backtracks = u64::MAX;
        }
    }

    pub(in super::super) fn bytes(&self) -> usize {
        self.open.bytes()
    }

    /// Takes the second decision of the last branching whose lower bound is below the upper bound; ends the depth-first search if there is none.
    fn backtrack(&mut self) {
        self.backtracks += 1;
        if self.backtracks > self.most_backtracks {
            self.leave();
            return;
        }
        while let Some(frame) = self.frames.pop() {
            self.network.pop_level();
            self.taken.truncate(frame.taken as usize);
            if frame.lower >= self.network.upper {
                continue;
            }
            self.taken.push(frame.second);
            let result = self.network.decide(frame.second);
            if result.and_then(|()| self.network.propagate()).is_ok() {
                return;
            }
        }
        self.is_running = false;
    }

    /// Turns all second decisions of branchings that have not been tried into open nodes.
    fn leave(&mut self) {
        let mut before = self.base;
        let mut done = 0;
        for frame in std::mem::take(&mut self.frames) {
            while done < frame.taken as usize {
                before = self.open.step(before, self.taken[done]);
                done += 1;
            }
            if frame.lower < self.network.upper {
                let at = self.open.step(before, frame.second);
                self.open.push(frame.lower.max(self.base_lower), at);
            }
        }
        self.is_running = false;
    }
}
