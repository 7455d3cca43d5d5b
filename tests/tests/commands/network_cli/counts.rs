//! Tests of formulas, and of the numbers of joint states.

use figrs_tests::example::text as text_of;
use serde_json::{Value as Json, json};

use crate::network_cli::files::{Files, assert_near, keys};

/// A formula of five variables, the last of which is free: 1 or 2 is true, 2 and 3 are not both true, and there is a clause of many literals.
const FORMULA: &str = "c t wmc\np cnf 5 3\nc p weight 1 0.25 0\nc p weight -1 0.75 0\nc p weight 3 0.5 0\n\
    1 2 0\n-2 -3 0\n1 -2 3 -4 5 0\n";

#[test]
fn formulas_are_counted_and_weighed() {
    let files = Files::new();
    std::fs::write(files.path("formula.cnf"), FORMULA).unwrap();
    std::fs::write(files.path("never.cnf"), "p cnf 3 2\n1 0\n-1 0\n").unwrap();
    std::fs::write(files.path("free.cnf"), "c t mc\np cnf 70 0\n").unwrap();
    // Either 1 is true and 2 is false (8 states), or 2 is true and 3 is false (8 states, minus the state that the last clause excludes).
    let sum = 4.0 * 0.25 * 1.5 + (4.0 * 0.25 + 3.0 * 0.75);
    for algorithm in ["circuit", "junction-tree", "variable-elimination"] {
        let by = format!("--algorithm {algorithm}");
        let found = files.json(&format!("--file formula.cnf --task count {by}"));
        assert_eq!(found["count"], "15", "{algorithm}");
        let found = files.json(&format!(
            "--file formula.cnf --task count --observe 1=false {by}"
        ));
        assert_eq!(found["count"], "3", "{algorithm}");
        let found = files.json(&format!("--file never.cnf --task count {by}"));
        assert_eq!(found["count"], "0", "{algorithm}");
        let found = files.json(&format!("--file formula.cnf --task evidence {by}"));
        assert_near(&found["log_evidence"], f64::ln(sum));
    }
    let text = files.text("--file free.cnf --task count");
    assert!(text.starts_with("count 1180591620717411303424\n"), "{text}");
    let found = files.json("--file never.cnf --task evidence");
    assert_eq!(found["log_evidence"], "-inf");
    let found = files.json("--file formula.cnf --task marginals --query 1 --algorithm circuit");
    assert_near(&found["marginals"]["1"]["false"], 2.25 / sum);
    let best = files.json("--file formula.cnf --task mpe --query 1 2 3");
    assert_eq!(
        best["mpe"]["assignment"],
        json!({"1": "false", "2": "true", "3": "false"})
    );
    files.text("--file formula.cnf --task convert --out formula.uai");
    let found = files.json("--file formula.uai --task count");
    assert_eq!(found["count"], "15");
}

#[test]
fn the_joint_states_of_a_bayesian_network_are_counted() {
    let files = Files::new();
    // The states in which the cat flies have probability zero and are not counted.
    assert_eq!(files.json("--file garden.bif --task count")["count"], "8");
    let found = files.json("--file garden.bif --task count --evidence wet.json");
    assert_eq!(found["count"], "4");
}

#[test]
fn clauses_that_exclude_each_other_are_told_with_their_lines() {
    let files = Files::new();
    // The second clause is always true.
    let text = "p cnf 7 4\n1 2 3 4\n5 0 6 -6 0\n-7\n0 7 0\n";
    std::fs::write(files.path("never.cnf"), text).unwrap();
    for question in ["", "--task mpe", "--task k-best", "--algorithm circuit"] {
        let output = files.run(&format!("--file never.cnf {question}"));
        let message = text_of(&output.stderr);
        assert_eq!(
            message,
            "error: the evidence is impossible; these statements exclude each other: `clause 3, line 4` = true; `clause 4, line 5` = true; remove one of them\n"
        );
    }
}

#[test]
fn a_question_without_an_answer_is_told_as_json() {
    let files = Files::new();
    std::fs::write(files.path("never.cnf"), "p cnf 3 2\n1 0\n-1 0\n").unwrap();
    let output = files.run("--file never.cnf --format json");
    assert_eq!(output.status.code(), Some(1));
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    let message = text_of(&output.stderr);
    assert_eq!(
        message,
        format!("error: {}\n", found["error"].as_str().unwrap())
    );
    assert!(found["error"].as_str().unwrap().contains("impossible"));
    // If no algorithm has an answer, the message states what was tried.
    let ask = "--file garden.bif --task k-best --memory 7";
    let output = files.run(&format!("{ask} --format json"));
    assert_eq!(output.status.code(), Some(1));
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(keys(&found), ["error", "tried"]);
    let tried = found["tried"].as_array().unwrap();
    assert!(!tried.is_empty());
    let message = text_of(&files.run(ask).stderr);
    for attempt in tried {
        assert!(message.contains(attempt.as_str().unwrap()), "{message}");
    }
}

#[test]
fn mistakes_of_formulas_are_told_with_their_places() {
    let files = Files::new();
    std::fs::write(files.path("show.cnf"), "p cnf 2 1\nc p show 1 0\n1 2 0\n").unwrap();
    files.refuses(
        "--file show.cnf --task count",
        "show.cnf:2:5: asks for a projected count (of the assignments of some variables only), which is not supported; remove the line",
    );
    files.refuses_input(
        "--file - --task count",
        "p cnf 2 1\n1 -3 0\n",
        "standard input:2:3: the literal -3 belongs to no variable",
    );
    std::fs::write(files.path("formula.cnf"), FORMULA).unwrap();
    files.refuses(
        "--file formula.cnf --task convert --out other.cnf",
        "CNF can be read but not written",
    );
    files.refuses(
        "--file formula.cnf --task count --algorithm enumerate",
         "--algorithm enumerate does not support --task count; use exact or junction-tree or variable-elimination or circuit",
    );
}
