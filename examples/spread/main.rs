//! A sampling run in numbered parts: a model with discrete and continuous values, and a choice of samplers.
//!
//! ```sh
//! cargo run --release --example spread -- --samples 1000000
//! cargo run --release --example spread -- --samples 1000000 --parts 2 --part 0 --out target/parts
//! cargo run --release --example spread -- --samples 1000000 --parts 2 --part 1 --out target/parts
//! cargo run --release --example spread -- --samples 1000000 --parts 2 --merge --out target/parts
//! ```

use std::io::Write;
use std::num::NonZero;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use figrs::MergeableSampler;
use figrs::prelude::*;
use figrs_command::{Failure, parsed, run};
use figrs_spread::{Spread, SpreadError, SpreadOptions};
use serde_json::json;

/// Estimates the cause of a loud call and the loudness of the alarm, in one process or in numbered parts.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// Number of samples, of particles, or of draws of a chain
    #[arg(long, value_name = "N", default_value = "1000000")]
    samples: NonZero<u64>,
    /// Seed: the same seed gives the same answer, in any number of parts
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Sampler of the run
    #[arg(long, value_name = "NAME", default_value = "importance")]
    sampler: Sampler,
    /// Query the causes only, without the continuous loudness
    #[arg(long)]
    causes: bool,
    /// Number of threads of a part [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Format of the answer
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Format,
    #[command(flatten)]
    parts: SpreadOptions,
}

/// Name of a sampler.
#[derive(Clone, Copy, ValueEnum)]
enum Sampler {
    Importance,
    Rejection,
    /// Samples of the prior, without the evidence of a call
    Forward,
    Particles,
    Metropolis,
    /// A Markov chain over the causes only, since the loudness is continuous
    Gibbs,
}

/// Format of the answer.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// The targets of the query: the cause with the loudness, or both causes.
struct Asked<'a> {
    causes: (&'a Element<bool>, &'a Element<bool>),
    loudness: Option<&'a Element<f64>>,
}

impl Asked<'_> {
    fn answer<S: MergeableSampler>(
        &self,
        spread: &Spread,
        sampler: &S,
        evidence: &Model,
    ) -> Result<Option<Answer>, SpreadError> {
        match self.loudness {
            Some(loudness) => spread.run(sampler, evidence, &(self.causes.0, loudness)),
            None => spread.run(sampler, evidence, &self.causes),
        }
    }
}

/// Default number of parts of a run, without `--parts`.
const PARTS: u64 = 8;

fn main() -> ExitCode {
    let options: Options = parsed();
    run(
        |_| None,
        || ask(&options, &mut figrs_command::standard_output()),
    )
}

fn ask(options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    let burglary = Flip::new(0.01).named("burglary");
    let earthquake = Flip::new(0.02).named("earthquake");
    let rings = (&burglary, &earthquake).map(|(burglary, earthquake)| *burglary || *earthquake);
    let called = If::new(&rings, Flip::new(0.9), Flip::new(0.05)).named("called");
    // A silent phone has a loudness of zero exactly; otherwise it is continuous.
    let loudness = If::new(
        &called,
        Normal::new(60.0, StandardDeviation(5.0)),
        Constant::new(0.0),
    )
    .named("loudness");
    let heard = If::new(&called, Flip::new(0.8), Flip::new(0.0));
    let threads = options.threads.map_or_else(cores, NonZero::get);
    let threads = NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN);
    let (samples, seed) = (options.samples.get(), options.seed);
    let spread = Spread::from_options("alarm", PARTS, options.parts.clone())?;
    let evidence = Model::new().observe(&heard, true);
    let asked = Asked {
        causes: (&burglary, &earthquake),
        loudness: match options.sampler {
            Sampler::Gibbs => None,
            _ => (!options.causes).then_some(&loudness),
        },
    };
    let answer = match options.sampler {
        Sampler::Importance => {
            let sampler = ImportanceSampling::new(samples).seed(seed).threads(threads);
            asked.answer(&spread, &sampler, &evidence)?
        }
        Sampler::Rejection => {
            let sampler = RejectionSampling::new(samples).seed(seed).threads(threads);
            asked.answer(&spread, &sampler, &evidence)?
        }
        Sampler::Forward => {
            let sampler = ForwardSampling::new(samples).seed(seed).threads(threads);
            asked.answer(&spread, &sampler, &Model::new())?
        }
        Sampler::Particles => {
            let particles = usize::try_from(samples)?;
            let sampler = SequentialMonteCarlo::new(particles);
            let sampler = sampler.seed(seed).threads(threads);
            asked.answer(&spread, &sampler, &evidence)?
        }
        Sampler::Metropolis => {
            let sampler = MetropolisHastings::new(samples).seed(seed).threads(threads);
            asked.answer(&spread, &sampler, &evidence)?
        }
        Sampler::Gibbs => {
            let sampler = Gibbs::new(samples).seed(seed).threads(threads);
            asked.answer(&spread, &sampler, &evidence)?
        }
    };
    let Some(answer) = answer else {
        return Ok(());
    };
    let probability = answer.probability(&burglary, &true)?;
    let mean = asked.loudness.map(|loudness| answer.mean(loudness));
    let mean = mean.transpose()?;
    let given = match options.sampler {
        Sampler::Forward => "",
        _ => " | a call was heard",
    };
    if options.format == Format::Json {
        let message =
            json!({"evidence": !given.is_empty(), "burglary": probability, "loudness": mean});
        writeln!(out, "{message}")?;
        return Ok(());
    }
    writeln!(out, "P(burglary{given}) = {probability:.6}")?;
    if let Some(mean) = mean {
        writeln!(out, "E(loudness{given}) = {mean:.4}")?;
    }
    Ok(())
}

/// Returns the number of cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
