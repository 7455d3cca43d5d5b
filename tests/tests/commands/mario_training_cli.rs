//! Tests of the training options of the main example: lists of structures, and smoothing.

use std::process::Output;

use figrs_tests::example::{self, text};

fn run(arguments: &[&str]) -> Output {
    example::run("mario_mdmc", arguments)
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = run(&[arguments, &["--format", "json", "--seed", "3"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_method_with_structures_takes_a_list_and_smoothing() {
    for method in [
        "look-ahead",
        "elements",
        "conditioned",
        "exact",
        "columns",
        "hierarchical",
    ] {
        let trained = ["--structures", "ns2,(0,1),ns0", "--smoothing", "20"];
        let level = ["--method", method, "--rows", "3", "--width", "12"];
        let asked = [&level[..], &trained].concat();
        let levels = json(&asked);
        assert_eq!(levels[0]["structure"], "ns2,(0,1),ns0", "{method}");
        assert_eq!(levels[0]["smoothing"], 20.0, "{method}");
        let plain = [&level[..], &["--structure", "ns2"]].concat();
        assert_ne!(levels[0]["rows"], json(&plain)[0]["rows"], "{method}");
    }
}

/// With strong smoothing, tiles occur where training never showed them, so that the configurations above and to the right of them are unseen.
#[test]
fn smoothing_makes_unseen_states() {
    let unseen = |smoothing: &str| {
        let asked = [
            "--width",
            "60",
            "--look-ahead",
            "0",
            "--smoothing",
            smoothing,
        ];
        json(&asked)[0]["unseen"].as_u64().unwrap()
    };
    let little = unseen("0");
    assert!(unseen("1000") > 10 * little.max(10));
}

#[test]
fn a_saved_model_keeps_its_list_and_its_smoothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.json");
    let path = path.to_str().unwrap();
    let level = ["--width", "30", "--seed", "2"];
    let trained = ["--structure", "ns3,ns1,ns0", "--smoothing", "0.01"];
    let save = ["--save-model", path];
    let saved = run(&[&level[..], &trained, &save].concat());
    let loaded = run(&[&level[..], &["--model", path]].concat());
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert_eq!(loaded.stdout, saved.stdout);
}

#[test]
fn bands_without_tiles_have_flags_as_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (level, tiles) = (path("a.txt"), path("tiles.toml"));
    std::fs::write(&level, "@@\n-X\n").unwrap();
    let legend = "[tiles]\n'-' = ['passable']\n'X' = ['solid']\n'@' = ['outside']\n";
    std::fs::write(&tiles, legend).unwrap();
    let refused = run(&["--corpus", &level, "--tiles", &tiles]);
    let remedy = "use fewer bands (--row-splits 1 for one), or the Markov chain\n";
    assert!(
        text(&refused.stderr).ends_with(remedy),
        "{}",
        text(&refused.stderr)
    );
}
