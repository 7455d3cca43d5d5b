//! Largest grids of lengths of ways and of islands.

/// The widest grid on which lengths of ways are followed.
pub(super) const WAY_COLUMNS: usize = 6;
/// The largest grid on which lengths of ways are followed, in cells.
pub(super) const WAY_CELLS: usize = 80;
/// The most marks of a walk.
pub(super) const WAY_STOPS: usize = 4;
/// The most rows, and the most columns, of an island.
pub(crate) const ISLAND_SIDE: usize = 1000;
