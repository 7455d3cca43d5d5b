//! Proposals that redraw all cells of a small window.

use figrs_core::Value;

use super::BoardMoves;
use crate::grid::Size;

/// Redraws all cells of a window, independently of their old values: for rules that rarely allow a single cell to change, but often several adjacent
/// cells together.
///
/// Windows have up to three rows and columns. On Yin-Yang boards of 8 and 12 columns, chains that change single cells do not move, and chains that
/// redraw windows reach other boards within a few thousand sweeps.
#[derive(Clone, Debug)]
pub struct WindowMoves<C> {
    size: Size,
    values: Vec<C>,
    windows: Vec<(usize, usize)>,
}

const WINDOWS: [(usize, usize); 7] = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)];

impl<C: Value> WindowMoves<C> {
    /// Creates moves that redraw windows of a grid; each cell of a window gets one of `values`, with equal probabilities.
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
