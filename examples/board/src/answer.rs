//! Answers in JSON for programs that pass the arguments of a command line.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_command::stop::Reason;
use figrs_command::{Failure, NoAnswer};
use figrs_models::grid::Position;
use serde_json::Value as Json;

use super::deadline::Deadline;
use super::findings::Findings;
use super::flags::{SHOW_PATH, SIZE, TIME};
use super::options::Task;
use super::puzzle::Example;
use super::question::Question;
use super::report::Report;
use super::run::{command, remedy};
use super::watch::Watch;

/// The error that explains why a question has no answer.
#[derive(Debug)]
pub struct Unanswered {
    /// The error that prevented an answer.
    pub failure: Failure,
    /// The text of the error.
    pub message: String,
    /// Cells whose clues contradict each other, if the clues are the reason.
    pub cells: Vec<Position>,
    /// The reason that the work ended before there was an answer (such as a deadline); `None` if it did not end early.
    pub stopped: Option<Reason>,
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Self {
        Self {
            message: figrs_command::message(&failure, remedy),
            failure,
            cells: Vec::new(),
            stopped: None,
        }
    }
}

/// Returns the JSON that a command would print for the given arguments; the clues are given as a text instead of a file. The function `check` may
/// reject the question before the work begins.
///
/// **Errors.** Any error of the command. Setting the flag `interrupt` stops the work; when `--time` runs out, the answer contains the results so far.
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
            let message = format!("the clues set the size; leave out {SIZE}");
            return Err(Failure::from(message).into());
        }
        example.give_clues(text);
    }
    check(&example)?;
    example.check()?;
    let options = example.shared();
    options.check()?;
    if example.shows_path() {
        options.shows_boards(SHOW_PATH)?;
    }
    let puzzle = example.puzzle()?;
    let deadline = Deadline::after(options.time, interrupt)?;
    let watch = Watch::quiet(deadline.flag());
    let question = Question::new(puzzle, options.clone(), watch);
    question.check()?;
    let answered = question.answer();
    let (method, boards) = question.found_so_far();
    let cells = question.conflict();
    let mut findings = match answered {
        Err(_) if deadline.is_over() && cells.is_empty() => Findings::by(method),
        answered => answered.map_err(|failure| Unanswered {
            cells,
            ..Unanswered::from(failure)
        })?,
    };
    findings.boards = boards;
    if deadline.is_over() && findings.impossible.is_none() && !findings.answers(options.task) {
        let message = format!(
            "{TIME} ended before there was an answer; allow more time, or use a smaller board"
        );
        return Err(Unanswered {
            stopped: Some(Reason::Time),
            ..Failure::from(NoAnswer(message)).into()
        });
    }
    let stats = match options.stats.then(|| question.stats(&findings)) {
        Some(Err(_)) if deadline.is_over() => None,
        stats => stats.transpose()?,
    };
    let are_few = options.task == Task::Sample && findings.boards.len() < options.count();
    let is_cut = are_few || findings.is_cut || (options.stats && stats.is_none());
    let report = Report {
        puzzle: &question.puzzle,
        options,
        findings: &findings,
        stats: stats.as_ref(),
        stopped: (deadline.is_over() && is_cut).then_some(Reason::Time),
    };
    Ok(serde_json::to_value(&report).map_err(Failure::from)?)
}
