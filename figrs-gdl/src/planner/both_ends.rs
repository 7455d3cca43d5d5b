//! Bidirectional search: breadth-first searches from the start and from goals, until the two searches meet.

use figrs_core::Value;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

use super::state_space::StateSpace;

/// The index stored instead of a predecessor for the states where a search begins (the start or the goals).
const END: u32 = u32::MAX;

/// The states visited by the search from one end, in layers of equal distance.
#[derive(Debug)]
struct Layers<S, A> {
    /// For each state, the index of the state from which the search reached this state, and the action between the two states.
    met: IndexMap<S, (u32, Option<A>), FxBuildHasher>,
    /// Number of states that the search from one end has already expanded.
    next: usize,
    end: usize,
    steps: usize,
    heap: usize,
}

impl<S: Value + Eq + Hash, A: Copy> Layers<S, A> {
    fn new(ends: Vec<S>) -> Self {
        let mut layers = Self {
            met: IndexMap::default(),
            next: 0,
            end: 0,
            steps: 0,
            heap: 0,
        };
        for state in ends {
            layers.add(state, END, None);
        }
        layers.end = layers.met.len();
        layers
    }

    /// Adds `state`; returns the index of `state` if the search had not visited `state` before.
    fn add(&mut self, state: S, from: u32, action: Option<A>) -> Option<u32> {
        if self.met.contains_key(&state) {
            return None;
        }
        self.heap += state.heap_bytes();
        let (number, _) = self.met.insert_full(state, (from, action));
        Some(number as u32)
    }

    /// Returns the number of states in the present layer (states at one distance) that are not expanded yet.
    fn open(&self) -> usize {
        self.end - self.next
    }

    fn bytes(&self) -> u64 {
        let each = size_of::<S>() + size_of::<(u32, Option<A>)>() + 3 * size_of::<u64>();
        (self.heap + self.met.capacity() * each) as u64
    }

    /// Returns the actions of the path from `state` back to the end (start or goal) where this search began, in this order.
    fn way(&self, state: u32) -> Vec<A> {
        let (mut way, mut at) = (Vec::new(), state);
        while let Some((_, &(from, action))) = self.met.get_index(at as usize) {
            way.extend(action);
            at = from;
        }
        way
    }
}

/// A bidirectional breadth-first search, which can be continued after it stopped.
///
/// The search expands a whole layer (the states at one distance from an end) at a time, and always expands the smaller of the two layers. If the
/// state space lists all predecessors of a state, the search finds a plan with the fewest steps; otherwise the search finds a shortest plan among
/// those that use only the listed predecessors.
#[derive(Debug)]
pub(super) struct BothEnds<S, A> {
    ends: [Layers<S, A>; 2],
    /// Index of the search whose layer is being expanded: 0 from the start, 1 from the goals.
    side: usize,
}

impl<S: Value + Eq + Hash, A: Copy + Eq> BothEnds<S, A> {
    /// Creates a bidirectional search with the goals that the state space knows; without known goals the search ends immediately.
    pub(super) fn new<T: StateSpace<State = S, Action = A>>(space: &mut T) -> Self {
        let ends = [vec![space.start()], space.goals()];
        Self {
            ends: ends.map(Layers::new),
            side: 0,
        }
    }

    pub(super) fn states(&self) -> usize {
        self.ends.iter().map(|end| end.met.len()).sum()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.ends.iter().map(Layers::bytes).sum()
    }

    /// Continues the search until a plan of at most `steps` steps is found, no state remains, or `goes_on` returns false; `goes_on` is called with
    /// the number of bytes that all states take.
    pub(super) fn go_on<T: StateSpace<State = S, Action = A>>(
        &mut self,
        space: &mut T,
        steps: usize,
        goes_on: &mut dyn FnMut(&T, u64) -> bool,
    ) -> Option<Vec<A>> {
        let mut found = Vec::new();
        loop {
            let end = &mut self.ends[self.side];
            if end.open() == 0 && end.next < end.met.len() {
                end.end = end.met.len();
                end.steps += 1;
                self.side = usize::from(self.ends[1].open() < self.ends[0].open());
            }
            let is_empty = self.ends.iter().any(|end| end.open() == 0);
            let is_over = is_empty || self.ends[0].steps + self.ends[1].steps >= steps;
            if is_over || !goes_on(space, self.bytes()) {
                return None;
            }
            let side = self.side;
            let number = self.ends[side].next;
            let (state, _) = self.ends[side].met.get_index(number)?;
            let state = state.clone();
            self.ends[side].next += 1;
            found.clear();
            match side {
                0 => space.successors(&state, &mut found),
                _ => space.predecessors(&state, &mut found),
            }
            for (action, state) in found.drain(..) {
                let other = self.ends[1 - side].met.get_index_of(&state);
                let Some(new) = self.ends[side].add(state, number as u32, Some(action)) else {
                    continue;
                };
                if let Some(other) = other {
                    let (first, last) = match side {
                        0 => (new, other as u32),
                        _ => (other as u32, new),
                    };
                    let mut way = self.ends[0].way(first);
                    way.reverse();
                    way.extend(self.ends[1].way(last));
                    return Some(way);
                }
            }
        }
    }
}
