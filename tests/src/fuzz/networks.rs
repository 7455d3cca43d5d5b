//! Fuzzes the readers of networks and of their evidence.

use figrs::network::{
    DecisionNode, InfluenceDiagram, MixedNetwork, Network, NetworkError, NetworkEvidence,
    NetworkFormat, NetworkKind, NetworkTable,
};
use figrs::prelude::*;

use super::agreement::{enumerate, exact, log_evidence, same};
use super::text;

/// Reads a network in BIF.
///
/// # Panics
///
/// Panics if the network differs after it is written and read again, or if two algorithms give different answers.
pub fn bif(data: &[u8]) {
    named(data, Network::from_bif);
}

/// Reads a network or influence diagram in BIFXML.
///
/// # Panics
///
/// Panics as [`bif`] does.
pub fn bifxml(data: &[u8]) {
    named(data, Network::from_bifxml);
    if let Some(diagram) = text(data).and_then(|text| InfluenceDiagram::from_bifxml(text).ok()) {
        check(&diagram);
    }
}

/// Reads a network or influence diagram in NET.
///
/// # Panics
///
/// Panics as [`bif`] does.
pub fn net(data: &[u8]) {
    named(data, Network::from_net);
    if let Some(diagram) = text(data).and_then(|text| InfluenceDiagram::from_net(text).ok()) {
        check(&diagram);
    }
    let mixed = text(data).and_then(|text| MixedNetwork::from_net(text).ok());
    if let Some(written) = mixed.and_then(|mixed| mixed.to_text(NetworkFormat::Net).ok()) {
        let again = MixedNetwork::from_net(&written).expect("what was written");
        assert_eq!(again.to_text(NetworkFormat::Net).ok(), Some(written));
    }
}

/// Reads a network or influence diagram in XDSL.
///
/// # Panics
///
/// Panics as [`bif`] does.
pub fn xdsl(data: &[u8]) {
    named(data, Network::from_xdsl);
    if let Some(diagram) = text(data).and_then(|text| InfluenceDiagram::from_xdsl(text).ok()) {
        check(&diagram);
    }
}

/// Reads a network in a format with names, writes it in all such formats, and runs queries on it.
fn named(data: &[u8], read: fn(&str) -> Result<Network, NetworkError>) {
    let Some(text) = text(data) else { return };
    let Ok(network) = read(text) else { return };
    for other in [
        NetworkFormat::Bif,
        NetworkFormat::Bifxml,
        NetworkFormat::Net,
        NetworkFormat::Xdsl,
    ] {
        match network.to_text(other) {
            Ok(written) => {
                let again = Network::from_text(&written, "again").expect("what was written");
                is_same(&network, &again);
                assert_eq!(names(&network), names(&again));
            }
            Err(error) => {
                let is_name = matches!(error, NetworkError::NotWritable { .. });
                assert!(is_name, "{error}");
            }
        }
    }
    ask(&network, &NetworkEvidence::default());
}

fn names(network: &Network) -> Vec<String> {
    let names = network.variables().iter().map(|v| v.name().to_owned());
    names.collect()
}

/// Checks that parents precede children in the order of an influence diagram, and that tables have the sizes that their variables require.
fn check(diagram: &InfluenceDiagram) {
    let mut seen = vec![false; diagram.variables().len()];
    let size = |variables: &[usize]| -> usize {
        let sizes = variables
            .iter()
            .map(|&v| diagram.variables()[v].states().len());
        sizes.product()
    };
    for &variable in diagram.parents_first() {
        let tables = diagram.tables().iter().map(NetworkTable::variables);
        let own =
            tables.filter_map(|all| all.split_last().filter(|(child, _)| **child == variable));
        let known = diagram.decisions().iter();
        let known = known
            .filter(|d| d.variable() == variable)
            .map(DecisionNode::known);
        let parents: Vec<usize> = own
            .map(|(_, parents)| parents)
            .chain(known)
            .flatten()
            .copied()
            .collect();
        assert!(parents.iter().all(|&parent| seen[parent]));
        seen[variable] = true;
    }
    assert!(seen.iter().all(|&seen| seen));
    for utility in diagram.utilities() {
        assert_eq!(utility.numbers().len(), size(utility.variables()));
        assert!(utility.numbers().iter().all(|number| number.is_finite()));
    }
}

/// Reads a network in the format of the UAI competitions and, after the first line `EVIDENCE`, observations in the same format.
///
/// # Panics
///
/// Panics if the network differs after it is written and read again, or if two algorithms give different answers.
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
    ask(&network, &observations.unwrap_or_default().into());
}

/// Reads a formula in DIMACS CNF.
///
/// # Panics
///
/// Panics if the UAI network that the formula becomes cannot be read back, or if two algorithms give different answers.
pub fn cnf(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(network) = Network::from_cnf(text) else {
        return;
    };
    let again = Network::from_uai(&network.to_uai()).expect("what was written");
    assert!(again.variables().len() >= network.variables().len());
    assert!(network.to_text(NetworkFormat::Cnf).is_err());
    ask(&network, &NetworkEvidence::default());
}

/// Reads evidence about a small network: as JSON if the text begins with `{`, and otherwise in the format of the UAI competitions.
///
/// # Panics
///
/// Panics if two algorithms give different answers.
pub fn evidence(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let network = Network::from_bif(include_str!("evidence.bif")).expect("a network");
    let evidence = if text.trim_start().starts_with('{') {
        network.evidence_from_json(text)
    } else {
        network.evidence_from_uai(text).map(NetworkEvidence::from)
    };
    if let Ok(evidence) = evidence {
        ask(&network, &evidence);
    }
}

fn is_same(network: &Network, again: &Network) {
    assert_eq!(network.variables().len(), again.variables().len());
    assert_eq!(network.tables().len(), again.tables().len());
    // In a format that does not order tables, the tables have the order of the variables.
    let sorted = |network: &Network| -> Vec<(Vec<usize>, Vec<u64>)> {
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect();
        let tables = network.tables().iter();
        let mut tables: Vec<_> = tables
            .map(|t| (t.variables().to_vec(), bits(t.numbers())))
            .collect();
        if network.kind() == NetworkKind::Bayesian {
            tables.sort_by_key(|(variables, _)| variables.last().copied());
        }
        tables
    };
    assert_eq!(sorted(network), sorted(again));
}

/// Runs all exact algorithms on the first variables of a small network.
fn ask(network: &Network, evidence: &NetworkEvidence) {
    let states = network.variables().iter().map(|v| v.states().len());
    let entries = network.tables().iter().map(|table| table.numbers().len());
    if states.chain(entries).sum::<usize>() > 2_000 {
        return;
    }
    let model = network.given(evidence);
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
