//! Skills of players, estimated from the results of their matches.
//!
//! `cargo run --release --example ratings -- --matches examples/ratings/league.csv`

mod matches;
mod options;
mod rating;
mod report;

use std::process::ExitCode;
use std::sync::Arc;

use figrs_command::{Failure, NoAnswer, Progress, note, parsed, stop};

use matches::Matches;
use options::Options;
use rating::History;
use report::Report;

/// Maximum number of passes through all matches.
const MAX_PASSES: u64 = 10_000;

fn main() -> ExitCode {
    figrs_command::run(|_| None, || run(&parsed()))
}

fn run(options: &Options) -> Result<(), Failure> {
    let format = options.answer.check()?;
    stop::listen(options.time)?;
    let matches = Matches::read(&options.matches)?;
    if matches.matches.is_empty() {
        return Err(
            NoAnswer("the file has no matches; write one match on each line".into()).into(),
        );
    }
    let laws = options.laws()?;
    if laws.draw_probability == 0.0 && matches.matches.iter().any(|game| game.is_draw) {
        return Err(
            "a match is a draw, but --draw-probability is 0; give a larger probability".into(),
        );
    }
    let mut history = History::new(laws, matches.players.len(), &matches.matches);
    let settling = options.until_settled.then(|| {
        let progress = Arc::new(Progress::of("passes", None));
        history.settle(MAX_PASSES, &|passes| {
            progress.set(passes);
            !stop::is_set()
        })
    });
    if let Some(settling) = settling.filter(|settling| !settling.is_settled()) {
        note(format!(
            "note: after {} passes the skills still changed, by up to {:.1e} standard deviations in the last pass",
            settling.passes, settling.moved
        ));
    }
    let report = Report {
        matches: &matches,
        history: &history,
        settling,
        top: usize::from(options.top),
    };
    options.answer.publish(format, &report)
}
