//! Weighted A*: orders states by the steps taken plus a multiple of the estimated remaining steps, for plans of few steps.

use figrs_core::Value;
use std::collections::BTreeMap;
use std::hash::Hash;

use super::nodes::Nodes;
use super::state_space::{SearchEstimate, StateSpace};

/// Weight of the estimated steps: 1 finds the shortest plans but takes long; with 2 to 5 the search solved sliding tiles and pancakes within a bound near
/// the shortest length, with 3 soonest.
const WEIGHT: u64 = 3;

/// Number of states for which memory is reserved: the successors of one state.
const RESERVED: usize = 1 << 10;

/// A search by steps taken plus weighted estimate, which can be continued where it stopped.
///
/// A greedy search keeps the first path that it finds to a state, however long. If plans have a bounded number of steps, it then drops states whose
/// short paths it never tried. This search opens a state again for a shorter path. A state has the estimate of its predecessor until it is expanded.
#[derive(Debug)]
pub(super) struct Weighted<S, A> {
    nodes: Nodes<S, A>,
    open: BTreeMap<u64, Vec<u32>>,
    entries: usize,
    estimate: SearchEstimate<A>,
    /// True once the search has dropped a state because it takes too many steps.
    is_cut: bool,
}

impl<S: Value + Eq + Hash, A: Copy + Eq> Weighted<S, A> {
    pub(super) fn new(start: S) -> Self {
        Self {
            nodes: Nodes::new(start),
            open: BTreeMap::from([(0, vec![0])]),
            entries: 1,
            estimate: SearchEstimate::default(),
            is_cut: false,
        }
    }

    /// True if no state is left, so that there is no plan within the limit of steps.
    pub(super) fn is_exhausted(&self) -> bool {
        self.entries == 0
    }

    /// True if the search dropped states that may lead to plans of more steps.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the number of visited states.
    pub(super) fn states(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.nodes.bytes_with(RESERVED) + (self.entries * 2 * size_of::<u32>()) as u64
    }

    /// Removes the open state with the smallest key; among equal keys, the one that was added last.
    fn pop(&mut self) -> Option<u32> {
        let mut first = self.open.first_entry()?;
        let state = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        self.entries -= 1;
        state
    }

    /// Continues until it finds a plan of at most `steps` steps, no state is left, or `goes_on`, which takes the bytes of all states, returns false.
    pub(super) fn go_on<T: StateSpace<State = S, Action = A>>(
        &mut self,
        space: &mut T,
        steps: usize,
        goes_on: &mut dyn FnMut(&T, u64) -> bool,
    ) -> Option<Vec<A>> {
        let mut found = Vec::new();
        while !self.is_exhausted() && goes_on(space, self.bytes()) {
            let number = self.pop()?;
            // A state that was opened again has several entries, of which the first expands it.
            if !self.nodes.expand(number) {
                continue;
            }
            let state = self.nodes.state(number).clone();
            self.estimate.clear();
            space.estimate(&state, &mut self.estimate);
            let taken = self.nodes.steps(number) as usize;
            if self.estimate.is_dead_end {
                continue;
            }
            if taken.saturating_add((self.estimate.at_least as usize).max(1)) > steps {
                self.is_cut = true;
                continue;
            }
            let left = self.estimate.scores.first().copied().unwrap_or(0);
            let key = (taken as u64 + 1).saturating_add(left.saturating_mul(WEIGHT));
            found.clear();
            space.successors(&state, &mut found);
            for (action, state) in found.drain(..) {
                let Some(new) = self.nodes.reach_sooner(number, action, state) else {
                    continue;
                };
                let state: &S = self.nodes.state(new);
                if space.is_goal(state) {
                    return Some(self.nodes.way(new));
                }
                self.open.entry(key).or_default().push(new);
                self.entries += 1;
            }
        }
        None
    }
}
