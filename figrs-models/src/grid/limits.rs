//! Size limits of grids with bounds on the lengths of paths, and of islands.

/// Maximum number of columns of a grid with bounds on the lengths of paths.
pub(super) const WAY_COLUMNS: usize = 6;
/// Maximum number of cells of a grid with bounds on the lengths of paths.
pub(super) const WAY_CELLS: usize = 80;
/// Maximum number of marked cells that a walk on a grid can visit.
pub(super) const WAY_STOPS: usize = 4;
pub(crate) const ISLAND_SIDE: usize = 1000;
