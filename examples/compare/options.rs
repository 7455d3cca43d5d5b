//! Options of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Parser, ValueEnum};
use figrs_command::{
    Failure, check_distinct, check_report, check_writable, has_extension, seconds, whole,
};

use super::algorithms::Name;

/// The last section of the text that `--help` prints.
const DETAILS: &str = r#"Columns:
  answer     the first number of the answer
  error      the largest error over all numbers; worlds are compared by log-probability
  SE         the standard error that the answer states for the number with the largest error
  off by SE  the largest ratio, over all numbers, of the error to its standard error
  ESS        effective number of samples, the smallest over all targets: of weights, of autocorrelated chains, or, for
             SequentialMonteCarlo, from the spread of its populations
  ESS/s      effective number of samples per second
  memory     the largest number of bytes held at once, without those held before

Verdicts:
  exact           the answer claims to be exact or states bounds, and agrees with the exact answer
  within 3 SE     every error is at most 3 standard errors
  within 5 SE     the largest error is between 3 and 5 standard errors
  WRONG           the exact answer contradicts the answer
  error unknown   the answer states an infinite standard error
  approximate     the answer claims nothing about its error
  not judged      no exact answer is known
  not applicable  the algorithm cannot be applied to the model
  no answer       the algorithm gave no answer
  With --self-check, "checked" follows the verdict.

JSON: {"targets", "estimands": [{"target", "name"}], "exact": {"algorithm", "values", "seconds"},
  "best_log_probability", "rows": [{"algorithm", "values", "standard_errors", "log_probability", "error",
  "standard_error", "deviation", "effective_samples", "effective_of", "effective_samples_per_second", "seconds", "memory", "verdict", "checked",
  "message", "findings"}],
  "curves": [{"algorithm", "points": [{"budget", "runs", "seconds", "error", "standard_error"}]}], "stopped": "time" or "interrupt"}
  Values have the order of the estimands.
  A value that is unknown or infinite is null.
  "stopped" is present if the comparison ended early.

Ctrl-C and the end of --time end the running algorithm with its answer so far, and the comparison with the results so far.
A second Ctrl-C ends the program.

Exit code:
  0: any algorithm has an answer.
  1: no algorithm has an answer.
  2: a file or an option is wrong."#;

