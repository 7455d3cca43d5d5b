//! Tests of the output files of example programs that are killed or stopped, that are resumed later, that find no space on the disk, or whose input
//! files are too long.

mod resumed;
mod stopped;
mod too_long;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use figrs_tests::example::{self, text};

/// Returns the files whose names begin with `begins`, ordered by name.
fn files(directory: &Path, begins: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let named = named.filter(|(name, _)| name.starts_with(begins));
    let mut found: Vec<_> = named
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect();
    found.sort();
    found
}

/// Waits until a condition holds, for at most half a minute.
fn wait_for(happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() && started.elapsed() < Duration::from_secs(30) {
        sleep(Duration::from_millis(5));
    }
    assert!(happened());
}

#[test]
fn a_file_that_is_being_replaced_is_the_old_one_until_then() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("levels.txt");
    fs::write(&out, "old\n").unwrap();
    let arguments = [
        "--levels",
        "1000000",
        "--width",
        "100",
        "--out",
        out.to_str().unwrap(),
    ];
    let mut child = example::start("mario_mdmc", &arguments);
    // A temporary file exists beside the final one, and is not empty.
    let others = || files(directory.path(), ".tmp");
    wait_for(|| others().iter().any(|(_, bytes)| !bytes.is_empty()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"old\n");
}

#[test]
fn answers_survive_a_standard_error_that_cannot_be_written_to() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    for (program, arguments) in [
        ("maze", ["--size", "5"]),
        ("mario_mdmc", ["--width", "20"]),
        ("yin_yang", ["--size", "4"]),
    ] {
        let mut command = Command::new(example::binary(program));
        let full = fs::File::options().write(true).open(full).unwrap();
        let output = command.args(arguments).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{program}");
        assert!(!output.stdout.is_empty(), "{program}");
    }
}

#[test]
fn a_full_disk_and_a_path_that_cannot_be_written_are_told() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let missing = Path::new("no/such/directory/out");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/puzzle/river.kif");
    for (program, arguments, option) in [
        ("mario_mdmc", &["--levels", "200"][..], "--out"),
        ("mario_mdmc", &["--format", "png"], "--out"),
        ("mario_mdmc", &[], "--save-model"),
        ("mario_mdmc", &["--width", "40"], "--report"),
        ("maze", &["--size", "12", "--count", "100"], "--out"),
        ("maze", &["--size", "5", "--format", "png"], "--out"),
        ("island", &["--size", "5"], "--report"),
        (
            "compare",
            &["--model", "burglary", "--samples", "100"],
            "--report",
        ),
        ("puzzle", &["--rules", rules], "--out"),
    ] {
        for path in [full, missing] {
            let path = path.to_str().unwrap();
            let all = [arguments, &[option, path]].concat();
            let output = example::run(program, &all);
            let message = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{program} {all:?}: {message}"
            );
            assert!(message.contains(path), "{program} {all:?}: {message}");
        }
    }
}
