//! Tests of the options for reading networks, and of the notes about assumptions.

use figrs_tests::example::text;
use serde_json::json;

use crate::network_cli::files::{Files, assert_near};

const WEIGHED: &str =
    "net { } node road { states = (dry wet); } potential (road) { data = (3 1); }";

const UMBRELLA: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?><smile id="umbrella"><nodes>
<cpt id="rain" dynamic="plate"><state id="yes"/><state id="no"/><probabilities>0.5 0.5</probabilities></cpt>
<cpt id="umbrella" dynamic="plate"><state id="yes"/><state id="no"/><parents>rain</parents><probabilities>0.9 0.1 0.2 0.8</probabilities></cpt>
</nodes><dynamic numslices="5"><cpt id="rain" order="1"><parents>rain</parents><probabilities>0.7 0.3 0.3 0.7</probabilities></cpt></dynamic></smile>"#;

/// An influence diagram in which nothing orders the two decisions, although one of them has more information.
const UNORDERED: &str = "net { } node x { states = (a b); } potential (x) { data = (0.6 0.4); }
    decision d { states = (a b); } potential (d | x) { } decision e { states = (a b); }
    utility u { } potential (u | e d x) { data = (10 0 0 0 0 0 0 10); }";

#[test]
fn rows_are_normalised_and_networks_unrolled_if_that_is_asked_for() {
    let files = Files::new();
    std::fs::write(files.path("weighed.net"), WEIGHED).unwrap();
    std::fs::write(files.path("umbrella.xdsl"), UMBRELLA).unwrap();
    let message = |arguments: &str| {
        let output = files.run(arguments);
        assert!(!output.status.success(), "{arguments}");
        text(&output.stderr)
    };
    assert!(message("--file weighed.net").contains("sums to 4, which differs from one"));
    assert!(message("--file weighed.net").contains("with --normalise"));
    let output = files.run("--file weighed.net --normalise --format json");
    let note = text(&output.stderr);
    assert!(note.contains("rows that do not sum to one were divided by their sums: 1, the first on line 1, road, which sums to 4"), "{note}");
    assert!(text(&output.stdout).contains("\"dry\":0.75"));
    let error = message("--file umbrella.xdsl");
    assert!(
        error.contains(
            "a dynamic network of 5 slices; unroll it to a number of slices with --slices"
        ),
        "{error}"
    );
    let found = files.json(
        "--file umbrella.xdsl --slices 2 --observe umbrella_0=yes umbrella_1=yes --query rain_1",
    );
    let rained = found["marginals"]["rain_1"]["yes"].as_f64().unwrap();
    assert!((rained - 0.883_357).abs() < 1e-6, "{rained}");
    assert!(
        message("--task learn --data garden.csv --slices 2").contains("--slices has no effect")
    );
}

#[test]
fn decisions_that_nothing_orders_are_noted() {
    let files = Files::new();
    std::fs::write(files.path("unordered.net"), UNORDERED).unwrap();
    let output = files.run("--file unordered.net --task decide --format json");
    let note = text(&output.stderr);
    assert!(
        note.contains("the file does not order the decisions `d` and `e`: `d` is made first"),
        "{note}"
    );
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["unordered"], json!([["d", "e"]]));
    assert_near(&found["expected_utility"], 10.0);
    let forgetful = files.run("--file unordered.net --task decide --limited-memory");
    assert!(!text(&forgetful.stderr).contains("does not order"));
}

#[test]
fn learning_notes_hidden_states_that_begin_alike_and_rows_without_cases() {
    let files = Files::new();
    let network = "network n { } variable h { type discrete [ 2 ] { x, y }; } variable a { type discrete [ 2 ] { 0, 1 }; }
        variable b { type discrete [ 2 ] { 0, 1 }; } variable c { type discrete [ 2 ] { 0, 1 }; }
        probability ( h ) { table 0.5, 0.5; } probability ( a | h ) { default 0.5, 0.5; }
        probability ( b | h ) { default 0.5, 0.5; } probability ( c | a ) { (0) 0.25, 0.75; (1) 0.25, 0.75; }";
    std::fs::write(files.path("hidden.bif"), network).unwrap();
    std::fs::write(files.path("cases.csv"), "a,b,c\n0,0,1\n0,1,1\n0,1,0\n").unwrap();
    let learn = "--task learn --file hidden.bif --data cases.csv";
    let output = files.run(learn);
    let (note, found) = (text(&output.stderr), text(&output.stdout));
    assert!(
        note.contains("no case observes `h`, and two states had equal numbers"),
        "{note}"
    );
    assert!(
        note.contains("no case reaches 1 row of the tables, the first of which is c (a=1); such rows keep their starting numbers"),
        "{note}"
    );
    assert!(
        found.contains("a=1  0 0.250000  1 0.750000  (no case)"),
        "{found}"
    );
    assert!(
        found.contains("starts 10, with log-likelihoods from "),
        "{found}"
    );
    let found = files.json(&format!("{learn} --starts 3 --seed 4"));
    assert_eq!(found["starts"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&found["alike"], &found["unreached"]),
        (&json!(["h"]), &json!({"c": ["a=1"]}))
    );
}
