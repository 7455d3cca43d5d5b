//! States and moves of a puzzle.

use std::fmt;
use std::sync::Arc;

use super::ground::WORD;

/// A state of a puzzle: the set of facts that hold. A clone of a state shares its memory and is cheap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct GameState(pub(super) Arc<[u64]>);

// Counts the bytes of the facts, of their two reference counters and of one word of the allocator, rounded up to blocks of two words.
figrs_core::value!(GameState: state => (state.0.len() + 3).next_multiple_of(2) * size_of::<u64>());

impl GameState {
    pub(super) fn facts(&self) -> impl Iterator<Item = usize> {
        let facts = 0..self.0.len() * WORD;
        facts.filter(|fact| self.0[fact / WORD] >> (fact % WORD) & 1 == 1)
    }
}

/// Formats the indices of the facts; [`Puzzle::facts`](super::Puzzle::facts) gives their names.
impl fmt::Debug for GameState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GameState")?;
        f.debug_set().entries(self.facts()).finish()
    }
}

/// An action of the player, represented by its index; [`Puzzle::action`](super::Puzzle::action) gives its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action(pub(super) u32);
figrs_core::value!(Action);

impl Action {
    /// Returns the index of the action, which counts from 0.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// The move of the player in one step of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// The player takes a legal action.
    Act(Action),
    /// The player takes no action, because the puzzle has ended.
    Stay,
    /// The action drawn for this step is not legal, or the puzzle has ended before the step; the evidence excludes such moves.
    Illegal,
}
figrs_core::value!(Move);
