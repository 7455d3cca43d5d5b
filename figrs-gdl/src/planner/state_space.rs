//! Deterministic transition systems with estimates.

use std::hash::Hash;

use figrs_core::Value;

/// A deterministic transition system: the states of a fold over choices, the actions that lead from one to the next, and estimates of the
/// steps that are left.
///
/// Methods take `&mut self`, so that an estimate may use working memory and what it has seen before.
pub trait StateSpace {
    /// A state.
    type State: Value + Eq + Hash;
    /// A choice between states.
    type Action: Copy + Eq;

    /// The state at the start.
    fn start(&self) -> Self::State;

    /// True if a plan may end here.
    fn is_goal(&mut self, state: &Self::State) -> bool;

    /// Adds the actions that may be taken in a state, each with the state that it leads to.
    fn successors(&mut self, state: &Self::State, found: &mut Vec<(Self::Action, Self::State)>);

    /// As [`successors`](Self::successors), but for some actions only. By default all successors are found and the others discarded.
    fn successors_by(
        &mut self,
        state: &Self::State,
        actions: &[Self::Action],
        found: &mut Vec<(Self::Action, Self::State)>,
    ) {
        let before = found.len();
        self.successors(state, found);
        let mut place = 0;
        found.retain(|(action, _)| {
            place += 1;
            place <= before || actions.contains(action)
        });
    }

    /// Estimates the steps from a state to a goal. By default nothing is known, and a search is breadth-first.
    fn estimate(&mut self, _state: &Self::State, _estimate: &mut SearchEstimate<Self::Action>) {}

    /// A proven lower bound of the steps from a state to a goal; `None` if it is proven that none can be reached.
    ///
    /// Has to be *consistent*: an action lowers it by one at most. Zero if this is not overridden.
    fn at_least(&mut self, _state: &Self::State) -> Option<u32> {
        Some(0)
    }

    /// True if it is known that a state has no successors. It is not called for goals.
    fn is_over(&mut self, _state: &Self::State) -> bool {
        false
    }

    /// Known states at which a plan may end, for a search from both ends; without any there is no such search.
    fn goals(&mut self) -> Vec<Self::State> {
        Vec::new()
    }

    /// Adds states from which an action leads to a state, each with the action. Some may be left out.
    fn predecessors(
        &mut self,
        _state: &Self::State,
        _found: &mut Vec<(Self::Action, Self::State)>,
    ) {
    }

    /// The work so far, in any unit that does not depend on the machine; zero if it is not counted.
    fn work(&self) -> u64 {
        0
    }
}

/// An estimate of the way from a state to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchEstimate<A> {
    /// True if it is proven that no goal can be reached.
    pub is_dead_end: bool,
    /// A proven lower bound of the steps that are left, zero if none is known; states that cannot meet the limit of steps by this bound are left out.
    pub at_least: u32,
    /// Scores, smaller ones first: open states are sorted by each score, and taken from these lists in turn. Every estimate has the same
    /// number of scores. The first one estimates the number of steps that are left.
    pub scores: Vec<u64>,
    /// Actions that look useful: the states that they lead to are taken more often.
    pub preferred: Vec<A>,
}

impl<A> Default for SearchEstimate<A> {
    fn default() -> Self {
        Self {
            is_dead_end: false,
            at_least: 0,
            scores: Vec::new(),
            preferred: Vec::new(),
        }
    }
}

impl<A> SearchEstimate<A> {
    /// Forgets the last state's estimate, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.is_dead_end = false;
        self.at_least = 0;
        self.scores.clear();
        self.preferred.clear();
    }
}
