//! The examples that draw boards, as a user runs them. The binaries are built by `cargo test --workspace`.

use std::path::Path;
use std::process::Output;

use figrs_tests::example::{self, text};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

const PUZZLES: [&str; 5] = ["maze", "chromatic_maze", "dungeon", "island", "yin_yang"];

/// A directory with files of clues.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        for (name, text) in [
            (
                "two.clues",
                "# two clues\n......\n.2....\n......\n......\n1.....\n......\n",
            ),
            (
                "one.clues",
                "......\n...2..\n..2.1.\n.1..11\n2.1.2.\n.2...2\n",
            ),
            ("square.clues", "11.\n11.\n..2\n"),
            ("altars.clues", "A??\n?A?\n???\n"),
            ("altar.clues", "A\n"),
            ("gem.clues", "W?\nG?\n"),
            ("sea.clues", "???\n?.?\n???\n"),
            ("shore.clues", "????\n?##?\n?##?\n????\n"),
            ("letter.clues", "...\n.x.\n"),
            ("ragged.clues", "...\n\n....\n"),
            ("empty.clues", "# nothing\n"),
        ] {
            std::fs::write(files.path(name), text).unwrap();
        }
        files
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs an example; arguments with an extension are files of the directory.
    fn run(&self, puzzle: &str, arguments: &str) -> Option<Output> {
        let arguments = arguments.split_whitespace().map(|argument| {
            if Path::new(argument).extension().is_some() {
                self.path(argument)
            } else {
                argument.into()
            }
        });
        let arguments: Vec<String> = arguments.collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        example::run(puzzle, &arguments)
    }

    /// What an example prints if all goes well.
    fn text(&self, puzzle: &str, arguments: &str) -> Option<String> {
        let output = self.run(puzzle, arguments)?;
        let told = text(&output.stderr);
        assert!(output.status.success(), "{puzzle} {arguments}: {told}");
        Some(text(&output.stdout))
    }

    fn json(&self, puzzle: &str, arguments: &str) -> Option<Json> {
        let text = self.text(puzzle, &format!("{arguments} --format json"))?;
        Some(serde_json::from_str(&text).unwrap())
    }
}

