//! Runs other searches in turn with a greedy search that takes long.

use figrs_core::Value;
use std::hash::Hash;

use super::both_ends::BothEnds;
use super::dives::Dives;
use super::state_space::StateSpace;
use super::weighted::Weighted;

/// Amount of work that the greedy search does before other searches run for the first time; for the rules of puzzles, this amount takes the greedy
/// search about a second.
const FIRST_TURN: u64 = 100_000_000;

/// Amount of work that each visited state adds, if the state space does not count its own work.
const WORK_PER_STATE: u64 = 1 << 10;

/// A bidirectional search, a weighted search and depth-first searches, which run beside a greedy search. Each time the total work has doubled, the
/// bidirectional, the weighted and the depth-first searches run one after another, and each does a quarter of the total work.
#[derive(Debug)]
pub(super) struct OtherSearches<S, A> {
    both_ends: Option<BothEnds<S, A>>,
    weighted: Weighted<S, A>,
    dives: Dives,
    next_turn: u64,
}

/// Returns the amount of work since a search began; if the state space does not count its own work, the amount is estimated from the number of
/// states.
pub(super) fn work_since<T: StateSpace>(space: &T, began: u64, states: usize) -> u64 {
    (space.work() - began).max(states as u64 * WORK_PER_STATE)
}

impl<S: Value + Eq + Hash, A: Copy + Eq> OtherSearches<S, A> {
    pub(super) fn new(start: S) -> Self {
        Self {
            both_ends: None,
            weighted: Weighted::new(start),
            dives: Dives::new(),
            next_turn: FIRST_TURN,
        }
    }

    pub(super) fn states(&self) -> usize {
        let met = self.both_ends.as_ref().map_or(0, BothEnds::states);
        met + self.dives.states + self.weighted.states() - 1
    }

    /// Returns the approximate number of bytes that the additional searches keep between two calls of [`turn`](Self::turn).
    pub(super) fn bytes(&self) -> u64 {
        let both_ends = self.both_ends.as_ref().map_or(0, BothEnds::bytes);
        both_ends + self.weighted.bytes()
    }

    /// Returns the weighted A* search, the only one of the additional searches that may continue until no state remains.
    pub(super) fn weighted(&mut self) -> &mut Weighted<S, A> {
        &mut self.weighted
    }

    /// True if the additional searches should run again when the total work is `work`.
    pub(super) fn have_turn(&self, work: u64) -> bool {
        work >= self.next_turn
    }

    /// Continues each additional search for some time; returns a plan of at most `steps` steps if one of the searches finds such a plan. The function
    /// `goes_on` is called with the number of bytes in use, and returns `false` once time or memory is exhausted.
    pub(super) fn turn<T: StateSpace<State = S, Action = A>>(
        &mut self,
        space: &mut T,
        steps: usize,
        goes_on: &dyn Fn(&T, u64) -> bool,
    ) -> Option<Vec<A>> {
        let share = self.next_turn / 4;
        self.next_turn *= 2;
        let both_ends = match &mut self.both_ends {
            Some(both_ends) => both_ends,
            none => none.insert(BothEnds::new(space)),
        };
        let mut kept = self.weighted.bytes();
        let (began, mut looked_at) = (space.work(), 0);
        let found = both_ends.go_on(space, steps, &mut |space: &T, bytes| {
            looked_at += 1;
            work_since(space, began, looked_at) < share && goes_on(space, kept + bytes)
        });
        if found.is_some() {
            return found;
        }
        kept = both_ends.bytes();
        let (began, mut looked_at) = (space.work(), 0);
        let found = self.weighted.go_on(space, steps, &mut |space: &T, bytes| {
            looked_at += 1;
            work_since(space, began, looked_at) < share && goes_on(space, kept + bytes)
        });
        if found.is_some() {
            return found;
        }
        kept += self.weighted.bytes();
        let (began, mut looked_at, mut is_over) = (space.work(), 0, false);
        while !is_over {
            let found = self.dives.dive(space, steps, &mut |space: &T, bytes| {
                looked_at += 1;
                let goes_on =
                    work_since(space, began, looked_at) < share && goes_on(space, kept + bytes);
                is_over |= !goes_on;
                goes_on
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
