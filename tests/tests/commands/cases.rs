//! Tests of command lines with the text that they print, in files of `tests/cases`, mainly of errors.
//!
//! In these files `...` stands for any lines, and `[..]` for any part of a line. `TRYCMD=overwrite cargo test -p figrs-tests --test commands cases`
//! writes the text that is printed now.

use std::fs;
use std::path::Path;

use figrs_tests::example;
use trycmd::TestCases;

/// Parts of sentences that mention the library and its sources instead of flags.
const OF_THE_LIBRARY: [&str; 5] = ["::", ".rs:", "Options", "(`", "18446744073709551615"];

#[test]
fn commands_print_the_text_of_their_files() {
    let cases = TestCases::new();
    for program in [
        "chromatic_maze",
        "company",
        "compare",
        "dungeon",
        "island",
        "mario_mdmc",
        "maze",
        "network",
        "ratings",
        "tracking",
        "yin_yang",
    ] {
        cases.register_bin(program, example::binary(program));
    }
    cases.case("cases/*.trycmd");
}

#[test]
fn errors_speak_of_flags() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| path.is_file()) {
        for line in fs::read_to_string(&path).unwrap().lines() {
            let found = OF_THE_LIBRARY.iter().find(|part| line.contains(*part));
            assert_eq!(found, None, "{}: {line}", path.display());
        }
    }
}
