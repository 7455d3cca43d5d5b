//! The states that a search has visited, with the actions that led to them.

use figrs_core::Value;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

/// The index that marks the start state, which has no predecessor.
const NO_PARENT: u32 = u32::MAX;

/// The way in which a state was reached: its predecessor, the action between the two states, and the number of steps from the start.
#[derive(Clone, Copy, Debug)]
struct Node<A> {
    before: u32,
    action: Option<A>,
    steps: u32,
    is_expanded: bool,
}

/// The states that a search has visited, in the order of their first visit.
#[derive(Debug)]
pub(super) struct Nodes<S, A> {
    states: IndexSet<S, FxBuildHasher>,
    visited: Vec<Node<A>>,
    heap: usize,
}

impl<S: Value + Eq + Hash, A: Copy> Nodes<S, A> {
    pub(super) fn new(start: S) -> Self {
        let mut all = Self {
            states: IndexSet::default(),
            visited: Vec::new(),
            heap: 0,
        };
        all.add(start, None, NO_PARENT, 0);
        all
    }

    fn add(&mut self, state: S, action: Option<A>, before: u32, steps: u32) -> Option<u32> {
        let heap = state.heap_bytes();
        let (number, is_new) = self.states.insert_full(state);
        if !is_new {
            return None;
        }
        self.heap += heap;
        self.visited.push(Node {
            before,
            action,
            steps,
            is_expanded: false,
        });
        Some(number as u32)
    }

    /// Adds `state`, to which `action` leads; returns the index of `state` if `state` was not known before.
    pub(super) fn reach(&mut self, before: u32, action: A, state: S) -> Option<u32> {
        let steps = self.steps(before) + 1;
        self.add(state, Some(action), before, steps)
    }

    /// Adds a state as [`reach`](Self::reach) does; if the state is already known and the new path to the state is shorter, returns the index of the
    /// known state.
    pub(super) fn reach_sooner(&mut self, before: u32, action: A, state: S) -> Option<u32> {
        let steps = self.steps(before) + 1;
        let Some(known) = self.states.get_index_of(&state) else {
            return self.add(state, Some(action), before, steps);
        };
        let node = &mut self.visited[known];
        if node.steps <= steps {
            return None;
        }
        *node = Node {
            before,
            action: Some(action),
            steps,
            is_expanded: false,
        };
        Some(known as u32)
    }

    pub(super) fn state(&self, number: u32) -> &S {
        &self.states[number as usize]
    }

    pub(super) fn steps(&self, number: u32) -> u32 {
        self.visited
            .get(number as usize)
            .map_or(0, |node| node.steps)
    }

    /// Marks the state of index `number` as expanded; returns `false` if the state was expanded before.
    pub(super) fn expand(&mut self, number: u32) -> bool {
        !std::mem::replace(&mut self.visited[number as usize].is_expanded, true)
    }

    pub(super) fn len(&self) -> usize {
        self.visited.len()
    }

    /// Returns the approximate number of bytes that the visited states take after `more` further states are added.
    pub(super) fn bytes_with(&self, more: usize) -> u64 {
        // The set stores a hash for each state, and an index with unused slots. A list that grows is copied, so its old
        // and new arrays coexist for a time.
        let of_state = size_of::<S>() + 2 * size_of::<u64>() + size_of::<u32>();
        let room = |len: usize, capacity: usize| {
            if len + more > capacity {
                capacity + (2 * capacity).max(len + more)
            } else {
                capacity
            }
        };
        let states = room(self.states.len(), self.states.capacity()) * of_state;
        let nodes = room(self.visited.len(), self.visited.capacity()) * size_of::<Node<A>>();
        (self.heap + states + nodes) as u64
    }

    /// Returns the actions of the path from the start to the state of index `number`.
    pub(super) fn way(&self, number: u32) -> Vec<A> {
        let mut way = Vec::with_capacity(self.steps(number) as usize);
        let mut at = number;
        while let Some(Node {
            before,
            action: Some(action),
            ..
        }) = self.visited.get(at as usize)
        {
            way.push(*action);
            at = *before;
        }
        way.reverse();
        way
    }
}
