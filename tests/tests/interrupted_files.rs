//! Files of example programs that are killed, that go on later, and that find no room. The binaries are built by
//! `cargo test --workspace`.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use figrs_tests::example::{self, text};

/// The files whose names begin as given, by name.
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

/// Waits until something has happened, at most half a minute.
fn wait_for(happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() && started.elapsed() < Duration::from_secs(30) {
        sleep(Duration::from_millis(5));
    }
    assert!(happened());
}

const SET: [&str; 9] = [
    "--levels", "300", "--width", "100", "--seed", "8", "--format", "ldtk-csv", "--resume",
];

#[test]
fn a_set_that_was_killed_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let run = |name: &str, more: &[&str]| {
        let out = directory.path().join(name);
        let out = ["--out", out.to_str().unwrap()];
        example::run("mario_mdmc", &[&SET[..], &out, more].concat())
    };
    let Some(whole) = run("whole.csv", &[]) else {
        return;
    };
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let whole = files(directory.path(), "whole-");
    // The levels, and the settings of the set.
    assert_eq!(whole.len(), 301);
    let out = directory.path().join("part.csv");
    let started = [
        &SET[..],
        &["--threads", "1", "--out", out.to_str().unwrap()],
    ]
    .concat();
    let mut child = example::start("mario_mdmc", &started).unwrap();
    wait_for(|| files(directory.path(), "part-").len() > 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let same = |(name, bytes): &(String, Vec<u8>)| {
        let name = name.replace("part-", "whole-");
        whole
            .iter()
            .any(|(other, those)| *other == name && those == bytes)
    };
    let left = files(directory.path(), "part-");
    assert!(left.iter().all(same));
    let other = run("part.csv", &["--structure", "ns2"]).unwrap();
    let told = text(&other.stderr);
    assert_eq!(other.status.code(), Some(2), "{told}");
    assert!(
        told.contains("part-set.json") && told.contains("structure"),
        "{told}"
    );
    let rest = run("part.csv", &[]).unwrap();
    let told = text(&rest.stderr);
    assert!(rest.status.success() && told.contains("kept"), "{told}");
    let now = files(directory.path(), "part-");
    assert_eq!(now.len(), 301);
    assert!(now.iter().all(same));
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
    let Some(mut child) = example::start("mario_mdmc", &arguments) else {
        return;
    };
    // There is a file beside it, and something in it.
    let others = || files(directory.path(), ".tmp");
    wait_for(|| others().iter().any(|(_, bytes)| !bytes.is_empty()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"old\n");
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
            let Some(output) = example::run(program, &all) else {
                return;
            };
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{program} {all:?}: {told}");
            assert!(told.contains(path), "{program} {all:?}: {told}");
        }
    }
}

/// What happens at Ctrl-C, where processes can be sent a signal by a command.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_set_with_the_levels_so_far() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("levels.json");
    let out = path.to_str().unwrap();
    let ask = [
        "--levels",
        "100000000",
        "--seed",
        "1",
        "--format",
        "json",
        "--out",
        out,
    ];
    let Some(child) = example::start("mario_mdmc", &ask) else {
        return;
    };
    sleep(Duration::from_millis(700));
    let signal = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(signal.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let levels: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let count = levels.as_array().unwrap().len();
    assert!(
        count > 0 && told.contains(&format!("levels {count} of 100000000 (interrupted)")),
        "{told}"
    );
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
