//! Conflicting clues of a puzzle that has no board.

use figrs::models::grid::Position;
use figrs_command::{Progress, stop};

use super::engine::Engine;
use super::{Failure, Puzzle};

/// Message about a puzzle that has no board: it names clues that exclude each other, without any one of which there is a
/// board, or else says that the clues are not the cause. If the command is told to stop, the clues that are left by then are
/// named.
pub(crate) fn impossible<P: Puzzle>(puzzle: &P, memory: u64) -> Result<String, Failure> {
    let (side, program) = (puzzle.side(), puzzle.program()?);
    let is_possible = |clues: &[(Position, P::Cell)]| -> Result<Option<bool>, Failure> {
        match Engine::with_clues(&program, side, clues, memory) {
            Err(figrs::Error::NothingDone { .. }) => Ok(None),
            engine => Ok(Some(engine?.is_possible())),
        }
    };
    let demands = match puzzle.demands() {
        demands if demands.is_empty() => "the rules".to_owned(),
        demands => format!("the rules and {demands}"),
    };
    let (kind, rows, columns) = (P::KIND.replace('_', " "), side.rows, side.columns);
    let board = format!("impossible: no {kind} board of {rows} by {columns}");
    if program.clues.is_empty() || is_possible(&[])? == Some(false) {
        return Ok(format!(
            "{board} meets {demands} in its cells, row 1, column 1 to row {rows}, column {columns}; use a larger board or demand less"
        ));
    }
    let mut clues = program.clues.clone();
    let progress = Progress::of(
        "clues tried for their part in it:",
        Some(clues.len() as u64),
    );
    let mut next = 0;
    while next < clues.len() && !stop::is_set() {
        let clue = clues.remove(next);
        if is_possible(&clues)? != Some(false) {
            clues.insert(next, clue);
            next += 1;
        }
        let tried = program.clues.len() - clues.len() + next;
        progress.set(tried as u64);
    }
    let cells: Vec<String> = clues.iter().map(|(at, _)| at.to_string()).collect();
    let cells = cells.join("; ");
    Ok(match stop::reason() {
        Some(reason) => format!(
            "{board} meets {demands} and the clues at {cells}, of which some may do ({} before it was found out)",
            reason.told()
        ),
        None => format!("{board} meets {demands} and the clues at {cells}; take one of them back"),
    })
}
