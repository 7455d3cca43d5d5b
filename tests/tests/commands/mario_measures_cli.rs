//! Tests of the measures that the main example computes for its levels, the training levels and the levels of other tools.

use std::process::Output;

use figrs_tests::example::{self, text};
use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    example::run("mario_mdmc", arguments)
}

fn measured(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--format", "json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Creates a folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[test]
fn levels_of_another_tool_have_a_column() {
    // The folder has a level of the corpus, a part of another level, and a file that is no level.
    let own = folder(&[
        ("a.txt", "------\n--E---\nXX-XXX\n"),
        ("b.txt", "--E---\nXX-XXX\n"),
        ("notes.md", "-"),
    ]);
    let corpus = folder(&[
        ("one.txt", "------------\n---E----E---\nXXX-XXXXX-XX\n"),
        ("two.txt", "--------\n----E---\nXXX-XXXX\n"),
    ]);
    let [own, corpus] = [&own, &corpus].map(|folder| folder.path().to_str().unwrap());
    let arguments = [
        "--corpus", corpus, "--stats", "3", "--width", "9", "--seed", "1",
    ];
    let sections = ["--also", own, "--sections", "2"];
    let message = measured(&[&arguments[..], &sections].concat());
    let columns = message["methods"].as_array().unwrap();
    let names: Vec<&Value> = columns.iter().map(|column| &column["method"]).collect();
    assert_eq!(names[..2], ["corpus", "look-ahead"]);
    let also = &columns[2];
    assert_eq!(also["levels"], 2);
    let mean = |column: &Value, name: &str| column["measures"][name]["mean"].clone();
    assert_eq!(mean(also, "columns"), 6.0);
    // One level has another height than the chain, and the other is narrower than a window.
    assert!(also["measures"]["unseen"]["standard_error"].is_null());
    assert!(mean(also, "nearest").is_null() && also["diversity"].is_null());
    assert!(mean(&columns[1], "nearest").as_f64().is_some());
    // Both levels have an enemy and a gap in the first half.
    for (part, values) in [
        ("enemies", [1.0 / 3.0, 0.0]),
        ("gaps", [1.0 / 3.0, 0.0]),
        ("hazards", [0.0, 0.0]),
    ] {
        let found: Vec<f64> = serde_json::from_value(also["profile"][part].clone()).unwrap();
        let close = found.iter().zip(values).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close, "{part}: {found:?}");
    }
}

#[test]
fn tiles_without_meanings_have_no_measures_that_need_them() {
    let corpus = folder(&[("a.txt", "~~~~~~~~~~\n~~#~~~#~~~\n##########\n")]);
    let corpus = corpus.path().to_str().unwrap();
    let arguments = [
        "--corpus", corpus, "--stats", "2", "--width", "9", "--seed", "1",
    ];
    let message = measured(&arguments);
    let drawn = &message["methods"][1];
    for name in ["playable", "linearity", "leniency", "density", "gaps"] {
        assert!(drawn["measures"][name]["mean"].is_null(), "{name}");
    }
    assert!(drawn["measures"]["KL 2x2"]["mean"].is_number());
    let profile = drawn["profile"]["difficulty"].as_array().unwrap();
    assert_eq!(profile.len(), 10);
    assert!(profile.iter().all(Value::is_null));
    let table = text(&run(&arguments).stdout);
    assert!(
        table
            .lines()
            .any(|line| line.starts_with("playable") && line.ends_with('-'))
    );
    assert!(!table.contains("difficulty"));
}

#[test]
fn the_table_shows_difficulty_as_bars() {
    let table = text(
        &run(&[
            "--stats",
            "3",
            "--width",
            "40",
            "--seed",
            "2",
            "--sections",
            "6",
        ])
        .stdout,
    );
    let line = table
        .lines()
        .find(|line| line.starts_with("difficulty"))
        .unwrap();
    let bars: Vec<&str> = line.split_whitespace().skip(1).collect();
    assert_eq!(bars.len(), 2, "{line}");
    assert!(bars.iter().all(|bar| bar.chars().count() == 6), "{line}");
    assert!(line.contains('█'));
}

#[test]
fn measures_that_cannot_be_are_errors() {
    let empty = folder(&[]);
    let strange = folder(&[("a.txt", "☃\n")]);
    let [empty, strange] = [&empty, &strange].map(|folder| folder.path().to_str().unwrap());
    let missing = &format!("{empty}/missing");
    let stats = ["--stats", "1", "--width", "20"];
    for (arguments, named) in [
        (vec!["--also", empty], "--also needs"),
        (
            vec!["--sections", "3"],
            "--sections needs --stats or --report",
        ),
        (
            [&stats[..], &["--sections", "0"]].concat(),
            "write a number of sections from 1 to 1000",
        ),
        (
            [&stats[..], &["--also", empty]].concat(),
            "contains no levels",
        ),
        (
            [&stats[..], &["--also", missing]].concat(),
            "--also: cannot read",
        ),
        (
            [&stats[..], &["--also", strange]].concat(),
            "unknown tile '☃'",
        ),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = text(&output.stderr);
        let is_named =
            message.contains(named) || named == "--also needs" && message.contains("--stats");
        assert!(is_named, "{arguments:?}: {message}");
    }
}
