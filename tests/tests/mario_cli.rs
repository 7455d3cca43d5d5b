//! The main example as a user runs it. The binary is built by `cargo test --workspace`.

use std::process::Output;

use figrs_tests::example::{self, text};

fn run(arguments: &[&str]) -> Option<Output> {
    example::run("mario_mdmc", arguments)
}

#[test]
fn a_level_has_fourteen_rows_of_the_width_asked_for() {
    for method in ["look-ahead", "elements"] {
        let Some(output) = run(&["--width", "37", "--seed", "7", "--method", method]) else {
            return;
        };
        let level = text(&output.stdout);
        assert_eq!(level.lines().count(), 14);
        assert!(level.lines().all(|row| row.chars().count() == 37));
        let told = text(&output.stderr);
        for part in ["seed 7", "unseen", "fallback", " s"] {
            assert!(told.contains(part), "{told}");
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
        let Some(one) = with("1") else { return };
        for threads in ["2", "5"] {
            assert_eq!(with(threads).unwrap().stdout, one.stdout);
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
fn what_cannot_work_gives_one_line_and_exit_code_two() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(path("ragged")).unwrap();
    std::fs::write(path("ragged/a.txt"), "---\nXX\n").unwrap();
    std::fs::create_dir(path("unknown")).unwrap();
    std::fs::write(path("unknown/a.txt"), "---\nX*X\n").unwrap();
    std::fs::create_dir(path("empty")).unwrap();
    let cases: [(&[&str], &str); 10] = [
        (&["--corpus", &path("missing")], "missing"),
        (&["--corpus", &path("empty")], "empty"),
        (&["--corpus", &path("ragged")], "a.txt"),
        (&["--corpus", &path("unknown")], "*"),
        (&["--width", "0"], "0"),
        (&["--row-splits", "15"], "15"),
        (&["--look-ahead", "99"], "99"),
        (&["--levels", "0"], "--levels"),
        (&["--tile", "most-likely"], "--method elements"),
        (&["--out", &path("missing/level.txt")], "missing"),
    ];
    for (arguments, part) in cases {
        let Some(output) = run(arguments) else { return };
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = text(&output.stderr);
        assert!(told.starts_with("error: ") && told.contains(part), "{told}");
        // Values that are no values of a flag are told with a hint at the help.
        assert!(
            told.lines().count() == 1 || told.contains("try '--help'"),
            "{told}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_file_is_replaced_only_by_a_whole_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("level.txt");
    std::fs::write(&path, "mine").unwrap();
    let out = path.to_str().unwrap();
    let Some(failed) = run(&["--out", out, "--width", "0"]) else {
        return;
    };
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    let written = run(&["--out", out, "--width", "30", "--seed", "1"]).unwrap();
    assert!(written.status.success() && written.stdout.is_empty());
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 14);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}