fn keys(object: &Json) -> Vec<&str> {
    let object = object.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

#[track_caller]
fn assert_near(found: &Json, expected: f64) {
    let found = found.as_f64().unwrap();
    let scale = expected.abs().max(1e-3);
    assert!(
        (found - expected).abs() < 1e-9 * scale,
        "{found} for {expected}"
    );
}

/// Particles took all the memory of the machine where the board did not fit --memory.
#[test]
fn particles_without_memory_are_refused() {
    let Some(output) = example::run("yin_yang", &["--size", "1000x15"]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.contains("--method particles would need about 3516 MiB, more than --memory 1024"),
        "{told}"
    );
}

/// Numbers and probabilities that were found by other programs: 192 spanning trees, 1858 reachable dungeons, 161 islands around the
/// middle, 96 Yin-Yang boards, and 7704 solvable chromatic mazes.
#[test]
fn counts_and_probabilities_are_exact() {
    let files = Files::new();
    for (puzzle, arguments, count, probability) in [
        ("maze", "--size 3", "192", 2.0 / 27.0),
        ("maze", "--size 2", "4", 0.5),
        ("maze", "--size 2 --border outside", "4", 4.0 / 64.0),
        (
            "maze",
            "--size 3 --weights snake",
            "192",
            10206.0 / 1_092_025.0,
        ),
        ("dungeon", "--size 3", "1858", 1858.0 / 4f64.powi(9)),
        (
            "dungeon",
            "--size 3 --max-walk 4",
            "683",
            683.0 / 4f64.powi(9),
        ),
        (
            "dungeon",
            "--size 3 --min-walk 14",
            "22",
            22.0 / 4f64.powi(9),
        ),
        ("island", "--size 5", "161", 161.0 / 2f64.powi(25)),
        ("yin_yang", "--size 4", "96", 96.0 / 2f64.powi(16)),
        ("yin_yang", "--size 2x3", "18", 18.0 / 2f64.powi(6)),
        (
            "yin_yang",
            "--clues two.clues",
            "2726",
            2726.0 / 2f64.powi(36),
        ),
        ("chromatic_maze", "--size 2", "7704", 7704.0 / 15552.0),
        (
            "chromatic_maze",
            "--size 2 --t-max 1",
            "5184",
            5184.0 / 15552.0,
        ),
        (
            "chromatic_maze",
            "--size 2 --min-steps 3",
            "384",
            384.0 / 15552.0,
        ),
    ] {
        let ask = |task: &str| files.json(puzzle, &format!("--task {task} {arguments}"));
        let Some(found) = ask("count") else { return };
        assert_eq!(found["count"], count, "{puzzle} {arguments}");
        assert_eq!(keys(&found["seconds"]), ["compile", "sample"]);
        let found = ask("probability").unwrap();
        assert_near(&found["probability"], probability);
        assert_near(&found["log_probability"], probability.ln());
        let told = files.text(puzzle, &format!("--task count {arguments}"));
        assert_eq!(told.unwrap(), format!("{count}\n"));
    }
}

#[test]
fn samples_are_json_that_others_read() {
    let files = Files::new();
    for (puzzle, kind, fields) in [
        ("maze", "maze", &["parents"][..]),
        (
            "chromatic_maze",
            "chromatic",
            &["start", "finish", "tiles", "steps"],
        ),
        ("dungeon", "dungeon", &["grid", "walk"]),
        ("island", "island", &["grid", "land", "bays"]),
        ("yin_yang", "yin_yang", &["grid"]),
    ] {
        let ask = |more: &str| files.json(puzzle, &format!("--size 3 --count 5 {more}"));
        let Some(found) = ask("--method exact --seed 4") else {
            return;
        };
        let shared = ["system", "puzzle", "n", "rows", "columns", "method", "seed"];
        let rest = ["puzzles", "cost", "seconds"];
        assert_eq!(keys(&found), [&shared[..], &rest].concat());
        assert_eq!(found["puzzle"], kind);
        assert_eq!((&found["n"], &found["seed"]), (&json!(3), &json!(4)));
        let boards = found["puzzles"].as_array().unwrap();
        assert_eq!(boards.len(), 5);
        assert_eq!(keys(&boards[0]), fields);
        assert_eq!(
            ask("--method exact --seed 4").unwrap()["puzzles"],
            found["puzzles"]
        );
        if puzzle != "island" {
            assert_ne!(
                ask("--method exact --seed 5").unwrap()["puzzles"],
                found["puzzles"]
            );
        }
        let oblong = files.json(puzzle, "--size 3x4").unwrap();
        assert_eq!(
            (&oblong["rows"], &oblong["columns"]),
            (&json!(3), &json!(4))
        );
        assert!(oblong.get("n").is_none());
    }
    let maze = files.json("maze", "--size 2 --show-path").unwrap();
    assert_eq!(maze["puzzles"][0]["parents"].as_array().unwrap().len(), 3);
    let path = maze["puzzles"][0]["path"].as_array().unwrap().clone();
    assert_eq!(
        (&path[0], &path[path.len() - 1]),
        (&json!([1, 1]), &json!([2, 2]))
    );
    // A maze of two rooms in a row has one passage, to the left of the second.
    let line = files.json("maze", "--size 1x2").unwrap();
    assert_eq!(line["puzzles"][0]["parents"], json!([[2, 1, -1, 0]]));
}

#[test]
fn boards_are_text() {
    let files = Files::new();
    let Some(maze) = files.text("maze", "--size 1x2 --show-path") else {
        return;
    };
    assert_eq!(maze, "+  +--+\n|*  * |\n+--+  +\n");
    assert_eq!(files.text("island", "--size 3").unwrap(), "...\n.#.\n...\n");
    let two = files
        .text("dungeon", "--size 1x2 --count 2 --show-path")
        .unwrap();
    for board in two.split("\n\n") {
        assert!(["GA", "AG"].contains(&board.trim()), "{two}");
    }
    let solved = files
        .text("yin_yang", "--task solve --clues one.clues")
        .unwrap();
    let solution = "222222\n211212\n212212\n212111\n211121\n222222\nthe only one\n";
    assert_eq!(solved, solution);
    let best = files
        .text("maze", "--size 2 --weights snake --task most-likely")
        .unwrap();
    assert!(best.contains("probability 4.5"), "{best}");
}

#[test]
fn pictures_are_png_files() {
    let files = Files::new();
    for (puzzle, arguments, size) in [
        ("maze", "--size 3x5 --show-path", (5 * 14 + 2, 3 * 14 + 2)),
        (
            "chromatic_maze",
            "--size 2 --show-path",
            (2 * 32 + 2, 2 * 32 + 2),
        ),
        ("dungeon", "--size 3 --show-path", (4 * 16, 4 * 16)),
        ("island", "--size 5", (60, 60)),
        (
            "yin_yang",
            "--clues one.clues --task solve",
            (6 * 26 + 12, 6 * 26 + 12),
        ),
        // Two columns and two rows with margins of twelve.
        ("island", "--size 3 --count 3", (2 * 36 + 36, 2 * 36 + 36)),
    ] {
        let ask = format!("{arguments} --format png --out board.png");
        let Some(printed) = files.text(puzzle, &ask) else {
            return;
        };
        assert!(printed.is_empty());
        let file = std::fs::read(files.path("board.png")).unwrap();
        assert!(file.starts_with(b"\x89PNG\r\n"));
        let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), size, "{puzzle} {arguments}");
    }
}

