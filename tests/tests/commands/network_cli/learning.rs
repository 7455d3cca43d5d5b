//! Tests of learning the tables of networks on the command line.

use figrs_tests::example::text;
use serde_json::Value as Json;

use crate::network_cli::files::Files;

const DATA: &str = "rain,grass\nyes,wet\nno,dry\n,wet\nno,\nno,wet\n";

fn files() -> Files {
    let files = Files::new();
    std::fs::write(files.path("data.csv"), DATA).unwrap();
    files
}

fn numbers(list: &Json) -> Vec<f64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

#[test]
fn tables_and_log_likelihoods_are_printed_and_written() {
    let files = files();
    let learn = "--file garden.bif --task learn --data data.csv --out learned.bif";
    let found = files.json(&format!("{learn} --iterations 1"));
    // The values are computed by hand: with P(rain) = .2, P(wet | rain) = .9 and P(wet | no rain) = .2, the third row has rain with probability .18 /
    // .34.
    let rain = 0.18 / 0.34;
    let table = &found["tables"]["rain"][""];
    assert!(
        (table["yes"].as_f64().unwrap() - (1.0 + rain) / 5.0).abs() < 1e-12,
        "{table}"
    );
    let wet = found["tables"]["grass"]["rain=no"]["wet"].as_f64().unwrap();
    let expected = (1.0 + 1.0 - rain + 0.2) / (2.0 + 1.0 - rain + 1.0);
    assert!((wet - expected).abs() < 1e-12, "{wet} {expected}");
    let likelihoods = numbers(&found["log_likelihoods"]);
    let first: f64 = [0.2 * 0.9, 0.8 * 0.8, 0.34, 0.8, 0.8 * 0.2]
        .iter()
        .map(|p: &f64| p.ln())
        .sum();
    assert!((likelihoods[0] - first).abs() < 1e-12 && likelihoods.len() == 2);
    assert_eq!(
        (&found["iterations"], &found["score"]),
        (&1.into(), &Json::Null)
    );
    // The written network, when learned again, gives the same tables.
    let again = files.json("--file learned.bif --task learn --data data.csv --iterations 0");
    assert!((numbers(&again["log_likelihoods"])[0] - likelihoods[1]).abs() < 1e-12);
    assert!(
        files
            .text(&format!(
                "{learn} --prior 1 --start random --seed 3 --tolerance 1e-3"
            ))
            .contains("log-likelihood")
    );
}

#[test]
fn samples_are_written_as_data() {
    let files = Files::new();
    files.text("--file garden.bif --task sample --count 2000 --out drawn.csv");
    let drawn = std::fs::read_to_string(files.path("drawn.csv")).unwrap();
    assert!(drawn.starts_with("grass,rain,cat=mood\n") && drawn.lines().count() == 2001);
    let found = files.json("--file garden.bif --task learn --data drawn.csv --start uniform");
    let rain = found["tables"]["rain"][""]["yes"].as_f64().unwrap();
    // The tolerance is 4.5 standard errors, which give one false alarm in 150 000 seeds; the seed is fixed.
    assert!(
        (rain - 0.2).abs() < 4.5 * (0.16f64 / 2000.0).sqrt(),
        "{rain}"
    );
    // If the time is over before all rows are drawn, the file of the data is not replaced.
    let output =
        files.run("--file garden.bif --task sample --count 1000000 --time 0.01 --out drawn.csv");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("drawn.csv is unchanged"));
    assert_eq!(
        drawn,
        std::fs::read_to_string(files.path("drawn.csv")).unwrap()
    );
}

#[test]
fn wrong_data_and_options_are_told() {
    let files = files();
    std::fs::write(files.path("state.csv"), "rain,grass\nyes,wet\nmaybe,dry\n").unwrap();
    std::fs::write(
        files.path("impossible.csv"),
        "rain,cat=mood\nyes,sits\nno,flies\n",
    )
    .unwrap();
    std::fs::write(files.path("empty.csv"), "rain,grass\n").unwrap();
    let data = "--file garden.bif --task learn --data";
    for (options, words) in [
        ("state.csv", "state.csv:3:1"),
        ("empty.csv", "empty.csv: the file has no rows"),
        ("impossible.csv", "impossible.csv:3"),
        ("data.csv --prior -1", "--prior"),
        ("data.csv --prior 1e308", "at most 1e15"),
        (
            "data.csv --out learned.csv",
            ".bif, .bifxml, .net, .uai or .xdsl",
        ),
        (
            "data.csv --out data.csv",
            ".bif, .bifxml, .net, .uai or .xdsl",
        ),
    ] {
        files.refuses(&format!("{data} {options}"), words);
    }
    for (options, words) in [
        ("--task learn", "--task learn needs --data FILE.csv"),
        (
            "--task sample",
            "--task sample needs a network: name its FILE",
        ),
        (
            "--task learn --data empty.csv",
            "empty.csv:2:1: there is no row",
        ),
        ("--file garden.bif --task learn", "--data"),
        (
            "--file garden.bif --task score --data empty.csv",
            "empty.csv: the file has no rows",
        ),
        ("--file pair.uai --task learn --data data.csv", "variable"),
    ] {
        files.refuses(options, words);
    }
}

#[test]
fn a_prior_is_added_up_to_the_largest_one() {
    let files = files();
    for structure in ["given", "hill-climb"] {
        std::fs::write(
            files.path("full.csv"),
            "grass,rain,cat=mood\nwet,yes,sits\n",
        )
        .unwrap();
        let learn =
            format!("--file garden.bif --task learn --data full.csv --structure {structure}");
        let found = files.json(&format!("{learn} --prior 1e15"));
        let mood = &found["tables"]["cat=mood"][""]["flies"];
        assert!((mood.as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12, "{mood}");
    }
}
