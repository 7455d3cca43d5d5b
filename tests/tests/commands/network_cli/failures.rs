//! Tests of failures of the network example: queries without an answer, and wrong options and files.

use std::fmt::Write as _;

use figrs_tests::example::text;
use serde_json::Value as Json;

use crate::network_cli::files::{Files, keys};

#[test]
fn impossible_evidence_has_a_log_evidence_and_exit_code_one_elsewhere() {
    let files = Files::new();
    let evidence = "--file garden.bif --observe cat=mood=flies";
    for algorithm in [
        "junction-tree",
        "variable-elimination",
        "slices",
        "circuit",
        "enumerate",
    ] {
        let ask = format!("{evidence} --task evidence --algorithm {algorithm}");
        let found = files.json(&ask);
        assert_eq!(found["log_evidence"], "-inf");
        assert!(files.text(&ask).starts_with("log-evidence -inf"));
    }
}

#[test]
fn a_question_that_needs_more_memory_than_allowed_has_no_answer() {
    let files = Files::new();
    for question in [
        "--algorithm junction-tree",
        "--task mpe --algorithm junction-tree",
        "--algorithm variable-elimination",
        "--task mpe --algorithm mpe-variable-elimination",
    ] {
        let ask = format!("--file garden.bif {question} --memory");
        let output = files.run(&format!("{ask} 7"));
        assert_eq!(output.status.code(), Some(1), "{question}");
        let message = text(&output.stderr);
        assert!(
            message.starts_with("error: ") && message.contains("more than --memory"),
            "{message}"
        );
        files.text(&format!("{ask} 100000"));
    }
}

#[test]
fn without_an_exact_answer_there_are_bounds() {
    let files = Files::new();
    let ask = "--file garden.bif --observe grass=wet --memory 7 --format json";
    for (task, code) in [("evidence", 0), ("marginals", 1)] {
        let output = files.run(&format!("{ask} --task {task}"));
        assert_eq!(output.status.code(), Some(code), "{task}");
        let found: Json = serde_json::from_str(&text(&output.stdout)).unwrap();
        assert_eq!(
            keys(&found),
            ["bounds", "algorithm", "exact", "tried", "seconds"]
        );
        let [low, high] = [0, 1].map(|i| found["bounds"]["log_evidence"][i].as_f64().unwrap());
        let exact = 0.34_f64.ln();
        assert!(low <= exact + 1e-9 && high >= exact - 1e-9, "{low} {high}");
        assert_eq!(found["exact"], false);
    }
    let message = files.text("--file garden.bif --observe grass=wet --task evidence --memory 7");
    assert!(message.starts_with("not known: the log-evidence is between "));
}

/// Returns a network of ternary variables, in which each pair of variables has a table without zeros.
fn dense(variables: usize) -> String {
    let pairs = (0..variables).flat_map(|i| (0..i).map(move |j| (j, i)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let mut text = format!(
        "MARKOV\n{variables}\n{}\n{}\n",
        "3 ".repeat(variables),
        pairs.len()
    );
    for (j, i) in &pairs {
        writeln!(text, "2 {j} {i}").unwrap();
    }
    text + &"9\n1.5 1 1 1 1.5 1 1 1 1.5\n".repeat(pairs.len())
}

#[test]
fn the_end_of_the_time_leaves_bounds() {
    let files = Files::new();
    std::fs::write(files.path("dense.uai"), dense(40)).unwrap();
    for (task, code) in [("evidence", 0), ("marginals", 1)] {
        let ask = format!("--file dense.uai --task {task} --time 1 --format json");
        let output = files.run(&ask);
        assert_eq!(output.status.code(), Some(code), "{task}");
        let found: Json = serde_json::from_str(&text(&output.stdout)).unwrap();
        let [low, high] = [0, 1].map(|i| found["bounds"]["log_evidence"][i].as_f64().unwrap());
        // The best weight lies between the weight of worlds in which all variables are equal and the product of the largest entries.
        let best = 780.0 * 1.5_f64.ln();
        let all = best + 40.0 * 3_f64.ln();
        assert!(low <= all && high >= best && low < high, "{low} {high}");
        assert!(high <= all + 1e-6, "{high} {all}");
        assert_eq!(found["exact"], false);
        assert_eq!(found["stopped"], "time");
    }
}
