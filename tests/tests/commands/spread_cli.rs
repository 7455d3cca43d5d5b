//! Tests of runs in numbered parts, each of which is computed by a separate process.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use figrs::rand::RngExt;
use figrs::stream;
use figrs_tests::example::{binary, run, text};
use tempfile::TempDir;

const SAMPLERS: [&str; 6] = [
    "importance",
    "rejection",
    "forward",
    "particles",
    "metropolis",
    "gibbs",
];

/// Returns the arguments of a small run in four parts.
fn arguments<'a>(sampler: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let common = ["--samples", "2000", "--format", "json", "--parts", "4"];
    let of_sampler = ["--sampler", sampler];
    [&common[..], &of_sampler, more].concat()
}

fn succeeds(arguments: &[&str]) -> String {
    let output = run("spread", arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn refusal(arguments: &[&str]) -> String {
    let output = run("spread", arguments);
    assert!(!output.status.success(), "{arguments:?}");
    text(&output.stderr)
}

fn directory() -> (TempDir, String) {
    let files = tempfile::tempdir().unwrap();
    let parts = files.path().join("parts").to_str().unwrap().to_owned();
    (files, parts)
}

fn part(directory: &str, number: u64) -> PathBuf {
    Path::new(directory).join(format!("run-0-part-{number}.figrs"))
}

/// Computes parts of a run of importance sampling, with further arguments.
fn do_parts(out: &str, numbers: &[&str], more: &[&str]) {
    for number in numbers {
        let own = [&["--part", number, "--out", out][..], more].concat();
        assert_eq!(succeeds(&arguments("importance", &own)), "");
    }
}

#[test]
fn parts_of_every_sampler_merge_to_the_bits_of_one_process() {
    for sampler in SAMPLERS {
        let (_files, out) = directory();
        let whole = succeeds(&arguments(sampler, &[]));
        for (number, threads) in [("3", "1"), ("0", "3"), ("2", "2"), ("1", "1")] {
            let own = ["--part", number, "--out", &out, "--threads", threads];
            assert_eq!(succeeds(&arguments(sampler, &own)), "");
        }
        let merged = succeeds(&arguments(sampler, &["--merge", "--out", &out]));
        assert_eq!(merged, whole, "{sampler}");
    }
}

#[test]
fn units_of_several_blocks_merge_to_the_bits_of_one_process() {
    let (_files, out) = directory();
    // Each unit has two blocks of 16 384 worlds, and the last unit has one block.
    let units = 4_121;
    let whole = ["--samples", "135010000", "--causes", "--format", "json"];
    let many = [&whole[..], &["--parts", "3", "--out", &out]].concat();
    for (number, threads) in [("1", "2"), ("0", "1"), ("2", "3")] {
        succeeds(&[&many[..], &["--part", number, "--threads", threads]].concat());
    }
    let bytes: u64 = (0..3)
        .map(|number| fs::metadata(part(&out, number)).unwrap().len())
        .sum();
    // The parts have two discrete marginals.
    assert!(bytes < 200 * units, "{bytes} bytes");
    let merged = succeeds(&[&many[..], &["--merge"]].concat());
    assert_eq!(
        merged,
        succeeds(&[&whole[..], &["--threads", "1"]].concat())
    );
}

#[test]
fn a_server_does_the_parts_that_are_asked_for() {
    let mut server = Command::new(binary("spread"))
        .args(arguments("importance", &["--serve"]))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut requests, mut parts) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut ask = |request: &str| {
        writeln!(requests, "{request}").unwrap();
        let mut head = [0; 9];
        parts.read_exact(&mut head).unwrap();
        let length = u64::from_le_bytes(head[..8].try_into().unwrap());
        let mut body = vec![0; length as usize];
        parts.read_exact(&mut body).unwrap();
        (head[8], body)
    };
    let (_files, out) = directory();
    do_parts(&out, &["2"], &[]);
    let (kind, error) = ask("0 4");
    assert_eq!(kind, 1);
    assert!(text(&error).contains("there is no part 4"), "{error:?}");
    let (kind, error) = ask("1 x");
    assert_eq!(kind, 1);
    assert!(text(&error).contains("is not a request"), "{error:?}");
    for number in [0, 1, 3] {
        let (kind, body) = ask(&format!("0 {number}"));
        assert_eq!(kind, 0);
        fs::write(part(&out, number), body).unwrap();
    }
    drop(requests);
    assert!(server.wait().unwrap().success());
    let merged = succeeds(&arguments("importance", &["--merge", "--out", &out]));
    assert_eq!(merged, succeeds(&arguments("importance", &[])));
    // The run has a discrete marginal and some thousand numbers, and no part has more than its own values.
    assert!(fs::metadata(part(&out, 0)).unwrap().len() < 20_000);
}

#[test]
fn parts_of_other_runs_are_refused_by_what_differs() {
    let (_files, out) = directory();
    do_parts(&out, &["0", "1", "2"], &[]);
    let merge = |more: &[&str]| {
        refusal(&arguments(
            "importance",
            &[&["--merge", "--out", &out], more].concat(),
        ))
    };
    let missing = merge(&[]);
    assert!(missing.contains("1 of 4 parts are missing"), "{missing}");
    assert!(missing.contains(": 3;"), "{missing}");
    do_parts(&out, &["3"], &["--seed", "5"]);
    let foreign = merge(&[]);
    assert!(foreign.contains("run-0-part-3.figrs"), "{foreign}");
    assert!(foreign.contains("seed: 5"), "{foreign}");
    fs::copy(part(&out, 0), part(&out, 3)).unwrap();
    let doubled = merge(&[]);
    assert!(
        doubled.contains("its number is 0, but here it is 3"),
        "{doubled}"
    );
    let whole = fs::read(part(&out, 0)).unwrap();
    fs::write(part(&out, 3), &whole[..whole.len() / 2]).unwrap();
    let cut = merge(&[]);
    assert!(cut.contains("damaged, or not complete"), "{cut}");
    fs::write(part(&out, 3), "no part at all").unwrap();
    assert!(merge(&[]).contains("does not begin with the header of a part"));
    let own = ["--part", "3", "--out", &out];
    assert!(
        refusal(&arguments("importance", &own))
            .contains("does not begin with the header of a part")
    );
    // A truncated part is computed again; a file that is no part, and a part of another run, are not overwritten.
    fs::write(part(&out, 3), &whole[..whole.len() / 2]).unwrap();
    do_parts(&out, &["3"], &[]);
    let merged = succeeds(&arguments("importance", &["--merge", "--out", &out]));
    assert_eq!(merged, succeeds(&arguments("importance", &[])));
    let own = ["--part", "3", "--out", &out, "--seed", "5"];
    assert!(refusal(&arguments("importance", &own)).contains("seed: 0"));
}

#[test]
fn a_merge_of_some_parts_says_of_how_many_samples_it_is() {
    let (_files, out) = directory();
    do_parts(&out, &["0", "2"], &[]);
    let own = ["--merge", "--partial", "--out", &out];
    let merge = || run("spread", &arguments("importance", &own));
    let output = merge();
    let message = text(&output.stderr);
    assert!(output.status.success());
    assert!(
        message.contains("merged 2 of 4 parts: the answer is based on "),
        "{message}"
    );
    assert!(message.contains(" of 2000 samples"), "{message}");
    assert!(text(&output.stdout).contains("burglary"));
    // A damaged part is left out of the answer and named.
    let whole = fs::read(part(&out, 2)).unwrap();
    fs::write(part(&out, 1), &whole[..whole.len() / 2]).unwrap();
    let damaged = merge();
    let message = text(&damaged.stderr);
    assert!(damaged.status.success(), "{message}");
    assert!(
        message.contains("left out") && message.contains("run-0-part-1.figrs"),
        "{message}"
    );
    assert_eq!(damaged.stdout, output.stdout);
    // A part of another run is an error and not left out.
    do_parts(&out, &["3"], &["--seed", "5"]);
    assert!(text(&merge().stderr).contains("is part of another run"));
}

#[test]
fn wrong_numbers_of_parts_are_refused() {
    let (_files, out) = directory();
    let error = refusal(&arguments("importance", &["--part", "4", "--out", &out]));
    assert!(error.contains("there is no part 4"), "{error}");
    let error = refusal(&arguments("importance", &["--part", "0"]));
    assert!(error.contains("--out"), "{error}");
    for role in [&[][..], &["--serve"]] {
        let own = [&["--out", &out][..], role].concat();
        let error = refusal(&arguments("importance", &own));
        assert!(
            error.contains("--out") && error.contains("--part or --merge"),
            "{error}"
        );
    }
    let error = refusal(&["--parts", "0"]);
    assert!(
        error.contains("--parts 0: write a whole number, 1 or more"),
        "{error}"
    );
    fs::write(&out, "a file").unwrap();
    let error = refusal(&arguments("importance", &["--part", "0", "--out", &out]));
    assert!(error.contains("check the directory of --out"), "{error}");
    fs::remove_file(&out).unwrap();
    let error = refusal(&arguments("importance", &["--merge", "--out", &out]));
    assert!(error.contains("4 of 4 parts are missing"), "{error}");
}

#[test]
fn processes_that_are_killed_leave_whole_parts_or_none() {
    const ROUNDS: u64 = 50;
    let (_files, out) = directory();
    let many = ["--samples", "400000", "--format", "json", "--parts", "4"];
    let whole = succeeds(&many);
    let (mut random, mut killed) = (stream(3, 0), 0);
    for round in 0..ROUNDS {
        let number = (round % 4).to_string();
        let own = ["--part", &number, "--out", &out];
        let mut process = Command::new(binary("spread"))
            .args([&many[..], &own].concat())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.random_range(0..30_000)));
        process.kill().unwrap();
        killed += u64::from(!process.wait().unwrap().success());
        for number in 0..4 {
            // If the file of a part exists, it is complete.
            assert!(
                part(&out, number)
                    .metadata()
                    .map_or(true, |part| part.len() > 1000)
            );
        }
    }
    assert!(killed > 0);
    for number in ["0", "1", "2", "3"] {
        let own = ["--part", number, "--out", &out];
        succeeds(&[&many[..], &own].concat());
    }
    let merged = succeeds(&[&many[..], &["--merge", "--out", &out]].concat());
    assert_eq!(merged, whole);
}
