//! Clues of mazes, and a check that at least one maze agrees with them.

use super::Pointer;
use crate::grid::{Clues, GridError, Position, Symbol};

/// A clue of a maze: the known pointer of a room, written as an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointerClue(pub Pointer);

/// The clues of a maze: the known pointers of some rooms. In the text of a maze's clues, `^`, `v`, `<` and `>` are clues, and `.` stands for a room
/// without a clue.
pub type PointerClues = Clues<PointerClue>;

impl Symbol for PointerClue {
    const FREE: char = '.';
    const WRITE: &'static str = "^, v, < or >, or . for a room without a clue";

    fn symbol(self) -> char {
        match self.0 {
            Pointer::Root => 'o',
            Pointer::Up => '^',
            Pointer::Down => 'v',
            Pointer::Left => '<',
            Pointer::Right => '>',
        }
    }

    fn from_symbol(symbol: char) -> Option<Self> {
        let mut all = Pointer::DIRECTIONS.into_iter().map(Self);
        all.find(|clue| clue.symbol() == symbol)
    }
}

/// Returns an error if no maze agrees with the clues.
///
/// Some maze agrees with the clues exactly if each room has a walk to the first room on which every room with a clue is left in the direction of its
/// clue.
///
/// **Errors.** [`GridError::PointerClues`] with the positions of the clues on rooms that have no walk to the first room along the clues.
pub(super) fn check(clues: &PointerClues) -> Result<(), GridError> {
    let size = clues.size();
    let first = size.position(0);
    let mut leads = vec![false; size.cells()];
    let mut open = vec![0];
    leads[0] = true;
    while let Some(room) = open.pop() {
        for beside in size.beside(room) {
            let at = size.position(beside);
            let points =
                |PointerClue(pointer)| pointer.target(size, at) == Some(size.position(room));
            if !leads[beside] && clues.get(at).is_none_or(points) {
                leads[beside] = true;
                open.push(beside);
            }
        }
    }
    let is_wrong = |at: &Position| *at == first || !leads[size.index(*at)];
    let wrong: Vec<Position> = clues.iter().map(|(at, _)| at).filter(is_wrong).collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(GridError::PointerClues { clues: wrong })
    }
}
