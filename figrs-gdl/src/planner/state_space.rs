//! Deterministic transition systems with estimates of the distance to a goal.

use std::hash::Hash;

use figrs_core::Value;

/// A deterministic transition system, given by its states, the actions that lead from one state to the next, and estimates of the remaining
/// steps to a goal.
///
/// The methods of a state space take `&mut self` because estimates may use scratch memory and information about earlier states.
pub trait StateSpace {
    /// The type of the states.
    type State: Value + Eq + Hash;
    /// The type of the actions, each of which leads from one state to the next.
    type Action: Copy + Eq;

    /// Returns the state in which plans start.
    fn start(&self) -> Self::State;

    /// True if `state` is a goal, that is, a plan may end in `state`.
    fn is_goal(&mut self, state: &Self::State) -> bool;

    /// Appends to `found` the actions that may be taken in `state`, each with the state to which it leads.
    fn successors(&mut self, state: &Self::State, found: &mut Vec<(Self::Action, Self::State)>);

    /// Appends successors as [`successors`](Self::successors) does, but only for the actions in `actions`. The default implementation computes all
    /// successors and discards the successors by actions that are not in `actions`.
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

    /// Estimates the number of steps from `_state` to a goal. The default implementation gives no estimate of the distance to a goal; the search is
    /// then breadth-first.
    fn estimate(&mut self, _state: &Self::State, _estimate: &mut SearchEstimate<Self::Action>) {}

    /// Returns a proven lower bound of the number of steps from `_state` to a goal; `None` if it is proven that no goal can be reached.
    ///
    /// The lower bound must be *consistent*: an action lowers the bound by at most one. The default implementation returns the lower bound 0.
    fn at_least(&mut self, _state: &Self::State) -> Option<u32> {
        Some(0)
    }

    /// True if it is known that `_state`, which is not a goal, has no successors.
    fn is_over(&mut self, _state: &Self::State) -> bool {
        false
    }

    /// Returns known states in which a plan may end, for a bidirectional search; if the list is empty, no bidirectional search is made.
    fn goals(&mut self) -> Vec<Self::State> {
        Vec::new()
    }

    /// Appends to `_found` states from which an action leads to `_state`, each state with this action. The returned list of predecessors may be
    /// incomplete.
    fn predecessors(
        &mut self,
        _state: &Self::State,
        _found: &mut Vec<(Self::Action, Self::State)>,
    ) {
    }

    /// Returns the amount of work so far, in any unit that does not depend on the computer; 0 if the state space does not count its work.
    fn work(&self) -> u64 {
        0
    }
}

/// An estimate of the number of steps from a state to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchEstimate<A> {
    /// True if it is proven that no goal can be reached from the state.
    pub is_dead_end: bool,
    /// A proven lower bound of the number of remaining steps, or 0 if none is known; the search drops a state if the steps so far plus this bound
    /// exceed the limit of steps.
    pub at_least: u32,
    /// Scores of a state in a greedy search; smaller scores are better. The greedy search has an open list for each score, and takes states from the
    /// lists in turn. The estimates of all states must have the same number of scores. The first score of an estimate is the estimated number of
    /// remaining steps.
    pub scores: Vec<u64>,
    /// Actions that are likely to be useful; the search prefers the states to which they lead.
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
    /// Resets the estimate for the next state, without freeing its memory.
    pub(super) fn clear(&mut self) {
        self.is_dead_end = false;
        self.at_least = 0;
        self.scores.clear();
        self.preferred.clear();
    }
}
