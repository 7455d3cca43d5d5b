//! Open nodes of a best-first search, with their lower bounds and the decisions that lead to them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::network::Decision;

/// A decision of the search, with the index of the path of decisions before it.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    before: u32,
    decision: Decision,
}

/// Index of the empty path of decisions, which leads to the root node.
pub(super) const ROOT: u32 = u32::MAX;

/// Sort key of open search nodes: the node with the smallest lower bound comes first; of equal bounds, the node that was added last.
type OpenNode = Reverse<(i64, Reverse<u32>, u32)>;

/// The open nodes of a best-first search: nodes that have been created but not searched.
#[derive(Debug, Default)]
pub(in super::super) struct OpenNodes {
    nodes: BinaryHeap<OpenNode>,
    steps: Vec<PathStep>,
}

impl OpenNodes {
    /// Creates a list of open nodes that contains only the root node, which has no decisions.
    pub(in super::super) fn root(lower: i64) -> Self {
        let mut this = Self::default();
        this.push(lower, ROOT);
        this
    }

    pub(in super::super) fn least(&self) -> Option<i64> {
        self.nodes.peek().map(|Reverse((lower, ..))| *lower)
    }

    pub(super) fn push(&mut self, lower: i64, path: u32) {
        self.nodes.push(Reverse((lower, Reverse(path), path)));
    }

    /// Removes and returns the open node with the smallest lower bound.
    pub(super) fn pop(&mut self) -> Option<(i64, u32)> {
        self.nodes
            .pop()
            .map(|Reverse((lower, _, path))| (lower, path))
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Extends the path of decisions `before` by `decision`, and returns the index of the new path.
    pub(super) fn step(&mut self, before: u32, decision: Decision) -> u32 {
        self.steps.push(PathStep { before, decision });
        (self.steps.len() - 1) as u32
    }

    /// Returns the decisions of the path with the index `path`, the last decision first.
    pub(super) fn decisions(&self, path: u32) -> Vec<Decision> {
        let mut decisions = Vec::new();
        let mut at = path;
        while at != ROOT {
            let step = self.steps[at as usize];
            decisions.push(step.decision);
            at = step.before;
        }
        decisions
    }

    pub(in super::super) fn bytes(&self) -> usize {
        self.steps.len() * size_of::<PathStep>() + self.nodes.len() * size_of::<OpenNode>()
    }
}
