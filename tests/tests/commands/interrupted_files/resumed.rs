//! Tests of sets of numbered files that are resumed.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use figrs_tests::example::{self, text};

use super::{files, wait_for};

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
    let whole = run("whole.csv", &[]);
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let whole = files(directory.path(), "whole-");
    // The directory has the levels and the settings of the set.
    assert_eq!(whole.len(), 301);
    let out = directory.path().join("part.csv");
    let started = [
        &SET[..],
        &["--threads", "1", "--out", out.to_str().unwrap()],
    ]
    .concat();
    let mut child = example::start("mario_mdmc", &started);
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
    let other = run("part.csv", &["--structure", "ns2"]);
    let message = text(&other.stderr);
    assert_eq!(other.status.code(), Some(2), "{message}");
    assert!(
        message.contains("part-set.json") && message.contains("structure"),
        "{message}"
    );
    let rest = run("part.csv", &[]);
    let message = text(&rest.stderr);
    assert!(
        rest.status.success() && message.contains("kept"),
        "{message}"
    );
    let now = files(directory.path(), "part-");
    assert_eq!(now.len(), 301);
    assert!(now.iter().all(same));
}

/// Returns the times at which the files were last written, by their names.
fn times(directory: &Path) -> Vec<(String, SystemTime)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let mut times: Vec<_> = entries
        .map(|entry| {
            let time = entry.metadata().unwrap().modified().unwrap();
            (entry.file_name().into_string().unwrap(), time)
        })
        .collect();
    times.sort();
    times
}

#[test]
fn damaged_levels_and_holes_are_drawn_again_and_nothing_else() {
    for (format, method) in [
        ("png", "look-ahead"),
        ("tmx", "conditioned"),
        ("ldtk-csv", "columns"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("set.level");
        let ask = |more: &[&str]| {
            let set = ["--levels", "40", "--width", "20", "--seed", "8", "--resume"];
            let rest = [
                "--format",
                format,
                "--method",
                method,
                "--out",
                out.to_str().unwrap(),
            ];
            let output = example::run("mario_mdmc", &[&set[..], &rest, more].concat());
            let message = text(&output.stderr);
            assert!(output.status.success(), "{message}");
            message
        };
        ask(&[]);
        let whole = files(directory.path(), "set");
        let level = |number: u32| directory.path().join(format!("set-{number:02}.level"));
        let bytes = fs::read(level(7)).unwrap();
        fs::write(level(3), "").unwrap();
        fs::write(level(7), &bytes[..bytes.len() / 2]).unwrap();
        fs::write(level(11), vec![b'x'; bytes.len()]).unwrap();
        fs::remove_file(level(20)).unwrap();
        // The file has another level of the same set.
        fs::copy(level(5), level(6)).unwrap();
        let mut flipped = fs::read(level(40)).unwrap();
        *flipped.last_mut().unwrap() ^= 1;
        fs::write(level(40), flipped).unwrap();
        // The journal was truncated within a line, as by a power failure.
        let journal = directory.path().join(".set-set.journal");
        let mut lines = fs::read_to_string(&journal).unwrap();
        lines += "3 12";
        fs::write(&journal, lines).unwrap();
        let before = times(directory.path());
        let message = ask(&[]);
        assert!(message.contains("34 kept"), "{format}: {message}");
        let after = times(directory.path());
        for (name, time) in before {
            let is_touched = !after.contains(&(name.clone(), time));
            let is_damaged = [3, 6, 7, 11, 40]
                .map(level)
                .iter()
                .any(|path| path.ends_with(&name));
            // The picture of the tiles is written in any case, and the journal is extended.
            let is_beside = name.contains("tiles") || name.contains("journal");
            assert!(is_beside || is_touched == is_damaged, "{format}: {name}");
        }
        assert!(files(directory.path(), "set") == whole, "{format}");
        let message = ask(&["--threads", "1"]);
        assert!(message.contains("40 kept"), "{format}: {message}");
    }
}
