//! Hybrid best-first search: the open node of the smallest bound is searched depth first for a number of backtracks, and what is left of it
//! becomes open nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::network::{Decision, Network};

/// Maximum number of backtracks of one depth-first search, unless memory is short.
const MOST_BACKTRACKS: u64 = 1 << 14;

/// Shares of nodes that are made again: below one in the first, fewer backtracks are made, above one in the second, more.
const FEW_REPEATED: u64 = 20;
const MANY_REPEATED: u64 = 10;

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
    /// Maximum number of bytes of the open nodes.
    memory: usize,
}

impl BestFirst {
    pub(in super::super) fn new(network: Network, memory: usize) -> Self {
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
    pub(in super::super) fn advance(&mut self, work: u64, slack: i64) -> SearchState {
        let limit = self.network.work.saturating_add(work);
        loop {
            if self.network.work >= limit {
                return SearchState::Paused;
            }
            if !self.is_running {
                match self.restore_best() {
                    None => return SearchState::Finished,
                    Some(false) => continue,
                    Some(true) => {}
                }
            }
            self.nodes += 1;
            self.network.work += 1;
            let Some(v) = self.network.next_variable(self.last_conflict) else {
                self.best = Some(self.network.complete_assignment());
                self.network.upper = self.network.lower - slack;
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

    /// Goes to the open node of the smallest bound; `None` if there is none below the upper bound, false if nothing is left in it.
    fn restore_best(&mut self) -> Option<bool> {
        let Reverse((lower, _, path)) = self.open.pop()?;
        if lower >= self.network.upper {
            self.open.clear();
            return None;
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
        self.is_running = result.is_ok();
        Some(self.is_running)
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
        let bytes =
            self.steps.len() * size_of::<PathStep>() + self.open.len() * size_of::<OpenNode>();
        if bytes >= self.memory {
            self.most_backtracks = u64::MAX;
        }
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
