//! Queries to a Bayesian or Markov network in a file.
//!
//! `cargo run --release --example network -- --help`

mod convert;
mod decide;
mod learn;
mod options;
mod question;
mod report;
mod score;
mod structure;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use figrs::eliminate::EliminationError;
use figrs::models::network::{Network, NormalisedRow};
use figrs_command::{
    Bytes, Failure, note, observations, parsed, queried, read_network, replace, stop,
};

use options::{Format, Method, Options, Start, Task, named};
use question::{Findings, Question};
use report::Report;

fn main() -> ExitCode {
    figrs_command::run(remedy, || run(&parsed()))
}

/// Remedy on the command line if a budget is too small or no sample met the evidence.
fn remedy(error: &figrs::Error) -> Option<String> {
    use EliminationError::{TableTooLarge, TooManyOperations, TooMuchMemory};
    let few = "query fewer variables, observe more, use --algorithm importance-sampling, or with --task decide --limited-memory";
    Some(match error {
        figrs::Error::Elimination(TooMuchMemory { needed, limit }) => format!(
            "the tables would take {} or more, over --memory {}; allow more, {few}",
            Bytes(*needed as u64),
            Bytes(*limit)
        ),
        figrs::Error::Elimination(TableTooLarge { needed, .. }) => format!(
            "a table would have about {needed:.3e} entries ({}), more than --memory allows; allow more, {few}",
            Bytes((8.0 * needed) as u64)
        ),
        figrs::Error::Elimination(TooManyOperations { needed, .. }) => {
            format!(
                "the tables would take about {needed:.3e} operations, and that is too long; {few}"
            )
        }
        figrs::Error::TooManyWorlds { limit } => {
            format!("there are more than {limit} worlds; use --algorithm junction-tree")
        }
        figrs::Error::TooManyEvaluations { worlds, .. } => {
            format!("{worlds} worlds took too long; use --algorithm junction-tree")
        }
        figrs::Error::DecisionInfluencesEvidence { decision, element } => {
            let (decision, element) = (decision.short(), element.short());
            format!(
                "`{decision}` influences `{element}`, and what is observed has to be known whatever is decided; observe `{decision}` as well, \
                 which is then not decided, or take `{element}` out of the evidence"
            )
        }
        figrs::Error::NoSampleMetEvidence { tried, .. } => format!(
            "none of {tried} samples met the evidence: it is impossible or very rare; draw more --samples, or use --algorithm \
             junction-tree"
        ),
        _ => return None,
    })
}

fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    stop::listen(options.time)?;
    match options.task {
        Task::Learn => return learn::run(options),
        Task::Convert => return convert::run(options),
        Task::Decide => return decide::run(options),
        Task::Score => return score::run(options),
        _ => {}
    }
    let started = Instant::now();
    let given = options.clone();
    let read = stop::attempt(move || read(given))?;
    let question = Arc::new(read.ok_or_else(|| stop::nothing("a network"))??);
    let network = &question.network;
    let parse = started.elapsed();
    note_normalised(network);
    let (mut compiles, mut queries) = (Vec::new(), Vec::new());
    let mut found: Option<Findings> = None;
    for _ in 0..options.repeat {
        if found.is_some() && stop::is_set() {
            break;
        }
        let asked = Arc::clone(&question);
        let answer = stop::attempt(move || asked.answer())?;
        match answer.transpose()? {
            Some(answer) => found = Some(answer),
            None => break,
        }
        compiles.extend(found.as_ref().and_then(|found| found.compile));
        queries.extend(found.as_ref().and_then(|found| found.query));
    }
    let Some(findings) = found.or_else(|| question.so_far()) else {
        return Err(stop::nothing("an answer"));
    };
    let seconds = [
        ("parse", Some(parse)),
        ("compile", median(compiles)),
        ("query", median(queries)),
    ];
    let seconds = seconds.into_iter();
    let seconds: Vec<(&str, f64)> = seconds
        .filter_map(|(name, time)| Some((name, time?.as_secs_f64())))
        .collect();
    if let (Some(reason), Some(out), Some(samples)) =
        (findings.stopped, &options.out, &findings.samples)
    {
        let (told, count, out) = (reason.told(), samples.len(), out.display());
        return Err(format!(
            "{told} after {count} samples; {out} is as it was: give more --time, or draw fewer by --count"
        )
        .into());
    }
    if let Some(reason) = findings.stopped {
        note(format!(
            "note: {}; this is what there was by then",
            reason.told()
        ));
    }
    if let (Some(out), Some(samples)) = (&options.out, &findings.samples) {
        return replace(out, |file| {
            Ok(report::write_samples(file, &question, samples)?)
        });
    }
    let report = Report {
        question: &question,
        findings: &findings,
        seconds: &seconds,
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match options.format {
        Format::Text => report.text(&mut out)?,
        Format::Json => writeln!(out, "{}", report.json())?,
    }
    Ok(out.flush()?)
}

/// Tells of rows whose sums were not one.
fn note_normalised(network: &Network) {
    note_rows(network.normalised(), |row| network.row_name(row));
}

/// As [`note_normalised`], of rows that have names.
fn note_rows(rows: &[NormalisedRow], name: impl Fn(&NormalisedRow) -> String) {
    if let Some(first) = rows.first() {
        note(format!(
            "note: rows whose sums were off by rounding were divided by them: {}, the first on line {}, {}",
            rows.len(),
            first.line,
            name(first)
        ));
    }
}

/// Reads the network and builds the question about it.
fn read(options: Options) -> Result<Question, Failure> {
    let network = read_network(options.file.as_deref().unwrap_or(Path::new("")))?;
    let observations = observations(&network, options.evidence.as_deref(), &options.observe)?;
    Ok(Question {
        model: network.observing(&observations),
        queried: queried(&network, &options.query)?,
        network,
        options,
        samples: Mutex::default(),
    })
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    let upper = *times.get(times.len() / 2)?;
    let lower = times[(times.len() - 1) / 2];
    Some((lower + upper) / 2)
}
