//! Tests of the help of the puzzles.

use figrs_tests::example::{self, text};

use super::files::PUZZLES;

#[test]
fn the_help_tells_the_shape_of_the_answer() {
    for puzzle in PUZZLES {
        let output = example::run(puzzle, &["--help"]);
        let message = text(&output.stdout);
        for part in [
            "\"puzzles\": [BOARD",
            "Exit code",
            "--stats",
            "--memory",
            "- exact:",
            "\"-inf\"",
        ] {
            assert!(message.contains(part), "{puzzle}: {message}");
        }
    }
}
