//! Answers to requests for boards; a request contains the flags of a command, as JSON.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Arg;
use figrs_board_command::puzzles::{chromatic_maze, dungeon, island, maze, yin_yang};
use figrs_board_command::{Example, Failure, Puzzle, answer as answer_by};
use figrs_command::{Bytes, Flag};
use serde_json::{Map, Value as Json, json};

use crate::fields::arguments;
use crate::memory_pool::MemoryPool;
use crate::problem::Problem;

/// Flags of a command that a request must not contain.
const OF_COMMANDS: [&str; 4] = ["out", "report", "demands", "format"];
/// Maximum number of cells of all boards in an answer.
const MOST_CELLS: usize = 2_000_000;
/// Maximum memory that a request may ask for.
const MOST_MEMORY: Bytes = Bytes(8 << 30);

/// Returns the JSON that the command of the puzzle would print for a request; setting the flag `ended` stops the work.
///
/// **Errors.** The request is wrong, or there is no answer; the error names the cells of clues that contradict each other.
pub(crate) fn answer(
    body: &[u8],
    pool: &MemoryPool,
    ended: &Arc<AtomicBool>,
) -> Result<Json, Problem> {
    let mut request: Map<String, Json> = serde_json::from_slice(body)?;
    let puzzle = request.remove("puzzle");
    let clues = request.remove("clues").filter(|clues| !clues.is_null());
    let clues = clues.map(|clues| text_of(&clues)).transpose()?;
    match puzzle.as_ref().and_then(Json::as_str) {
        Some("maze") => ask::<maze::Options>(&request, clues, pool, ended),
        Some("chromatic" | "chromatic_maze") => {
            ask::<chromatic_maze::Options>(&request, clues, pool, ended)
        }
        Some("dungeon") => ask::<dungeon::Options>(&request, clues, pool, ended),
        Some("island") => ask::<island::Options>(&request, clues, pool, ended),
        Some("yin_yang") => ask::<yin_yang::Options>(&request, clues, pool, ended),
        _ => Err(Problem::wrong(
            "puzzle: write maze, chromatic_maze, dungeon, island or yin_yang".to_owned(),
        )),
    }
}

fn ask<E: Example>(
    request: &Map<String, Json>,
    clues: Option<String>,
    pool: &MemoryPool,
    ended: &Arc<AtomicBool>,
) -> Result<Json, Problem> {
    let hidden = |flag: Arg| {
        let is_hidden = OF_COMMANDS.contains(&flag.get_id().as_str());
        flag.hide(is_hidden)
    };
    let arguments = arguments(&E::command().mut_args(hidden), request, &["puzzle"])?;
    let mut share = None;
    let check = |example: &E| {
        check(example)?;
        let taken = pool.take(example.shared().memory().0 >> 20, ended);
        share = Some(taken.map_err(|problem| Failure::from(problem.message))?);
        Ok(())
    };
    let answered = answer_by::<E>(&arguments, clues, check, Arc::clone(ended));
    drop(share);
    answered.map_err(|unanswered| {
        let cells = unanswered.cells.iter().map(|at| json!([at.row, at.column]));
        let cells: Vec<Json> = cells.collect();
        let mut problem = Problem {
            message: unanswered.message,
            ..Problem::of(&unanswered.failure)
        };
        if let Some(reason) = unanswered.stopped {
            problem = problem.with("stopped", reason.name().into());
        }
        if cells.is_empty() {
            problem
        } else {
            problem
                .with("cells", cells.into())
                .with("proven", true.into())
        }
    })
}

/// Returns an error for requests that would use up the memory of the machine.
fn check<E: Example>(example: &E) -> Result<(), Failure> {
    let options = example.shared();
    if options.memory() > MOST_MEMORY {
        return Err(format!("{}: write {MOST_MEMORY} or less", Flag("memory")).into());
    }
    let (cells, count) = (example.puzzle()?.size().cells(), options.count());
    if cells.saturating_mul(count) > MOST_CELLS {
        return Err(format!(
            "{count} boards of {cells} cells: write a smaller count or size; the maximum is {MOST_CELLS} cells together"
        )
        .into());
    }
    Ok(())
}

/// Returns the clues of a request, which are one text or a text for each row.
fn text_of(clues: &Json) -> Result<String, Problem> {
    let rows = match clues {
        Json::String(text) => Some(text.clone()),
        Json::Array(rows) => {
            let rows: Option<Vec<&str>> = rows.iter().map(Json::as_str).collect();
            rows.map(|rows| rows.join("\n"))
        }
        _ => None,
    };
    rows.ok_or_else(|| Problem::wrong("clues: write a list of rows, each a text".to_owned()))
}
