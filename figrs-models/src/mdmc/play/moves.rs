//! Moves of a player.
//!
//! Moves are passed to the callback `to`: columns ahead (-1, 0 or 1), the row reached and the stage there. The caller tests
//! whether the cell reached is inside the level, from left to right, and free. In the bottom row there are no moves.

use super::stages::{FREE, JumpAutomaton, Stage, TAKE_OFF};

/// Moves open to a player in any stage: stand, if the tile below is solid, and so walk or take off; or else fall.
pub(super) fn free_moves(
    height: usize,
    row: usize,
    supported: bool,
    mut to: impl FnMut(i8, usize, Stage),
) {
    if row + 1 >= height {
        return;
    }
    if supported {
        to(-1, row, FREE);
        to(1, row, FREE);
        jump_moves(height, row, TAKE_OFF, to);
        return;
    }
    for dx in [0, -1, 1] {
        to(dx, row + 1, FREE);
    }
    if row + 2 < height {
        to(-1, row + 2, FREE);
        to(1, row + 2, FREE);
    }
}

/// The next steps of a jump.
pub(super) fn jump_moves(
    height: usize,
    row: usize,
    stage: Stage,
    mut to: impl FnMut(i8, usize, Stage),
) {
    if row + 1 >= height {
        return;
    }
    for step in JumpAutomaton::published().steps(stage) {
        // No higher than the top row.
        let row = row.saturating_add_signed(step.dy.into());
        to(step.dx, row, step.then);
    }
}
