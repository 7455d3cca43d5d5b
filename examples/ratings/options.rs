//! Options of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use figrs_command::{AnswerOptions, Failure, finite, not_negative, seconds, whole};

use crate::rating::Laws;

/// Maximum probability of a draw: for larger probabilities the draw margin cannot be computed accurately.
const MOST_DRAWS: f64 = 0.999_999;

/// The last section of the text that `--help` prints.
const DETAILS: &str = r#"Matches: a CSV file with the columns winner and loser, and optionally draw and day (a number).
  The cells of draw are true, yes or 1 for a draw, and false, no, 0 or empty for a victory, in small or capital letters.
  A team is written `anna+ben`.
  Matches with days are rated in the order of days.

Model:
  A skill is a normal random number.
  Before each match the skill changes by a normal number with the standard deviation --drift.
  If matches have days, --drift is the standard deviation for each day between two matches of a player.
  A performance is the skill plus normal noise with the standard deviation --performance.
  The side with the larger sum of performances wins if it leads by more than the draw margin.
  The draw margin follows from --draw-probability.

Method: expectation propagation.
  The update of the players of one match is exact; afterwards their skills are treated as independent.
  Ratings are therefore approximate, except after a first match.
  One pass rates each match after the matches before it.
  --until-settled passes forwards and backwards until no skill changes, so that later matches rate earlier skills too.

Text: a table of the --top best players.

JSON: {"players": {NAME: {"mean": m, "sd": s, "matches": n}, ...}, "matches": n, "log_evidence": x}
  All players are in the JSON, the best one first.
  "log_evidence" is the natural logarithm of the probability of all results, each given the matches before it.
  "passes" and "settled" are present with --until-settled.

Pictures: --format svg draws the skills of the --top best players over time, each with a band of two standard deviations.

Exit code:
  0: there are ratings.
  1: there are no ratings.
  2: the file or an option is wrong."#;

/// Rates players by the results of their matches: the mean and the standard deviation of each skill.
#[derive(Clone, Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
pub(crate) struct Options {
    /// The matches as a CSV file; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) matches: PathBuf,
    /// Mean skill of newcomers.
    #[arg(long, default_value_t = 25.0, value_parser = mean, allow_negative_numbers = true)]
    mean: f64,
    /// Standard deviation of the skills of newcomers (default a third of --mean).
    #[arg(long, value_parser = positive)]
    sd: Option<f64>,
    /// Standard deviation of a performance given the skill (default a sixth of --mean).
    #[arg(long, value_name = "SD", value_parser = positive)]
    performance: Option<f64>,
    /// Standard deviation of the change of a skill before each match, or in a day if matches have days (default a hundredth of --sd).
    #[arg(long, value_name = "SD", value_parser = drift)]
    drift: Option<f64>,
    /// Probability of a draw between two equally skilled players.
    #[arg(long, value_name = "P", default_value_t = 0.1, value_parser = probability)]
    draw_probability: f64,
    /// Pass forwards and backwards through all matches until no skill changes.
    #[arg(long)]
    pub(crate) until_settled: bool,
    /// Number of players in tables and pictures.
    #[arg(long, value_name = "PLAYERS", default_value_t = 10, value_parser = whole::<u16>(1..))]
    pub(crate) top: u16,
    /// End the passes after this many seconds, with the ratings so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

impl Options {
    /// Returns the parameters of the distributions of skills, performances and results.
    ///
    /// **Errors.** The mean is not positive, so that no default standard deviations can be computed from it.
    pub(crate) fn laws(&self) -> Result<Laws, Failure> {
        if self.mean <= 0.0 && (self.sd.is_none() || self.performance.is_none()) {
            return Err(
                "--sd and --performance have no default if --mean is not positive; give both"
                    .into(),
            );
        }
        let deviation = self.sd.unwrap_or(self.mean / 3.0);
        Ok(Laws {
            mean: self.mean,
            deviation,
            performance: self.performance.unwrap_or(self.mean / 6.0),
            drift: self.drift.unwrap_or(deviation / 100.0),
            draw_probability: self.draw_probability,
        })
    }
}

/// True if the square of a number, and quotients of such squares, are numbers of the type `f64`.
fn is_moderate(number: f64) -> bool {
    (1e-50..=1e50).contains(&number.abs())
}

fn mean(text: &str) -> Result<f64, String> {
    let number = finite(text).ok().filter(|&x| x == 0.0 || is_moderate(x));
    number.ok_or_else(|| "write 0 or a number whose size is from 1e-50 to 1e50".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    let number = finite(text).ok().filter(|&x| x > 0.0 && is_moderate(x));
    number.ok_or_else(|| "write a number from 1e-50 to 1e50".to_owned())
}

fn drift(text: &str) -> Result<f64, String> {
    let number = not_negative(text).ok();
    let number = number.filter(|&x| x == 0.0 || is_moderate(x));
    number.ok_or_else(|| "write 0 or a number from 1e-50 to 1e50".to_owned())
}

fn probability(text: &str) -> Result<f64, String> {
    let number = finite(text).ok().filter(|x| (0.0..=MOST_DRAWS).contains(x));
    number.ok_or_else(|| format!("write a probability of at most {MOST_DRAWS}"))
}
