//! Tests of networks of the bnlearn repository and of the UAI 2014 competition, which are skipped if the files are
//! absent.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use figrs_infer::{MpeVariableElimination, Run, VariableElimination};
use figrs_network::{Network, NetworkKind, Observation};
use serde_json::Value;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");

/// Returns the files of a directory with an extension, sorted by name; if the directory is absent, prints that the test
/// is skipped and returns no files.
fn files(directory: &str, extension: &str) -> Vec<PathBuf> {
    let directory = Path::new(SHARED).join(directory);
    let Ok(entries) = fs::read_dir(&directory) else {
        println!("skipped: {} is not there", directory.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", directory.display());
    paths
}

fn assert_same(a: &Network, b: &Network, names: bool) {
    assert_eq!(a.kind(), b.kind());
    assert_eq!(a.variables().len(), b.variables().len());
    for (x, y) in a.variables().iter().zip(b.variables()) {
        assert_eq!(x.states().len(), y.states().len());
        if names {
            assert_eq!(x.name(), y.name());
            assert!(x.states().iter().eq(y.states().iter()));
        }
    }
    assert_eq!(a.tables().len(), b.tables().len());
    for (x, y) in a.tables().iter().zip(b.tables()) {
        assert_eq!(x.variables(), y.variables());
        let bits = |numbers: &[f64]| -> Vec<u64> { numbers.iter().map(|n| n.to_bits()).collect() };
        assert_eq!(bits(x.numbers()), bits(y.numbers()));
    }
}

#[test]
fn every_bnlearn_network_is_read_and_written() {
    for path in files("data/networks", "bif") {
        let begin = Instant::now();
        let network = Network::read(&path).unwrap();
        let read = begin.elapsed();
        let off = network.normalised().iter().map(|row| (row.sum - 1.0).abs());
        println!(
            "{}: {} variables, {} entries, {} rows normalised, off by at most {:.1e}, read in {read:.1?}",
            path.file_name().unwrap().display(),
            network.variables().len(),
            network
                .tables()
                .iter()
                .map(|t| t.numbers().len())
                .sum::<usize>(),
            network.normalised().len(),
            off.fold(0.0, f64::max),
        );
        let again = Network::from_bif(&network.to_bif().unwrap()).unwrap();
        assert_same(&network, &again, true);
        assert!(again.normalised().is_empty());
        let again = Network::from_uai(&network.to_uai()).unwrap();
        assert_same(&network, &again, false);
        assert!(again.normalised().is_empty());
    }
}

#[test]
fn every_uai_network_is_read_and_written() {
    for path in files("data/uai", "uai") {
        let network = Network::read(&path).unwrap();
        assert_eq!(network.kind(), NetworkKind::Markov);
        let again = Network::from_uai(&network.to_uai()).unwrap();
        assert_same(&network, &again, true);
        let mut observed = network
            .read_evidence(path.with_extension("uai.evid"))
            .unwrap()
            .observations()
            .to_vec();
        let reference = reference(&format!("uai_{}", path.file_stem().unwrap().display()));
        let mut expected = evidence(&network, &reference);
        observed.sort_by_key(Observation::variable);
        expected.sort_by_key(Observation::variable);
        assert_eq!(observed, expected);
        assert_logs(&network, &reference);
    }
}

fn reference(name: &str) -> Value {
    let path = Path::new(SHARED).join(format!("reference/networks/{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the evidence of a reference as observations, in the order in which the reference states them.
fn evidence(network: &Network, reference: &Value) -> Vec<Observation> {
    let object = reference["evidence"].as_object().unwrap();
    let observation = |(index, state): (&String, &Value)| {
        let variable = &network.variables()[index.parse::<usize>().unwrap()];
        let state = variable
            .states()
            .get(state.as_u64().unwrap() as usize)
            .unwrap();
        network.observation(variable.name(), state.name()).unwrap()
    };
    object.iter().map(observation).collect()
}

fn assert_marginals(network: &Network, observed: &[Observation], expected: &Value) {
    let (model, elements) = (network.observing(observed), network.elements());
    let answer = VariableElimination::new().run(&model, elements).unwrap();
    for (i, element) in elements.iter().enumerate() {
        let found = answer.distribution(element).unwrap();
        for (state, p) in network.variables()[i]
            .states()
            .iter()
            .zip(expected[i].as_array().unwrap())
        {
            let (found, p) = (found.probability(state), p.as_f64().unwrap());
            assert!(
                (found - p).abs() < 1e-9,
                "{element:?} {state}: {found}, not {p}"
            );
        }
    }
}

/// Checks the log-probability of the evidence and that of the most probable world.
fn assert_logs(network: &Network, reference: &Value) {
    let begin = Instant::now();
    let model = network.observing(&evidence(network, reference));
    let close = |found: f64, name: &str| {
        let expected = reference[name].as_f64().unwrap();
        let off = (found - expected).abs() / expected.abs().max(1.0);
        assert!(off < 1e-9, "{name}: {found}, not {expected}");
    };
    let log_evidence = VariableElimination::new().log_evidence(&model).unwrap();
    close(log_evidence, "log_pe");
    let world = MpeVariableElimination::new().run(&model, network.elements());
    close(world.unwrap().log_probability().unwrap(), "mpe_log");
    println!(
        "{}: as expected, in {:.1?}",
        reference["net"],
        begin.elapsed()
    );
}

#[test]
fn bnlearn_networks_have_the_known_evidence_and_most_probable_worlds() {
    for path in files("data/networks", "bif") {
        let name = path.file_stem().unwrap().display().to_string();
        let known = Path::new(SHARED).join(format!("reference/networks/{name}.json"));
        if known.exists() {
            assert_logs(&Network::read(&path).unwrap(), &reference(&name));
        }
    }
}

#[test]
fn small_bnlearn_networks_have_the_known_marginals() {
    if files("data/networks", "bif").is_empty() {
        return;
    }
    for name in [
        "asia",
        "cancer",
        "earthquake",
        "survey",
        "sachs",
        "child",
        "alarm",
        "insurance",
        "win95pts",
        "hailfinder",
    ] {
        let path = Path::new(SHARED).join(format!("data/networks/{name}.bif"));
        let network = Network::read(path).unwrap();
        let reference = reference(name);
        let observed = evidence(&network, &reference);
        assert_marginals(&network, &observed, &reference["marginals"]);
        assert_marginals(&network, &[], &reference["prior_marginals"]);
    }
}
