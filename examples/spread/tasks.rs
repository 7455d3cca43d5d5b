//! Work in numbered parts: sets of levels or mazes, a fit whose rounds are split into parts, or an exact sum over parts of a network.
//!
//! ```sh
//! cargo run --release --example spread_tasks -- levels --to 100 --set target/levels
//! cargo run --release --example spread_tasks -- fit --parts 2 --part 0 --out target/fit
//! cargo run --release --example spread_tasks -- fit --parts 2 --part 1 --out target/fit
//! cargo run --release --example spread_tasks -- fit --parts 2 --merge --out target/fit
//! ```

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::{Learned, stream};
use figrs_command::{Bytes, Failure, bytes, parsed, run};
use figrs_learn::{Cases, ExpectationMaximization};
use figrs_models::board::ConditionalSampler;
use figrs_models::grid::Size;
use figrs_models::maze::PerfectMaze;
use figrs_models::mdmc::{
    Corpus, DrawnLevels, LookAheadSampler, MarkovChain, RowSplits, Structure,
};
use figrs_network::Network;
use figrs_spread::{Slices, Spread, SpreadOptions};

/// Draws sets of numbered files, fits a model or sums a network, in one process or in numbered parts.
#[derive(Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Draws the Super Mario levels that `mario_mdmc` draws for the same seed
    Levels(Set),
    /// Draws the mazes that `maze` draws for the same seed
    Mazes(Set),
    /// Fits a mixture of two kinds of patients to partly missing test results
    Fit(Learning),
    /// Computes the logarithm of the probability of evidence as a sum over parts of a network (slices)
    Sum(Sum),
}

/// A set of numbered files.
#[derive(Args)]
struct Set {
    /// Directory of the files
    #[arg(long = "set", value_name = "DIR")]
    directory: PathBuf,
    /// The first number of the set
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// The number after the last number of the set
    #[arg(long, value_name = "N", default_value_t = 100)]
    to: u64,
    /// Number of columns of a level or a maze
    #[arg(long, value_name = "N", default_value_t = 20)]
    width: usize,
    /// Seed: the same seed gives the same files, in any number of parts
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    parts: SpreadOptions,
}

/// The options for learning a model from data.
#[derive(Args)]
struct Learning {
    /// Number of rows of data
    #[arg(long, value_name = "N", default_value_t = 2000)]
    rows: u64,
    /// Maximum number of rounds
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rounds: u64,
    #[command(flatten)]
    parts: SpreadOptions,
}

/// The probability of evidence as a sum over parts of a network (slices).
#[derive(Args)]
struct Sum {
    /// The network, in any format that `network` reads
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
    /// Evidence: a .json or .evid file
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Memory of each process, such as 100MiB
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "100MiB")]
    memory: Bytes,
    #[command(flatten)]
    parts: SpreadOptions,
}

/// Default number of parts of the work, without `--parts`.
const PARTS: u64 = 8;
/// Number of tests of a patient.
const TESTS: usize = 6;

fn main() -> ExitCode {
    run(
        |_| None,
        || match parsed::<Options>().task {
            Task::Levels(set) => set.tell(levels(&set)?, &mut figrs_command::standard_output()),
            Task::Mazes(set) => set.tell(mazes(&set)?, &mut figrs_command::standard_output()),
            Task::Fit(learning) => fit(&learning, &mut figrs_command::standard_output()),
            Task::Sum(sum) => evidence(&sum, &mut figrs_command::standard_output()),
        },
    )
}

impl Set {
    fn numbers(&self) -> Range<u64> {
        self.from..self.to
    }

    /// Prints the number of files drawn; a process that serves parts prints nothing.
    fn tell(&self, drawn: u64, out: &mut impl Write) -> Result<(), Failure> {
        if !self.parts.serve {
            writeln!(out, "{drawn} files drawn into {}", self.directory.display())?;
        }
        Ok(())
    }
}

fn levels(set: &Set) -> Result<u64, Failure> {
    let spread = Spread::from_options("levels", PARTS, set.parts.clone())?;
    let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::new(14, 14)?)?;
    let drawn = DrawnLevels::from(LookAheadSampler::new(chain, 3, set.width)?);
    let sampler = ConditionalSampler::new().numbered(&drawn)?;
    Ok(spread.levels(&sampler, set.seed, set.numbers(), &set.directory)?)
}

fn mazes(set: &Set) -> Result<u64, Failure> {
    let spread = Spread::from_options("mazes", PARTS, set.parts.clone())?;
    let maze = PerfectMaze::new(Size::new(set.width, set.width)?);
    let sampler = ConditionalSampler::new().numbered(&maze)?;
    Ok(spread.levels(&sampler, set.seed, set.numbers(), &set.directory)?)
}

fn evidence(sum: &Sum, out: &mut impl Write) -> Result<(), Failure> {
    let spread = Spread::from_options("sum", PARTS, sum.parts.clone())?;
    let network = Network::read(&sum.file)?;
    let evidence = sum.evidence.as_ref();
    let evidence = evidence.map(|file| network.read_evidence(file));
    let model = network.given(&evidence.transpose()?.unwrap_or_default());
    if let Some(log_evidence) = spread.sum(&model, Slices::within(sum.memory))? {
        writeln!(out, "{log_evidence}")?;
    }
    Ok(())
}

fn fit(learning: &Learning, out: &mut impl Write) -> Result<(), Failure> {
    let spread = Spread::from_options("patients", PARTS, learning.parts.clone())?;
    let share = Learned::beta("share of the ill", 2.0, 3.0);
    let ill = Flip::new(&share).named("ill");
    let mut rates = Vec::new();
    let tests = (0..TESTS).map(|test| {
        let rate = |kind: &str, a, b| Learned::beta(format!("rate {test} of the {kind}"), a, b);
        let (of_ill, of_well) = (rate("ill", 3.0, 2.0), rate("well", 2.0, 4.0));
        let positive = If::new(&ill, Flip::new(&of_ill), Flip::new(&of_well));
        rates.push((of_ill, of_well));
        positive.named(format!("test {test}"))
    });
    let tests: Vec<Element<bool>> = tests.collect();
    // Every process makes the same data: a third of the patients is ill, and one result of eight is missing.
    let row = |row| {
        let mut random = stream(7, row);
        let rate = if random.random_bool(1.0 / 3.0) {
            0.8
        } else {
            0.2
        };
        let result = |_| {
            let is_positive = random.random_bool(rate);
            random.random_bool(7.0 / 8.0).then_some(is_positive)
        };
        (0..TESTS).map(result).collect::<Vec<_>>()
    };
    let cases = Cases::new(&tests).rows((0..learning.rows).map(row));
    let learner = ExpectationMaximization::new(JunctionTree::new())
        .map_estimate()
        .rounds(learning.rounds);
    let Some(fit) = spread.fit(&learner, &Model::new(), &cases)? else {
        return Ok(());
    };
    writeln!(out, "share of the ill: {}", fit.value(&share)?)?;
    for (test, (of_ill, of_well)) in rates.iter().enumerate() {
        let (of_ill, of_well) = (fit.value(of_ill)?, fit.value(of_well)?);
        writeln!(
            out,
            "test {test}: {of_ill} of the ill, {of_well} of the well"
        )?;
    }
    Ok(())
}
