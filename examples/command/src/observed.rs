//! Evidence about networks and the queried variables, from files and the command line.

use std::path::Path;

use figrs_core::printable;
use figrs_network::{Network, NetworkEvidence, ObservedVariables, RealObservation};

use crate::Failure;

/// Returns the evidence of the file of --evidence and of the `VAR=STATE` texts of a flag.
///
/// **Errors.** The file cannot be read; a text is not `VAR=STATE`; a name is not in the network; a variable is observed in two states, or has both
/// weights and a state. An error contains the flag and the text, or the file and the line.
pub fn observations(
    network: &impl ObservedVariables,
    file: Option<&Path>,
    (flag, texts): (&str, &[String]),
) -> Result<NetworkEvidence, Failure> {
    let mut all = match file {
        Some(path) => network.read_evidence(path)?,
        None => NetworkEvidence::default(),
    };
    let in_file = all.observations().len();
    for text in texts {
        // A name may hold a `=` itself.
        let mut parts = text
            .match_indices('=')
            .map(|(at, _)| (&text[..at], &text[at + 1..]));
        let known = parts.clone().find(|(name, value)| {
            network.position(name).is_ok() || network.real_observation(name, value).is_some()
        });
        let Some((variable, state)) = known.or_else(|| parts.next()) else {
            return Err(format!("{flag} {}: write VAR=STATE", printable(text)).into());
        };
        if let Some(observed) = network.real_observation(variable, state) {
            let observed =
                observed.map_err(|error| format!("{flag} {}: {error}", printable(text)))?;
            add_real(&mut all, observed).map_err(|problem| {
                let (text, name) = (printable(text), printable(variable));
                format!("{flag} {text}: `{name}` {problem}")
            })?;
            continue;
        }
        let observed = network.observation(variable, state);
        all.observe(observed.map_err(|error| format!("{flag} {}: {error}", printable(text)))?);
    }
    let name = |variable: usize| printable(network.variables()[variable].name()).to_string();
    let of_file = || format!("{}", file.unwrap_or(Path::new("")).display());
    let place = |number: usize| match number.checked_sub(in_file) {
        Some(text) => format!("{flag} {}", printable(&texts[text])),
        None => of_file(),
    };
    let mut seen: Vec<Option<usize>> = vec![None; network.variables().len()];
    let stated = all.observations();
    for (number, observed) in stated.iter().enumerate() {
        let before = seen[observed.variable()].replace(number);
        if let Some(before) = before.filter(|&before| stated[before].state() != observed.state()) {
            let name = name(observed.variable());
            let (first, second) = (place(before), place(number));
            return Err(format!(
                "`{name}` has two states, from {first} and from {second}; keep one of them"
            )
            .into());
        }
    }
    for likelihoods in all.likelihoods() {
        if let Some(number) = seen[likelihoods.variable()] {
            let (name, first) = (name(likelihoods.variable()), of_file());
            let second = place(number);
            return Err(format!(
                "`{name}` has weights of its states from {first} and a state from {second}; keep one of them"
            )
            .into());
        }
    }
    Ok(all)
}

/// Adds an observation of a real variable, unless the evidence already contains the same observation.
///
/// **Errors.** The variable is already observed with another value.
fn add_real(all: &mut NetworkEvidence, observed: RealObservation) -> Result<(), &'static str> {
    let mut before = all.real_observations().iter();
    match before.find(|before| before.variable() == observed.variable()) {
        Some(before) if *before == observed => Ok(()),
        Some(_) => Err("has two values; keep one of them"),
        None => {
            all.observe_real(observed);
            Ok(())
        }
    }
}

/// The positions of the queried variables, in the order of the file; `all` or an empty list stands for every variable.
///
/// **Errors.** A queried name is not the name of a variable of the network.
pub fn queried(network: &Network, names: &[String]) -> Result<Vec<usize>, Failure> {
    if names.is_empty() || names == ["all"] {
        return Ok((0..network.variables().len()).collect());
    }
    let positions = names.iter().map(|name| {
        let position = network.position(name);
        position.map_err(|error| format!("--query {}: {error}", printable(name)))
    });
    let mut positions = positions.collect::<Result<Vec<_>, _>>()?;
    positions.sort_unstable();
    positions.dedup();
    Ok(positions)
}
