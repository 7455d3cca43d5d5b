//! Tests that no case of the reference is missing, and that none is copied wrongly.

use std::collections::{BTreeMap, BTreeSet};

use figrs_tests::reference_models::questions;
use figrs_tests::samplers::SAMPLERS;
use serde_json::Value as Json;

use crate::conformance::case::{Case, Expected};
use crate::conformance::{
    chains, continuous, elements, endless, lazy_bounds, networks, printer, sequences, traps,
    world_traps, worlds,
};

/// The tables that contain cases of the reference, and may contain other cases.
const TABLES: &[&[Case]] = &[
    elements::CASES,
    continuous::CASES,
    chains::CASES,
    networks::CASES,
    printer::CASES,
    sequences::CASES,
    worlds::CASES,
    endless::CASES,
    lazy_bounds::CASES,
];

/// The tables that contain only cases of our own.
const OWN: &[&[Case]] = &[traps::CASES, world_traps::CASES];

/// Returns the number of cases.
pub(crate) fn number_of_cases() -> usize {
    TABLES.iter().chain(OWN).map(|table| table.len()).sum()
}

/// Cases that need features that are not built yet.
const NOT_YET: &[(&str, &[&str])] = &[
    ("learning", &["em_coin_map", "em_spam_map_words"]),
    ("decisions", &["decision_single"]),
];

fn not_yet(id: &str) -> bool {
    NOT_YET.iter().any(|(_, ids)| ids.contains(&id))
}

#[test]
fn ids_are_unique() {
    let mut seen = BTreeSet::new();
    for case in TABLES.iter().chain(OWN).copied().flatten() {
        assert!(seen.insert(case.id), "two cases are called {}", case.id);
        assert!(
            !not_yet(case.id),
            "{} is in a table and said to be missing",
            case.id
        );
    }
}

#[test]
fn excuses_are_for_what_there_is() {
    let cases = TABLES.iter().chain(OWN).copied().flatten();
    let cases: BTreeSet<&str> = cases.map(|case| case.id).collect();
    let questions: BTreeSet<&str> = questions().iter().map(|question| question.name).collect();
    for sampler in SAMPLERS {
        for (name, _) in sampler.except {
            let known = cases.contains(name) || questions.contains(name);
            assert!(
                known,
                "{} is excused from {name}, which there is not",
                sampler.name
            );
        }
    }
}

#[test]
fn every_case_of_the_reference_is_accounted_for() {
    const FILE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/reference/conformance.json"
    );
    let Ok(text) = std::fs::read_to_string(FILE) else {
        println!("skipped: there is no {FILE}");
        return;
    };
    let reference: Vec<Json> = serde_json::from_str(&text).unwrap();
    let tables = TABLES.iter().copied().flatten();
    let cases: BTreeMap<&str, &Case> = tables.map(|case| (case.id, case)).collect();
    let mut wrong = Vec::new();
    for entry in &reference {
        let id = entry["id"].as_str().unwrap();
        match cases.get(id) {
            Some(case) if agrees(&case.expected, &entry["expected"]) => {}
            Some(case) => wrong.push(format!(
                "{id}: {:?} is not {}",
                case.expected, entry["expected"]
            )),
            None if not_yet(id) => {}
            None => wrong.push(format!("{id} is in no table, nor in NOT_YET")),
        }
    }
    let known = |id: &str| reference.iter().any(|entry| entry["id"] == id);
    let listed = NOT_YET.iter().flat_map(|(_, ids)| *ids);
    wrong.extend(
        listed
            .filter(|id| !known(id))
            .map(|id| format!("{id} is not in the reference")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ours = reference
        .iter()
        .filter(|e| cases.contains_key(e["id"].as_str().unwrap()));
    println!(
        "{} of {} cases in the tables",
        ours.count(),
        reference.len()
    );
}

fn agrees(expected: &Expected, reference: &Json) -> bool {
    let near = |ours: f64, theirs: &Json| {
        let theirs = theirs.as_f64().unwrap_or(f64::NAN);
        (ours - theirs).abs() <= 1e-12 * theirs.abs()
    };
    match expected {
        Expected::Number(ours) => near(*ours, reference),
        Expected::Most {
            values,
            joint,
            posterior,
        } => {
            let theirs = reference["assignment"].as_object();
            let same = |(name, ours): &(&str, &str)| match &reference["assignment"][name] {
                Json::Bool(theirs) => *ours == theirs.to_string(),
                theirs => ours.parse::<f64>().ok() == theirs.as_f64(),
            };
            theirs.is_some_and(|theirs| theirs.len() == values.len())
                && values.iter().all(same)
                && near(*joint, &reference["joint_weight"])
                && near(*posterior, &reference["posterior"])
        }
        Expected::Bounds { lower, upper, .. } => {
            near(*lower, &reference[0]) && near(*upper, &reference[1])
        }
        Expected::Impossible => false,
    }
}
