//! From the command line to the answer.

use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::command_line;
use super::failure::{exit_code, remedy};
use super::options::{DETAILS, Task};
use super::question::Question;
use super::report::Report;
use super::{Example, Failure, NoAnswer, Puzzle};

/// Runs an example.
pub(crate) fn main<E: Example>() -> ExitCode {
    match run(&parsed::<E>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if command_line::is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}{}", remedy(&*error));
            ExitCode::from(exit_code(&*error))
        }
    }
}

/// The command line, with the methods of the puzzle.
fn parsed<E: Example>() -> E {
    let fallback = E::Puzzle::FALLBACK;
    let methods = PossibleValuesParser::new([
        PossibleValue::new("auto").help(
            "The quicker one that is exact, and else exact if that fits; more at the end of --help",
        ),
        PossibleValue::new("exact")
            .help("Every task, by the states of the board read cell by cell"),
        PossibleValue::new(fallback.name).help(fallback.help),
    ]);
    let command = E::command().after_long_help(DETAILS);
    let command = command.mut_arg("method", |arg| arg.value_parser(methods));
    let parsed = command.clone().try_get_matches();
    let parsed = parsed.and_then(|matches| E::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| command_line::end(&error.format(&mut command.clone())))
}

fn run<E: Example>(example: &E) -> Result<(), Failure> {
    let options = example.shared();
    options.check()?;
    example.check()?;
    if example.shows_path() {
        options.shows_boards("--show-path")?;
    }
    let puzzle = example.puzzle()?;
    let question = Question {
        puzzle: &puzzle,
        options,
    };
    question.check()?;
    let mut findings = question.answer()?;
    if options.stats {
        findings.stats = Some(question.stats(&findings)?);
    }
    let report = Report {
        puzzle: &puzzle,
        options,
        findings: &findings,
    };
    report.write()?;
    if let Some(told) = findings.impossible {
        return Err(Box::new(NoAnswer(told)));
    }
    if options.task == Task::Sample {
        let (boards, method) = (findings.boards.len(), findings.method);
        let diagnostics = findings.diagnostics.iter();
        let diagnostics: String = diagnostics
            .flat_map(|(name, value)| [", ".into(), format!("{name} {value:.4}")])
            .collect();
        eprintln!(
            "seed {}, method {method}, boards {boards}{diagnostics}, compile {:.3} s, sample {:.3} s",
            options.seed(),
            findings.compile,
            findings.sample
        );
    }
    Ok(())
}
