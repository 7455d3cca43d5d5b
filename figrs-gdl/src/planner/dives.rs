//! Depth-first searches with restarts ("dives"), for puzzles in which actions exclude possibilities instead of reducing the distance to a goal.

use figrs_core::{Stream, Value, stream};
use rand::RngExt;
use rand::seq::SliceRandom;
use rustc_hash::FxHashSet;

use super::state_space::{SearchEstimate, StateSpace};

/// Maximum number of states that each depth-first search of the first group of four searches expands.
const FIRST: u64 = 256;

/// A sequence of depth-first searches (dives) from the start, in groups that expand more and more states.
///
/// Each group of dives consists of four depth-first searches. The first dive of a group visits first the successor that has the fewest successors
/// (Warnsdorff's rule, 1823), and the second dive the successor that has the most. The third and the fourth dive of a group backtrack where an
/// estimate proves a dead end. The third dive of a group takes only preferred actions if a state has any; the fourth dive takes preferred actions
/// first, and then the other actions. A state space may prefer the actions for the goal condition that the fewest actions can meet. With preferred
/// actions for the most restricted goal condition, the third dive is a search with forward checking that assigns the variable with the fewest values
/// first (Haralick and Elliott 1980). From the second group of dives on, random numbers break ties, and each group may expand twice as many states as
/// the group before.
#[derive(Debug)]
pub(super) struct Dives {
    number: u64,
    pub(super) states: usize,
}

/// A state on the current path of a depth-first search, with its unvisited successors, the best of which is last.
struct Level<S, A> {
    next: Vec<(A, S)>,
    action: Option<A>,
}

/// Order in which a depth-first search visits the successors of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    FewestWays,
    MostWays,
    PreferredAlone,
    PreferredFirst,
}

enum Onward<S, A> {
    /// The actions that lead from the state to a goal.
    Goal(Vec<A>),
    /// The successors of the state, the best of which is last.
    Open(Vec<(A, S)>),
}

impl Dives {
    pub(super) fn new() -> Self {
        Self {
            number: 0,
            states: 0,
        }
    }

    /// Runs the next depth-first search of the sequence, for a plan of at most `steps` steps. The depth-first search ends early if `goes_on` returns
    /// false; `goes_on` is called with the number of bytes that the visited states take.
    pub(super) fn dive<T: StateSpace>(
        &mut self,
        space: &mut T,
        steps: usize,
        goes_on: &mut dyn FnMut(&T, u64) -> bool,
    ) -> Option<Vec<T::Action>> {
        let number = self.number;
        self.number += 1;
        let order = match number % 4 {
            0 => Order::FewestWays,
            1 => Order::MostWays,
            2 => Order::PreferredAlone,
            _ => Order::PreferredFirst,
        };
        let mut dive = Dive {
            rng: stream(number, 0),
            is_random: number >= 4,
            order,
            estimate: SearchEstimate::default(),
            seen: FxHashSet::default(),
            bytes: 0,
        };
        let mut left = FIRST << (number / 4).min(40);
        let start = space.start();
        dive.meet(&start);
        let mut way: Vec<Level<T::State, T::Action>> = Vec::new();
        let mut at = Some((None, start));
        let found = loop {
            if let Some((action, state)) = at.take() {
                if left == 0 || !goes_on(space, dive.bytes) {
                    break None;
                }
                left -= 1;
                match dive.onward(space, &state, steps - way.len()) {
                    Onward::Goal(rest) => {
                        let taken = way.iter().filter_map(|level| level.action);
                        break Some(taken.chain(action).chain(rest).collect());
                    }
                    Onward::Open(next) => way.push(Level { next, action }),
                }
            }
            let Some(level) = way.last_mut() else {
                break None;
            };
            match level.next.pop() {
                Some((action, state)) => at = Some((Some(action), state)),
                None => {
                    way.pop();
                }
            }
        };
        self.states += dive.seen.len();
        found
    }
}

