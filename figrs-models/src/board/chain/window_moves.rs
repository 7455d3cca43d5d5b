//! Proposals of Markov chains of boards; the built-in proposal redraws all cells of a small window.

use figrs_core::Value;

use crate::grid::Size;

/// A proposal that redraws all cells of a window, independently of their old values: for rules that rarely allow a single cell to change, but often
/// several adjacent cells together.
///
/// A window of cells has up to three rows and columns. On boards of the puzzle Yin-Yang with 8 and 12 columns, Markov chains that change single cells
/// do not move, and chains that redraw windows reach other boards within a few thousand sweeps.
#[derive(Clone, Debug)]
pub struct WindowMoves<C> {
    size: Size,
    values: Vec<C>,
    windows: Vec<(usize, usize)>,
}

const WINDOWS: [(usize, usize); 7] = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)];

impl<C: Value> WindowMoves<C> {
    /// Creates proposals that redraw windows of a grid; each cell of a window gets one of `values`, with equal probabilities.
    pub fn new(size: Size, values: impl Into<Vec<C>>) -> Self {
        let fits =
            |&&(rows, columns): &&(usize, usize)| rows <= size.rows() && columns <= size.columns();
        Self {
            size,
            values: values.into(),
            windows: WINDOWS.iter().filter(fits).copied().collect(),
        }
    }
}

impl<C: Value> BoardMoves<C> for WindowMoves<C> {
    fn propose(
        &mut self,
        cells: &[C],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, C)>,
    ) {
        let (rows, columns) = self.windows[choose(self.windows.len())];
        let top = choose(self.size.rows() - rows + 1);
        let left = choose(self.size.columns() - columns + 1);
        for row in top..top + rows {
            for column in left..left + columns {
                let at = row * self.size.columns() + column;
                let value = &self.values[choose(self.values.len())];
                if !value.same(&cells[at]) {
                    changes.push((at, value.clone()));
                }
            }
        }
    }
}

/// Proposes changes of several cells of a board at once, for puzzles whose rules rarely allow single cells to change.
///
/// **Symmetric.** A change of a board and its reverse must be proposed with the same probability.
///
/// ```
/// use figrs_models::board::BoardMoves;
///
/// /// Turns a row of cells around between two places.
/// struct Turn;
///
/// impl BoardMoves<bool> for Turn {
///     fn propose(&mut self, cells: &[bool], choose: &mut dyn FnMut(usize) -> usize, changes: &mut Vec<(usize, bool)>) {
///         let (one, other) = (choose(cells.len()), choose(cells.len()));
///         let (first, last) = (one.min(other), one.max(other));
///         changes.extend((first..=last).map(|at| (at, cells[first + last - at])));
///     }
/// }
/// ```
pub trait BoardMoves<C>: Send {
    /// Proposes new values for some cells of the board, at most one for each cell; if no cell is proposed, the board stays unchanged. The function
    /// `choose(n)` returns a uniform random number from 0 to n - 1.
    ///
    /// The Markov chain rejects a change to a value that is not possible in a cell.
    fn propose(
        &mut self,
        cells: &[C],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, C)>,
    );

    /// Reads the board from which a Markov chain starts, for proposals that store data about the board.
    fn read(&mut self, _cells: &[C]) {}

    /// Updates the data that [`read`](Self::read) stored: the Markov chain has accepted new values of the distinct cells `changed`.
    fn follow(&mut self, _cells: &[C], _changed: &[usize]) {}

    /// Returns the number of proposals in a sweep of a board on which `free` cells may change. The number of proposals in a sweep should be small if
    /// one proposal changes much of the board.
    fn proposals(&self, free: usize) -> usize {
        free
    }

    /// Returns a measure of the work since the last call of `looked_at`: the number of cells that were examined but not proposed to change.
    fn looked_at(&mut self) -> u64 {
        0
    }
}
