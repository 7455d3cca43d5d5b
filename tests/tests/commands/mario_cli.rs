//! Tests of the main example, run as a user runs it.

use std::process::Output;

use figrs_tests::example::{self, text};

fn run(arguments: &[&str]) -> Output {
    example::run("mario_mdmc", arguments)
}

#[test]
fn a_level_has_fourteen_rows_of_the_width_asked_for() {
    for method in [
        "look-ahead",
        "elements",
        "columns",
        "n-grams",
        "hierarchical",
        "field",
    ] {
        let output = run(&["--width", "37", "--seed", "7", "--method", method]);
        let level = text(&output.stdout);
        assert_eq!(level.lines().count(), 14);
        assert!(level.lines().all(|row| row.chars().count() == 37));
        let message = text(&output.stderr);
        for part in ["seed 7", "unseen", "fallback", " s"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn a_seed_gives_the_same_bytes_on_any_number_of_threads() {
    for format in ["text", "json"] {
        let with = |threads: &str| {
            run(&[
                "--levels",
                "20",
                "--width",
                "25",
                "--seed",
                "3",
                "--format",
                format,
                "--threads",
                threads,
            ])
        };
        let one = with("1");
        for threads in ["2", "5"] {
            assert_eq!(with(threads).stdout, one.stdout);
        }
        if format == "json" {
            let levels: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
            let levels = levels.as_array().unwrap();
            assert_eq!(levels.len(), 20);
            assert_eq!(levels[19]["rows"].as_array().unwrap().len(), 14);
            assert_eq!(levels[19]["seed"], 3);
        }
    }
}

#[test]
fn a_file_is_replaced_only_by_a_whole_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("level.txt");
    std::fs::write(&path, "mine").unwrap();
    let out = path.to_str().unwrap();
    let failed = run(&["--out", out, "--width", "0"]);
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    let written = run(&["--out", out, "--width", "30", "--seed", "1"]);
    assert!(written.status.success() && written.stdout.is_empty());
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 14);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn pictures_and_maps_are_written_one_a_level() {
    let directory = tempfile::tempdir().unwrap();
    for (format, begins) in [
        ("png", &b"\x89PNG"[..]),
        ("tmx", b"<?xml"),
        ("tiled-json", b"{\"type\":\"map\""),
        ("ldtk-csv", b""),
    ] {
        let path = |name: &str| directory.path().join(format!("{format}{name}"));
        let with = |out: &str, levels: &str| {
            let out = path(out);
            let arguments = ["--format", format, "--width", "20", "--seed", "3"];
            let rest = ["--levels", levels, "--out", out.to_str().unwrap()];
            run(&[&arguments[..], &rest].concat())
        };
        let one = with(".level", "1");
        assert!(one.status.success(), "{}", text(&one.stderr));
        let single = std::fs::read(path(".level")).unwrap();
        assert!(single.starts_with(begins));
        assert!(with(".level", "12").status.success());
        assert_eq!(std::fs::read(path("-01.level")).unwrap(), single);
        assert!(path("-12.level").exists() && !path("-13.level").exists());
        let tiles = std::fs::read(path("-tiles.png"));
        assert_eq!(tiles.is_ok(), format.starts_with('t'));
        if format == "tmx" {
            let map = text(&single);
            assert!(map.contains("source=\"tmx-tiles.png\""), "{map}");
            assert!(map.contains("name=\"seed\" value=\"3\""), "{map}");
        }
    }
}

#[test]
fn two_flags_name_two_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(path("inner")).unwrap();
    std::fs::write(path("model.json"), "{}").unwrap();
    for (flags, files) in [
        (["--save-model", "--out"], ["a.txt", "a.txt"]),
        (["--save-model", "--out"], ["a.txt", "inner/../a.txt"]),
        (["--model", "--out"], ["model.json", "model.json"]),
        (["--out", "--report"], ["a.html", "a.html"]),
    ] {
        let [first, second] = files.map(path);
        let output = run(&[flags[0], &first, flags[1], &second, "--format", "json"]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        let expected = format!("{} and {} name the same file", flags[0], flags[1]);
        assert!(message.contains(&expected), "{message}");
    }
    assert_eq!(std::fs::read_to_string(path("model.json")).unwrap(), "{}");
}

#[test]
fn names_of_files_may_have_dots() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("level.v2.tmx");
    let out = out.to_str().unwrap();
    let ask = ["--width", "8", "--seed", "1", "--levels", "3", "--resume"];
    let output = run(&[&ask[..], &["--out", out]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let names = std::fs::read_dir(directory.path()).unwrap();
    let names = names.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    let expected = [
        ".level.v2-set.journal",
        "level.v2-1.tmx",
        "level.v2-2.tmx",
        "level.v2-3.tmx",
        "level.v2-set.json",
        "level.v2-tiles.png",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_path_is_shown_when_asked_for() {
    let with = |format: &str| {
        run(&[
            "--format",
            format,
            "--show-path",
            "--width",
            "40",
            "--seed",
            "5",
        ])
    };
    let shown = with("text");
    let shown = text(&shown.stdout);
    let json: serde_json::Value = serde_json::from_slice(&with("json").stdout).unwrap();
    let path = json[0]["path"].as_array().unwrap();
    assert_eq!(path[0], serde_json::json!([2, 2]));
    let reached = path.iter().map(|cell| cell[1].as_u64().unwrap()).max();
    assert_eq!(json[0]["playable"], reached == Some(39));
    for cell in path {
        let (row, column) = (cell[0].as_u64().unwrap(), cell[1].as_u64().unwrap());
        let line = shown.lines().nth(row as usize).unwrap();
        assert_eq!(line.as_bytes()[column as usize], b'*');
    }
}

#[test]
fn a_saved_model_gives_the_same_levels() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.json");
    let path = path.to_str().unwrap();
    let arguments = ["--width", "30", "--levels", "3", "--seed", "2"];
    let trained = [
        &arguments[..],
        &["--structure", "ns2", "--save-model", path],
    ]
    .concat();
    let trained = run(&trained);
    let loaded = run(&[&arguments[..], &["--model", path]].concat());
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert_eq!(loaded.stdout, trained.stdout);
}

#[test]
fn measures_are_the_same_on_any_number_of_threads() {
    let with = |threads: &str, format: &str| {
        let arguments = ["--stats", "12", "--width", "30", "--seed", "4"];
        let methods = ["--method", "look-ahead,n-grams"];
        let rest = ["--threads", threads, "--format", format];
        run(&[&arguments[..], &methods, &rest].concat())
    };
    let one = with("1", "json");
    assert_eq!(with("3", "json").stdout, one.stdout);
    let table: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
    let names: Vec<_> = table["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["method"])
        .collect();
    assert_eq!(names, ["corpus", "look-ahead", "n-grams"]);
    let corpus = &table["methods"][0];
    assert_eq!(
        (&corpus["levels"], &corpus["measures"]["playable"]["mean"]),
        (&9.into(), &1.0.into())
    );
    assert_eq!(corpus["measures"]["unseen"]["mean"], 0.0);
    assert_eq!(table["methods"][1]["levels"], 12);
    // Every run of three columns occurs in the training levels, because the model consists of trigrams of columns.
    assert!(
        table["methods"][2]["measures"]["copied run"]["mean"]
            .as_f64()
            .unwrap()
            >= 3.0
    );
    // The table has a row for each applicable measure, one for the headings, one for the diversity, and two for the profile.
    let text_table = text(&with("2", "text").stdout);
    let measures = corpus["measures"].as_object().unwrap();
    let applicable = measures
        .values()
        .filter(|measure| !measure["mean"].is_null());
    assert_eq!(text_table.lines().count(), 1 + applicable.count() + 1 + 2);
}
