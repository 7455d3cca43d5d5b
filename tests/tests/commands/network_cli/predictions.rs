//! Tests of predictions for each row of data, of soft evidence, and of the most probable states of some variables.

use std::fmt::Write as _;
use std::fs;

use figrs_tests::example::text;
use serde_json::json;

use crate::network_cli::files::{Files, assert_near};

/// Rows of data with missing cells in evidence and in predicted columns, and a row that is impossible.
const CASES: &str =
    "grass,rain,cat=mood\nwet,yes,sits\ndry,no,runs\nwet,no,NA\n,yes,\ndry,,flies\nwet,,sits\n";

/// Soft evidence: likelihoods of the states of two variables.
const SOFT: &str =
    r#"{"rain": {"yes": 3, "no": 0.5}, "cat=mood": {"sits": 0, "runs": 1, "flies": 1}}"#;

fn files() -> Files {
    let files = Files::new();
    fs::write(files.path("cases.csv"), CASES).unwrap();
    fs::write(files.path("soft.json"), SOFT).unwrap();
    files
}

/// Returns the probabilities of a state of the mood, of the grass, and of rain together with the grass, computed by hand from the tables of the
/// network.
fn by_hand(grass: &str, mood: &str) -> (f64, f64, f64) {
    let mood = match mood {
        "sits" => 0.75,
        "runs" => 0.25,
        "flies" => 0.0,
        _ => 1.0,
    };
    match grass {
        "wet" => (mood, 0.34, 0.18),
        "dry" => (mood, 0.66, 0.02),
        _ => (mood, 1.0, 0.2),
    }
}

#[test]
fn each_row_has_its_posterior_and_its_log_likelihood() {
    let files = files();
    let predict = "--file garden.bif --task predict --data cases.csv --query rain";
    let output = files.run(&format!("{predict} --out predicted.csv --format json"));
    assert_eq!(
        text(&output.stderr),
        "note: there is no prediction for 1 row with the probability 0, the first on line 6\n"
    );
    let written = fs::read_to_string(files.path("predicted.csv")).unwrap();
    let mut lines = written.lines();
    assert_eq!(lines.next(), Some("predicted,P(yes),P(no),log_likelihood"));
    let (mut log_likelihood, mut log_loss, mut right) = (0.0, 0.0, 0);
    for case in CASES.lines().skip(1) {
        let line = lines.next().unwrap();
        let [grass, rain, mood] = case.split(',').collect::<Vec<_>>()[..] else {
            panic!("{case}");
        };
        let (mood, grass, both) = by_hand(grass, mood);
        if mood == 0.0 {
            assert_eq!(line, ",,,-inf");
            continue;
        }
        let cells: Vec<&str> = line.split(',').collect();
        let p = both / grass;
        let best = if p > 0.5 { "yes" } else { "no" };
        assert_eq!(cells[0], best, "{case}");
        let expected = [p, 1.0 - p, (mood * grass).ln()];
        for (cell, expected) in cells[1..].iter().zip(expected) {
            let found: f64 = cell.parse().unwrap();
            assert!(
                (found - expected).abs() < 1e-12,
                "{case}: {found} for {expected}"
            );
        }
        log_likelihood += expected[2];
        if !rain.is_empty() {
            right += usize::from(rain == best);
            log_loss -= if rain == "yes" { p } else { 1.0 - p }.ln() / 4.0;
        }
    }
    assert_eq!((lines.next(), right), (None, 2));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for (name, expected) in [("rows", 6), ("impossible", 1), ("scored", 4)] {
        assert_eq!(found[name], expected, "{name}");
    }
    assert_eq!(found["predicted"], json!({"yes": 3, "no": 2}));
    assert_eq!(found["file"], files.path("predicted.csv"));
    assert_near(&found["log_likelihood"], log_likelihood);
    assert_near(&found["accuracy"], 0.5);
    assert_near(&found["log_loss"], log_loss);
}

#[test]
fn rows_are_predicted_given_evidence_besides() {
    let files = files();
    // The mood is weighed and the grass is observed for all rows, so the likelihoods are conditional on both.
    fs::write(
        files.path("moods.json"),
        r#"{"cat=mood": {"sits": 1, "runs": 9, "flies": 0}}"#,
    )
    .unwrap();
    let ask = "--file garden.bif --task predict --query cat=mood --observe grass=wet --evidence moods.json --data -";
    let output = files.run_with_input(
        &format!("{ask} --out moods.csv --format json"),
        "rain\nyes\nno\n",
    );
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_near(
        &found["log_likelihood"],
        (0.18_f64 / 0.34 * (0.16 / 0.34)).ln(),
    );
    assert_eq!(
        found["predicted"],
        json!({"sits": 0, "runs": 2, "flies": 0})
    );
    assert_eq!(found.get("accuracy"), None);
    let written = fs::read_to_string(files.path("moods.csv")).unwrap();
    assert!(
        written
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("runs,0.25,0.75,0.0,-0.6"),
        "{written}"
    );
}

