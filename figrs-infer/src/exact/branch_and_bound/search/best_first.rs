//! Hybrid best-first search: the open node of the smallest bound is searched depth first for a number of backtracks, and what is left of it
//! becomes open nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::network::{Conflict, Decision, Network};

/// Maximum number of backtracks of one depth-first search, unless memory is short.
const MOST_BACKTRACKS: u64 = 1 << 14;

/// Times its contents that a list takes while it is moved to twice its place.
const GROWING: usize = 3;

/// Shares of nodes that are made again: below one in the first, fewer backtracks are made, above one in the second, more.
const FEW_REPEATED: u64 = 20;
const MANY_REPEATED: u64 = 10;

/// Maximum number of sweeps of reweighting at a node.
const SWEEPS: usize = 16;

/// Reweighting is worth it if it raises the bound by more than this part of what is missing to the upper bound.
const WORTH_SWEEPS: i64 = 1 << 5;

/// Maximum number of nodes between two that are reweighted.
const MOST_PASSED: u32 = 1 << 10;

/// Result of a part of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum SearchState {
    /// Every assignment costs at least the upper bound.
    Finished,
    /// A better assignment was found.
    Improved,
    /// The work allowed was done.
    Paused,
}

/// A decision, after those before it.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    before: u32,
    decision: Decision,
}

/// A second decision that was not taken yet.
#[derive(Clone, Copy, Debug)]
struct Frame {
    second: Decision,
    lower: i64,
    /// Number of decisions taken before.
    taken: u32,
}

/// No decisions.
const ROOT: u32 = u32::MAX;

/// Order of open nodes: smaller bounds first, then later ones.
type OpenNode = Reverse<(i64, Reverse<u32>, u32)>;

/// Hybrid best-first search in a network.
///
/// **References.** Allouche, de Givry, Katsirelos, Schiex and Zytnicki, *Anytime hybrid best-first search with tree decomposition for
/// weighted CSP*, CP 2015.
#[derive(Debug)]
pub(in super::super) struct BestFirst {
    pub(in super::super) network: Network,
    /// The best assignment.
    pub(in super::super) best: Option<Vec<u32>>,
    open: BinaryHeap<OpenNode>,
    steps: Vec<PathStep>,
    /// The decisions of the node being searched, and those taken in it.
    base: u32,
    taken: Vec<Decision>,
    frames: Vec<Frame>,
    is_running: bool,
    backtracks: u64,
    most_backtracks: u64,
    pub(in super::super) nodes: u64,
    repeated: u64,
    last_conflict: u32,
    /// Number of nodes to come whose costs are not reweighted, and of those between the last two that were.
    nodes_to_pass: u32,
    passed: u32,
    /// An assignment counts as better if it is by more than this.
    slack: i64,
    /// Maximum number of bytes of the open nodes.
    memory: usize,
}

impl BestFirst {
    pub(in super::super) fn new(network: Network, slack: i64, memory: usize) -> Self {
        let mut open = BinaryHeap::new();
        open.push(Reverse((network.lower, Reverse(0), ROOT)));
        Self {
            network,
            best: None,
            open,
            steps: Vec::new(),
            base: ROOT,
            taken: Vec::new(),
            frames: Vec::new(),
            is_running: false,
            backtracks: 0,
            most_backtracks: 1,
            nodes: 0,
            repeated: 0,
            last_conflict: u32::MAX,
            nodes_to_pass: 0,
            passed: 0,
            slack,
            memory,
        }
    }

    /// A cost that no assignment is below, unless it is the upper bound's.
    pub(in super::super) fn lower(&self) -> i64 {
        let mut lower = self.network.upper;
        if let Some(Reverse((least, ..))) = self.open.peek() {
            lower = lower.min(*least);
        }
        if self.is_running {
            lower = lower.min(self.network.lower);
            for frame in &self.frames {
                lower = lower.min(frame.lower);
            }
        }
        lower
    }

    /// Searches until an assignment below the upper bound is found, which becomes the best one, or for some work.
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
                let found = self.network.complete_assignment();
                self.adopt(found, self.network.lower);
                self.last_conflict = u32::MAX;
                self.backtrack();
                return SearchState::Improved;
            };
            let preferred = self.best.as_ref().map(|best| best[v as usize]);
            let branching = self.network.branching(v, preferred);
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

    /// Takes over an assignment if it is better than the best one known: only those that are cheaper by more than the slack count from now on.
    pub(in super::super) fn adopt(&mut self, values: Vec<u32>, cost: i64) {
        let upper = cost - self.slack;
        if upper < self.network.upper {
            self.network.upper = upper;
            self.best = Some(values);
        }
    }

    /// Goes to the open node of the smallest bound; false if there is none below the upper bound.
    fn restore_best(&mut self) -> bool {
        let Some(Reverse((lower, _, path))) = self.open.pop() else {
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
        self.taken.clear();
        self.frames.clear();
        self.backtracks = 0;
        let mut decisions = Vec::new();
        let mut at = path;
        while at != ROOT {
            let step = self.steps[at as usize];
            decisions.push(step.decision);
            at = step.before;
        }
        self.repeated += decisions.len() as u64;
        self.nodes += decisions.len() as u64;
        self.network.push_level();
        let mut result = Ok(());
        for &decision in decisions.iter().rev() {
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

    /// Raises the bound of the present node by sweeps of tree-reweighted moves, less often if that gains little.
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

    /// Makes more backtracks in one search if many nodes are made again, fewer if few are.
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

    /// Number of bytes of the open nodes and of the decisions that lead to them.
    pub(in super::super) fn bytes(&self) -> usize {
        self.steps.len() * size_of::<PathStep>() + self.open.len() * size_of::<OpenNode>()
    }

    /// Takes the second decision of the last frame that has one below the upper bound, or leaves this search.
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

    /// The second decisions that are left become open nodes.
    fn leave(&mut self) {
        let mut before = self.base;
        let mut done = 0;
        for frame in std::mem::take(&mut self.frames) {
            while done < frame.taken as usize {
                before = self.push_step(before, self.taken[done]);
                done += 1;
            }
            if frame.lower < self.network.upper {
                let at = self.push_step(before, frame.second);
                self.open.push(Reverse((frame.lower, Reverse(at), at)));
            }
        }
        self.is_running = false;
    }

    fn push_step(&mut self, before: u32, decision: Decision) -> u32 {
        self.steps.push(PathStep { before, decision });
        (self.steps.len() - 1) as u32
    }
}
