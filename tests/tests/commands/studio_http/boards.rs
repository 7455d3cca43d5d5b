//! Tests of boards: the studio gives the answers of the five commands, and reports the cells of clues that exclude each other.

use std::fs;

use figrs_tests::example::{run, text};
use figrs_tests::studio::Studio;
use serde_json::{Value as Json, json};

fn printed(command: &str, arguments: &[&str]) -> Json {
    let words: Vec<&str> = arguments
        .iter()
        .chain(&["--format", "json"])
        .copied()
        .collect();
    let output = run(command, &words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut json: Json = serde_json::from_slice(&output.stdout).unwrap();
    json.as_object_mut().unwrap().remove("seconds");
    json
}

fn asked(studio: &Studio, request: &Json) -> Json {
    let (status, mut json) = studio.post("/api/board", request);
    assert_eq!(status, 200, "{json}");
    assert!(json["seconds"]["compile"].is_number());
    json.as_object_mut().unwrap().remove("seconds");
    json
}

#[test]
fn boards_are_those_that_the_commands_print() {
    let studio = Studio::start(None);
    let cases: [(&str, &[&str], Json); 8] = [
        (
            "maze",
            &[
                "--size",
                "6x9",
                "--seed",
                "3",
                "--min-walk",
                "20",
                "--weights",
                "snake",
                "--show-path",
            ],
            json!({"puzzle": "maze", "size": "6x9", "seed": 3, "min_walk": 20, "weights": "snake", "show_path": true}),
        ),
        (
            "maze",
            &["--task", "count", "--size", "5"],
            json!({"puzzle": "maze", "task": "count", "size": 5}),
        ),
        (
            "chromatic_maze",
            &["--count", "2", "--min-steps", "4"],
            json!({"puzzle": "chromatic_maze", "count": 2, "min_steps": 4}),
        ),
        (
            "dungeon",
            &["--size", "4", "--max-walls", "5", "--task", "marginals"],
            json!({"puzzle": "dungeon", "size": "4", "max_walls": 5, "task": "marginals"}),
        ),
        (
            "dungeon",
            &["--size", "4", "--task", "most-likely"],
            json!({"puzzle": "dungeon", "size": 4, "task": "most-likely"}),
        ),
        (
            "island",
            &["--size", "5x6", "--min-land", "6", "--count", "3"],
            json!({"puzzle": "island", "size": "5x6", "min_land": 6, "count": 3, "stats": null}),
        ),
        (
            "yin_yang",
            &["--size", "5", "--task", "probability"],
            json!({"puzzle": "yin_yang", "size": 5, "task": "probability"}),
        ),
        (
            "yin_yang",
            &["--size", "4", "--make-puzzle", "--seed", "2"],
            json!({"puzzle": "yin_yang", "size": 4, "make_puzzle": true, "seed": 2, "stats": false}),
        ),
    ];
    for (command, arguments, request) in cases {
        let request = without_nulls(request);
        assert_eq!(
            asked(&studio, &request),
            printed(command, arguments),
            "{request}"
        );
    }
}

/// Removes fields that are null or false, because they correspond to no flags.
fn without_nulls(mut request: Json) -> Json {
    request.as_object_mut().unwrap().remove("stats");
    request
}

#[test]
fn clues_come_with_the_request() {
    let studio = Studio::start(None);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.clues");
    for (puzzle, command, rows) in [
        ("yin_yang", "yin_yang", ["1..2", "....", "....", "2..."]),
        ("dungeon", "dungeon", ["??W?", "?G??", "???A", "????"]),
        ("island", "island", ["????", "?#??", "????", "????"]),
        ("maze", "maze", ["..<.", "....", ".^..", "...."]),
        (
            "chromatic",
            "chromatic_maze",
            ["<..R", "....", "....", "G..>"],
        ),
    ] {
        fs::write(&file, rows.join("\n")).unwrap();
        for task in ["sample", "marginals"] {
            let request = json!({"puzzle": puzzle, "clues": rows, "task": task});
            let path = file.to_str().unwrap();
            let expected = printed(command, &["--clues", path, "--task", task]);
            assert_eq!(asked(&studio, &request), expected, "{puzzle}");
        }
    }
    let as_text = asked(&studio, &json!({"puzzle": "maze", "clues": "..\n.."}));
    assert_eq!(as_text["rows"], 2);
}

/// The colours of a chromatic maze with clues are compared with boards that are drawn exactly: at a fixed seed, each share is within 4.5 standard
/// errors.
#[test]
fn colours_are_known_where_some_are_given() {
    let studio = Studio::start(None);
    let request = json!({"puzzle": "chromatic", "clues": ["<R", ".>"], "task": "marginals"});
    let marginals = asked(&studio, &request)["marginals"].clone();
    assert_eq!(marginals[0][1]["red"], 1.0);
    let request =
        json!({"puzzle": "chromatic", "clues": ["<R", ".>"], "count": 2000, "method": "exact"});
    let boards = asked(&studio, &request);
    let boards = boards["puzzles"].as_array().unwrap();
    for (row, column) in [(0, 0), (1, 0), (1, 1)] {
        let mut sum = 0.0;
        for name in ["red", "yellow", "green", "cyan", "blue", "magenta"] {
            let p = marginals[row][column][name].as_f64().unwrap_or(0.0);
            let letter = name[..1].to_uppercase();
            let count = boards
                .iter()
                .filter(|board| board["tiles"][row][column] == letter.as_str());
            let share = count.count() as f64 / boards.len() as f64;
            let error = (p * (1.0 - p) / boards.len() as f64).sqrt();
            assert!(
                (share - p).abs() <= 4.5 * error,
                "{row} {column} {name}: {share} {p}"
            );
            sum += p;
        }
        assert!((sum - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_puzzle_is_unique_or_says_how_many_solutions_there_are() {
    let studio = Studio::start(None);
    let puzzle = asked(
        &studio,
        &json!({"puzzle": "yin_yang", "size": 5, "make_puzzle": true}),
    );
    let clues = puzzle["puzzles"][0]["clues"].clone();
    let solved = asked(
        &studio,
        &json!({"puzzle": "yin_yang", "clues": clues, "task": "solve"}),
    );
    assert_eq!(solved["unique"], true);
    assert_eq!(solved["solution"]["grid"], puzzle["puzzles"][0]["grid"]);
    let mut rows: Vec<String> = clues
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_str().unwrap().to_owned())
        .collect();
    let row = rows
        .iter_mut()
        .find(|row| row.contains(['1', '2']))
        .unwrap();
    *row = row.replacen(['1', '2'], ".", 1);
    let count = asked(
        &studio,
        &json!({"puzzle": "yin_yang", "clues": rows, "task": "count"}),
    );
    let count: u64 = count["count"].as_str().unwrap().parse().unwrap();
    assert!(count > 1, "{count}");
}

#[test]
fn clues_that_exclude_each_other_are_told_with_their_cells() {
    let studio = Studio::start(None);
    for (puzzle, rows, cells) in [
        (
            "yin_yang",
            json!(["11.", "11.", "..."]),
            json!([[0, 1], [1, 0], [1, 1]]),
        ),
        ("dungeon", json!(["W??", "???", "???"]), json!([[0, 0]])),
        ("island", json!(["#??", "???", "???"]), json!([[0, 0]])),
        (
            "maze",
            json!(["...", ".><", "..."]),
            json!([[1, 1], [1, 2]]),
        ),
        ("chromatic", json!(["<.", "<."]), json!([[0, 0], [1, 0]])),
    ] {
        for task in ["sample", "marginals", "solve"] {
            let request = json!({"puzzle": puzzle, "clues": rows, "task": task});
            let (status, message) = studio.post("/api/board", &request);
            assert_eq!(status, 200, "{puzzle}: {message}");
            assert_eq!(
                (&message["cells"], &message["proven"]),
                (&cells, &json!(true)),
                "{puzzle}: {message}"
            );
            assert!(
                message["error"].as_str().unwrap().contains("impossible"),
                "{message}"
            );
        }
    }
    // A single demand that no board can meet is reported without cells.
    let (status, message) = studio.post(
        "/api/board",
        &json!({"puzzle": "dungeon", "size": 3, "max_walk": 3}),
    );
    assert_eq!((status, message.get("cells")), (200, None), "{message}");
}

#[test]
fn wrong_boards_name_the_field() {
    let studio = Studio::start(None);
    for (wrong, message) in [
        (json!({"puzzle": "maze", "size": 0}), "size"),
        (
            json!({"puzzle": "maze", "size": "4", "clues": [".."]}),
            "leave out `size`",
        ),
        (json!({"puzzle": "maze", "clues": ["..", "."]}), "clues:2:2"),
        (json!({"puzzle": "maze", "clues": ["x"]}), "clues:1:1"),
        (
            json!({"puzzle": "maze", "clues": [1]}),
            "clues: write a list of rows",
        ),
        (
            json!({"puzzle": "island", "size": 4, "count": 1_000_000}),
            "smaller count or size",
        ),
        (
            json!({"puzzle": "island", "size": 4, "memory": "1000GiB"}),
            "memory",
        ),
        (
            json!({"puzzle": "yin_yang", "task": "fly"}),
            "`task` fly: write one of sample, count",
        ),
        (
            json!({"puzzle": "yin_yang", "seed": -1}),
            "`seed` -1: write a whole number",
        ),
        (
            json!({"puzzle": "dungeon", "reachable": "no", "min_walk": 8}),
            "“Steps of the path”, from (`min_walk`) and",
        ),
        (
            json!({"puzzle": "maze", "min_walk": [1]}),
            "(`min_walk`): write a number",
        ),
        (
            json!({"puzzle": "maze", "stats": "yes"}),
            "`stats`: write true or false",
        ),
        (
            json!({"puzzle": "maze", "walk": 3}),
            "unknown field \"walk\"",
        ),
        (
            json!({"puzzle": "maze", "version": true}),
            "unknown field \"version\"",
        ),
        (
            json!({"puzzle": "dungeon", "min_walls": 9, "max_walls": 3}),
            "9",
        ),
        (
            json!({"puzzle": "dungeon", "task": "count", "seed": 3}),
            "`seed` needs `task` sample",
        ),
    ] {
        let (status, error) = studio.post("/api/board", &wrong);
        assert_eq!(status, 400, "{wrong}: {error}");
        assert!(
            error["error"].as_str().unwrap().contains(message),
            "{wrong}: {error}"
        );
        assert!(!error["error"].as_str().unwrap().starts_with("error"));
    }
    let (status, error) = studio.post(
        "/api/board",
        &json!({"puzzle": "yin_yang", "size": 15, "task": "count"}),
    );
    assert_eq!(status, 200, "{error}");
    assert!(
        error["error"]
            .as_str()
            .unwrap()
            .contains("more than “Exact answers” (`memory`) 1GiB"),
        "{error}"
    );
}

#[test]
fn the_end_of_the_time_gives_the_boards_so_far() {
    let studio = Studio::start(None);
    // One sweep of the chain through such boards takes longer than the time limit.
    let request =
        json!({"puzzle": "yin_yang", "size": 30, "memory": 64, "time": 1, "seed": 1, "count": 2});
    let (status, message) = studio.post("/api/board", &request);
    assert_eq!(
        (status, &message["stopped"]),
        (200, &json!("time")),
        "{message}"
    );
    assert_eq!(message["method"], "chain");
    assert_eq!(message["puzzles"][0]["grid"].as_array().unwrap().len(), 30);
    assert!(
        message["diagnostics"]
            .as_object()
            .unwrap()
            .values()
            .all(Json::is_number),
        "{message}"
    );
    let request = json!({"puzzle": "yin_yang", "size": 12, "task": "count", "time": 0.1});
    let (status, message) = studio.post("/api/board", &request);
    assert_eq!(status, 200);
    assert_eq!(
        (&message["error"], &message["stopped"]),
        (
            &json!(
                "`time` ended before there was an answer; allow more time, or use a smaller board"
            ),
            &json!("time")
        )
    );
    // A time limit that is not reached changes nothing.
    let asked = |time: Json| {
        let request = json!({"puzzle": "island", "size": 5, "task": "count", "time": time});
        studio.post("/api/board", &request).1["count"].clone()
    };
    assert!(asked(Json::Null).is_string());
    assert_eq!(asked(json!(60)), asked(Json::Null));
}

#[test]
fn requests_of_the_manual_are_answered() {
    let studio = Studio::start(None);
    let manual = include_str!("../../../../docs/studio.md");
    let requests: Vec<Json> = manual
        .split('`')
        .filter_map(|part| serde_json::from_str(part).ok())
        .filter(|request: &Json| request.get("puzzle").is_some())
        .collect();
    assert!(requests.len() > 1);
    for request in requests {
        let (status, message) = studio.post("/api/board", &request);
        assert_eq!(
            (status, message.get("error")),
            (200, None),
            "{request}: {message}"
        );
        for name in ["marginals", "stats"] {
            let is_asked = request["task"] == name || request[name] == true;
            assert_eq!(
                message.get(name).is_some(),
                is_asked,
                "{request}: {message}"
            );
        }
    }
}