#[test]
fn mistakes_of_predictions_leave_the_file_as_it_was() {
    let files = files();
    fs::write(files.path("kept.csv"), "kept").unwrap();
    let predict = "--file garden.bif --task predict --query rain --out kept.csv --data -";
    for (input, words) in [
        (
            "grass\nwet\nmoist\n",
            "standard input:3:1: `grass` has no state `moist`",
        ),
        (
            "grass,mood\nwet,sits\n",
            "standard input:1:7: no variable is called `mood`",
        ),
    ] {
        files.refuses_input(predict, input, words);
    }
    assert_eq!(fs::read_to_string(files.path("kept.csv")).unwrap(), "kept");
    let predict = "--file garden.bif --task predict --data cases.csv";
    for (more, words) in [
        (
            "",
            "--task predict needs --query VAR: the variable to predict",
        ),
        ("--query rain grass", "needs --query VAR"),
        (
            "--query rain --out predicted.txt",
            "--out of --task predict must end in .csv",
        ),
        (
            "--query rain --out cases.csv",
            "--data and --out name the same file",
        ),
        (
            "--query rain --observe grass=wet",
            "`grass` has a column in --data and evidence",
        ),
        (
            "--query grass --evidence soft.json",
            "`rain` has a column in --data and evidence",
        ),
    ] {
        files.refuses(&format!("{predict} {more}"), words);
    }
    files.refuses(
        "--file garden.bif --task predict --query rain",
        "--task predict needs --data FILE.csv",
    );
}

#[test]
fn soft_evidence_weighs_states() {
    let files = files();
    // The weights by hand are 0.2 · 3 with rain and 0.8 · 0.5 without, and the mood has the factor 0.25 in each case.
    let ask = "--file garden.bif --evidence soft.json --observe grass=wet";
    let (rain, none) = (0.2 * 3.0 * 0.9, 0.8 * 0.5 * 0.2);
    for algorithm in ["exact", "junction-tree", "circuit", "enumerate", "slices"] {
        let found = files.json(&format!("{ask} --algorithm {algorithm}"));
        assert_near(&found["marginals"]["rain"]["yes"], rain / (rain + none));
        assert_near(&found["marginals"]["cat=mood"]["runs"], 1.0);
        assert_near(&found["log_evidence"], (0.25 * (rain + none)).ln());
    }
    // An expected weight is not a probability.
    let message = files.text(&format!("{ask} --task evidence"));
    assert!(message.starts_with("log-evidence -1.864330\n"), "{message}");
    let best = files.json(&format!("{ask} --task mpe"));
    assert_near(&best["mpe"]["log_probability"], (0.25 * rain).ln());
    files.refuses(
        "--file garden.bif --evidence soft.json --observe rain=yes",
        "`rain` has weights of its states from ",
    );
}

#[test]
fn some_variables_have_their_most_probable_states_together() {
    let files = files();
    // The best world has no rain and dry grass. The best state of the grass alone, given that the cat runs or given the weights, follows from sums
    // over four worlds.
    let found = files.json("--file garden.bif --task map --query grass --observe cat=mood=runs");
    assert_eq!(found["map"]["assignment"], json!({"grass": "dry"}));
    assert_near(&found["map"]["log_probability"], (0.66_f64 * 0.25).ln());
    let found =
        files.json("--file garden.bif --task map --query grass cat=mood --evidence soft.json");
    assert_eq!(
        found["map"]["assignment"],
        json!({"grass": "wet", "cat=mood": "runs"})
    );
    let wet = 0.25 * (0.2 * 3.0 * 0.9 + 0.8 * 0.5 * 0.2);
    assert_near(&found["map"]["log_probability"], f64::ln(wet));
    for query in ["", "--query all"] {
        let ask = format!("--file garden.bif --task map {query}");
        files.refuses(
            &ask,
            "--task map needs --query VAR ...: the variables whose joint state is maximised",
        );
    }
}

/// Returns a hidden chain of `length` states in UAI; the even variables are states, and the odd ones their readings.
fn hidden_chain(length: usize) -> String {
    let sizes = vec!["2"; 2 * length].join(" ");
    let mut scopes = String::from("1 0\n2 0 1\n");
    let mut tables = String::from("2 0.5 0.5\n4 0.7 0.3 0.2 0.8\n");
    for state in 1..length {
        let [before, own] = [2 * state - 2, 2 * state];
        writeln!(scopes, "2 {before} {own}\n2 {own} {}", own + 1).unwrap();
        tables += "4 0.6 0.4 0.3 0.7\n4 0.7 0.3 0.2 0.8\n";
    }
    format!(
        "BAYES\n{}\n{sizes}\n{}\n{scopes}{tables}",
        2 * length,
        2 * length
    )
}

#[test]
fn states_that_are_searched_are_proven() {
    let files = Files::new();
    fs::write(files.path("chain.uai"), hidden_chain(14)).unwrap();
    let readings: Vec<String> = (0..14).map(|i| (2 * i + 1).to_string()).collect();
    let ask = format!("--file chain.uai --task map --query {}", readings.join(" "));
    let exact = files.json(&ask);
    assert_eq!(exact["exact"], json!(true));
    assert!(exact.get("bounds").is_none());
    // An elimination needs a table over all readings; a search finds the same states and proves them.
    let found = files.json(&format!("{ask} --memory 4KiB"));
    assert_eq!(found["algorithm"], json!("MarginalMapBranchAndBound"));
    assert_eq!(found["exact"], json!(true));
    let best = exact["map"]["log_probability"].as_f64().unwrap();
    assert_near(&found["map"]["log_probability"], best);
    assert_eq!(found["map"]["assignment"], exact["map"]["assignment"]);
}
