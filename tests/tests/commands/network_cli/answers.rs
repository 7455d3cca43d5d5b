//! Tests of the answers of the network example: marginals, the cost, and the probability of evidence.

use figrs_tests::example::{self, text};
use serde_json::{Value as Json, json};

use crate::network_cli::files::{Files, assert_near, keys};

#[test]
fn marginals_are_exact_and_in_the_order_of_the_file() {
    let files = Files::new();
    for (algorithm, name) in [
        ("exact", "JunctionTree"),
        ("junction-tree", "JunctionTree"),
        ("variable-elimination", "VariableElimination"),
        ("slices", "Slices"),
        ("circuit", "Circuit"),
        ("enumerate", "Enumerate"),
    ] {
        let ask = format!("--file garden.bif --observe grass=wet --algorithm {algorithm}");
        let found = files.json(&ask);
        let marginals = &found["marginals"];
        assert_eq!(keys(marginals), ["grass", "rain", "cat=mood"]);
        assert_eq!(keys(&marginals["cat=mood"]), ["sits", "runs", "flies"]);
        assert_near(&marginals["rain"]["yes"], 0.18 / 0.34);
        assert_near(&marginals["grass"]["wet"], 1.0);
        assert_near(&marginals["grass"]["dry"], 0.0);
        assert_near(&marginals["cat=mood"]["runs"], 0.25);
        assert_near(&found["log_evidence"], 0.34_f64.ln());
        let own: &[&str] = match algorithm {
            "exact" => &["tried"],
            "junction-tree" => &["cost"],
            _ => &[],
        };
        let fields = ["marginals", "log_evidence", "algorithm", "exact"];
        assert_eq!(keys(&found), [&fields, own, &["seconds"]].concat());
        assert_eq!(
            (&found["algorithm"], &found["exact"]),
            (&json!(name), &json!(true))
        );
        let seconds: &[&str] = match algorithm {
            "junction-tree" => &["parse", "compile", "query"],
            _ => &["parse", "query"],
        };
        assert_eq!(keys(&found["seconds"]), seconds);
    }
}

#[test]
fn text_has_a_bar_for_each_state() {
    let files = Files::new();
    let ask = "--file garden.bif --observe grass=wet --query rain cat=mood";
    let found = files.text(ask);
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "rain");
    assert_eq!(lines[1], format!("  yes    0.529412 {}", "█".repeat(21)));
    assert_eq!(lines[3], "cat=mood");
    assert_eq!(lines[6], "  flies  0.000000");
    assert_eq!(lines[7], "log-evidence -1.078810 (probability 3.400000e-1)");
    assert_eq!(lines[8], "algorithm: JunctionTree, exact");
    assert!(lines[9].starts_with("seconds: parse "));
    assert_eq!(lines.len(), 10);
}

#[test]
fn numbers_in_json_have_all_their_digits() {
    let files = Files::new();
    let ask = "--file garden.bif --observe grass=wet --query rain --format json";
    let found = files.text(ask);
    let (_, after) = found.split_once(r#""yes":"#).unwrap();
    let (digits, _) = after.split_once(',').unwrap();
    let p: f64 = digits.parse().unwrap();
    assert!(digits.len() >= 17 && p.to_string() == digits, "{digits}");
}

#[test]
fn only_what_is_queried_is_told_and_compiled() {
    let files = Files::new();
    let found = files.json("--file garden.bif --query cat=mood --query grass");
    assert_eq!(keys(&found["marginals"]), ["grass", "cat=mood"]);
    let world = files.json("--file garden.bif --task mpe --query rain");
    assert_eq!(world["mpe"]["assignment"], json!({"rain": "no"}));
    assert_near(&world["mpe"]["log_probability"], (0.64_f64 * 0.75).ln());
    // The predicted cost consists of the tables after rain is summed out, and the answer; nothing is compiled.
    let cost = files.json("--file garden.bif --task cost --query rain");
    assert_eq!(keys(&cost), ["cost", "seconds"]);
    assert_eq!(keys(&cost["seconds"]), ["parse", "compile"]);
    assert_eq!(
        cost["cost"],
        json!({"width": 1, "operations": 3.0, "table_bytes": 8 * (1 + 1)})
    );
    let all = files.json("--file garden.bif --task cost --query all");
    assert_eq!(all["cost"]["width"], 2);
    let tree = "--task evidence --algorithm junction-tree --observe cat=mood=runs";
    let evidence = files.json(&format!("--file garden.bif {tree}"));
    assert_eq!(evidence["cost"]["width"], 1);
    assert_near(&evidence["log_evidence"], 0.25_f64.ln());
}

#[test]
fn evidence_comes_from_files_and_from_the_command_line() {
    let files = Files::new();
    let together = "--evidence wet.json --observe rain=no cat=mood=runs --observe rain=no";
    for (evidence, expected) in [
        ("", 1.0),
        ("--evidence wet.json", 0.34),
        ("--evidence dry.json", 0.66),
        (together, 0.16 * 0.25),
    ] {
        let ask = format!("--file garden.bif --task evidence {evidence}");
        let found = files.json(&ask);
        assert_eq!(
            keys(&found),
            ["log_evidence", "algorithm", "exact", "tried", "seconds"]
        );
        assert_near(&found["log_evidence"], f64::ln(expected));
    }
    let text = files.text("--file garden.bif --task evidence --evidence dry.json");
    assert!(
        text.starts_with("log-evidence -0.415515 (probability 6.600000e-1)\n"),
        "{text}"
    );
}

#[test]
fn a_markov_network_is_asked_by_indices() {
    let files = Files::new();
    for algorithm in [
        "exact",
        "junction-tree",
        "variable-elimination",
        "slices",
        "circuit",
        "enumerate",
    ] {
        let ask = format!("--file pair.uai --algorithm {algorithm}");
        let found = files.json(&ask);
        assert_near(&found["log_evidence"], 10_f64.ln());
        assert_near(&found["marginals"]["0"]["1"], 0.7);
        assert_near(&found["marginals"]["1"]["0"], 0.4);
        let found = files.json(&format!("{ask} --evidence pair.evid"));
        assert_near(&found["log_evidence"], 4_f64.ln());
        assert_near(&found["marginals"]["0"]["1"], 0.75);
    }
    let best = files.json("--file pair.uai --task mpe --observe 0=0");
    assert_eq!(best["mpe"]["assignment"], json!({"0": "0", "1": "1"}));
    assert_near(&best["mpe"]["log_probability"], 2_f64.ln());
    let text = files.text("--file pair.uai --task evidence");
    assert!(text.starts_with("log-evidence 2.302585\n"), "{text}");
}

#[test]
fn rows_that_were_rounded_are_noted() {
    let files = Files::new();
    let output = files.run("--file rounded.uai --format json");
    let message = text(&output.stderr);
    assert!(
        message.contains("by their sums: 1, the first on line 7, 0\n"),
        "{message}"
    );
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_near(&found["marginals"]["0"]["2"], 1.0 / 3.0);
    let output = files.run("--file garden.bif");
    assert!(output.stderr.is_empty());
}

#[test]
fn the_help_tells_the_shape_of_the_answer() {
    let output = example::run("network", &["--help"]);
    let message = text(&output.stdout);
    for part in [
        "\"marginals\": {VAR: {STATE: p}}",
        "Exit code",
        "\"-inf\"",
        "--repeat",
    ] {
        assert!(message.contains(part), "{message}");
    }
}