#[test]
fn files_hold_what_would_be_printed() {
    let files = Files::new();
    let Some(printed) = files.text("dungeon", "--size 3 --count 2 --seed 9") else {
        return;
    };
    let nothing = files.text("dungeon", "--size 3 --count 2 --seed 9 --out boards.txt");
    assert_eq!(nothing.unwrap(), "");
    assert_eq!(
        std::fs::read_to_string(files.path("boards.txt")).unwrap(),
        printed
    );
}

#[test]
fn marginals_are_those_of_the_boards() {
    let files = Files::new();
    let Some(found) = files.json("dungeon", "--size 1x3 --task marginals") else {
        return;
    };
    // GA., G.A, .GA and the same with gem and altar exchanged: six boards.
    let ends = json!({"empty": 1.0 / 3.0, "gem": 1.0 / 3.0, "altar": 1.0 / 3.0});
    for cell in 0..3 {
        let cell = &found["marginals"][0][cell];
        for (name, p) in ends.as_object().unwrap() {
            assert_near(&cell[name], p.as_f64().unwrap());
        }
        assert_eq!(cell.as_object().unwrap().len(), 3);
    }
    let found = files
        .json("chromatic_maze", "--size 1x2 --task marginals")
        .unwrap();
    assert_near(&found["marginals"][0][1]["start or finish"], 1.0);
    let told = files.text("maze", "--size 2 --task marginals").unwrap();
    // Three of four trees have the passage between the first two rooms.
    assert!(told.contains("left\n  0.000 0.750\n"), "{told}");
}

#[test]
fn other_methods_draw_what_is_asked_and_tell_how() {
    let files = Files::new();
    let Some(found) = files.json(
        "island",
        "--size 6 --method chain --count 6 --min-land 4 --max-land 9",
    ) else {
        return;
    };
    assert_eq!(found["method"], "chain");
    assert_eq!(
        keys(&found["diagnostics"]),
        ["r-hat", "effective islands", "islands"]
    );
    let boards = found["puzzles"].as_array().unwrap();
    assert_eq!(boards.len(), 6);
    for board in boards {
        assert!((4..=9).contains(&board["land"].as_u64().unwrap()));
    }
    let found = files
        .json("maze", "--size 4 --count 20 --min-walk 8 --max-walk 10")
        .unwrap();
    assert_eq!(found["method"], "wilson");
    assert!(found["diagnostics"]["acceptance"].as_f64().unwrap() < 1.0);
    let found = files
        .json(
            "dungeon",
            "--size 4 --method rejection --count 20 --min-walk 14",
        )
        .unwrap();
    for board in found["puzzles"].as_array().unwrap() {
        assert!(board["walk"].as_u64().unwrap() >= 14);
    }
    let found = files.json(
        "chromatic_maze",
        "--size 3 --method rejection --count 20 --min-steps 4 --t-max 5",
    );
    for board in found.unwrap()["puzzles"].as_array().unwrap() {
        assert!((4..=5).contains(&board["steps"].as_u64().unwrap()));
    }
    let ask = "--size 5 --method particles --count 3 --seed 2";
    let found = files.json("yin_yang", ask).unwrap();
    assert_eq!(found["puzzles"].as_array().unwrap().len(), 3);
    assert_eq!(
        files.json("yin_yang", ask).unwrap()["puzzles"],
        found["puzzles"]
    );
}

