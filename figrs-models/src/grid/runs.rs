//! Constraint on a row or column of a grid: its runs of `true` cells have given lengths, as in a nonogram.

use super::{Automaton, Position};

/// Requires that the `true` cells of a line form runs of given lengths, in order and with a gap between any two, as in a nonogram.
/// [`Rows`](super::Rows) and [`Columns`](super::Columns) combine constraints on single lines into a constraint on a grid.
#[derive(Clone, Debug)]
pub struct Runs {
    lengths: Vec<u16>,
}

/// State of the automaton [`Runs`]: the number of completed runs of `true` cells, and the number of cells of the current run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunsState {
    complete: u16,
    /// Number of cells read so far in the run of `true` cells that is not completed yet.
    begun: u16,
    /// `true` if the cell read last completed a run of `true` cells, so that a gap must follow.
    gap_due: bool,
}
figrs_core::value!(RunsState);

impl Runs {
    /// Creates the constraint that a line (row or column) has runs of `true` cells with the lengths `lengths`; lengths of zero are ignored.
    pub fn new(lengths: impl IntoIterator<Item = u16>) -> Self {
        let lengths = lengths.into_iter().filter(|&length| length > 0);
        Self {
            lengths: lengths.collect(),
        }
    }
}

impl Automaton<bool> for Runs {
    type State = RunsState;

    fn start(&self) -> RunsState {
        RunsState::default()
    }

    fn step(&self, _: Position, state: &RunsState, cell: &bool) -> Option<RunsState> {
        if !cell {
            let gap_due = false;
            return (state.begun == 0).then_some(RunsState { gap_due, ..*state });
        }
        let length = *self.lengths.get(usize::from(state.complete))?;
        let begun = state.begun + 1;
        (!state.gap_due).then_some(if begun == length {
            RunsState {
                complete: state.complete + 1,
                begun: 0,
                gap_due: true,
            }
        } else {
            RunsState { begun, ..*state }
        })
    }

    fn accepts(&self, state: &RunsState) -> bool {
        usize::from(state.complete) == self.lengths.len()
    }
}
