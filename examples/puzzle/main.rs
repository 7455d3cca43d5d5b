//! Puzzles in the Game Description Language, solved by inference.
//!
//! `cargo run --release --example puzzle -- --rules examples/puzzle/river.kif`

mod options;
mod question;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use figrs_command::{Bytes, Failure, in_file, note, parsed, replace, stop};
use figrs_gdl::Puzzle;

use options::{Format, Options};
use question::Question;
use report::Report;

fn main() -> ExitCode {
    figrs_command::run(remedy, || run(&parsed()))
}

/// Returns advice on flags if memory is too small or no particle is left.
fn remedy(error: &figrs::Error) -> Option<String> {
    match error {
        figrs::Error::FrontierTooLarge { states, limit, .. } => {
            Some(question::too_large(*states, Bytes(*limit)))
        }
        figrs::Error::NoSampleMetEvidence { tried, .. } => Some(format!(
            "none of {tried} particles met the goal: it is impossible or very rare; use more --particles, or --method frontier"
        )),
        _ => None,
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    stop::listen(options.time)?;
    let started = Instant::now();
    let given = options.clone();
    let read = stop::attempt(move || -> Result<Question, Failure> {
        Ok(Question {
            puzzle: Puzzle::read_within(&given.rules, given.grounding())?.goal(given.goal),
            options: given,
            samples: Mutex::default(),
        })
    })?;
    let question = Arc::new(read.ok_or_else(|| stop::nothing("a puzzle"))??);
    let puzzle = &question.puzzle;
    if puzzle.is_role_inferred() {
        let role = puzzle.role();
        note(format!(
            "note: no rule states `role`; the player is `{role}`, because only `{role}` has actions and goals"
        ));
    }
    for name in puzzle.undeclared_roles() {
        note(format!(
            "note: `{name}` is not a role, so its actions and goals are ignored; is it misspelt?"
        ));
    }
    for relation in puzzle.undefined() {
        note(format!(
            "note: no rule defines `{relation}`, so it never holds; is it misspelt?"
        ));
    }
    let asked = Arc::clone(&question);
    let answer = stop::attempt(move || asked.answer(started))?;
    let found = match answer {
        Some(answer) => Some(answer?),
        None => question.so_far(),
    };
    let mut findings = found.ok_or_else(|| stop::nothing("a plan"))?;
    let impossible = findings.impossible.take();
    if let Some(reason) = findings.stopped {
        note(format!(
            "note: {}; the result so far follows",
            reason.message()
        ));
    }
    let report = Report {
        puzzle: &question.puzzle,
        findings: &findings,
        stats: options.stats,
    };
    let write = |out: &mut dyn Write| -> io::Result<()> {
        match options.format() {
            Format::Text => report.text(out)?,
            Format::Json => writeln!(out, "{}", report.json())?,
        }
        out.flush()
    };
    match &options.out {
        Some(path) => replace(path, |out| write(out).map_err(|error| in_file(path, error)))?,
        None => write(&mut figrs_command::standard_output())?,
    }
    impossible.map_or(Ok(()), Err)
}
