//! Rules for whole boards of any size, for Markov chains and searches; each rule measures by how much a board breaks it.
//!
//! An [`Automaton`](super::Automaton) reads a board cell by cell, and the number of the automaton's states limits the width of a board. A
//! [`BoardRule`] reads a whole board, measures by how much the board breaks the rule, and updates this measure after changes of single cells. A rule
//! for whole boards has no states, and therefore does not limit the width of a board.
//!
//! | rule | type |
//! |---|---|
//! | number of cells | [`CountRule`] |
//! | the cells of a colour are connected | [`ConnectedRule`] |
//! | no 2 by 2 square of one colour | [`SquareRule`] |
//! | a path from stop to stop, with bounds on its length | [`WayRule`] |
//! | a rule whose violation is multiplied by a weight | [`WeighedRule`] |

mod connected_rule;
mod count_rule;
mod padded;
mod square_rule;
mod way_rule;
mod weighed_rule;

pub use connected_rule::ConnectedRule;
pub use count_rule::CountRule;
pub use square_rule::SquareRule;
pub use way_rule::WayRule;
pub use weighed_rule::WeighedRule;

/// A rule for the cells of a whole board. Its *violation* is zero if the board follows the rule, and grows with the distance from boards that follow
/// the rule.
///
/// The violation of a rule depends on the cells alone; data that a rule stores only make the violation quicker to compute. A rule receives all
/// changes of a board in order: each call of [`change`](Self::change) follows a call of [`read`](Self::read) or another change, and may be undone by
/// [`undo`](Self::undo).
///
/// An implementor has to define only `read`; by default, the other methods read the board again.
///
/// ```
/// use figrs_models::grid::BoardRule;
///
/// /// No two cells in a row of cells are alike.
/// struct Alternating;
///
/// impl BoardRule<bool> for Alternating {
///     fn read(&mut self, cells: &[bool]) -> Option<u32> {
///         let alike = cells.windows(2).filter(|pair| pair[0] == pair[1]);
///         Some(alike.count() as u32)
///     }
/// }
///
/// assert_eq!(Alternating.read(&[true, false, false, false]), Some(2));
/// ```
pub trait BoardRule<C>: Send {
    /// Reads a board, with the cells in scan order (row by row), and returns its violation of the rule; `None` if Markov chains and searches must
    /// never visit the board.
    fn read(&mut self, cells: &[C]) -> Option<u32>;

    /// Returns the board's violation of the rule after a change of the cells `changed`, given by their distinct indices.
    fn change(&mut self, cells: &[C], _changed: &[usize]) -> Option<u32> {
        self.read(cells)
    }

    /// Undoes the last change of the board; `cells` are the values of the cells before this change.
    fn undo(&mut self, cells: &[C], _changed: &[usize]) {
        self.read(cells);
    }

    /// Returns a number that describes the latest board, such as the length of a path; diagnostics compare Markov chains by this number. Returns
    /// `None` if the rule defines no number that describes a board.
    fn measure(&self) -> Option<f64> {
        None
    }

    /// Returns a measure of the work since the last call of `looked_at`: the number of cells that the rule examined, except changed cells.
    fn looked_at(&mut self) -> u64 {
        0
    }

    /// Returns `false` if the rule is known to exclude all boards in which each cell has one of the values that `values` returns for its index.
    fn may_be_kept<'v>(&self, _values: &dyn Fn(usize) -> &'v [C]) -> bool
    where
        C: 'v,
    {
        true
    }
}
