//! Tests of the plan of a run in parts, which a Python script simulates, against closed forms.

use std::path::Path;
use std::process::{Command, Output};

use figrs_tests::example::text;
use serde_json::Value;

/// Runs the script with these options; prints the reason and returns `None` if there is no Python.
fn plan(options: &str) -> Option<Output> {
    let python = std::env::var("PYTHON").unwrap_or("python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spread/plan.py");
    let output = Command::new(&python)
        .arg(script)
        .args(options.split_whitespace())
        .output();
    if output.is_err() {
        eprintln!("skipped: there is no {python} (set PYTHON)");
    }
    output.ok()
}

/// Returns the only row of a plan, in which nothing is random unless the options say otherwise.
fn row(options: &str) -> Option<Value> {
    let plain = "--format json --spread 0 --straggler-share 0 --failures 0 --start 0 --dispatch 0 \
                 --part-cost 0 --merge-cost 0";
    let output = plan(&format!("{plain} {options}"))?;
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.len(), 1);
    rows.into_iter().next()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap()
}

#[test]
fn plans_without_chance_are_their_closed_forms() {
    for (options, expected) in [
        // One machine computes 8 parts of 12.5 s one after another, and merges the last part at the end.
        (
            "--work 100 --machines 1 --parts 8 --start 3 --dispatch 0.5 --merge-cost 0.25",
            3.0 + 8.0 * 13.0 + 0.25,
        ),
        // The 10 parts of 10 s take three rounds on 4 machines.
        ("--work 100 --machines 4 --parts 10", 30.0),
        // All parts arrive at the same time, and are merged one after the other.
        (
            "--work 100 --machines 10 --parts 10 --merge-cost 2 --merge-share 0.1",
            10.0 + 10.0 * 3.0,
        ),
        // Merging the 100 parts takes longer than computing them.
        (
            "--work 100 --machines 20 --parts 100 --merge-cost 0.5",
            1.0 + 100.0 * 0.5,
        ),
        // Sending the parts to the driver takes longer, too, and each part is merged as soon as it arrives.
        (
            "--work 100 --machines 20 --parts 100 --bytes 1e6 --bandwidth 2e6 --merge-cost 0.25",
            1.0 + 100.0 * 0.5 + 0.25,
        ),
        // Each part has a fixed cost in addition to its work.
        (
            "--work 100 --machines 5 --parts 5 --part-share 0.5 --part-cost 2",
            32.0,
        ),
        // All parts are stragglers.
        (
            "--work 100 --machines 5 --parts 5 --straggler-share 1 --straggler-factor 4",
            80.0,
        ),
    ] {
        let Some(row) = row(options) else { return };
        let makespan = number(&row, "makespan");
        assert!((makespan - expected).abs() < 1e-9, "{options}: {makespan}");
        let (speedup, machines) = (number(&row, "speedup"), number(&row, "machines"));
        assert!((speedup - 100.0 / expected).abs() < 1e-9, "{options}");
        assert!((number(&row, "efficiency") - speedup / machines).abs() < 1e-12);
        assert!(number(&row, "parts_again").abs() < 1e-12);
    }
}

#[test]
fn the_driver_limits_the_speed_up() {
    let options = "--work 100 --machines 100000 --parts 1000 --merge-cost 0.01 --merge-share 0.1";
    let Some(row) = row(options) else { return };
    assert!((number(&row, "driver_limit") - 5.0).abs() < 1e-9);
    let speedup = number(&row, "speedup");
    assert!(4.9 < speedup && speedup < 5.0, "{speedup}");
    assert!(number(&row, "driver_busy") > 0.99);
}

/// The means of many runs of one machine are within four standard errors of a closed form. One of 16 000 such tests would fail by chance; the seed is
/// fixed.
#[test]
fn failures_and_stragglers_have_their_means() {
    // With 12 failures per hour, parts of 100 s and 40 s until a machine is back, each part takes (1/f + 40)(exp(100 f) - 1).
    let rate: f64 = 12.0 / 3600.0;
    let again = (rate * 100.0).exp_m1();
    let with_failures = 20.0 * (1.0 / rate + 40.0) * again;
    let stragglers = 20.0 * 100.0 * (1.0 + 0.3 * 2.0);
    for (options, expected) in [
        ("--failures 12 --restart 40", with_failures),
        (
            "--straggler-share 0.3 --straggler-factor 3 --spread 0.5",
            stragglers,
        ),
    ] {
        let fixed = "--work 2000 --machines 1 --parts 20 --runs 400";
        let Some(row) = row(&format!("{fixed} {options}")) else {
            return;
        };
        let (mean, error) = (number(&row, "makespan"), number(&row, "makespan_error"));
        assert!(error > 0.0 && error < expected / 50.0, "{options}: {error}");
        assert!((mean - expected).abs() < 4.0 * error, "{options}: {mean}");
        if options.starts_with("--failures") {
            // The number of failures of a part has a geometric distribution.
            let error = (20.0 * again * (1.0 + again) / 400.0).sqrt();
            let mean = number(&row, "parts_again") - 20.0 * again;
            assert!(mean.abs() < 4.0 * error, "{mean}");
        }
    }
}

#[test]
fn a_thousand_machines_have_a_row() {
    let Some(output) = plan("--work 100000 --machines 1,1000 --runs 1") else {
        return;
    };
    let table = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[2][..2], ["1000", "8000"], "{table}");
    assert!(table.contains("The driver limits the speed-up"), "{table}");
}

#[test]
fn wrong_plans_are_refused() {
    for (options, message) in [
        ("", "--work"),
        ("--work -1", "-1 is not at least 0.001"),
        ("--work x", "'x' is no number"),
        ("--work 100 --machines 0", "0 is not at least 1"),
        ("--work 100 --straggler-share 2", "2 is not between 0 and 1"),
        ("--work 100 --parts 20000000", "ask for fewer"),
        (
            "--work 1e6 --parts 1 --failures 1 --machines 1",
            "ask for more parts",
        ),
    ] {
        let Some(output) = plan(options) else { return };
        let error = text(&output.stderr);
        assert!(!output.status.success(), "{options}");
        assert!(error.contains(message), "{options}: {error}");
        assert!(!error.contains("Traceback"), "{options}: {error}");
    }
}
