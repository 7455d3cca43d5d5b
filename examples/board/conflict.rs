//! Why no board meets the demands.

use figrs::models::grid::Position;

use super::engine::Engine;
use super::{Failure, Puzzle};

/// What is told of a puzzle that has no board: names clues that exclude each other, without any one of which there is a board; or else
/// says that no clue is to blame.
pub(crate) fn impossible<P: Puzzle>(puzzle: &P, memory: u64) -> Result<String, Failure> {
    let (side, program) = (puzzle.side(), puzzle.program()?);
    let is_possible = |clues: &[(Position, P::Cell)]| -> Result<bool, Failure> {
        Ok(Engine::with_clues(&program, side, clues, memory)?.is_possible())
    };
    let demands = match puzzle.demands() {
        demands if demands.is_empty() => "the rules".to_owned(),
        demands => format!("the rules and {demands}"),
    };
    let (kind, rows, columns) = (P::KIND.replace('_', " "), side.rows, side.columns);
    let board = format!("impossible: no {kind} board of {rows} by {columns}");
    if !is_possible(&[])? {
        return Ok(format!(
            "{board} meets {demands} in its cells, row 1, column 1 to row {rows}, column {columns}; use a larger board or demand less"
        ));
    }
    let mut clues = program.clues.clone();
    let mut next = 0;
    while next < clues.len() {
        let clue = clues.remove(next);
        if is_possible(&clues)? {
            clues.insert(next, clue);
            next += 1;
        }
    }
    let cells: Vec<String> = clues.iter().map(|(at, _)| at.to_string()).collect();
    Ok(format!(
        "{board} meets {demands} and the clues at {}; take one of them back",
        cells.join("; ")
    ))
}
