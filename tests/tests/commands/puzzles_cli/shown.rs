//! Tests of boards as JSON, text, pictures and files.

use serde_json::json;

use super::files::{Files, keys};

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
        ("yin_yang", "yin_yang", &["grid", "black"]),
    ] {
        let ask = |more: &str| files.json(puzzle, &format!("--size 3 --count 5 {more}"));
        let found = ask("--method exact --seed 4");
        let shared = ["system", "puzzle", "n", "rows", "columns", "method", "seed"];
        let rest = ["distinct", "puzzles", "cost", "seconds"];
        assert_eq!(keys(&found), [&shared[..], &rest].concat());
        assert_eq!(found["puzzle"], kind);
        assert_eq!((&found["n"], &found["seed"]), (&json!(3), &json!(4)));
        let boards = found["puzzles"].as_array().unwrap();
        assert_eq!(boards.len(), 5);
        assert_eq!(keys(&boards[0]), fields);
        assert_eq!(ask("--method exact --seed 4")["puzzles"], found["puzzles"]);
        if puzzle != "island" {
            assert_ne!(ask("--method exact --seed 5")["puzzles"], found["puzzles"]);
        }
        let oblong = files.json(puzzle, "--size 3x4");
        assert_eq!(
            (&oblong["rows"], &oblong["columns"]),
            (&json!(3), &json!(4))
        );
        assert!(oblong.get("n").is_none());
    }
    let maze = files.json("maze", "--size 2 --show-path");
    assert_eq!(maze["puzzles"][0]["parents"].as_array().unwrap().len(), 3);
    let path = maze["puzzles"][0]["path"].as_array().unwrap().clone();
    assert_eq!(
        (&path[0], &path[path.len() - 1]),
        (&json!([1, 1]), &json!([2, 2]))
    );
    // A maze of two rooms in a row has one passage, on the left side of the second room.
    let line = files.json("maze", "--size 1x2");
    assert_eq!(line["puzzles"][0]["parents"], json!([[2, 1, -1, 0]]));
}

#[test]
fn boards_are_text() {
    let files = Files::new();
    let maze = files.text("maze", "--size 1x2 --show-path");
    assert_eq!(maze, "+  +--+\n|*  * |\n+--+  +\n");
    assert_eq!(files.text("island", "--size 3"), "...\n.#.\n...\n");
    let two = files.text("dungeon", "--size 1x2 --count 2 --show-path");
    for board in two.split("\n\n") {
        assert!(["GA", "AG"].contains(&board.trim()), "{two}");
    }
    let solved = files.text("yin_yang", "--task solve --clues one.clues");
    let solution = "222222\n211212\n212212\n212111\n211121\n222222\nthe only one\n";
    assert_eq!(solved, solution);
    let best = files.text("maze", "--size 2 --weights snake --task most-likely");
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
        // The picture has two columns and two rows of boards, with margins of twelve pixels.
        ("island", "--size 3 --count 3", (2 * 36 + 36, 2 * 36 + 36)),
    ] {
        let ask = format!("{arguments} --format png --out board.png");
        let printed = files.text(puzzle, &ask);
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
    let printed = files.text("dungeon", "--size 3 --count 2 --seed 9");
    let nothing = files.text("dungeon", "--size 3 --count 2 --seed 9 --out boards.txt");
    assert_eq!(nothing, "");
    assert_eq!(
        std::fs::read_to_string(files.path("boards.txt")).unwrap(),
        printed
    );
}

/// Without `--format`, the extension of the file determines how boards are written.
#[test]
fn the_name_of_a_file_decides_its_format() {
    let files = Files::new();
    for (name, begins) in [
        ("board.png", &b"\x89PNG"[..]),
        ("board.JSON", b"{\"system\""),
    ] {
        let path = files.path(name);
        files.text("maze", &format!("--size 3 --out {name}"));
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(begins), "{name}");
    }
    let output = files.run("maze", "--size 3 --task count --out count.png");
    assert_eq!(output.status.code(), Some(2));
}
