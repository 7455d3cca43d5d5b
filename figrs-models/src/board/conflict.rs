//! Finds clues of a board that exclude each other, and defines the stages at which a board generator searches for contradictory demands by its own
//! method.

use figrs_core::Value;
use figrs_infer::minimal_conflict::{Trial, minimal_conflict};
use figrs_infer::{Compiled, Error, Frontier, Sequence};

use super::{BoardElements, BoardError};

/// A stage in the drawing of a board at which the [generator](super::Generator::conflict) searches for demands that exclude each other.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub enum ConflictStage<'a, C: Value> {
    /// The exact method has not explored the states of the boards yet. A search for contradictory demands is worthwhile here only if it takes less
    /// time than the exploration of the states.
    BeforeExact,
    /// The states do not fit into memory, or all particles of two populations failed: the sampler asks the generator only for a proof that demands
    /// exclude each other.
    Undecided,
    /// The exact method has found that no board meets all demands.
    Impossible,
    /// All particles of the largest population failed: the sampler asks the generator for demands that exclude each other, whether proven or found by
    /// particles.
    Failed {
        /// Number of particles of a trial run, which tests whether some board meets a part of the demands.
        particles: usize,
        /// The function moves the particles of a trial run through a sequence of the board's parts. The result `Impossible` of a trial run means that
        /// all particles failed, which does not prove that no board is possible.
        trial: &'a dyn Fn(&dyn Sequence<Value = C>) -> Trial,
    },
}

/// Returns the error that no board is possible; it names clues that exclude each other, or no clues if the rules alone exclude all boards.
///
/// The search leaves out each clue of the board in turn, and puts it back if some board agrees with the remaining clues. The function `goes_on`
/// receives the number of clues tried and the number of all clues; once it returns false, the search ends, and the error has the clues that remain.
///
/// **Guarantee.** No board agrees with all clues that the error names. If the error's `is_minimal` is true, a board becomes possible as soon as any
/// one of the named clues is left out. The error may name more clues than necessary, if the search was interrupted, or if the states without some
/// clue did not fit into memory.
///
/// **Complexity.** The model of the boards is compiled once for each clue.
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
