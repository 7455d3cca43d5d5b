//! Tests of learning the structure of networks on the command line.

use serde_json::Value as Json;

use crate::network_cli::files::{Files, keys};

/// Data in which rain mostly makes the grass wet, and the cat's behaviour is independent.
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
        let mut names = keys(&found);
        // Rows of tables that no case reaches are named if there are such rows.
        names.retain(|key| *key != "unreached");
        assert_eq!(
            names,
            [
                "log_likelihood",
                "log_likelihoods",
                "score",
                "iterations",
                "tables"
            ]
        );
        // The tables are counted directly, without rounds that raise the likelihood.
        let likelihoods = found["log_likelihoods"].as_array().unwrap();
        assert_eq!(
            (&likelihoods[0], likelihoods.len(), &found["iterations"]),
            (&found["log_likelihood"], 1, &0.into())
        );
        // The written network has this score, and its tables maximise the likelihood.
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
        text.contains("\nbic -") && text.contains("\narcs "),
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
    // The cat mediates, whichever direction the arc between it and the grass has.
    assert!(
        parents("grass") == [""] && parents("cat=mood") == ["grass"]
            || parents("grass") == ["cat=mood"]
    );
    let found = files.json(&format!(
        "{learn} --structure k2 --order grass rain --prior 1"
    ));
    assert_eq!(keys(&found["tables"]["grass"]), [""]);
    // Of 48 rows, 28 are wet, and one is added to each count.
    let wet = number(&found["tables"]["grass"][""]["wet"]);
    assert!((wet - 29.0 / 50.0).abs() < 1e-12, "{wet}");
}

/// The output has the number of rounds, the number of missing cells, and scores that increase.
#[test]
fn structures_are_learned_from_missing_cells() {
    let files = files();
    let rows = DATA.repeat(20) + &OTHER.repeat(4) + &"yes,,sits\n,dry,runs\n".repeat(6);
    std::fs::write(
        files.path("open.csv"),
        format!("rain,grass,cat=mood\n{rows}"),
    )
    .unwrap();
    let found = files.json("--task learn --data open.csv --restarts 2");
    let missing = &found["missing"];
    assert_eq!(
        (&missing["cells"], &missing["optimum"]),
        (&12.into(), &"local".into())
    );
    assert!(found["iterations"].as_u64().unwrap() >= 1);
    let scores: Vec<f64> = missing["scores"]
        .as_array()
        .unwrap()
        .iter()
        .map(number)
        .collect();
    assert!(scores.is_sorted() && number(&found["score"]) < *scores.last().unwrap());
}

/// A search that would take hours ends at the time limit with the best structure so far.
#[test]
fn a_search_ends_with_its_time() {
    let files = files();
    let learn = "--task learn --data complete.csv";
    let whole = files.json(learn);
    let cut = files.json(&format!("{learn} --restarts 1000000 --time 0.5"));
    assert_eq!(cut["stopped"], "time");
    assert_eq!(cut["score"], whole["score"]);
}

#[test]
fn structures_that_cannot_be_learned_are_told() {
    let files = files();
    let learn = "--task learn --data complete.csv";
    for (options, words) in [
        ("--structure given", "--file"),
        (
            "--require rain grass --require grass rain",
            "cycle, grass -> rain -> grass",
        ),
        ("--require rain grass --forbid rain grass", "keep one"),
        (
            "--require rain gras",
            "--require rain gras: no variable is called `gras`; did you mean `grass`",
        ),
        (
            "--forbid gras rain",
            "--forbid gras rain: no variable is called `gras`",
        ),
        (
            "--require rain rain",
            "--require rain rain: an arc must connect two variables",
        ),
        (
            "--structure k2 --order gras",
            "--order gras: no variable is called `gras`",
        ),
        (
            "--structure k2 --order rain rain",
            "--order: the order names `rain` a second time",
        ),
        (
            "--require rain grass --require cat=mood grass --max-parents 1",
            "--max-parents",
        ),
        (
            "--structure k2 --order grass rain --require rain grass",
            "--order",
        ),
        ("--score bdeu --equivalent-sample-size -3", "positive"),
        (
            "--score bdeu --equivalent-sample-size 1e-320",
            "--equivalent-sample-size",
        ),
    ] {
        files.refuses(&format!("{learn} {options}"), words);
    }
    for (options, words) in [
        (
            "--file garden.bif --task score --data open.csv",
            "open.csv:3: no state of `grass` (its cell is empty",
        ),
        (
            "--file garden.bif --task learn --structure given --score bic --data open.csv",
            "without --score of a given structure",
        ),
        ("--task score --data complete.csv", "--file"),
        ("--file garden.bif --task score", "--data"),
        (
            "--file pair.uai --task score --data complete.csv",
            "variable",
        ),
    ] {
        files.refuses(options, words);
    }
}
