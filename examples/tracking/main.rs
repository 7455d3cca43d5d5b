//! Tracking of a level, a trend or a moving body through noisy readings.
//!
//! `cargo run --release --example tracking -- --data examples/tracking/flight.csv --model velocity --process 0.05 --noise 1`

mod model;
mod options;
mod readings;
mod report;
mod track;

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use figrs_command::{AnswerFormat, Failure, NoAnswer, in_file, is_standard_input, parsed, stop};

use figrs::Error;

use options::Options;
use readings::Readings;
use report::Report;
use track::{Online, Track};

fn main() -> ExitCode {
    figrs_command::run(remedy, || run(&parsed()))
}

/// Returns advice on flags for readings that earlier exact readings determine.
fn remedy(error: &Error) -> Option<String> {
    match error {
        Error::InStep { step, .. } => Some(format!(
            "the reading of step {} has no density, because earlier readings determine it or because it is too large; give a --noise, --process or --start-variance above 0, or smaller numbers",
            step + 1
        )),
        _ => None,
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let format = options.answer.check()?;
    stop::listen(None)?;
    if is_standard_input(&options.data) && format != AnswerFormat::Svg {
        return stream(options, format);
    }
    let place = options.data.display().to_string();
    let mut all = Vec::new();
    if is_standard_input(&options.data) {
        let mut readings = Readings::new(io::stdin().lock(), "standard input".into());
        while let Some(reading) = readings.next()? {
            all.push(reading);
        }
    } else {
        let file =
            File::open(&options.data).map_err(|error| format!("cannot read {place}: {error}"))?;
        let mut readings = Readings::new(BufReader::new(file), place);
        while let Some(reading) = readings.next()? {
            all.push(reading);
        }
    }
    let Some(first) = all.first() else {
        return Err(
            NoAnswer("the file has no readings; write one reading on each line".into()).into(),
        );
    };
    let model = options.model(first.len())?;
    let track = stop::attempt(move || Track::new(&model, all))?;
    let track = track.ok_or_else(|| stop::nothing("a track"))??;
    let report = Report { track: &track };
    options.answer.publish(format, &report)
}

/// Answers each line of readings on the standard input by a line of the track.
fn stream(options: &Options, format: AnswerFormat) -> Result<(), Failure> {
    let mut readings = Readings::new(io::stdin().lock(), "standard input".into());
    let mut out: Box<dyn Write> = match options.answer.out() {
        Some(path) => Box::new(File::create(path).map_err(|error| in_file(path, error))?),
        None => Box::new(figrs_command::standard_output()),
    };
    let mut online: Option<Online> = None;
    while let Some(reading) = readings.next()? {
        let online = match &mut online {
            Some(online) => online,
            none => none.insert(Online::new(options.model(reading.len())?)?),
        };
        let step = online.read(&reading)?;
        match format {
            AnswerFormat::Json => writeln!(out, "{}", report::line(&step, online.log_evidence()))?,
            AnswerFormat::Text | AnswerFormat::Svg => {
                report::text_line(&mut out, online.steps(), &reading, &step)?;
            }
        }
        out.flush()?;
    }
    Ok(())
}
