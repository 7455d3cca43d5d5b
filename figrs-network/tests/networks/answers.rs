//! Tests that compiled trees give the known answers of reference networks.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use figrs_core::Model;
use figrs_infer::{Compiled, JunctionTree};
use figrs_network::{Network, Observation};
use serde_json::Value;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");

/// A reference network, with observations and the expected answers.
struct Case {
    name: String,
    network: Network,
    observed: Vec<Observation>,
    expected: Value,
}

fn cases() -> Vec<Case> {
    let directory = Path::new(SHARED).join("reference/networks");
    let Ok(entries) = fs::read_dir(&directory) else {
        println!("skipped: {} is not there", directory.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| case(path)).collect()
}

fn case(path: &Path) -> Case {
    let name = path.file_stem().unwrap().to_str().unwrap().to_string();
    let expected: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let file = match name.strip_prefix("uai_") {
        Some(name) => format!("data/uai/{name}.uai"),
        None => format!("data/networks/{name}.bif"),
    };
    let network = Network::read(Path::new(SHARED).join(file)).unwrap();
    let pairs = expected["evidence"].as_object().unwrap().iter();
    let observed = pairs.map(|(variable, state)| {
        let variable = &network.variables()[variable.parse::<usize>().unwrap()];
        let state = variable.states().get(state.as_u64().unwrap() as usize);
        network
            .observation(variable.name(), state.unwrap().name())
            .unwrap()
    });
    Case {
        observed: observed.collect(),
        name,
        network,
        expected,
    }
}

fn assert_close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    let off = (found - expected).abs() / expected.abs().max(1.0);
    assert!(off < 1e-9, "{what}: {found}, not {expected}");
}

fn assert_marginals(case: &Case, model: &Model, expected: &Value) {
    let elements = case.network.elements();
    let tree = JunctionTree::new().compile(model, elements).unwrap();
    let answer = tree.answer().unwrap();
    for (i, element) in elements.iter().enumerate() {
        let found = answer.distribution(element).unwrap();
        for (j, state) in case.network.variables()[i].states().iter().enumerate() {
            let what = format!("{}: P({element:?} = {state})", case.name);
            assert_close(found.probability(state), &expected[i][j], &what);
        }
    }
}

#[test]
fn every_network_of_the_reference_gives_its_answers() {
    for case in cases() {
        let begin = Instant::now();
        let model = case.network.observing(&case.observed);
        let elements = case.network.elements();
        let evidence = JunctionTree::new()
            .compile(&model, ())
            .unwrap()
            .log_evidence();
        assert_close(
            evidence,
            &case.expected["log_pe"],
            &format!("{}: log P(e)", case.name),
        );
        assert_marginals(&case, &model, &case.expected["marginals"]);
        if case.expected["prior_marginals"].is_array() {
            assert_marginals(
                &case,
                &case.network.model(),
                &case.expected["prior_marginals"],
            );
        }
        let best = JunctionTree::new()
            .compile(&model, elements)
            .unwrap()
            .most_probable()
            .unwrap();
        let what = format!("{}: the most probable world", case.name);
        assert_close(best.log_probability(), &case.expected["mpe_log"], &what);
        println!("{}: {:.1?}", case.name, begin.elapsed());
    }
}
