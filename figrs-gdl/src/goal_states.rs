//! Guesses complete goal states: the goal determines some facts, and regularities in the states of random walks determine the remaining facts.
//!
//! The goal of a puzzle often fixes only part of a state: it may state that no light is on without naming each light. The values of the facts that
//! the goal does not fix are inferred from relations between facts in a sample of states, such as two facts that are always equal. The inferred goal
//! states are guesses, which are confirmed if a search from the start reaches one of them.

use figrs_core::stream;
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::clock::Clock;
use super::ground::WORD;
use super::ground_puzzle::GroundPuzzle;
use super::state::{Action, GameState};

/// Number of random walks, and maximum number of steps of each walk.
const WALKS: (u64, usize) = (64, 16);
/// Maximum number of facts that are compared with each other.
pub(super) const MOST_FACTS: usize = 4096;

/// For each fact, the states of a sample in which the fact holds, as a bit set.
pub(super) struct FactSample {
    columns: Vec<Vec<u64>>,
    /// Bit set of all states of the sample.
    all: Vec<u64>,
}

impl FactSample {
    /// Samples the states of random walks from the start; if the puzzle has a clock (constants and counters of steps), the clock facts are removed
    /// from the states.
    pub(super) fn walks(puzzle: &GroundPuzzle, clock: Option<&Clock>) -> Self {
        let start = &puzzle.start;
        let kept =
            |state: &GameState| clock.map_or_else(|| state.clone(), |clock| clock.without(state));
        let mut states = vec![kept(start)];
        for walk in 0..WALKS.0 {
            let mut rng = stream(0, walk);
            let mut state = start.clone();
            // Walks have random lengths, so that the sample contains both states near the start and later states.
            for _ in 0..rng.random_range(1..=WALKS.1) {
                let held = puzzle.look_ahead(&state);
                let legal: Vec<Action> = puzzle.legal(&held).collect();
                let Some(&action) = legal.choose(&mut rng) else {
                    break;
                };
                state = GameState(puzzle.next(&held, action).collect());
                states.push(kept(&state));
            }
        }
        Self::of(&states)
    }

    /// Creates the sample of facts in `states`, which must have at least one state.
    pub(super) fn of(states: &[GameState]) -> Self {
        let facts = states.first().map_or(0, |state| state.0.len() * WORD);
        let words = states.len().div_ceil(WORD);
        let mut columns = vec![vec![0; words]; facts];
        let mut all = vec![0; words];
        for (number, state) in states.iter().enumerate() {
            let bit = 1u64 << (number % WORD);
            all[number / WORD] |= bit;
            for fact in state.facts() {
                columns[fact][number / WORD] |= bit;
            }
        }
        Self { columns, all }
    }

    fn is_never(&self, fact: usize) -> bool {
        self.columns[fact].iter().all(|&word| word == 0)
    }

    fn exclude(&self, one: usize, other: usize) -> bool {
        let words = self.columns[one].iter().zip(&self.columns[other]);
        words.into_iter().all(|(a, b)| a & b == 0)
    }

    fn are_opposite(&self, one: usize, other: usize) -> bool {
        let words = self.columns[one].iter().zip(&self.columns[other]);
        words.zip(&self.all).all(|((a, b), all)| a ^ b == *all)
    }

    /// Returns the value of the fact of index `fact` if the sample and the known values of other facts determine this value.
    fn value(&self, fact: usize, known: &[Option<bool>]) -> Option<bool> {
        if self.is_never(fact) {
            return Some(false);
        }
        if self.columns[fact] == self.all {
            return Some(true);
        }
        // The states in which a fact of `group` holds. The group contains the fact itself, and known false facts; no two facts of the group hold in
        // the same state.
        let (mut covered, mut group) = (self.columns[fact].clone(), vec![fact]);
        for (other, &value) in known.iter().enumerate() {
            let Some(value) = value else {
                continue;
            };
            if self.columns[other] == self.columns[fact] {
                return Some(value);
            }
            if self.are_opposite(fact, other) {
                return Some(!value);
            }
            if self.is_never(other) || !self.exclude(fact, other) {
                continue;
            }
            if value {
                return Some(false);
            }
            if group.iter().all(|&member| self.exclude(member, other)) {
                group.push(other);
                for (covered, word) in covered.iter_mut().zip(&self.columns[other]) {
                    *covered |= word;
                }
            }
        }
        (covered == self.all).then_some(true)
    }
}

/// Returns the complete state in which the literals `literals` hold; `None` if `literals` and `sample` leave the value of some fact open. If the
/// sample contains all reachable states, the returned state is the only reachable state that satisfies the literals.
pub(super) fn completed(sample: &FactSample, literals: &[(usize, bool)]) -> Option<GameState> {
    let facts = sample.columns.len();
    if literals.is_empty() {
        return None;
    }
    let mut known = vec![None; facts];
    for &(fact, holds) in literals {
        known[fact] = Some(holds);
    }
    loop {
        let mut is_done = true;
        for fact in 0..facts {
            if known[fact].is_none() {
                known[fact] = sample.value(fact, &known);
                is_done &= known[fact].is_none();
            }
        }
        if is_done {
            break;
        }
    }
    let mut state = vec![0u64; facts / WORD];
    for (fact, value) in known.into_iter().enumerate() {
        state[fact / WORD] |= u64::from(value?) << (fact % WORD);
    }
    Some(GameState(state.into()))
}

/// For each action, the actions that have undone the action: they have led back to the state before the action.
#[derive(Debug)]
pub(super) struct Inverses {
    of: Vec<Vec<Action>>,
    /// For each action, the number of searches among the legal actions that found no action to undo it.
    vain: Vec<u8>,
}

/// Number of failed searches for an action that undoes a given action; after this number the search is given up for the given action.
const MOST_VAIN: u8 = 20;

impl Inverses {
    pub(super) fn new(actions: usize) -> Self {
        Self {
            of: vec![Vec::new(); actions],
            vain: vec![0; actions],
        }
    }

    /// Finds an action among `legal` that undoes `action`; the function `leads_back` decides whether an action undoes `action`. Actions that have
    /// already undone `action` in other states are tried first.
    pub(super) fn find(
        &mut self,
        action: Action,
        legal: impl Iterator<Item = Action>,
        mut leads_back: impl FnMut(Action) -> bool,
    ) -> Option<Action> {
        let at = action.number();
        if let Some(&known) = self.of[at].iter().find(|&&known| leads_back(known)) {
            return Some(known);
        }
        if self.vain[at] >= MOST_VAIN {
            return None;
        }
        let known = &self.of[at];
        let mut others = legal.filter(|other| !known.contains(other));
        let found = others.find(|&other| leads_back(other));
        drop(others);
        match found {
            Some(found) => self.of[at].push(found),
            None => self.vain[at] += 1,
        }
        found
    }
}