/// Runs many algorithms on one model and prints answers, errors, effective samples, time and memory in one table.
#[derive(Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
#[command(group(ArgGroup::new("question").required(true).args(["model", "network", "generator"])))]
pub(crate) struct Options {
    /// A model from a textbook.
    #[arg(long, value_enum)]
    pub(crate) model: Option<Model>,
    /// A network: a .bif, .bifxml (or .xml), .net, .uai or .xdsl file, or - for standard input in any of these formats.
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,
    /// The cells of a puzzle or a map.
    #[arg(long, value_enum)]
    pub(crate) generator: Option<Generator>,
    /// The variables of the network to query.
    #[arg(long, value_name = "all|VAR", num_args = 1.., default_value = "all")]
    pub(crate) query: Vec<String>,
    /// Evidence about the network: a .json file with {VAR: STATE}, a .evid file, or VAR=STATE.
    #[arg(long, value_name = "FILE|VAR=STATE", num_args = 1..)]
    pub(crate) evidence: Vec<String>,
    /// Number of rows of the generator's grid (default 4; for an island 5).
    #[arg(long)]
    pub(crate) rows: Option<usize>,
    /// Number of columns of the generator's grid (default 4; for an island 5).
    #[arg(long)]
    pub(crate) columns: Option<usize>,
    /// Algorithms, in the order of the list. If not given, nine common algorithms; for a model with infinitely many worlds or real numbers, the
    /// algorithms that support it.
    #[arg(long, value_enum, value_delimiter = ',', num_args = 1..)]
    algorithms: Vec<Name>,
    /// Total number of samples, particles, draws or steps of each sampler.
    #[arg(long, default_value_t = 20_000, value_parser = whole::<u64>(1..=1_000_000_000))]
    pub(crate) samples: u64,
    /// Time limit of each algorithm in seconds; a sampler then answers with its samples so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,
    /// Time limit of the whole comparison in seconds. When the limit is reached, the running algorithm answers with its result so far, and later
    /// algorithms do not run.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Check every answer by an independent computation or a second run; the check at least doubles the time.
    #[arg(long, conflicts_with = "time_limit")]
    pub(crate) self_check: bool,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Draw the error of samplers over time as curves into this .svg file, from three runs with each of five sample sizes.
    #[arg(long, value_name = "FILE")]
    pub(crate) curves: Option<PathBuf>,
    /// Write the whole comparison to this .html file, with curves and pictures.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Format of the comparison: readable text, or JSON with full precision.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// A burglary or an earthquake rings the alarm, and two neighbours call.
    Burglary,
    /// The grass is wet, because of the sprinkler or of rain.
    Sprinkler,
    /// The last state of a hidden Markov chain of ten steps.
    Hmm,
    /// Five measurements come from one of three normal distributions.
    Mixture,
    /// One corner of a grid of four by four cells in which neighbours tend to be equal.
    Grid,
    /// The number of failures before the first success of a coin, given that the number is even; the number has no upper bound.
    Geometric,
    /// The state of a part after one of two tests beeped, with rates that are learned from records.
    Learned,
    /// The rate of bad parts, a number between 0 and 1, after twenty inspected parts.
    Rate,
    /// The last position of a body with a velocity, after ten noisy position measurements.
    Kalman,
    /// The kind of waste and its emission, a mixture of normal distributions, after a measurement.
    Mixed,
    /// The skills of two players after three games with one draw.
    Ratings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generator {
    /// Yin-Yang boards.
    YinYang,
    /// Perfect mazes.
    Maze,
    /// Islands.
    Island,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Options {
    /// Returns an error if the command line contains several options that exclude each other.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.network.is_none() && (self.query != ["all"] || !self.evidence.is_empty()) {
            return Err("--query and --evidence need --network".into());
        }
        if self.generator.is_none() && (self.rows.is_some() || self.columns.is_some()) {
            return Err("--rows and --columns need --generator".into());
        }
        let samplers = self.algorithms();
        let mut sorted = samplers.iter().map(named).collect::<Vec<_>>();
        sorted.sort();
        if let Some([name, ..]) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("--algorithms: {name} occurs twice").into());
        }
        if let Some(path) = &self.curves
            && !has_extension(path, "svg")
        {
            return Err(format!(
                "--curves writes SVG: the file name {} must end in .svg",
                path.display()
            )
            .into());
        }
        self.curves.as_deref().map_or(Ok(()), check_writable)?;
        self.report.as_deref().map_or(Ok(()), check_report)?;
        check_distinct(&[
            ("--curves", self.curves.as_deref()),
            ("--report", self.report.as_deref()),
        ])?;
        if self.curves.is_some() && !samplers.iter().any(|name| name.is_sampler()) {
            return Err("--curves needs a sampler among --algorithms".into());
        }
        let inexact = match self.model {
            Some(Model::Geometric) => Some("geometric"),
            Some(Model::Ratings) => Some("ratings"),
            _ => None,
        };
        if let (Some(_), Some(model)) = (&self.curves, inexact) {
            let problem = "--curves needs an exact answer, but none is known for --model";
            return Err(format!("{problem} {model}").into());
        }
        Ok(())
    }

    /// Returns the requested algorithms; without a request, the default algorithms.
    pub(crate) fn algorithms(&self) -> Vec<Name> {
        if self.algorithms.is_empty() {
            match self.model {
                Some(Model::Geometric) => Name::ENDLESS.into(),
                Some(Model::Kalman | Model::Mixed | Model::Ratings) => Name::REAL.into(),
                _ => Name::USUAL.into(),
            }
        } else {
            self.algorithms.clone()
        }
    }

    pub(crate) fn title(&self) -> String {
        let model = self.model.as_ref().map(named);
        let generator = self.generator.as_ref().map(named);
        let network = self.network.as_ref().map(|path| path.display().to_string());
        let question = model.or(generator).or(network).unwrap_or_default();
        format!("Algorithms side by side: {question}")
    }

    /// Returns the settings of the run for a report.
    pub(crate) fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("figrs version", env!("CARGO_PKG_VERSION").to_owned()),
            ("samples of each sampler", self.samples.to_string()),
            ("seed", self.seed.to_string()),
        ];
        settings.extend(
            self.time_limit
                .map(|limit| ("time limit", format!("{} s", limit.as_secs_f64()))),
        );
        if self.network.is_some() {
            settings.push(("evidence", self.evidence.join(", ")));
            settings.push(("query", self.query.join(", ")));
        }
        let algorithms: Vec<String> = self.algorithms().iter().map(named).collect();
        settings.push(("algorithms", algorithms.join(", ")));
        settings
    }
}

pub(crate) fn named(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
