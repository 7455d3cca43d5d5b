//! Command lines and files that are wrong, and the help.

use figrs_tests::example::{self, text};

use super::files::{Files, PUZZLES};

/// Wrong options and files, with parts of their messages.
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
    ("dungeon", "--size 16 --method exact", "1 to 15 columns"),
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
        "--out a.jpg",
        "a.jpg: the extension names no format; write one of .txt, .clues, .json, .png",
    ),
    ("maze", "--report a.png", "--report writes HTML: name"),
    (
        "maze",
        "--out a.html --format text --report a.html",
        "--out and --report name the same file",
    ),
    // More boards than can be drawn within the time of a test.
    (
        "yin_yang",
        "--size 6x14 --count 1000000 --out a.png",
        "pixels is too large; use fewer",
    ),
    (
        "island",
        "--size 1000 --min-land 600000 --out a.png",
        "12000 by 12000 pixels",
    ),
    (
        "maze",
        "--format png --task count --out a.png",
        "--format png needs --task",
    ),
    (
        "maze",
        "--border outside --size 3",
        "--border outside needs --task probability",
    ),
    (
        "maze",
        "--weights snake --size 3 --task count",
        "--weights has no effect on --task count",
    ),
    (
        "maze",
        "--size 3 --memory 5",
        "--memory has no effect on --method wilson",
    ),
    (
        "maze",
        "--size 3 --task marginals --show-path",
        "--show-path needs boards that are shown",
    ),
    (
        "dungeon",
        "--size 3 --count 5 --stats --show-path",
        "--show-path needs boards that are shown",
    ),
    (
        "yin_yang",
        "--size 4 --task solve --make-puzzle",
        "--make-puzzle needs --task sample",
    ),
    (
        "yin_yang",
        "--size 4 --make-puzzle --method particles",
        "--make-puzzle needs --method exact",
    ),
    (
        "maze",
        "--method particles",
        "possible values: auto, exact, wilson, chain, matrix-tree",
    ),
    (
        "maze",
        "--method wilson --task count",
        "--method wilson needs --task sample",
    ),
    ("maze", "--min-walk 4 --task count", "need --task sample"),
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
        let output = files.run(puzzle, arguments);
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
        let output = example::run(puzzle, &["--help"]);
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
