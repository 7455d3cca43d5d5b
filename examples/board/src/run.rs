//! Runs an example from its command line to the answer.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Command;
use clap::builder::{PossibleValue, PossibleValuesParser};
use figrs_command::{Bytes, Failure, NoAnswer, parsed_by, stop};

use super::findings::{Findings, Stats};
use super::flags::{MEMORY, METHOD, SHOW_PATH};
use super::options::{DETAILS, Task};
use super::puzzle::{Example, Puzzle};
use super::question::Question;
use super::report::Report;
use super::watch::Watch;

/// Runs an example.
pub fn main<E: Example>() -> ExitCode {
    figrs_command::run(remedy, || run(&parsed_by::<E>(command::<E>())))
}

/// Returns advice on flags if memory is too small or no particle is left.
pub(crate) fn remedy(error: &figrs_infer::Error) -> Option<String> {
    match error {
        figrs_infer::Error::FrontierTooLarge { states, limit, .. } => {
            let memory = Bytes(*limit);
            Some(format!(
                "{states} states and their transitions need more than {MEMORY} {memory}; allow more memory, or use a smaller board"
            ))
        }
        figrs_infer::Error::NoSampleMetEvidence { tried, .. } => Some(format!(
            "none of {tried} drawn boards met the rules and the clues: such boards are impossible or very rare; use {METHOD} chain, or {METHOD} exact if it fits into {MEMORY}"
        )),
        _ => None,
    }
}

/// Returns the command line of the example, with the methods that the puzzle has.
pub(crate) fn command<E: Example>() -> Command {
    let methods = [
        PossibleValue::new("auto").help(
            "Choose the method that suits the task and the size; the end of --help has the rules",
        ),
        PossibleValue::new("exact")
            .help("Exact, for every task: inference over the states of the board, cell by cell"),
    ];
    let others = E::Puzzle::OTHERS.iter();
    let others = others.map(|other| PossibleValue::new(other.method.name()).help(other.help));
    let methods = PossibleValuesParser::new(methods.into_iter().chain(others));
    let command = E::command().after_long_help(DETAILS);
    command.mut_arg("method", |arg| arg.value_parser(methods))
}

fn run<E: Example>(example: &E) -> Result<(), Failure> {
    let options = example.shared();
    options.check()?;
    example.check()?;
    if example.shows_path() {
        options.shows_boards(SHOW_PATH)?;
    }
    stop::listen(options.time)?;
    let question = Arc::new(Question::new(
        example.puzzle()?,
        options.clone(),
        Watch::of_command(),
    ));
    question.check()?;
    question.check_picture()?;
    let findings = Arc::new(findings(&question)?);
    let stats = stats(&question, &findings)?;
    let are_few = options.task == Task::Sample && findings.boards.len() < options.count();
    let is_cut = are_few || findings.is_cut || (options.stats && stats.is_none());
    let report = Report {
        puzzle: &question.puzzle,
        options,
        findings: &findings,
        stats: stats.as_ref(),
        stopped: stop::reason().filter(|_| is_cut),
    };
    report.write()?;
    if let Some(message) = &findings.impossible {
        return Err(Box::new(NoAnswer(message.clone())));
    }
    if options.task == Task::Sample {
        report.tell_how();
    }
    Ok(())
}

/// Returns the answer to the task, or the boards found so far if the command is asked to stop.
fn findings<P: Puzzle>(question: &Arc<Question<P>>) -> Result<Findings<P::Board>, Failure> {
    let started = Instant::now();
    let asked = Arc::clone(question);
    let answer = stop::attempt(move || asked.answer())?;
    let (method, boards) = question.found_so_far();
    let mut found = match answer {
        Some(answer) if boards.is_empty() || !stop::is_set() => answer?,
        Some(Ok(answer)) => answer,
        Some(Err(_)) | None => Findings::by(method),
    };
    found.boards = boards;
    let options = &question.options;
    if stop::is_set() && found.impossible.is_none() && !found.answers(options.task) {
        let what = if options.task.has_boards() {
            "a board"
        } else {
            "an answer"
        };
        return Err(stop::nothing(what));
    }
    if found.sample == 0.0 {
        found.sample = started.elapsed().as_secs_f64() - found.compile;
    }
    Ok(found)
}

/// Computes the statistics of --stats, unless the command is asked to stop first.
fn stats<P: Puzzle>(
    question: &Arc<Question<P>>,
    found: &Arc<Findings<P::Board>>,
) -> Result<Option<Stats>, Failure> {
    if !question.options.stats {
        return Ok(None);
    }
    let (asked, boards) = (Arc::clone(question), Arc::clone(found));
    match stop::attempt(move || asked.stats(&boards))? {
        Some(Err(_)) | None if stop::is_set() => Ok(None),
        stats => stats.transpose(),
    }
}
