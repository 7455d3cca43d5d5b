//! Tests of levels: the studio gives the answers of the command, and reports about cells.

use std::fs;

use figrs_tests::example::{run, text};
use figrs_tests::studio::Studio;
use serde_json::{Value as Json, json};

fn level(studio: &Studio, request: Json) -> (u16, Json) {
    studio.post("/api/level", &request)
}

fn printed(arguments: &str) -> Json {
    let words: Vec<&str> = arguments.split(' ').chain(["--format", "json"]).collect();
    let output = run("mario_mdmc", &words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn levels_are_those_that_the_command_prints() {
    let studio = Studio::start(None);
    let cases = [
        (
            "--method conditioned --width 40 --seed 3 --levels 2",
            json!({"width": 40, "seed": 3, "levels": 2}),
        ),
        (
            "--method conditioned --width 60 --seed 8 --playable --show-path --max-gap 3 --count E=2..4 --density o=0..0.02 --particles 30",
            json!({"width": 60, "seed": 8, "playable": true, "show_path": true, "max_gap": 3, "count": {"E": [2, 4]}, "density": {"o": [0, 0.02]}, "particles": 30}),
        ),
        (
            "--method exact --rows 4 --width 30 --seed 2 --levels 3 --structure ns1 --smoothing 0.1 --row-splits 2 --allow-unseen",
            json!({"method": "exact", "rows": 4, "width": 30, "seed": 2, "levels": 3, "structure": "ns1", "smoothing": 0.1, "row_splits": 2, "allow_unseen": true}),
        ),
    ];
    for (arguments, request) in cases {
        let (status, levels) = level(&studio, request);
        assert_eq!(status, 200, "{levels}");
        assert_eq!(levels, printed(arguments), "{arguments}");
    }
    // A level of a set is the same if it is requested alone.
    let (_, two) = level(&studio, json!({"width": 40, "seed": 3, "levels": 2}));
    let (_, second) = level(&studio, json!({"width": 40, "seed": 3, "index": 1}));
    assert_eq!(two[1], second[0]);
}

#[test]
fn the_probability_of_demands_is_that_of_the_command() {
    let studio = Studio::start(None);
    let request =
        json!({"task": "probability", "method": "exact", "rows": 4, "width": 20, "max_gap": 1});
    let (_, found) = level(&studio, request);
    let expected = printed("--probability --method exact --rows 4 --width 20 --max-gap 1");
    for field in ["method", "probability", "log_probability", "standard_error"] {
        assert_eq!(found[field], expected[field]);
    }
}

#[test]
fn painted_tiles_stand_where_they_are() {
    let studio = Studio::start(None);
    let pins = json!([[13, 0, "X"], [13, 10, "-"], [9, 5, "o"], [13, 59, "X"]]);
    for field in ["pin", "place"] {
        let mut request = json!({"width": 60, "seed": 4});
        request[field] = pins.clone();
        let (status, levels) = level(&studio, request);
        assert_eq!(status, 200, "{levels}");
        for pin in pins.as_array().unwrap() {
            let (row, column) = (pin[0].as_u64().unwrap(), pin[1].as_u64().unwrap());
            let row = levels[0]["rows"][row as usize].as_str().unwrap();
            assert_eq!(
                &row[column as usize..=column as usize],
                pin[2].as_str().unwrap()
            );
        }
    }
}

/// The shares among drawn levels are compared with the exact probabilities, with a tolerance of 4.5 standard errors. At random seeds, one of the 240
/// cells with up to five tiles would exceed it with a probability of one in a hundred; the seed is fixed.
#[test]
fn probabilities_of_tiles_are_exact_or_shares_of_drawn_levels() {
    let studio = Studio::start(None);
    let request = json!({"task": "marginals", "rows": 4, "width": 12, "max_gap": 1, "pin": [[3, 4, "-"]], "levels": 1000, "particles": 200, "seed": 5});
    let mut exact_request = request.clone();
    exact_request["method"] = "exact".into();
    let (status, exact) = level(&studio, exact_request);
    assert_eq!(status, 200, "{exact}");
    let (_, drawn) = level(&studio, request);
    assert_eq!(
        (&exact["exact"], &drawn["exact"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(drawn["levels"], 1000);
    // Ground is on both sides of the widest gap.
    for (column, tile) in [(3, "X"), (4, "-"), (5, "X")] {
        let cell = exact["marginals"][3][column].as_object().unwrap();
        assert_eq!(cell.keys().collect::<Vec<_>>(), [tile], "{cell:?}");
    }
    for row in 0..4 {
        for column in 0..12 {
            let cell = exact["marginals"][row][column].as_object().unwrap();
            let sum: f64 = cell.values().map(|p| p.as_f64().unwrap()).sum();
            assert!((sum - 1.0).abs() < 1e-9);
            for (tile, p) in cell {
                let p = p.as_f64().unwrap();
                let share = drawn["marginals"][row][column][tile]
                    .as_f64()
                    .unwrap_or(0.0);
                let error = (p * (1.0 - p) / 1000.0).sqrt().max(1e-3);
                assert!(
                    (share - p).abs() < 4.5 * error,
                    "{row} {column} {tile}: {share} {p}"
                );
            }
        }
    }
}

#[test]
fn contradictions_name_their_cells() {
    let studio = Studio::start(None);
    // No training level has the left side of a pipe with air on its right.
    let pins = json!([[12, 20, "["], [12, 21, "-"], [13, 40, "X"]]);
    let request = json!({"width": 60, "pin": pins, "method": "conditioned"});
    let (status, message) = level(&studio, request);
    assert_eq!(status, 200, "{message}");
    let cells = message["cells"].as_array().unwrap();
    assert!(
        !cells.is_empty() && cells.iter().all(|cell| cell[1] == 20 || cell[1] == 21),
        "{message}"
    );
    assert_eq!(message["proven"], true);
    assert!(message["error"].as_str().unwrap().contains("it is proven"));
    let request = json!({"rows": 3, "width": 10, "max_gap": 0, "pin": [[2, 4, "-"], [0, 8, "-"]], "method": "exact"});
    let (status, message) = level(&studio, request);
    assert_eq!(
        (status, &message["proven"]),
        (200, &json!(true)),
        "{message}"
    );
    assert_eq!(message["cells"], json!([[2, 4]]));
    assert_eq!(message["column"], 4);
    let error = message["error"].as_str().unwrap();
    assert!(error.contains("column 5 (counted from 1)"), "{error}");
    assert_eq!(message["playable"], false);
    // A wall of the height of the level stops every player.
    let wall: Vec<_> = (0..14).map(|row| json!([row, 10, "X"])).collect();
    let (_, message) = level(
        &studio,
        json!({"width": 20, "playable": true, "place": wall}),
    );
    assert_eq!(message["playable"], true, "{message}");
    let error = message["error"].as_str().unwrap();
    assert!(error.contains("placed tile in column 11;"), "{error}");
}

#[test]
fn training_levels_come_with_the_request_or_from_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let flat = "-----\nXXXXX\n";
    fs::create_dir(folder.path().join("flat")).unwrap();
    fs::write(folder.path().join("flat/one.txt"), flat).unwrap();
    let studio = Studio::start(Some(folder.path()));
    let expected = json!(["-------", "XXXXXXX"]);
    for source in [
        json!({"corpus": "flat", "width": 7}),
        json!({"training": [{"name": "typed", "text": flat}], "width": 7}),
    ] {
        let (status, levels) = level(&studio, source);
        assert_eq!(status, 200, "{levels}");
        assert_eq!(levels[0]["rows"], expected);
    }
    // A legend with a mistake is reported and left out.
    let flawed = r#"{"tiles": {"XX": ["solid"]}}"#;
    fs::write(folder.path().join("flat/tiles.json"), flawed).unwrap();
    let (_, message) = level(&studio, json!({"task": "tiles", "corpus": "flat"}));
    let notes = message["notes"].to_string();
    assert!(
        notes.contains("tiles was skipped, because it is not a legend"),
        "{message}"
    );
    fs::remove_file(folder.path().join("flat/tiles.json")).unwrap();
    // The request has a legend of the user with other characters.
    let own = json!({"task": "tiles", "training": [{"name": "a", "text": "..\n##"}], "tiles": {"tiles": {"#": ["solid"], ".": ["passable", "empty"]}}});
    let (_, message) = level(&studio, own);
    assert_eq!(message["empty"], ".");
    assert_eq!(
        message["tiles"][0],
        json!({"symbol": "#", "name": "solid", "meanings": ["solid"], "solid": true})
    );
    let (_, shipped) = level(&studio, json!({"task": "tiles"}));
    assert_eq!(shipped["tiles"].as_array().unwrap().len(), 13);
    assert!(shipped["training"].as_array().unwrap().len() > 5 && shipped["across"] == 14);
    for (wrong, status, message) in [
        (json!({"corpus": "none"}), 404, "is not in the folder"),
        (json!({"corpus": "../"}), 404, "is not in the folder"),
        (json!({"corpus": "."}), 400, "no training levels"),
        (
            json!({"corpus": "flat", "training": [{"name": "a", "text": "-"}]}),
            400,
            "give one of them",
        ),
        (
            json!({"training": [{"name": "a", "text": "--\n-"}]}),
            400,
            "a:2:2",
        ),
        (
            json!({"tiles": {"tiles": {"ab": []}}, "training": [{"name": "a", "text": "-"}]}),
            400,
            "tiles:",
        ),
    ] {
        let (found, error) = level(&studio, wrong);
        assert_eq!(found, status, "{error}");
        assert!(
            error["error"].as_str().unwrap().contains(message),
            "{error}"
        );
    }
}

#[test]
fn levels_are_checked_and_written_as_files() {
    use base64::Engine;
    let studio = Studio::start(None);
    let (_, drawn) = level(&studio, json!({"width": 30, "seed": 6, "show_path": true}));
    let rows = &drawn[0]["rows"];
    let (_, checked) = level(
        &studio,
        json!({"task": "check", "level": rows, "show_path": true}),
    );
    for field in ["rows", "width", "height", "unseen", "playable", "path"] {
        assert_eq!(checked[field], drawn[0][field], "{field}");
    }
    for (format, name, start) in [
        ("png", "level.png", &b"\x89PNG"[..]),
        ("tmx", "level.tmx", b"<?xml"),
        ("tiled-json", "level.tmj", b"{"),
        ("ldtk-csv", "level.csv", b""),
    ] {
        let (status, file) = level(
            &studio,
            json!({"task": "export", "level": rows, "format": format}),
        );
        assert_eq!((status, &file["name"]), (200, &json!(name)));
        let bytes = base64::engine::general_purpose::STANDARD;
        let bytes = bytes.decode(file["base64"].as_str().unwrap()).unwrap();
        assert!(bytes.starts_with(start) && bytes.len() > 100, "{format}");
    }
    for (wrong, message) in [
        (
            json!({"task": "export", "level": rows}),
            "format is missing",
        ),
        (
            json!({"task": "check", "level": ["--", "XX"]}),
            "it has 2 rows",
        ),
        (json!({"task": "check"}), "level"),
        (json!({"task": "check", "level": ["~"]}), "level:1:1"),
    ] {
        let (status, error) = level(&studio, wrong);
        assert_eq!(status, 400, "{error}");
        assert!(
            error["error"].as_str().unwrap().contains(message),
            "{error}"
        );
    }
}

#[test]
fn wrong_levels_name_the_field_and_the_remedy() {
    let studio = Studio::start(None);
    for (wrong, message) in [
        (
            json!({"width": 0}),
            "“Columns” (`width`) 0: write 1 to 1000",
        ),
        (json!({"width": 1001}), "(`width`) 1001"),
        (
            json!({"levels": 0}),
            "`levels` 0: write a whole number, 1 or more",
        ),
        (
            json!({"width": 1000, "levels": 1000}),
            "`levels` 1000: write 1 to 285",
        ),
        (
            json!({"height": 3}),
            "“Rows” (`height`) 3: levels to the right have the 14 rows of the training levels",
        ),
        (
            json!({"task": "check", "level": ["-".repeat(1001)]}),
            "it has 1001 rows or columns; the maximum is 1000",
        ),
        (
            json!({"particles": 10_001}),
            "“Particles of a level” (`particles`) 10001: write a whole number from 1 to 10000",
        ),
        (
            json!({"memory": 1_000_000}),
            "976.56GiB: write 1MiB to 8GiB",
        ),
        (json!({"index": u64::MAX}), "index"),
        (
            json!({"pin": [[14, 0, "X"]]}),
            "pin: row 15, column 1 is outside of the level, which has 14 rows and 60 columns",
        ),
        (
            json!({"pin": [[0, 60, "X"]]}),
            "row 1, column 61 is outside",
        ),
        (
            json!({"pin": [[u64::MAX, 0, "X"]]}),
            "is outside of the level",
        ),
        (
            json!({"pin": [[0, -1, "X"]]}),
            "`pin`): write [[row, column, TILE], ..]",
        ),
        (json!({"width": false}), "(`width`): write a number"),
        (
            json!({"no": null}),
            "unknown field \"no\"; the fields are allow_unseen, ",
        ),
        (json!({"pin": [[0, 0, "%"]]}), "unknown tile '%'"),
        (
            json!({"pin": [[0, 0, "X"], [0, 0, "-"]]}),
            "two tiles for one cell",
        ),
        (
            json!({"place": [[0, 0, "X"], [0, 0, "-"]]}),
            "two tiles for one cell",
        ),
        (
            json!({"count": {"E": [5, 2]}}),
            "`count` E=5..2: write the smaller number first",
        ),
        (json!({"count": {"%": [1, 2]}}), "`count`: unknown tile"),
        (
            json!({"density": {"E": [0.5, 0.2]}}),
            "`density` E=0.5..0.2: write shares",
        ),
        (json!({"forbid": [["X~"]]}), "forbid"),
        (json!({"structure": "ns9"}), "(`structure`) ns9:"),
        (json!({"row_splits": 99}), "99"),
        (json!({"smoothing": -1}), "-1"),
        (json!({"rows": 15}), "15"),
    ] {
        let (status, error) = level(&studio, wrong.clone());
        assert_eq!(status, 400, "{wrong}: {error}");
        assert!(
            error["error"].as_str().unwrap().contains(message),
            "{wrong}: {error}"
        );
    }
    let (status, error) = level(&studio, json!({"method": "exact", "memory": 1}));
    assert_eq!((status, &error["method"]), (200, &json!("exact")));
    assert!(error["error"].as_str().unwrap().contains("more than 1MiB"));
}

#[test]
fn levels_that_are_played_upwards_stand_upright() {
    let studio = Studio::start(None);
    let shaft = "#.o\n".repeat(12);
    let request =
        json!({"training": [{"name": "shaft", "text": shaft}], "height": 6, "pin": [[1, 0, "#"]]});
    let (status, levels) = level(&studio, request.clone());
    assert_eq!(
        (status, &levels[0]["rows"]),
        (200, &json!(vec!["#.o"; 6])),
        "{levels}"
    );
    let mut asked = request.clone();
    asked["task"] = "marginals".into();
    asked["method"] = "exact".into();
    let (_, exact) = level(&studio, asked);
    assert_eq!(
        (&exact["rows"], &exact["columns"]),
        (&json!(6), &json!(3)),
        "{exact}"
    );
    assert_eq!(
        exact["marginals"][5],
        json!([{"#": 1.0}, {".": 1.0}, {"o": 1.0}])
    );
    let mut wrong = request.clone();
    wrong["pin"] = json!([[1, 0, "#"], [4, 0, "o"]]);
    let (status, message) = level(&studio, wrong);
    assert_eq!(
        (status, &message["cells"]),
        (200, &json!([[4, 0]])),
        "{message}"
    );
    let mut across = request;
    across["width"] = 4.into();
    let (status, message) = level(&studio, across);
    assert_eq!(status, 400, "{message}");
    let (_, message) = level(
        &studio,
        json!({"task": "tiles", "training": [{"name": "shaft", "text": "#.o\n".repeat(12)}]}),
    );
    assert_eq!(
        (&message["travel"], &message["across"]),
        (&json!("up"), &json!(3))
    );
    assert!(
        message["notes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|note| note.as_str().unwrap().contains("upwards"))
    );
}