/// Where the exact engine is predicted not to fit, this is said before, and what is done instead.
#[test]
fn what_does_not_fit_falls_back_and_says_so() {
    let files = Files::new();
    let Some(output) = files.run("island", "--size 17x20 --count 2") else {
        return;
    };
    let told = text(&output.stderr);
    assert!(
        told.starts_with("note: --method exact would need "),
        "{told}"
    );
    assert!(
        told.contains("falling back on --method chain") && told.contains("r-hat"),
        "{told}"
    );
    let output = files
        .run("yin_yang", "--size 9 --task count --memory 1")
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("more than --memory 1; allow more"));
    let output = files
        .run("dungeon", "--size 6 --min-walk 12 --memory 16")
        .unwrap();
    assert!(output.status.success());
    let told = text(&output.stderr);
    assert!(
        told.contains("falling back on --method rejection") && told.contains("acceptance"),
        "{told}"
    );
    let output = files
        .run("dungeon", "--size 8 --min-walk 12 --memory 2")
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("without demands on ways"));
}

/// P-values of one run with a fixed seed; a wrong distribution gives values far below.
#[test]
fn stats_tell_variation_and_test_the_distribution() {
    let files = Files::new();
    for (puzzle, arguments, readings, tests) in [
        ("maze", "--size 3 --count 1000", 3, &["cells", "boards"][..]),
        (
            "maze",
            "--size 3 --count 200 --weights snake",
            3,
            &["cells"],
        ),
        (
            "maze",
            "--size 4 --count 900",
            3,
            &["cells", "equal boards"],
        ),
        (
            "dungeon",
            "--size 3 --count 400",
            3,
            &["cells", "equal boards", "ways"],
        ),
        (
            "chromatic_maze",
            "--size 2 --count 400",
            3,
            &["cells", "equal boards", "ways"],
        ),
        ("island", "--size 5 --count 900", 0, &["cells", "boards"]),
        ("yin_yang", "--size 4 --count 500", 0, &["cells", "boards"]),
    ] {
        let Some(found) = files.json(puzzle, &format!("{arguments} --stats")) else {
            return;
        };
        let (scores, found) = (&found["stats"]["variation"], &found["stats"]["tests"]);
        assert_eq!(keys(scores).len(), readings);
        assert_eq!(keys(found), tests, "{puzzle} {arguments}");
        for (name, test) in found.as_object().unwrap() {
            let p = test["p_value"].as_f64().unwrap();
            assert!((1e-4..=1.0).contains(&p), "{puzzle} {name}: {test}");
        }
    }
    let told = files.text("maze", "--size 3 --count 300 --stats").unwrap();
    assert!(
        told.starts_with("variation dissimilarity ") && told.contains("test      cells"),
        "{told}"
    );
}

#[test]
fn impossible_demands_say_so_and_name_cells() {
    let files = Files::new();
    for (puzzle, arguments, part) in [
        ("dungeon", "--size 1", "row 1, column 1"),
        ("dungeon", "--clues altar.clues", "row 1, column 1"),
        (
            "dungeon",
            "--clues altars.clues",
            "clues at row 1, column 1; row 2, column 2",
        ),
        ("dungeon", "--clues gem.clues", "clues at row 1, column 1;"),
        ("dungeon", "--size 2 --min-walls 3", "at least 3 walls"),
        (
            "yin_yang",
            "--clues square.clues",
            "clues at row 1, column 2; row 2, column 1; row 2, column 2;",
        ),
        ("yin_yang", "--size 1", "row 1, column 1"),
        ("island", "--clues sea.clues", "clues at row 2, column 2"),
        ("island", "--size 4 --min-land 9", "impossible: 9 to"),
        ("island", "--size 4 --min-bays 4", "at least 4 bays"),
        (
            "chromatic_maze",
            "--size 2 --min-steps 4",
            "at least 4 steps",
        ),
        ("chromatic_maze", "--size 1", "use two tiles or more"),
    ] {
        for task in ["sample --method exact", "marginals", "most-likely", "solve"] {
            let Some(output) = files.run(puzzle, &format!("{arguments} --task {task}")) else {
                return;
            };
            let told = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(1),
                "{puzzle} {arguments}: {told}"
            );
            assert!(told.starts_with("error: ") && told.contains(part), "{told}");
            assert_eq!(told.lines().count(), 1, "{told}");
            assert!(output.stdout.is_empty());
        }
    }
    let output = files
        .run("dungeon", "--task probability --size 1 --format json")
        .unwrap();
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["probability"], &found["log_probability"]),
        (&json!(0.0), &json!("-inf"))
    );
    assert!(text(&output.stderr).starts_with("note: impossible: "));
    let output = files
        .run("yin_yang", "--task count --clues square.clues")
        .unwrap();
    assert_eq!(text(&output.stdout), "0\n");
}

