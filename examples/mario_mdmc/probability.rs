//! Probabilities that a drawn level meets demands.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use figrs::Error;
use figrs_command::{Failure, NoAnswer, in_file, stop};
use figrs_design::DemandedLevelError;
use figrs_models::board::BoardError;
use figrs_models::mdmc::{Corpus, LevelModel};
use serde_json::json;

use crate::demanded::{conditioned, demanded_level, exact_log_probability, watched};
use crate::format::Format;
use crate::method::Method;
use crate::options::Options;

/// Writes the probability that the trained model meets the demands, as computed by each method.
pub(crate) fn write(
    options: &Arc<Options>,
    corpus: &Corpus,
    model: &LevelModel,
    seed: u64,
) -> Result<(), Failure> {
    for (place, &method) in options.methods.iter().enumerate() {
        let started = Instant::now();
        let (asked, corpus, model) = (Arc::clone(options), corpus.clone(), model.clone());
        let found = stop::attempt(move || probability(method, &asked, &corpus, &model, seed))?;
        let Some(found) = found else {
            let without = options.methods[place..].iter().map(|method| method.name());
            let without: Vec<String> = without.collect();
            let what = format!("a probability by {}", without.join(" and "));
            return Err(stop::nothing(&what));
        };
        let (log, error) = found?;
        let (probability, seconds) = (log.exp(), started.elapsed().as_secs_f64());
        let name = method.name();
        let line = if options.format() == Format::Json {
            json!({
                "method": name,
                "probability": probability,
                "log_probability": log,
                "standard_error": probability * error,
                "seed": seed,
                "seconds": seconds,
            })
            .to_string()
        } else {
            let error = match method {
                Method::Exact => "exact".to_owned(),
                _ => format!("± {:.1e}, seed {seed}", probability * error),
            };
            format!("{name}: probability {probability:.6e} {error}, {seconds:.3} s")
        };
        let written = writeln!(figrs_command::standard_output(), "{line}");
        written.map_err(|error| in_file(Path::new("the standard output"), error))?;
    }
    Ok(())
}

/// Returns the logarithm of the probability that the demands are met, as a method computes it, and its standard error.
fn probability(
    method: Method,
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
    seed: u64,
) -> Result<(f64, f64), Failure> {
    if method == Method::Exact {
        return Ok((exact_log_probability(options, corpus, model)?, 0.0));
    }
    let demanded = demanded_level(options, corpus, model)?;
    let sampler = watched(conditioned(options).interrupt(stop::flag())).seed(seed);
    match sampler.estimated_log_probability(&demanded) {
        Ok(estimate) => Ok((estimate.value, estimate.standard_error)),
        Err(BoardError::Inference(Error::NoSampleMetEvidence { .. })) => Err(NoAnswer(
            "no particle met the demands; use more --particles, or --method exact".to_owned(),
        )
        .into()),
        Err(other) => Err(DemandedLevelError::from(other).into()),
    }
}
