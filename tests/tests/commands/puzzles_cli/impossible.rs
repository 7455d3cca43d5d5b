//! Tests of demands that no board meets.

use figrs_tests::example::text;
use serde_json::{Value as Json, json};

use super::files::Files;

/// Puzzles without a board, and parts of the message about each: the cells, or the demand and the possible range.
const IMPOSSIBLE: &[(&str, &str, &str)] = &[
    ("dungeon", "--size 1", "row 1, column 1"),
    ("dungeon", "--clues altar.clues", "row 1, column 1"),
    (
        "dungeon",
        "--clues altars.clues",
        "clues at row 1, column 1; row 2, column 2",
    ),
    ("dungeon", "--clues gem.clues", "clues at row 1, column 1;"),
    (
        "dungeon",
        "--clues gem.clues --min-walk 2",
        "clues at row 1, column 1;",
    ),
    (
        "dungeon",
        "--size 2 --min-walls 3",
        "at least 3 walls, but boards of this size have 0 to 1;",
    ),
    ("dungeon", "--size 4 --min-walls 17", "have 0 to 9;"),
    (
        "dungeon",
        "--size 15 --min-walls 197 --max-walls 300",
        "197 to 300 walls, but boards of this size have 0 to 196;",
    ),
    (
        "dungeon",
        "--size 3 --max-walk 3",
        "at most 3 steps of the walk, but boards of this size have 4 to 20 in steps of 2;",
    ),
    (
        "dungeon",
        "--size 3 --min-walk 5 --max-walk 5",
        "exactly 5 steps",
    ),
    ("dungeon", "--size 9 --min-walk 193", "have 16 to 192 in"),
    ("dungeon", "--size 3 --min-walk 18", "at least 18 steps"),
    (
        "dungeon",
        "--size 3 --min-walk 16 --max-walls 0",
        "at least 16 steps of the walk, at most 0 walls",
    ),
    (
        "yin_yang",
        "--clues square.clues",
        "clues at row 1, column 2; row 2, column 1; row 2, column 2;",
    ),
    ("yin_yang", "--size 1", "row 1, column 1"),
    ("island", "--clues sea.clues", "clues at row 2, column 2"),
    (
        "island",
        "--size 4 --min-land 9",
        "at least 9 cells of land, but boards of this size have 1 to 4;",
    ),
    ("island", "--size 5 --min-land 20", "have 1 to 9;"),
    ("island", "--size 5 --max-land 0", "at most 0 cells of land"),
    ("island", "--size 300 --min-land 90000", "have 1 to 88804;"),
    ("island", "--size 4 --min-bays 4", "at least 4 bays"),
    ("island", "--size 4 --min-bays 2", "at least 2 bays"),
    (
        "island",
        "--size 50 --min-bays 1000",
        "at least 1000 bays, but boards of this size have 0 to 922;",
    ),
    (
        "island",
        "--size 5 --min-land 9 --min-bays 1",
        "at least 9 cells of land, at least 1 bay",
    ),
    (
        "chromatic_maze",
        "--size 2 --min-steps 4",
        "at least 4 steps of the path, but boards of this size have 1 to 3;",
    ),
    ("chromatic_maze", "--size 3 --t-max 0", "at most 0 steps"),
    ("chromatic_maze", "--size 8 --min-steps 64", "have 1 to 63;"),
    ("chromatic_maze", "--size 1", "use two tiles or more"),
    (
        "maze",
        "--size 3 --min-walk 9",
        "at least 9 steps of the path, but boards of this size have 4 to 8 in steps of 2;",
    ),
    (
        "maze",
        "--size 2 --min-walk 3",
        "boards of this size have 2;",
    ),
    ("maze", "--size 200 --max-walk 397", "have 398 to 39998 in"),
    (
        "maze",
        "--size 3x4 --min-walk 6 --max-walk 6",
        "exactly 6 steps",
    ),
    ("maze", "--size 1x9 --max-walk 7", "have 8;"),
];

#[test]
fn impossible_demands_say_so_at_every_task() {
    let files = Files::new();
    for &(puzzle, arguments, part) in IMPOSSIBLE {
        for task in [
            "sample",
            "marginals",
            "most-likely",
            "solve",
            "count",
            "probability",
        ] {
            let output = files.run(puzzle, &format!("{arguments} --task {task}"));
            let words = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(1),
                "{puzzle} {arguments} {task}: {words}"
            );
            assert!(
                words.starts_with("error: impossible: ") && words.contains(part),
                "{puzzle} {arguments} {task}: {words}"
            );
            assert_eq!(words.lines().count(), 1, "{words}");
            let answer = match task {
                "count" => "0\n",
                "probability" => "probability 0.000000e0, log-probability -inf\n",
                _ => "",
            };
            assert_eq!(text(&output.stdout), answer, "{puzzle} {arguments} {task}");
        }
    }
    let output = files.run("dungeon", "--task probability --size 1 --format json");
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["probability"], &found["log_probability"]),
        (&json!(0.0), &json!("-inf"))
    );
}

/// The other methods also report impossible demands before anything is drawn.
#[test]
fn impossible_demands_say_so_by_every_method() {
    let files = Files::new();
    for (puzzle, arguments) in [
        ("maze", "--size 9 --min-walk 81 --method wilson"),
        ("dungeon", "--size 9 --min-walk 500 --method rejection"),
        ("dungeon", "--clues gem.clues --method rejection"),
        (
            "chromatic_maze",
            "--size 4 --min-steps 16 --method rejection",
        ),
        ("island", "--size 40 --min-land 1445 --method chain"),
        ("yin_yang", "--clues square.clues --method particles"),
        ("yin_yang", "--clues square.clues --make-puzzle"),
    ] {
        let output = files.run(puzzle, arguments);
        let words = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{puzzle} {arguments}: {words}"
        );
        assert!(
            words.starts_with("error: impossible: "),
            "{puzzle} {arguments}: {words}"
        );
    }
}
