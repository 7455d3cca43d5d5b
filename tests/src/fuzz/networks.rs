//! The readers of networks and their evidence.

use figrs::models::network::{Network, NetworkKind, Observation};
use figrs::prelude::*;

use super::agreement::{enumerate, exact, log_evidence, same};
use super::text;

/// A network in BIF.
///
/// # Panics
///
/// If it is not read back as it was written, or two algorithms differ on it.
pub fn bif(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(network) = Network::from_bif(text) else {
        return;
    };
    let written = network.to_bif().expect("a Bayesian network");
    let again = Network::from_bif(&written).expect("what was written");
    is_same(&network, &again);
    let names = |network: &Network| -> Vec<String> {
        let names = network.variables().iter().map(|v| v.name().to_owned());
        names.collect()
    };
    assert_eq!(names(&network), names(&again));
    ask(&network, &[]);
}

/// A network in the format of the UAI competitions, and after the first line that is `EVIDENCE` observations in the same format.
///
/// # Panics
///
/// If it is not read back as it was written, or two algorithms differ on it.
pub fn uai(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (text, evidence) = text.split_once("\nEVIDENCE\n").unwrap_or((text, "0"));
    let Ok(network) = Network::from_uai(text) else {
        return;
    };
    let again = Network::from_uai(&network.to_uai()).expect("what was written");
    is_same(&network, &again);
    if network.kind() == NetworkKind::Markov {
        assert!(network.to_bif().is_err());
    }
    let observations = network.evidence_from_uai(evidence);
    ask(&network, &observations.unwrap_or_default());
}

/// Evidence about a small network, in JSON where it begins with `{`, else as the UAI competitions have it.
///
/// # Panics
///
/// If two algorithms differ on it.
pub fn evidence(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let network = Network::from_bif(include_str!("evidence.bif")).expect("a network");
    let observations = if text.trim_start().starts_with('{') {
        network.evidence_from_json(text)
    } else {
        network.evidence_from_uai(text)
    };
    if let Ok(observations) = observations {
        ask(&network, &observations);
    }
}

fn is_same(network: &Network, again: &Network) {
    assert_eq!(network.variables().len(), again.variables().len());
    assert_eq!(network.tables().len(), again.tables().len());
    for (table, again) in network.tables().iter().zip(again.tables()) {
        assert_eq!(table.variables(), again.variables());
        let bits = |numbers: &[f64]| -> Vec<u64> { numbers.iter().map(|x| x.to_bits()).collect() };
        assert_eq!(bits(table.numbers()), bits(again.numbers()));
    }
}

/// Asks all exact algorithms for the first variables of a small network.
fn ask(network: &Network, observations: &[Observation]) {
    let states = network.variables().iter().map(|v| v.states().len());
    let entries = network.tables().iter().map(|table| table.numbers().len());
    if states.chain(entries).sum::<usize>() > 2_000 {
        return;
    }
    let model = network.observing(observations);
    let targets = &network.elements()[..network.elements().len().min(3)];
    let reference = enumerate().run(&model, targets);
    let numbers = |answer: &Answer| -> Result<Vec<f64>, Error> {
        let mut numbers = log_evidence(answer)?;
        for (target, variable) in targets.iter().zip(network.variables()) {
            let marginal = answer.distribution(target)?;
            numbers.extend(
                variable
                    .states()
                    .iter()
                    .map(|state| marginal.probability(state)),
            );
        }
        Ok(numbers)
    };
    for algorithm in exact() {
        let found = algorithm.run(&model, targets);
        same(algorithm.name(), &reference, &found, numbers);
    }
}
