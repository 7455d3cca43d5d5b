//! How probable demands are.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use figrs::models::mdmc::{ConditionedSampler, MarkovChain};
use serde_json::json;

use crate::Failure;
use crate::demanded::{exact, steered};
use crate::files::in_file;
use crate::options::{Format, Method, Options};

/// Writes the probability that the trained chain meets the demands, by each method.
pub(crate) fn write(options: &Options, chain: &Arc<MarkovChain>, seed: u64) -> Result<(), Failure> {
    for &method in &options.methods {
        let started = Instant::now();
        let steered = steered(options, chain)?;
        let (log, error) = if method == Method::Exact {
            (exact(options, steered)?.log_probability(), 0.0)
        } else {
            let sampler = ConditionedSampler::new(steered).particles(options.particles());
            let estimate = sampler.log_probability(seed)?;
            (estimate.value, estimate.standard_error)
        };
        let (probability, seconds) = (log.exp(), started.elapsed().as_secs_f64());
        let line = match options.format {
            Format::Json => json!({
                "method": method.name(),
                "probability": probability,
                "log_probability": log,
                "standard_error": probability * error,
                "seconds": seconds,
            })
            .to_string(),
            _ => format!(
                "{}: probability {probability:.6e} ± {:.1e}, {seconds:.3} s",
                method.name(),
                probability * error
            ),
        };
        let written = writeln!(io::stdout().lock(), "{line}");
        written.map_err(|error| in_file(Path::new("the standard output"), error))?;
    }
    Ok(())
}
