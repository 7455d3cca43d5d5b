//! Structures of networks on the command line.

use figrs_tests::example::text;
use serde_json::Value as Json;

use crate::network_cli::files::{Files, keys};

/// Rain mostly makes the grass wet; the cat does as it likes.
const DATA: &str = "yes,wet,sits\nno,dry,runs\n";
const OTHER: &str = "no,wet,sits\nyes,wet,runs\n";

fn files() -> Files {
    let files = Files::new();
    let rows = DATA.repeat(20) + &OTHER.repeat(4);
    let text = format!("rain,grass,cat=mood\n{rows}");
    std::fs::write(files.path("complete.csv"), text).unwrap();
    std::fs::write(
        files.path("open.csv"),
        "rain,grass,cat=mood\nyes,wet,sits\nno,,runs\n",
    )
    .unwrap();
    files
}

fn number(json: &Json) -> f64 {
    json.as_f64().unwrap()
}

#[test]
fn structures_are_learned_and_scored() {
    let files = files();
    for (structure, score) in [
        ("hill-climb", "bic"),
        ("tabu", "bdeu"),
        ("k2", "k2"),
        ("hill-climb", "aic"),
        ("k2", "log-likelihood"),
    ] {
        let learn = format!(
            "--task learn --data complete.csv --structure {structure} --score {score} --out learned.bif"
        );
        let found = files.json(&learn);
        assert_eq!(
            keys(&found),
            [
                "log_likelihood",
                "log_likelihoods",
                "score",
                "iterations",
                "tables"
            ]
        );
        // Of 48 rows of three variables with two states.
        let uniform = -48.0 * 8.0_f64.ln();
        let likelihoods = found["log_likelihoods"].as_array().unwrap();
        assert!((number(&likelihoods[0]) - uniform).abs() < 1e-9);
        assert_eq!(
            (&likelihoods[1], likelihoods.len()),
            (&found["log_likelihood"], 2)
        );
        // The file that was written has this score, and these tables are at the maximum.
        let scored = files.json(&format!(
            "--file learned.bif --task score --data complete.csv --score {score}"
        ));
        assert_eq!(keys(&scored), ["score", "variables"]);
        assert!((number(&scored["score"]) - number(&found["score"])).abs() < 1e-9);
        let terms = scored["variables"].as_object().unwrap().values();
        let sum: f64 = terms.map(number).sum();
        assert!((sum - number(&scored["score"])).abs() < 1e-9);
        let again = files.json(
            "--file learned.bif --task learn --data complete.csv --iterations 1 --score log-likelihood",
        );
        let after = number(&again["log_likelihoods"][1]);
        assert!((after - number(&found["log_likelihood"])).abs() < 1e-9);
        assert!((number(&again["score"]) - after).abs() < 1e-9);
    }
    let text = files.text("--task learn --data complete.csv --restarts 3 --seed 2");
    assert!(
        text.contains("\nbic -") && text.contains(" arcs, in "),
        "{text}"
    );
    let text = files.text("--file garden.bif --task score --data complete.csv --score bdeu");
    assert!(
        text.starts_with("grass     -") && text.contains("\nbdeu -"),
        "{text}"
    );
}

#[test]
fn arcs_and_parents_are_as_demanded() {
    let files = files();
    let learn = "--task learn --data complete.csv";
    let found = files.json(&format!(
        "{learn} --require cat=mood rain --forbid rain grass --forbid grass rain --max-parents 1"
    ));
    let parents = |variable: &str| {
        let rows = keys(&found["tables"][variable]);
        rows[0]
            .split(',')
            .map(|pair| {
                pair.rsplit_once('=')
                    .map_or("", |(name, _)| name)
                    .to_owned()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(parents("rain"), ["cat=mood"]);
    // The cat mediates, whichever way the arc between it and the grass goes.
    assert!(
        parents("grass") == [""] && parents("cat=mood") == ["grass"]
            || parents("grass") == ["cat=mood"]
    );
    let found = files.json(&format!(
        "{learn} --structure k2 --order grass rain --prior 1"
    ));
    assert_eq!(keys(&found["tables"]["grass"]), [""]);
    // 28 of 48 rows are wet, and one is added to each count.
    let wet = number(&found["tables"]["grass"][""]["wet"]);
    assert!((wet - 29.0 / 50.0).abs() < 1e-12, "{wet}");
}

#[test]
fn structures_that_cannot_be_learned_are_told() {
    let files = files();
    let learn = "--task learn --data complete.csv";
    for (options, words) in [
        (
            "--task learn --data open.csv".into(),
            "open.csv:3: no state in the column `grass`",
        ),
        (
            "--file garden.bif --task score --data open.csv".into(),
            "--structure given",
        ),
        (format!("{learn} --structure given"), "--file"),
        (
            format!("{learn} --require rain grass --require grass rain"),
            "cycle, grass -> rain -> grass",
        ),
        (
            format!("{learn} --require rain grass --forbid rain grass"),
            "keep one",
        ),
        (
            format!("{learn} --require rain gras"),
            "did you mean `grass`, `rain`, `cat=mood`?",
        ),
        (
            format!("{learn} --require rain grass --require cat=mood grass --max-parents 1"),
            "--max-parents",
        ),
        (
            format!("{learn} --structure k2 --order grass rain --require rain grass"),
            "--order",
        ),
        (format!("{learn} --order grass"), "--structure k2"),
        (format!("{learn} --tabu-length 3"), "--structure tabu"),
        (
            format!("{learn} --structure k2 --restarts 3"),
            "hill-climb or tabu",
        ),
        (format!("{learn} --iterations 3"), "without rounds"),
        (format!("{learn} --start uniform"), "without rounds"),
        (
            format!("{learn} --structure k2 --seed 3"),
            "hill-climb or tabu",
        ),
        (
            format!("{learn} --equivalent-sample-size 3"),
            "--score bdeu",
        ),
        (
            format!("{learn} --score bdeu --equivalent-sample-size -3"),
            "positive",
        ),
        (
            "--file garden.bif --task learn --data complete.csv --max-parents 2".into(),
            "a search",
        ),
        (
            "--file garden.bif --score bic".into(),
            "--task learn or score",
        ),
        ("--task score --data complete.csv".into(), "--file"),
        ("--file garden.bif --task score".into(), "--data"),
        (
            "--file pair.uai --task score --data complete.csv".into(),
            "variable",
        ),
    ] {
        let output = files.run(&options);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {told}");
        assert!(
            told.starts_with("error: ") && told.contains(words),
            "{options}: {told}"
        );
    }
}
