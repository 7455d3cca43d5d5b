//! Matches the cells of two boards with each other.

use crate::grid::Position;

/// Returns the number of steps between the cells `a` and `b` on a grid without walls.
pub(super) fn steps(a: Position, b: Position) -> usize {
    a.row.abs_diff(b.row) + a.column.abs_diff(b.column)
}

/// Matches each cell of one board with an unmatched cell of the other board; the function `choose` returns the index of this cell. Returns, for each
/// cell, its distance from the cell with which it is matched, or `none_left` if no unmatched cell was left.
pub(super) fn distances(
    cells: &[Position],
    mut others: Vec<Position>,
    none_left: usize,
    choose: impl Fn(Position, &[Position]) -> usize,
) -> Vec<usize> {
    let distance = |&cell: &Position| {
        if others.is_empty() {
            return none_left;
        }
        let chosen = choose(cell, &others);
        steps(cell, others.remove(chosen))
    };
    cells.iter().map(distance).collect()
}

pub(super) fn nearest(cell: Position, others: &[Position]) -> usize {
    let places = 0..others.len();
    places
        .min_by_key(|&place| steps(cell, others[place]))
        .unwrap_or(0)
}
