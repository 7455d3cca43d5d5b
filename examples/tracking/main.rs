//! Tracking of a level, a trend or a moving body through noisy readings.
//!
//! `cargo run --release --example tracking -- --data examples/tracking/flight.csv --model velocity --process 0.05 --noise 1`

mod model;
mod options;
mod readings;
mod report;
mod track;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::iter;
use std::process::ExitCode;

use figrs_command::{AnswerFormat, Failure, in_file, is_standard_input, parsed, stop};

use options::Options;
use readings::{Reading, Readings};
use report::Report;
use track::{Online, Track};

fn main() -> ExitCode {
    figrs_command::run(|_| None, || run(&parsed()))
}

fn run(options: &Options) -> Result<(), Failure> {
    let format = options.answer.check()?;
    stop::listen(None)?;
    if is_standard_input(&options.data) && format != AnswerFormat::Svg {
        return stream(options, format);
    }
    let place = options.data.display();
    let (lines, place): (Box<dyn BufRead>, String) = if is_standard_input(&options.data) {
        (Box::new(io::stdin().lock()), "standard input".into())
    } else {
        let file = File::open(&options.data);
        let file = file.map_err(|error| format!("cannot read {place}: {error}"))?;
        (Box::new(BufReader::new(file)), place.to_string())
    };
    let mut readings = Readings::new(lines, place);
    let all = iter::from_fn(|| readings.next().transpose());
    let all: Vec<Reading> = all.collect::<Result<_, _>>()?;
    let Some(first) = all.first() else {
        return Err("the file has no readings; write one reading on each line".into());
    };
    let model = options.model(first.len())?;
    let track = stop::attempt(move || Track::new(model, all))?;
    let track = track.ok_or_else(|| stop::nothing("a track"))??;
    let report = Report { track: &track };
    options.answer.publish(format, &report)
}

/// Answers each line of readings that arrives on the standard input by a line with the state of the tracked object.
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
            none => none.insert(Online::new(options.model(reading.len())?, 0)?),
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
