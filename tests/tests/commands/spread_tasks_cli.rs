//! Tests of sets of files and of fits in numbered parts, each of which is computed by a separate process.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use figrs_tests::example::{binary, run, text};
use tempfile::TempDir;

/// Returns the standard output and the standard error of a run that succeeded.
fn message(output: &Output) -> (String, String) {
    let message = text(&output.stderr);
    assert!(output.status.success(), "{message}");
    (text(&output.stdout), message)
}

fn succeeds(example: &str, arguments: &[&str]) -> (String, String) {
    message(&run(example, arguments))
}

/// Returns the standard error of a run that failed.
fn refusal(output: &Output) -> String {
    assert!(!output.status.success());
    text(&output.stderr)
}

/// Creates a directory, and returns the paths of some names in it.
fn directory<const N: usize>(names: [&str; N]) -> (TempDir, [String; N]) {
    let files = tempfile::tempdir().unwrap();
    let paths = names.map(|name| files.path().join(name).to_str().unwrap().to_owned());
    (files, paths)
}

/// Returns the files of a set with their texts, without the file that marks the set.
fn set(directory: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, path)
    });
    let visible = entries.filter(|(name, _)| !name.starts_with('.'));
    let mut files: Vec<_> = visible
        .map(|(name, path)| (name, fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Returns the FNV-1a hash of a text.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the texts of a set as the commands write them, separated by empty lines.
fn listed(set: &[(String, String)]) -> String {
    let texts: Vec<&str> = set.iter().map(|(_, text)| text.as_str()).collect();
    texts.join("\n")
}

/// Returns a grid of five by five ternary variables as a Markov network.
fn grid() -> String {
    let right = (0..25).filter(|i| i % 5 < 4).map(|i| (i, i + 1));
    let pairs: Vec<(usize, usize)> = right.chain((0..20).map(|i| (i, i + 5))).collect();
    let header = format!("MARKOV\n25\n{}\n{}", ["3"; 25].join(" "), pairs.len());
    let scopes = pairs.iter().map(|(i, j)| format!("2 {i} {j}"));
    let tables = pairs.iter().map(|(i, j)| {
        let entries = (0..9).map(|k| (1 + (k * (i + 3) + j) % 7).to_string());
        format!("9 {}", entries.collect::<Vec<_>>().join(" "))
    });
    let lines: Vec<String> = [header].into_iter().chain(scopes).chain(tables).collect();
    lines.join("\n")
}

#[test]
fn sums_in_parts_are_those_of_one_process_and_of_elimination() {
    let (files, [file, out]) = directory(["grid.uai", "out"]);
    fs::write(&file, grid()).unwrap();
    let ask = |more: &[&str]| {
        let common = ["sum", "--file", &file, "--memory", "2KiB"];
        run("spread_tasks", &[&common[..], more].concat())
    };
    let (whole, _) = message(&ask(&[]));
    let sum: f64 = whole.trim().parse().unwrap();
    let network = run(
        "network",
        &["--file", &file, "--task", "evidence", "--format", "json"],
    );
    let network: serde_json::Value = serde_json::from_str(&text(&network.stdout)).unwrap();
    let expected = network["log_evidence"].as_f64().unwrap();
    assert!((sum - expected).abs() < 1e-9, "{sum} {expected}");
    for parts in ["1", "2", "3"] {
        let out = files.path().join(parts);
        let out = out.to_str().unwrap();
        for part in 0..parts.parse::<u32>().unwrap() {
            message(&ask(&[
                "--parts",
                parts,
                "--part",
                &part.to_string(),
                "--out",
                out,
            ]));
        }
        let (merged, _) = message(&ask(&["--parts", parts, "--merge", "--out", out]));
        assert_eq!(merged, whole);
    }
    message(&ask(&["--parts", "3", "--part", "1", "--out", &out]));
    let message = refusal(&ask(&[
        "--parts",
        "3",
        "--merge",
        "--partial",
        "--out",
        &out,
    ]));
    assert!(
        message.contains("slices have been computed") && message.contains("at least"),
        "{message}"
    );
}

#[test]
fn sets_in_parts_are_those_of_one_process_and_of_the_commands() {
    let levels = ["--levels", "12", "--width", "20", "--seed", "5"];
    let mazes = ["--count", "12", "--size", "20", "--seed", "5"];
    for (task, command, arguments) in [("levels", "mario_mdmc", levels), ("mazes", "maze", mazes)] {
        let (_files, [whole, out]) = directory(["whole", "out"]);
        let draw = |set: &str, more: &[&str]| {
            let common = [task, "--seed", "5", "--to", "12", "--set", set];
            succeeds("spread_tasks", &[&common[..], more].concat())
        };
        draw(&whole, &[]);
        let whole = set(&whole);
        assert_eq!(whole.len(), 12);
        let (expected, _) = succeeds(command, &arguments);
        assert_eq!(listed(&whole), expected, "{task}");
        for processes in ["2", "3"] {
            let parts: u64 = processes.parse().unwrap();
            let (_files, [drawn]) = directory(["set"]);
            let out = format!("{out}-{processes}");
            for part in (0..parts).rev() {
                let part = part.to_string();
                let own = ["--parts", processes, "--part", &part, "--out", &out];
                draw(&drawn, &own);
            }
            assert_eq!(set(&drawn), whole);
            // A file is lost after its part was computed.
            fs::remove_file(Path::new(&drawn).join("03.txt")).unwrap();
            draw(&drawn, &["--parts", processes, "--merge", "--out", &out]);
            assert_eq!(set(&drawn), whole);
        }
    }
}

#[test]
fn a_set_of_levels_is_that_of_earlier_versions() {
    let (_files, [drawn]) = directory(["set"]);
    let arguments = ["levels", "--seed", "5", "--to", "30", "--set", &drawn];
    succeeds("spread_tasks", &arguments);
    assert_eq!(hash(&listed(&set(&drawn))), 0x4e4a_7382_5a1f_cc7f);
}

#[test]
fn holes_are_filled_and_other_sets_refused() {
    let (_files, [drawn, out]) = directory(["set", "out"]);
    let draw = |more: &[&str]| {
        run(
            "spread_tasks",
            &[&["levels", "--set", &drawn], more].concat(),
        )
    };
    message(&draw(&["--to", "20"]));
    let whole = set(&drawn);
    for lost in ["00.txt", "07.txt", "19.txt"] {
        fs::remove_file(Path::new(&drawn).join(lost)).unwrap();
    }
    fs::write(Path::new(&drawn).join("11.txt"), "kept").unwrap();
    let (printed, _) = message(&draw(&["--to", "20"]));
    assert!(printed.starts_with("3 files drawn"), "{printed}");
    let mut expected = whole;
    expected[11].1 = "kept".into();
    assert_eq!(set(&drawn), expected);
    // A set with more files whose names have as many digits is the same set.
    message(&draw(&["--to", "25"]));
    assert_eq!(set(&drawn)[..20], expected);
    for (more, message) in [
        (&["--seed", "3"][..], "seed: 0, but here it is seed: 3"),
        (&["--to", "200"], "digits of a number: 2"),
        (&["--width", "30"], "hash"),
    ] {
        let error = refusal(&draw(more));
        assert!(
            error.contains("contains a set with other settings"),
            "{error}"
        );
        assert!(error.contains(message), "{error}");
    }
    let part = |role: &[&str]| {
        let common = ["--to", "20", "--parts", "3", "--out", &out];
        draw(&[&common[..], role].concat())
    };
    let error = refusal(&part(&["--merge"]));
    assert!(error.contains("3 of 3 parts are missing"), "{error}");
    message(&part(&["--part", "1"]));
    let (_, message) = message(&part(&["--merge", "--partial"]));
    assert!(message.contains("1 of 3 parts of the set"), "{message}");
}

const FIT: [&str; 5] = ["fit", "--rows", "300", "--rounds", "3"];

fn file(directory: &str, name: &str) -> PathBuf {
    Path::new(directory).join(name)
}

/// Computes some parts of the present round.
fn count(out: &str, parts: &str, numbers: &[&str]) {
    for number in numbers {
        let own = ["--parts", parts, "--part", number, "--out", out];
        assert_eq!(succeeds("spread_tasks", &[&FIT[..], &own].concat()).0, "");
    }
}

#[test]
fn a_fit_by_rounds_in_parts_is_that_of_one_process() {
    let (whole, _) = succeeds("spread_tasks", &FIT);
    for (parts, numbers) in [
        ("1", &["0"][..]),
        ("2", &["1", "0"]),
        ("3", &["1", "2", "0"]),
    ] {
        let (_files, [out]) = directory(["out"]);
        let mut rounds = 0;
        let merged = loop {
            count(&out, parts, numbers);
            let merge = ["--parts", parts, "--merge", "--out", &out];
            let (merged, message) = succeeds("spread_tasks", &[&FIT[..], &merge].concat());
            if !merged.is_empty() {
                break merged;
            }
            rounds += 1;
            let next = format!("the next round of the fit is {rounds}");
            assert!(message.contains(&next), "{message}");
        };
        assert_eq!(merged, whole, "{parts} parts");
        // The evaluations are the first parameters and three rounds and, for standard errors, one evaluation and two for each of thirteen numbers.
        assert_eq!(rounds + 1, 1 + 3 + 1 + 2 * 13);
    }
}

#[test]
fn counts_of_other_rounds_fits_and_damaged_ones_are_refused() {
    let (_files, [out]) = directory(["out"]);
    let ask = |more: &[&str]| {
        let common = ["--parts", "2", "--out", &out];
        run("spread_tasks", &[&FIT[..], &common, more].concat())
    };
    count(&out, "2", &["0", "1"]);
    message(&ask(&["--merge"]));
    let part =
        |round: u64, part: u64| file(&out, &format!("run-0-round-{round}-part-{part}.figrs"));
    // The file has the counts of another round.
    fs::copy(part(0, 0), part(1, 0)).unwrap();
    message(&ask(&["--part", "1"]));
    let error = refusal(&ask(&["--merge"]));
    assert!(error.contains("run-0-round-1-part-0.figrs"), "{error}");
    assert!(
        error.contains("its round is 0, but here it is 1"),
        "{error}"
    );
    // The file has the counts of another part.
    fs::copy(part(1, 1), part(1, 0)).unwrap();
    let error = refusal(&ask(&["--merge"]));
    assert!(
        error.contains("its number is 1, but here it is 0"),
        "{error}"
    );
    let whole = fs::read(part(0, 0)).unwrap();
    fs::write(part(1, 0), &whole[..whole.len() - 9]).unwrap();
    for more in [&["--merge"][..], &["--merge", "--partial"]] {
        let error = refusal(&ask(more));
        assert!(error.contains("damaged, or not complete"), "{error}");
    }
    fs::remove_file(part(1, 0)).unwrap();
    let error = refusal(&ask(&["--merge"]));
    assert!(
        error.contains("1 of 2 parts of round 1 are missing"),
        "{error}"
    );
    // The counts are of other data, or of other parameters of the round.
    let other = ["fit", "--rows", "301", "--parts", "2", "--out", &out];
    for role in [&["--merge"][..], &["--part", "0"]] {
        let error = refusal(&run("spread_tasks", &[&other[..], role].concat()));
        assert!(error.contains("model (hash"), "{error}");
    }
    let request = file(&out, "run-0-round-1.figrs");
    let bytes = fs::read(&request).unwrap();
    fs::write(&request, &bytes[..bytes.len() - 1]).unwrap();
    let error = refusal(&ask(&["--part", "0"]));
    assert!(error.contains("remove it, and begin again"), "{error}");
}

#[test]
fn a_server_counts_the_rounds_that_it_is_given() {
    let (_files, [out]) = directory(["out"]);
    let merge = [&FIT[..], &["--parts", "2", "--merge", "--out", &out]].concat();
    succeeds("spread_tasks", &merge);
    let request = fs::read(file(&out, "run-0-round-0.figrs")).unwrap();
    let digits: Vec<String> = request.iter().map(|byte| format!("{byte:02x}")).collect();
    let digits = digits.concat();
    let mut server = Command::new(binary("spread_tasks"))
        .args([&FIT[..], &["--parts", "2", "--serve"]].concat())
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
    for wrong in ["0 0", "0 0 1x", "0 0 00 0"] {
        assert_eq!(ask(wrong).0, 1, "{wrong}");
    }
    let cut = ask(&format!("0 0 {}", &digits[..digits.len() - 2])).1;
    assert!(text(&cut).contains("a round (it is damaged"), "{cut:?}");
    let (kind, body) = ask(&format!("0 1 {digits}"));
    assert_eq!(kind, 0);
    drop(requests);
    assert!(server.wait().unwrap().success());
    count(&out, "2", &["1"]);
    let done = fs::read(file(&out, "run-0-round-0-part-1.figrs")).unwrap();
    assert_eq!(done, body);
}
