//! `ratings` and `tracking` against answers computed elsewhere, and their streams and pictures.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use figrs_tests::example;
use serde_json::Value;

/// Runs an example with this standard input, and returns its standard output.
fn output(program: &str, options: &str, input: &str) -> String {
    let mut child = Command::new(example::binary(program))
        .args(options.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{program} {options}");
    String::from_utf8(done.stdout).unwrap()
}

/// The cases of the reference file; none, with a printed reason, if it is not at hand.
fn cases() -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/reference/reals.json"
    );
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: {path} is not at hand");
        return Vec::new();
    };
    let all: Value = serde_json::from_str(&text).unwrap();
    all["cases"].as_array().unwrap().clone()
}

fn number(json: &Value) -> f64 {
    json.as_f64()
        .unwrap_or_else(|| panic!("{json} is no number"))
}

fn check(name: &str, found: &Value, exact: f64) {
    let apart = (number(found) - exact).abs();
    assert!(
        apart < 1e-9 * exact.abs() + 1e-11,
        "{name}: {found}, not {exact}"
    );
}

#[test]
fn a_season_is_rated_as_computed_elsewhere() {
    for case in cases()
        .iter()
        .filter(|case| case["id"] == "season_filtered")
    {
        let mut file = "winner,loser,draw\n".to_owned();
        for game in case["evidence"]["games"].as_array().unwrap() {
            let line = [&game["first"], &game["second"]].map(|name| name.as_str().unwrap());
            writeln!(file, "{},{},{}", line[0], line[1], game["draw"]).unwrap();
        }
        let options = "--matches - --format json --drift 0.08333333333333333";
        let found: Value = serde_json::from_str(&output("ratings", options, &file)).unwrap();
        check(
            "log-evidence",
            &found["log_evidence"],
            number(&case["answers"]["log_evidence"]),
        );
        for (name, exact) in case["answers"]["final"].as_object().unwrap() {
            let player = &found["players"][name];
            check(name, &player["mean"], number(&exact["mean"]));
            check(name, &player["sd"], number(&exact["variance"]).sqrt());
        }
    }
}

#[test]
fn tracks_are_those_computed_elsewhere() {
    for (id, options) in [
        ("local_level", "--process 0.1 --noise 1 --start-variance 4"),
        (
            "local_linear_trend",
            "--model trend --process 0.2,0.01 --noise 0.5 --start-variance 10,1",
        ),
    ] {
        for case in cases().iter().filter(|case| case["id"] == id) {
            let cell =
                |reading: &Value| reading[0].as_f64().map_or(String::new(), |x| x.to_string());
            let readings = case["evidence"]["y"].as_array().unwrap();
            let lines: Vec<String> = readings.iter().map(cell).collect();
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), lines.join("\n") + "\n").unwrap();
            let options = format!("{options} --format json --data");
            let whole = output(
                "tracking",
                &format!("{options} {}", file.path().display()),
                "",
            );
            let whole: Value = serde_json::from_str(&whole).unwrap();
            check(
                id,
                &whole["log_evidence"],
                number(&case["answers"]["log_evidence"]),
            );
            let stream = output(
                "tracking",
                &format!("{options} -"),
                &(lines.join("\n") + "\n"),
            );
            let stream: Vec<Value> = stream
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            assert_eq!(stream.len(), lines.len());
            for (t, line) in stream.iter().enumerate() {
                let step = &whole["steps"][t];
                for (ours, exact) in [
                    ("predicted", "predicted_state"),
                    ("filtered", "filtered"),
                    ("smoothed", "smoothed"),
                ] {
                    let exact = &case["answers"][exact];
                    for (i, mean) in exact["mean"][t].as_array().unwrap().iter().enumerate() {
                        check(ours, &step[ours]["mean"][i], number(mean));
                        check(
                            ours,
                            &step[ours]["sd"][i],
                            number(&exact["cov"][t][i][i]).sqrt(),
                        );
                        if ours != "smoothed" {
                            assert_eq!(line[ours], step[ours], "{id}, step {t}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn coordinates_with_separate_readings_have_separate_tracks() {
    // A level without noise and its slope, whose covariance matrices are nearly singular; a long file takes little time.
    let rows = (0..1000).map(|t| {
        let (first, second) = (f64::from(t * t % 17) - 8.0, f64::from(t * 5 % 23));
        let second = (t % 3 > 0).then(|| second.to_string());
        [first.to_string(), second.unwrap_or_default()]
    });
    let rows: Vec<[String; 2]> = rows.collect();
    let track = |columns: &[usize]| -> Value {
        let line = |row: &[String; 2]| {
            let cells: Vec<&str> = columns.iter().map(|&i| &*row[i]).collect();
            cells.join(",")
        };
        let lines: Vec<String> = rows.iter().map(line).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines.join("\n") + "\n").unwrap();
        let options = format!(
            "--model trend --process 0,0.2 --start-variance 9 --format json --data {}",
            file.path().display()
        );
        serde_json::from_str(&output("tracking", &options, "")).unwrap()
    };
    let (both, alone) = (track(&[0, 1]), [track(&[0]), track(&[1])]);
    let sum: f64 = alone.iter().map(|one| number(&one["log_evidence"])).sum();
    check("log-evidence", &both["log_evidence"], sum);
    for (t, step) in both["steps"].as_array().unwrap().iter().enumerate() {
        for (name, moments) in ["predicted", "filtered", "smoothed"]
            .into_iter()
            .flat_map(|name| ["mean", "sd"].map(|moments| (name, moments)))
        {
            // The state has the levels of both coordinates, then their slopes.
            for i in 0..4 {
                let exact = &alone[i % 2]["steps"][t][name][moments][i / 2];
                check(name, &step[name][moments][i], number(exact));
            }
        }
    }
}

#[test]
fn pictures_have_a_line_for_each_number() {
    let matches = "winner,loser\nanna,ben\nben,cora\nanna,cora\n";
    let skills = output("ratings", "--matches - --format svg", matches);
    for name in ["anna", "ben", "cora"] {
        assert!(skills.contains(name));
    }
    let track = output("tracking", "--data - --format svg", "1\n2\n\n3\n");
    assert!(track.contains("smoothed") && track.contains("filtered"));
    assert_eq!(track.matches("<circle").count(), 3);
}