#[test]
fn clues_are_met() {
    let files = Files::new();
    let Some(found) = files.json("yin_yang", "--clues two.clues --count 20") else {
        return;
    };
    for board in found["puzzles"].as_array().unwrap() {
        assert_eq!(&board["grid"][1].as_str().unwrap()[1..2], "2");
        assert_eq!(&board["grid"][4].as_str().unwrap()[0..1], "1");
    }
    let found = files
        .json("island", "--clues shore.clues --task solve")
        .unwrap();
    assert_eq!(found["unique"], true);
    assert_eq!(
        found["solution"]["grid"],
        json!(["....", ".##.", ".##.", "...."])
    );
    let found = files
        .json("yin_yang", "--clues two.clues --task solve")
        .unwrap();
    assert_eq!(found["unique"], false);
}

/// What options and files cannot be, and what is told of them.
const WRONG: &[(&str, &str, &str)] = &[
    ("yin_yang", "--clues missing.clues", "missing.clues"),
    (
        "yin_yang",
        "--clues letter.clues",
        "letter.clues:2:2: unknown clue 'x'; write 1",
    ),
    (
        "yin_yang",
        "--clues ragged.clues",
        "ragged.clues:3:4: the row has 4",
    ),
    (
        "yin_yang",
        "--clues empty.clues",
        "empty.clues: no rows of clues",
    ),
    (
        "dungeon",
        "--clues letter.clues",
        "letter.clues:2:2: unknown clue 'x'; write ., W",
    ),
    ("island", "--clues ragged.clues", "ragged.clues:3:4:"),
    (
        "yin_yang",
        "--clues two.clues --size 4",
        "cannot be used with",
    ),
    ("maze", "--size 0", "--size"),
    ("maze", "--size 3x", "--size"),
    ("maze", "--size 5000", "use 1 to 4096"),
    ("dungeon", "--size 16", "1 to 15 columns"),
    ("island", "--size 2", "use 3 to"),
    ("maze", "--count 0", "--count"),
    (
        "maze",
        "--count 3 --task count",
        "--count needs --task sample",
    ),
    (
        "maze",
        "--seed 3 --task count",
        "--seed needs --task sample",
    ),
    (
        "maze",
        "--stats --task count",
        "--stats needs --task sample",
    ),
    ("maze", "--stats", "--count 2 or more"),
    ("maze", "--format png", "--format png needs --out"),
    (
        "maze",
        "--format png --task count --out a.png",
        "--format png needs --task",
    ),
    (
        "maze",
        "--method chain",
        "possible values: auto, exact, wilson",
    ),
    (
        "maze",
        "--method wilson --task count",
        "--method wilson needs --task sample",
    ),
    ("maze", "--min-walk 4 --task count", "need --method wilson"),
    ("maze", "--min-walk 4 --max-walk 3", "from 4 to 3 is empty"),
    (
        "dungeon",
        "--min-walls 4 --max-walls 3",
        "from 4 to 3 is empty",
    ),
    (
        "dungeon",
        "--min-walk 4 --max-walk 3",
        "from 4 to 3 is empty",
    ),
    (
        "chromatic_maze",
        "--min-steps 4 --t-max 3",
        "from 4 to 3 is empty",
    ),
    (
        "island",
        "--clues sea.clues --method chain",
        "--clues needs --method exact",
    ),
    (
        "island",
        "--min-land 3 --max-land 3 --size 5 --method chain",
        "use the element program",
    ),
    (
        "dungeon",
        "--size 7 --min-walk 4 --method exact",
        "at most 6 columns",
    ),
    ("maze", "--size 3 --out missing/a.txt", "no such directory"),
];

#[test]
fn what_cannot_work_gives_one_line_and_exit_code_two() {
    let files = Files::new();
    for &(puzzle, arguments, part) in WRONG {
        let Some(output) = files.run(puzzle, arguments) else {
            return;
        };
        let told = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{puzzle} {arguments}: {told}"
        );
        assert!(
            told.starts_with("error: ") && told.contains(part),
            "{puzzle} {arguments}: {told}"
        );
        // Values that are no values of a flag are told with a hint at the help.
        assert!(
            told.lines().count() == 1 || told.contains("try '--help'"),
            "{told}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_help_tells_the_shape_of_the_answer() {
    for puzzle in PUZZLES {
        let Some(output) = example::run(puzzle, &["--help"]) else {
            return;
        };
        let told = text(&output.stdout);
        for part in [
            "\"puzzles\": [BOARD",
            "Exit code",
            "--stats",
            "--memory",
            "- exact:",
            "\"-inf\"",
        ] {
            assert!(told.contains(part), "{puzzle}: {told}");
        }
    }
}
