//! Evidence about networks and their queried variables, from files and from the command line.

use std::path::Path;

use figrs_models::network::{Network, Observation, ObservedVariables, State};

use crate::Failure;

/// The evidence of a file and of `VAR=STATE` texts.
///
/// **Errors.** Those of the file; texts of another form; names that the network does not have; a variable in two states.
pub fn observations(
    network: &impl ObservedVariables,
    file: Option<&Path>,
    texts: &[String],
) -> Result<Vec<Observation>, Failure> {
    let mut all = match file {
        Some(path) => network.read_evidence(path)?,
        None => Vec::new(),
    };
    for text in texts {
        // A name may hold a `=` itself.
        let mut parts = text
            .match_indices('=')
            .map(|(at, _)| (&text[..at], &text[at + 1..]));
        let known = parts
            .clone()
            .find(|(name, _)| network.position(name).is_ok());
        let Some((variable, state)) = known.or_else(|| parts.next()) else {
            return Err(format!("--observe {text}: write VAR=STATE").into());
        };
        all.push(network.observation(variable, state)?);
    }
    let mut seen: Vec<Option<&State>> = vec![None; network.variables().len()];
    for observed in &all {
        let before = seen[observed.variable()].replace(observed.state());
        if let Some(before) = before.filter(|&before| before != observed.state()) {
            let name = network.variables()[observed.variable()].name();
            let state = observed.state();
            return Err(format!(
                "`{name}` is observed as `{before}` and as `{state}`; keep one of them"
            )
            .into());
        }
    }
    Ok(all)
}

/// The positions of the queried variables, in the order of the file; `all` for those of every variable.
///
/// **Errors.** Names that the network does not have.
pub fn queried(network: &Network, names: &[String]) -> Result<Vec<usize>, Failure> {
    if names == ["all"] {
        return Ok((0..network.variables().len()).collect());
    }
    let positions = names.iter().map(|name| network.position(name));
    let mut positions = positions.collect::<Result<Vec<_>, _>>()?;
    positions.sort_unstable();
    positions.dedup();
    Ok(positions)
}
