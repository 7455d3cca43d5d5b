//! Proposals that a puzzle makes itself for Markov chains of boards.

/// Proposals of changes to several cells at once, for puzzles whose rules rarely allow single cells to change.
///
/// **Symmetric.** From the proposed board the change back has to be proposed with the same probability.
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
    /// Adds cells with their proposed values, each cell at most once; no cells if the board is to stay as it is. `choose` draws a number from zero up to its
    /// argument, which is excluded, with equal probabilities.
    ///
    /// A change to a value that a cell may not have is refused.
    fn propose(
        &mut self,
        cells: &[C],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, C)>,
    );

    /// Reads the board that a chain starts from, for moves that keep data about it.
    fn read(&mut self, _cells: &[C]) {}

    /// Updates these data after changes of these cells, all different, were accepted.
    fn follow(&mut self, _cells: &[C], _changed: &[usize]) {}

    /// Number of proposals in a sweep of a board with `free` cells that may change; fewer if one proposal changes much of the board.
    fn proposals(&self, free: usize) -> usize {
        free
    }

    /// Number of cells that were looked at since the last call, besides those that were proposed to change: a measure of work.
    fn looked_at(&mut self) -> u64 {
        0
    }
}
