//! Proposals of a puzzle for Markov chains of boards.

/// Proposes changes of several cells at once, for puzzles whose rules rarely allow single cells to change.
///
/// **Symmetric.** A change and its reverse must be proposed with the same probability.
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
    /// Proposes new values for some cells, at most one for each cell; if it proposes no cell, the board stays unchanged. `choose(n)` returns a
    /// uniform random number from 0 to n - 1.
    ///
    /// The Markov chain rejects a change to a value that a cell may not have.
    fn propose(
        &mut self,
        cells: &[C],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, C)>,
    );

    /// Reads the board from which a chain starts, for moves that store data about the board.
    fn read(&mut self, _cells: &[C]) {}

    /// Updates the data that [`read`](Self::read) stored: the Markov chain has accepted new values of the distinct cells `changed`.
    fn follow(&mut self, _cells: &[C], _changed: &[usize]) {}

    /// Returns the number of proposals in a sweep of a board on which `free` cells may change. The number should be small if one proposal changes
    /// much of the board.
    fn proposals(&self, free: usize) -> usize {
        free
    }

    /// Returns a measure of the work since the last call: the number of cells that were examined but not proposed to change.
    fn looked_at(&mut self) -> u64 {
        0
    }
}
