//! The score of a network on data.

use std::io::{self, Write};
use std::path::Path;

use figrs::printable;
use figrs_command::{Failure, stop};
use figrs_network::{Network, ScoredNetwork, Variable};
use serde_json::{Map, Value as Json, json};

use super::report::widest;
use super::{Format, Options, structure};
use figrs_command::as_json;

/// Scores the structure of the network, and prints the total and the term of each variable.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let given = options.clone();
    let scored = stop::attempt(move || scored(&given))?;
    let (network, scored) = scored.ok_or_else(|| stop::nothing("a score"))??;
    let variables = network.variables();
    let terms = variables.iter().zip(&scored.variables);
    let mut out = io::BufWriter::new(figrs_command::standard_output());
    if options.format == Format::Json {
        let terms = terms.map(|(variable, &term)| (variable.name().into(), as_json(term)));
        let terms: Map<String, Json> = terms.collect();
        let total = as_json(scored.total);
        writeln!(out, "{}", json!({"score": total, "variables": terms}))?;
    } else {
        let width = widest(variables.iter().map(Variable::name));
        for (variable, term) in terms {
            writeln!(out, "{:width$}  {term:.6}", printable(variable.name()))?;
        }
        let name = options.structures.score_name();
        writeln!(out, "{name} {:.6}", scored.total)?;
    }
    Ok(out.flush()?)
}

fn scored(options: &Options) -> Result<(Network, ScoredNetwork), Failure> {
    let path = options.data.as_deref().unwrap_or(Path::new(""));
    let (network, data) = structure::read(options, path)?;
    let score = options.structures.score().unwrap_or_default();
    let scored = score.of(&network, &data);
    let scored = scored.map_err(|error| structure::failure(error, path))?;
    Ok((network, scored))
}
