//! Options of the command line.

use std::path::PathBuf;

use clap::Parser;
use figrs_command::{AnswerOptions, Failure, finite, not_negative};

use crate::model::{Kind, TrackingModel};

/// The last section of the text that `--help` prints.
const DETAILS: &str = r#"Readings: a CSV file with a line for each step and a column for each coordinate.
  The first line may name the columns.
  An empty cell is a missing reading.
  With `--data -` standard input streams: each line is answered by a line at once, and memory does not grow.

Models, for each coordinate:
  level     a number that changes by N(0, Q) at each step.
  trend     a level and its slope: the level changes by the slope plus N(0, Q1), the slope by N(0, Q2).
  velocity  a position and its velocity, with white noise of the acceleration: the velocity changes by N(0, Q), and the position
            by the mean of the velocities before and after plus N(0, Q/12).
  A reading is the level or the position plus N(0, R).
  The first reading is of the first state.

Variances and means:
  --process takes Q, or Q1,Q2 for a trend.
  --start-mean and --start-variance take a number for each state variable, or a single number.
  A single --start-variance applies to levels and positions, and also to slopes and velocities.
  A single --start-mean applies to levels and positions; slopes and velocities then start with mean 0.
  A variance of 0 is allowed: nothing changes, or nothing is unknown.

State: first the levels or positions of all coordinates, then the slopes or velocities.

Text: a line for each step.

JSON: {"log_evidence": x, "steps": [{"filtered": {"mean": [..], "sd": [..]}, "smoothed": {..}, "predicted": {..}}, ...]}
  "predicted" is the state given the earlier readings.
  "filtered" is the state given the earlier readings and the reading of the step.
  "smoothed" is the state given all readings.
  A stream has one object for each line, with "predicted", "filtered" and the "log_evidence" so far.
  All numbers are exact up to rounding.

Pictures: --format svg draws the readings of the first coordinate, and its smoothed and filtered means.
  Each mean has a band of two standard deviations.

Exit code:
  0: there is an answer.
  1: the readings are impossible.
  2: the file or an option is wrong."#;

/// Tracks a level, a trend or a moving body through noisy readings: exact means and standard deviations at each step.
#[derive(Clone, Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
pub(crate) struct Options {
    /// The readings as a CSV file; `-` streams standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// The stochastic process of the state.
    #[arg(long, value_enum, default_value_t = Kind::Level)]
    model: Kind,
    /// Variance of the change of the state in a step; for a trend either one number or two, `LEVEL,SLOPE`.
    #[arg(long, value_name = "Q", default_value = "1", value_delimiter = ',', value_parser = not_negative)]
    process: Vec<f64>,
    /// Variance of a reading given the state: one number for each column, or one for all columns.
    #[arg(long, value_name = "R", default_value = "1", value_delimiter = ',', value_parser = not_negative)]
    noise: Vec<f64>,
    /// Mean of the first state.
    #[arg(long, value_name = "M", default_value = "0", value_delimiter = ',', value_parser = finite, allow_negative_numbers = true)]
    start_mean: Vec<f64>,
    /// Variance of the first state; a single number also applies to slopes and velocities.
    #[arg(long, value_name = "V", default_value = "1e6", value_delimiter = ',', value_parser = not_negative)]
    start_variance: Vec<f64>,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

impl Options {
    /// Returns the model of readings with the given number of coordinates.
    ///
    /// **Errors.** A flag has the wrong number of values for the coordinates.
    pub(crate) fn model(&self, coordinates: usize) -> Result<TrackingModel, Failure> {
        let numbers = self.model.numbers_of_coordinate() * coordinates;
        let each = |flag: &str, given: &[f64], count: usize| match given {
            [one] => Ok(vec![*one; count]),
            all if all.len() == count => Ok(all.to_vec()),
            all => {
                let or = if count > 1 {
                    format!(" or {count}")
                } else {
                    String::new()
                };
                Err(Failure::from(format!(
                    "{flag} has {} numbers; give one{or}",
                    all.len()
                )))
            }
        };
        let mut start_mean = each("--start-mean", &self.start_mean, numbers)?;
        if self.start_mean.len() == 1 {
            start_mean[coordinates..].fill(0.0);
        }
        Ok(TrackingModel {
            kind: self.model,
            coordinates,
            process: match self.model {
                Kind::Trend => each("--process", &self.process, 2)?,
                Kind::Level | Kind::Velocity => each("--process", &self.process, 1)?,
            },
            noise: each("--noise", &self.noise, coordinates)?,
            start_mean,
            start_variance: each("--start-variance", &self.start_variance, numbers)?,
        })
    }
}
