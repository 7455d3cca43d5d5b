//! Open nodes of a best-first search: bounds, and the decisions that lead to them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::network::Decision;

/// A decision, with the path of decisions before it.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    before: u32,
    decision: Decision,
}

/// The path without decisions.
pub(super) const ROOT: u32 = u32::MAX;

/// Order of open nodes: smaller bounds first; of equal bounds, later nodes first.
type OpenNode = Reverse<(i64, Reverse<u32>, u32)>;

/// Nodes that are still to be searched.
#[derive(Debug, Default)]
pub(in super::super) struct OpenNodes {
    nodes: BinaryHeap<OpenNode>,
    steps: Vec<PathStep>,
}

impl OpenNodes {
    /// The node without decisions.
    pub(in super::super) fn root(lower: i64) -> Self {
        let mut this = Self::default();
        this.push(lower, ROOT);
        this
    }

    /// The smallest bound of a node.
    pub(in super::super) fn least(&self) -> Option<i64> {
        self.nodes.peek().map(|Reverse((lower, ..))| *lower)
    }

    pub(super) fn push(&mut self, lower: i64, path: u32) {
        self.nodes.push(Reverse((lower, Reverse(path), path)));
    }

    /// Takes the node of the smallest bound.
    pub(super) fn pop(&mut self) -> Option<(i64, u32)> {
        self.nodes
            .pop()
            .map(|Reverse((lower, _, path))| (lower, path))
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// The path `before` extended by a decision.
    pub(super) fn step(&mut self, before: u32, decision: Decision) -> u32 {
        self.steps.push(PathStep { before, decision });
        (self.steps.len() - 1) as u32
    }

    /// The decisions of a path, the last first.
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

    /// Number of bytes of the nodes and of the decisions that lead to them.
    pub(in super::super) fn bytes(&self) -> usize {
        self.steps.len() * size_of::<PathStep>() + self.nodes.len() * size_of::<OpenNode>()
    }
}