struct Dive<S, A> {
    rng: Stream,
    is_random: bool,
    order: Order,
    estimate: SearchEstimate<A>,
    seen: FxHashSet<S>,
    bytes: u64,
}

impl<S: Value + Eq + std::hash::Hash, A: Copy + Eq> Dive<S, A> {
    /// Marks `state` as visited; returns `false` if it was visited before.
    fn meet(&mut self, state: &S) -> bool {
        if !self.seen.insert(state.clone()) {
            return false;
        }
        // Counts the bytes of the state, of its slot in the set, and of its entry in a list of successors.
        self.bytes += (state.heap_bytes() + 4 * size_of::<S>() + 16) as u64;
        true
    }

    /// Expands `state`, from which at most `steps` further steps may be taken.
    fn onward<T: StateSpace<State = S, Action = A>>(
        &mut self,
        space: &mut T,
        state: &S,
        steps: usize,
    ) -> Onward<S, A> {
        if steps == 0 {
            return Onward::Open(Vec::new());
        }
        match self.order {
            Order::FewestWays | Order::MostWays => self.by_ways(space, state, steps),
            Order::PreferredAlone | Order::PreferredFirst => self.preferred(space, state, steps),
        }
    }

    /// Returns the successors of `state` by preferred actions; adds the successors by other actions if there are no preferred actions, or if `order`
    /// requires the other successors. The result is empty if `state` is a dead end.
    fn preferred<T: StateSpace<State = S, Action = A>>(
        &mut self,
        space: &mut T,
        state: &S,
        steps: usize,
    ) -> Onward<S, A> {
        self.estimate.clear();
        space.estimate(state, &mut self.estimate);
        if self.estimate.is_dead_end || self.estimate.at_least as usize > steps {
            return Onward::Open(Vec::new());
        }
        let (mut found, preferred) = (Vec::new(), &self.estimate.preferred);
        if self.order == Order::PreferredAlone {
            space.successors_by(state, preferred, &mut found);
        }
        if found.is_empty() {
            space.successors(state, &mut found);
        }
        if let Some(at) = found.iter().position(|(_, state)| space.is_goal(state)) {
            return Onward::Goal(vec![found[at].0]);
        }
        found.reverse();
        if self.is_random {
            found.shuffle(&mut self.rng);
        }
        found.sort_by_key(|(action, _)| self.estimate.preferred.contains(action));
        found.retain(|(_, state)| self.meet(state));
        Onward::Open(found)
    }

    /// Returns the successors of `state` that have unvisited successors themselves, sorted by the number of unvisited successors.
    fn by_ways<T: StateSpace<State = S, Action = A>>(
        &mut self,
        space: &mut T,
        state: &S,
        steps: usize,
    ) -> Onward<S, A> {
        let (mut found, mut after) = (Vec::new(), Vec::new());
        space.successors(state, &mut found);
        let mut next = Vec::new();
        for (action, state) in found {
            if space.is_goal(&state) {
                return Onward::Goal(vec![action]);
            }
            if steps < 2 || !self.meet(&state) {
                continue;
            }
            after.clear();
            space.successors(&state, &mut after);
            let mut ways = 0u64;
            for (then, state) in after.drain(..) {
                if space.is_goal(&state) {
                    return Onward::Goal(vec![action, then]);
                }
                ways += u64::from(!self.seen.contains(&state) && !space.is_over(&state));
            }
            if ways > 0 {
                let tie = match self.is_random {
                    true => self.rng.random::<u32>(),
                    false => u32::MAX - next.len() as u32,
                };
                let ways = if self.order == Order::MostWays {
                    ways
                } else {
                    u64::MAX - ways
                };
                next.push(((ways, tie), (action, state)));
            }
        }
        next.sort_by_key(|(key, _)| *key);
        Onward::Open(next.into_iter().map(|(_, state)| state).collect())
    }
}
