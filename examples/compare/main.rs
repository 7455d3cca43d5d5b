//! Comparison of algorithms on one model.
//!
//! `cargo run --release --example compare -- --help`

mod algorithms;
mod models;
mod options;
mod watch;

use std::io::{self, Write};
use std::process::ExitCode;

use figrs::Comparison;
use figrs::SelfChecked;
use figrs_report::{ChartError, ComparisonPage};
use peak_alloc::PeakAlloc;

use figrs_command::{Failure, NoAnswer, note, parsed, replace_text, stop};
use options::{Format, Options};
use watch::Watch;

/// Counts the bytes of memory that the program allocates, for the table of the comparison.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Maximum number of targets of the comparison whose posteriors are shown as bars.
const BARS: usize = 12;

fn main() -> ExitCode {
    figrs_command::run(|_| None, || run(&parsed()))
}

fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    stop::listen(options.time)?;
    let question = models::question(options)?;
    let watch = Watch::new(options);
    let names: Vec<_> = options.algorithms();
    let contenders = names.iter();
    let contenders: Vec<_> = contenders
        .map(|name| name.algorithm(options.samples, options.seed, &watch))
        .map(|algorithm| {
            if options.self_check {
                Box::new(SelfChecked::new(algorithm))
            } else {
                algorithm
            }
        })
        .collect();
    let mut compare = question
        .algorithms(contenders)
        .interrupt(stop::flag())
        .on_step(watch.listener())
        .peak_memory(|| {
            let peak = ALLOCATOR.peak_usage();
            ALLOCATOR.reset_peak_usage();
            peak as u64
        });
    if let Some(limit) = watch.deadline() {
        compare = compare.deadline(limit);
    }
    if options.curves.is_some() || options.report.is_some() {
        for name in names.into_iter().filter(|name| name.is_sampler()) {
            let (watch, first) = (watch.clone(), options.seed);
            let make =
                move |samples, seed| name.algorithm(samples, first.wrapping_add(seed), &watch);
            compare = compare.curve(budgets(options.samples), 3, make);
        }
    }
    let mut comparison = compare.run();
    for row in &mut comparison.rows {
        if row.interrupted && stop::reason() == Some(stop::Reason::Time) {
            let without_answer = row.answer.is_none().then_some(" before it had an answer");
            row.message = Some(format!(
                "--time ended{}",
                without_answer.unwrap_or_default()
            ));
        }
    }
    drop(watch);
    write(options, &comparison)?;
    if comparison.rows.iter().all(|row| row.answer.is_none()) {
        return Err(NoAnswer("no algorithm has an answer".to_owned()).into());
    }
    Ok(())
}

/// Returns the numbers of samples at the points of a curve: each point has a quarter of the samples of the next point, and the last point has the
/// total number.
fn budgets(samples: u64) -> Vec<u64> {
    let mut budgets: Vec<u64> = [256, 64, 16, 4, 1]
        .map(|share| (samples / share).max(8))
        .into();
    budgets.dedup();
    budgets
}

fn write(options: &Options, comparison: &Comparison) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(figrs_command::standard_output());
    match options.format {
        Format::Json => {
            let mut words = serde_json::to_value(comparison)?;
            if let Some(reason) = stop::reason() {
                words["stopped"] = reason.name().into();
            }
            serde_json::to_writer_pretty(&mut out, &words)?;
            writeln!(out)?;
        }
        Format::Text => {
            write!(out, "{comparison}")?;
            let posteriors = comparison.posteriors();
            for posterior in posteriors.iter().take(BARS) {
                write!(out, "\n{posterior}")?;
            }
            if posteriors.len() > BARS {
                writeln!(
                    out,
                    "\nbars are shown for the first {BARS} of {} targets; --format json has all",
                    posteriors.len()
                )?;
            }
        }
    }
    out.flush()?;
    write_files(options, comparison)
}

/// Writes the files of --curves and --report.
fn write_files(options: &Options, comparison: &Comparison) -> Result<(), Failure> {
    if let Some(path) = &options.curves {
        match (comparison.curves_svg(), stop::reason()) {
            (Err(ChartError::Empty { .. }), Some(reason)) => note(format!(
                "note: {} is not written: {} before any error was measured",
                path.display(),
                reason.message()
            )),
            (svg, _) => replace_text(path, &svg?)?,
        }
    }
    if let Some(path) = &options.report {
        let page = comparison.to_html(&options.title(), &options.settings());
        replace_text(path, &page)?;
    }
    Ok(())
}
