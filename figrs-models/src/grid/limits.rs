//! Largest grids for lengths of ways and for islands.

/// The widest grid on which lengths of ways are followed.
pub(super) const WAY_COLUMNS: usize = 6;
/// The largest grid on which lengths of ways are followed, in cells.
pub(super) const WAY_CELLS: usize = 80;
/// Maximum number of marks of a walk.
pub(super) const WAY_STOPS: usize = 4;
/// Maximum number of rows, and of columns, of an island.
pub(crate) const ISLAND_SIDE: usize = 1000;
