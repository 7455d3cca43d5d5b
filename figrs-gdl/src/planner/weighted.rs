//! Weighted A*, a search for plans of few steps: it orders states by the number of steps taken plus a multiple of the estimated number of remaining
//! steps.

use figrs_core::Value;
use std::collections::BTreeMap;
use std::hash::Hash;

use super::nodes::Nodes;
use super::state_space::{SearchEstimate, StateSpace};

/// Weight of the estimated number of remaining steps. The weight 1 gives the shortest plans but takes long; in experiments with sliding tiles and
/// pancakes, weights from 2 to 5 gave nearly shortest plans, and the weight 3 was the fastest.
const WEIGHT: u64 = 3;

/// Number of states for which memory is reserved in advance, enough for the successors of one state.
const RESERVED: usize = 1 << 10;

/// A weighted A* search, which can be continued after it stopped.
///
/// Greedy search keeps the first path that it finds to a state, even if the path is long. If the number of steps is limited, a greedy search drops
/// states although it never tried shorter paths to these states. The weighted A* search expands a state again when the search finds a shorter path to
/// this state. Until a state is expanded, it has the estimate of its predecessor.
#[derive(Debug)]
pub(super) struct Weighted<S, A> {
    nodes: Nodes<S, A>,
    open: BTreeMap<u64, Vec<u32>>,
    entries: usize,
    estimate: SearchEstimate<A>,
    /// True after the search has dropped a state because plans through this state exceed the limit of steps.
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

    pub(super) fn is_exhausted(&self) -> bool {
        self.entries == 0
    }

    /// True if the search dropped states because plans through these states exceed the limit of steps.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn states(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.nodes.bytes_with(RESERVED) + (self.entries * 2 * size_of::<u32>()) as u64
    }

    /// Removes the open state with the smallest sum of steps taken and weighted estimate; among equal sums, the state that was added last.
    fn pop(&mut self) -> Option<u32> {
        let mut first = self.open.first_entry()?;
        let state = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        self.entries -= 1;
        state
    }

    /// Continues the weighted A* search until a plan of at most `steps` steps is found, no state remains, or `goes_on` returns false; `goes_on` is
    /// called with the number of bytes that all states take.
    pub(super) fn go_on<T: StateSpace<State = S, Action = A>>(
        &mut self,
        space: &mut T,
        steps: usize,
        goes_on: &mut dyn FnMut(&T, u64) -> bool,
    ) -> Option<Vec<A>> {
        let mut found = Vec::new();
        while !self.is_exhausted() && goes_on(space, self.bytes()) {
            let number = self.pop()?;
            // A reopened state has several entries; the entry that is removed first expands the state.
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
