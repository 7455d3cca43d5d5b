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
    if matches.games.is_empty() {
        return Err(
            NoAnswer("the file has no matches; write one match on each line".into()).into(),
        );
    }
    let laws = options.laws()?;
    let mut draws = matches.games.iter().filter(|game| game.is_draw);
    if let Some(game) = draws.next()
        && laws.margin(1) == 0.0
    {
        let problem = "the match is a draw, but --draw-probability is 0 or too small";
        let remedy = "give a larger --draw-probability";
        return Err(matches.unrated(game, problem, remedy).into());
    }
    let unrated = |game| {
        let problem =
            "the result of the match is too improbable, or its numbers are too large or too small";
        let remedy =
            "give --mean, --sd, --performance, --drift and --draw-probability of moderate sizes";
        matches.unrated(game, problem, remedy)
    };
    let players = matches.players.len();
    let mut history = History::new(laws, players, &matches.games).map_err(unrated)?;
    let mut settling = None;
    if options.until_settled {
        let progress = Arc::new(Progress::of("passes", None));
        let settled = history.settle(MAX_PASSES, &|passes| {
            progress.set(passes);
            !stop::is_set()
        });
        settling = Some(settled.map_err(unrated)?);
    }
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
