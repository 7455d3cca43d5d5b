//! Answers in JSON to programs that ask as a command line does.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_command::Failure;
use figrs_models::grid::Position;
use serde_json::Value as Json;

use super::puzzle::Example;
use super::question::Question;
use super::report::Report;
use super::run::{command, remedy};
use super::watch::Watch;

/// The reason that there is no answer.
#[derive(Debug)]
pub struct Unanswered {
    /// The failure.
    pub failure: Failure,
    /// Its text in the words of the command.
    pub told: String,
    /// Cells whose clues exclude each other, if that is the reason.
    pub cells: Vec<Position>,
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Self {
        Self {
            told: figrs_command::told(&failure, remedy),
            failure,
            cells: Vec::new(),
        }
    }
}

/// The JSON that a command prints for some arguments, with a text of clues in place of a file. `check` may refuse the question before there is any work.
///
/// **Errors.** Those of the command; the work is ended by the flag.
pub fn answer<E: Example>(
    arguments: &[String],
    clues: Option<String>,
    check: impl FnOnce(&E) -> Result<(), Failure>,
    interrupt: Arc<AtomicBool>,
) -> Result<Json, Unanswered> {
    let mut example: E =
        figrs_command::parsed_from(command::<E>(), arguments).map_err(Failure::from)?;
    if let Some(text) = clues {
        if example.shared().size.is_some() {
            let told = "clues have a size of their own; leave out size";
            return Err(Failure::from(told).into());
        }
        example.give_clues(text);
    }
    check(&example)?;
    example.check()?;
    let options = example.shared();
    options.check()?;
    if example.shows_path() {
        options.shows_boards("--show-path")?;
    }
    let puzzle = example.puzzle()?;
    let question = Question::new(puzzle, options.clone(), Watch::quiet(interrupt));
    question.check()?;
    let unanswered = |failure| Unanswered {
        cells: question.conflict(),
        ..Unanswered::from(failure)
    };
    let mut findings = question.answer().map_err(unanswered)?;
    findings.boards = question.found_so_far().1;
    let report = Report {
        puzzle: &question.puzzle,
        options,
        findings: &findings,
        stats: None,
        stopped: None,
    };
    Ok(serde_json::to_value(&report).map_err(Failure::from)?)
}
