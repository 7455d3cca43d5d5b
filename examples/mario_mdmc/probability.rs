//! How probable demands are.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use figrs::Error;
use figrs::models::mdmc::{MarkovChain, SteeringError};
use serde_json::json;

use crate::demanded::{conditioned, exact, steered, watched};
use crate::failure::Failure;
use crate::files::in_file;
use crate::no_answer::NoAnswer;
use crate::options::{Format, Method, Options};

/// Writes the probability that the trained chain meets the demands, by each method.
pub(crate) fn write(options: &Options, chain: &Arc<MarkovChain>, seed: u64) -> Result<(), Failure> {
    for &method in &options.methods {
        let started = Instant::now();
        let steered = steered(options, chain)?;
        let (log, error) = if method == Method::Exact {
            (exact(options, steered)?.log_probability(), 0.0)
        } else {
            let sampler = watched(conditioned(options, steered))?;
            let estimate = sampler.log_probability(seed).map_err(|error| -> Failure {
                match error {
                    SteeringError::Inference(Error::NoSampleMetEvidence { .. }) => NoAnswer(
                        "no particle met the demands; use more --particles, or --method exact"
                            .to_owned(),
                    )
                    .into(),
                    other => other.into(),
                }
            })?;
            (estimate.value, estimate.standard_error)
        };
        let (probability, seconds) = (log.exp(), started.elapsed().as_secs_f64());
        let name = method.name();
        let line = if options.format == Format::Json {
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
        let written = writeln!(io::stdout().lock(), "{line}");
        written.map_err(|error| in_file(Path::new("the standard output"), error))?;
    }
    Ok(())
}
