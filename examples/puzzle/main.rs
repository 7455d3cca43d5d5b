//! Puzzles in the Game Description Language, planned by inference.
//!
//! `cargo run --release --example puzzle -- --rules examples/puzzle/river.kif`

#[path = "../program/command_line.rs"]
mod command_line;
#[path = "../program/files.rs"]
mod files;
mod options;
#[path = "../program/populations.rs"]
mod populations;
mod question;
mod report;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use figrs::models::gdl::GdlError;

use options::{Format, Options};
use report::Report;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match run(&Options::try_parse().unwrap_or_else(|error| command_line::end(&error))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if command_line::is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}{}", remedy(&*error));
            ExitCode::from(if is_without_answer(&*error) { 1 } else { 2 })
        }
    }
}

/// Whether nothing is wrong with rules and options, and still there is no answer.
fn is_without_answer(error: &(dyn Error + 'static)) -> bool {
    let unanswered = |error: &GdlError| {
        matches!(
            error,
            GdlError::NoPlan { .. } | GdlError::OverBudget { .. } | GdlError::Inference(_)
        )
    };
    error.downcast_ref::<GdlError>().is_some_and(unanswered)
}

/// What to do on the command line where memory is too small.
fn remedy(error: &(dyn Error + 'static)) -> &'static str {
    match error.downcast_ref::<GdlError>() {
        Some(
            GdlError::OverBudget { .. }
            | GdlError::Inference(figrs::Error::FrontierTooLarge { .. }),
        ) => " (here: --memory; or --method particles with --steps, which is approximate)",
        _ => "",
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    let (puzzle, mut findings) = question::answer(options, Instant::now())?;
    let impossible = findings.impossible.take();
    let report = Report {
        puzzle: &puzzle,
        findings: &findings,
        stats: options.stats,
    };
    let write = |out: &mut dyn Write| -> io::Result<()> {
        match options.format {
            Format::Text => report.text(out)?,
            Format::Json => writeln!(out, "{}", report.json())?,
        }
        out.flush()
    };
    match &options.out {
        Some(path) => files::replace(path, |out| {
            write(out).map_err(|error| files::in_file(path, error))
        })?,
        None => write(&mut io::stdout().lock())?,
    }
    impossible.map_or(Ok(()), |error| Err(error.into()))
}
