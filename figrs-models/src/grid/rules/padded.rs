//! Indices of cells in a grid with a margin of one cell on each side.

use crate::grid::Size;

/// A grid with a margin of one cell on each side, so that every cell of the original grid has eight neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Padded {
    rows: usize,
    columns: usize,
    /// Number of columns of the grid with its two margins.
    pub(super) stride: usize,
    pub(super) cells: usize,
}

impl Padded {
    pub(super) fn new(size: Size) -> Self {
        let stride = size.columns() + 2;
        Self {
            rows: size.rows(),
            columns: size.columns(),
            stride,
            cells: (size.rows() + 2) * stride,
        }
    }

    /// Converts the index of a cell in the original grid to its index in the grid with the margin.
    pub(super) fn place(self, cell: usize) -> usize {
        (cell / self.columns + 1) * self.stride + cell % self.columns + 1
    }

    pub(super) fn inside(self) -> usize {
        self.rows * self.columns
    }

    pub(super) fn beside(self, place: usize) -> [usize; 4] {
        [
            place - self.stride,
            place + 1,
            place + self.stride,
            place - 1,
        ]
    }

    /// Returns the number of steps between the cells `a` and `b` on a grid without walls.
    pub(super) fn steps(self, a: usize, b: usize) -> u32 {
        let apart = |a: usize, b: usize| a.abs_diff(b);
        let rows = apart(a / self.stride, b / self.stride);
        (rows + apart(a % self.stride, b % self.stride)) as u32
    }
}
