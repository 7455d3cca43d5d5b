//! Depth-first searches with restarts, for systems whose actions close ways rather than lead nearer to a goal.

use figrs_core::{Stream, Value, stream};
use rand::RngExt;
use rustc_hash::FxHashSet;

use super::state_space::StateSpace;

/// States that the first dives expand.
const FIRST: u64 = 256;

/// Depth-first searches from the start, one after the other, with more and more states.
///
/// Those of even numbers take the state first that the fewest actions lead on from, since what has few ways left is to be visited before it has none (the rule of H. C. von
/// Warnsdorff, 1823); the others the one that most lead on from. All but the first of each kind break ties by random numbers of their own seed, and each pair
/// of dives may expand twice as many states.
#[derive(Debug)]
pub(super) struct Dives {
    number: u64,
    /// States met by all of them.
    pub(super) states: usize,
}

/// A state on the way down, with the states after it, the best last.
struct Level<S, A> {
    next: Vec<(A, S)>,
    action: Option<A>,
}

/// Continuation of a dive from a state.
enum Onward<S, A> {
    /// The actions to a goal.
    Goal(Vec<A>),
    /// The states after it, the best last.
    Open(Vec<(A, S)>),
}

impl Dives {
    pub(super) fn new() -> Self {
        Self {
            number: 0,
            states: 0,
        }
    }

    /// The next dive, for plans of at most so many steps; it ends where `goes_on`, which is given the bytes of its states, is false.
    pub(super) fn dive<T: StateSpace>(
        &mut self,
        space: &mut T,
        steps: usize,
        goes_on: &mut dyn FnMut(&T, u64) -> bool,
    ) -> Option<Vec<T::Action>> {
        let number = self.number;
        self.number += 1;
        let mut dive = Dive {
            rng: stream(number, 0),
            is_random: number >= 2,
            most_first: number % 2 == 1,
            seen: FxHashSet::default(),
            bytes: 0,
        };
        let mut left = FIRST << (number / 2).min(40);
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

struct Dive<S> {
    rng: Stream,
    is_random: bool,
    most_first: bool,
    seen: FxHashSet<S>,
    bytes: u64,
}

impl<S: Value + Eq + std::hash::Hash> Dive<S> {
    /// Notes a state; false if it was met before.
    fn meet(&mut self, state: &S) -> bool {
        if !self.seen.insert(state.clone()) {
            return false;
        }
        // A state, its place in the set, and its place among those after another.
        self.bytes += (state.heap_bytes() + 4 * size_of::<S>() + 16) as u64;
        true
    }

    fn onward<T: StateSpace<State = S>>(
        &mut self,
        space: &mut T,
        state: &S,
        steps: usize,
    ) -> Onward<S, T::Action> {
        let (mut found, mut after) = (Vec::new(), Vec::new());
        if steps == 0 {
            return Onward::Open(Vec::new());
        }
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
                let ways = if self.most_first {
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
