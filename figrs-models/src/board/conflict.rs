//! Finds clues that exclude each other, and defines the stages at which a generator searches for contradictory demands by its own method.

use figrs_core::Value;
use figrs_infer::minimal_conflict::{Trial, minimal_conflict};
use figrs_infer::{Compiled, Error, Frontier, Sequence};

use super::{BoardElements, BoardError};

/// Stage of drawing at which a [generator](super::Generator::conflict) searches for demands that exclude each other.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub enum ConflictStage<'a, C: Value> {
    /// The exact method has not explored its states yet. A search is worthwhile only if it takes less time than the exploration.
    BeforeExact,
    /// The states do not fit into memory, or all particles of two populations failed: the sampler asks only for a proof that demands exclude each
    /// other.
    Undecided,
    /// The exact method has found that no board meets all demands.
    Impossible,
    /// All particles of the largest population failed: the sampler asks for demands that exclude each other, whether proven or found by particles.
    Failed {
        /// Number of particles of a trial run, which tests whether a board meets some demands.
        particles: usize,
        /// Moves the particles of a trial run through a sequence of the board's parts. The result `Impossible` means that all particles failed, which
        /// does not prove that no board is possible.
        trial: &'a dyn Fn(&dyn Sequence<Value = C>) -> Trial,
    },
}

/// Returns the error that no board is possible, with clues that exclude each other, or without clues if the rules alone exclude all boards.
///
/// The search leaves out each clue in turn, and puts it back if some board meets the remaining clues. `goes_on` receives the number of clues tried
/// and the number of all clues; once it returns false, the search ends, and the error has the clues that remain.
///
/// **Guarantee.** No board meets the clues of the error. If the error's `is_minimal` is true, some board meets the clues of the error without any one
/// of them. The clues may not be minimal if the search was interrupted, or if the states without some clue did not fit into memory.
///
/// **Complexity.** The model is compiled once for each clue.
pub(crate) fn no_solution<C: Value>(
    elements: &BoardElements<C>,
    engine: &Frontier,
    goes_on: impl Fn(usize, usize) -> bool,
) -> Result<BoardError, BoardError> {
    let mut failed = None;
    let mut is_possible = |clues: &[usize]| {
        match engine.compile(&elements.model_of(clues), elements.cells()) {
            // The search was interrupted, or the states did not fit into memory.
            Err(Error::NothingDone { .. } | Error::FrontierTooLarge { .. }) => Some(Trial::Unknown),
            Ok(compiled) => Some(Trial::decided(compiled.log_evidence() > f64::NEG_INFINITY)),
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    };
    let cells = elements.clue_cells();
    let all = cells.len();
    let mut clues: Vec<usize> = (0..all).collect();
    if all > 0 && is_possible(&[]) == Some(Trial::Impossible) {
        clues.clear();
    }
    let mut tried = 0;
    let core = minimal_conflict(clues, 1, |rest| {
        let goes_on = goes_on(tried, all);
        tried += 1;
        goes_on.then(|| is_possible(rest)).flatten()
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    Ok(BoardError::NoSolution {
        size: elements.size(),
        clues: core.members.into_iter().map(|clue| cells[clue]).collect(),
        is_minimal: core.is_minimal,
    })
}
