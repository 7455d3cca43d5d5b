//! Finds clues that exclude each other.

use figrs_core::Value;
use figrs_infer::{Error, Frontier};

use super::{BoardError, Elements};

/// Returns the error that no board is possible, with clues that exclude each other, or without clues if the rules alone exclude all boards.
///
/// Each clue is left out in turn, and kept if the rest has a board. `goes_on` takes the number of clues tried and the number of all clues; once it
/// returns false, the error has the clues left by then.
///
/// **Guarantee.** No board meets the clues of the error. If the error says so, they are minimal: without any one of them some board
/// meets the others. They may not be minimal if the search was interrupted, or if the states without some clue did not fit into memory.
///
/// **Complexity.** One compilation for each clue.
pub(crate) fn no_solution<C: Value>(
    elements: &Elements<C>,
    engine: &Frontier,
    goes_on: impl Fn(usize, usize) -> bool,
) -> Result<BoardError, BoardError> {
    let size = elements.size();
    // `None` if the search was interrupted, or the states did not fit.
    let is_possible = |clues: &[usize]| -> Result<Option<bool>, BoardError> {
        match engine.compile(&elements.model_of(clues), elements.cells()) {
            Err(Error::NothingDone { .. } | Error::FrontierTooLarge { .. }) => Ok(None),
            compiled => Ok(Some(compiled?.log_evidence() > f64::NEG_INFINITY)),
        }
    };
    let cells = elements.clue_cells();
    let all = cells.len();
    let mut clues: Vec<usize> = (0..all).collect();
    if all > 0 && is_possible(&[])? == Some(false) {
        clues.clear();
    }
    let (mut next, mut is_minimal) = (0, true);
    while next < clues.len() {
        if !goes_on(all - clues.len() + next, all) {
            is_minimal = false;
            break;
        }
        let clue = clues.remove(next);
        let possible = is_possible(&clues)?;
        is_minimal &= possible.is_some();
        if possible != Some(false) {
            clues.insert(next, clue);
            next += 1;
        }
    }
    let clues = clues.into_iter().map(|clue| cells[clue]).collect();
    Ok(BoardError::NoSolution {
        size,
        clues,
        is_minimal,
    })
}
