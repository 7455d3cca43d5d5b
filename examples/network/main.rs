//! Queries to a Bayesian or Markov network in a file.
//!
//! `cargo run --release --example network -- --help`

mod computing_line;
mod convert;
mod decide;
mod findings;
mod learn;
mod mixed;
mod option_uses;
mod options;
mod page;
mod picture;
mod predict;
mod question;
mod reading;
mod remedy;
mod report;
mod score;
mod structure;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use figrs_command::{
    Failure, NoAnswer, in_file, note, observations, parsed, queried, replace, replace_text, stop,
};

use figrs_network::Network;
use findings::Findings;
use mixed::MixedQuestion;
use options::{Format, Options, Start, Task};
use picture::NetworkDrawing;
use question::Question;
use report::Report;

fn main() -> ExitCode {
    let options = parsed::<Options>().with_file();
    figrs_command::run(|error| remedy::of(error, &options), || run(&options))
}

fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    stop::listen(options.time)?;
    match options.task {
        Task::Learn => return learn::run(options),
        Task::Convert => return convert::run(options),
        Task::Decide => return decide::run(options),
        Task::Score => return score::run(options),
        Task::Predict => return predict::run(options),
        _ if options.format.is_picture() => return draw(options),
        _ => {}
    }
    let started = Instant::now();
    let given = options.clone();
    let read = stop::attempt(move || read(given))?;
    let asked = read.ok_or_else(|| stop::nothing("a network"))??;
    let parse = started.elapsed();
    let question = match asked {
        Asked::Finite(question) => Arc::from(question),
        Asked::Mixed(question) => return question.run(parse),
    };
    let (findings, compiles, queries) = match found(&question) {
        Ok(found) => found,
        Err(failure) => {
            return Err(report::without_answer(
                failure,
                question.tried(),
                &question.options,
            )?);
        }
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
        let drawn = report::counted(samples.len(), "sample");
        let (message, out) = (reason.message(), out.display());
        let message = format!(
            "{message} after {drawn}; {out} is unchanged; allow more --time, or give a smaller --count"
        );
        return Err(NoAnswer(message).into());
    }
    if let Some(reason) = findings.stopped {
        note(format!(
            "note: {}; the result so far follows",
            reason.message()
        ));
    }
    if let (Some(path), Some(samples)) = (&options.out, &findings.samples) {
        replace(path, |file| {
            report::write_samples(file, &question, samples).map_err(|error| in_file(path, error))
        })?;
        if options.format == Format::Text {
            return Ok(());
        }
    }
    let report = Report {
        question: &question,
        findings: &findings,
        seconds: &seconds,
    };
    let mut out = io::BufWriter::new(figrs_command::standard_output());
    match options.format {
        Format::Json => writeln!(out, "{}", report.json())?,
        _ => report.text(&mut out)?,
    }
    out.flush()?;
    if let Some(path) = &options.report {
        replace_text(path, &report.html())?;
    }
    if options.task == Task::Marginals && findings.evidence_bounds.is_some() {
        let message = "exact marginals do not fit into the memory and the time; allow more --memory or --time, or use --algorithm importance-sampling";
        return Err(NoAnswer(message.to_owned()).into());
    }
    Ok(())
}

/// Returns the answer, with the times of all compilations and of all queries.
///
/// **Errors.** The model or a limit is wrong, or the command was stopped before there was an answer.
fn found(question: &Arc<Question>) -> Result<(Findings, Vec<Duration>, Vec<Duration>), Failure> {
    let (mut compiles, mut queries) = (Vec::new(), Vec::new());
    let mut found: Option<Findings> = None;
    for _ in 0..question.options.repeat.unwrap_or(1) {
        if found.is_some() && stop::is_set() {
            break;
        }
        let asked = Arc::clone(question);
        match stop::attempt(move || asked.answer())? {
            Some(Ok(answer)) => found = Some(answer),
            None | Some(Err(figrs::Error::NothingDone { .. })) => break,
            Some(Err(error)) => return Err(error.into()),
        }
        compiles.extend(found.as_ref().and_then(|found| found.compile));
        queries.extend(found.as_ref().and_then(|found| found.query));
    }
    let found = found.or_else(|| question.so_far());
    let found = found.ok_or_else(|| remedy::of_stop(&question.options))?;
    Ok((found, compiles, queries))
}

/// Draws the network, with its evidence and the queried variables marked.
fn draw(options: &Options) -> Result<(), Failure> {
    let given = options.clone();
    let drawn = stop::attempt(move || -> Result<String, Failure> {
        let network = reading::chances(&given)?;
        let texts = ("--observe", &given.observe[..]);
        let evidence = observations(&network, given.evidence.as_deref(), texts)?;
        let is_all = given.query.is_empty() || given.query == ["all"];
        let queried = queried(&network, &given.query)?;
        let queried = if is_all { &[] } else { &queried[..] };
        let drawing = NetworkDrawing::new(&network).marked(&evidence, queried);
        drawing.text(given.format)
    })?;
    let text = drawn.ok_or_else(|| stop::nothing("a picture"))??;
    let mut out = figrs_command::standard_output();
    Ok(out.write_all(text.as_bytes())?)
}

/// A question about finite variables only, or about finite and real variables.
enum Asked {
    Finite(Box<Question>),
    Mixed(Box<MixedQuestion>),
}

/// Reads the network and builds the question about it.
fn read(options: Options) -> Result<Asked, Failure> {
    if !matches!(options.task, Task::Marginals | Task::Evidence) {
        let network = reading::chances(&options)?;
        return Ok(Asked::Finite(Box::new(question(network, options)?)));
    }
    let network = reading::mixed(&options)?;
    if network.reals().is_empty() {
        let question = question(network.into_finite(), options)?;
        return Ok(Asked::Finite(Box::new(question)));
    }
    let asked = MixedQuestion::new(network, options.clone())?;
    Ok(if asked.is_finite() {
        Asked::Finite(Box::new(question(asked.into_finite(), options)?))
    } else {
        Asked::Mixed(Box::new(asked))
    })
}

/// Returns the question about a network that the options of the command describe.
fn question(network: Network, options: Options) -> Result<Question, Failure> {
    let texts = ("--observe", &options.observe[..]);
    let evidence = observations(&network, options.evidence.as_deref(), texts)?;
    Ok(Question {
        model: network.given(&evidence),
        evidence,
        queried: queried(&network, &options.query)?,
        network,
        options,
        samples: Mutex::default(),
        bounds: Arc::default(),
        attempts: Arc::default(),
    })
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    let upper = *times.get(times.len() / 2)?;
    let lower = times[(times.len() - 1) / 2];
    Some((lower + upper) / 2)
}
