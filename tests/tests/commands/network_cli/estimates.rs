//! Tests of estimates and times of the network example.

use std::time::Instant;

use serde_json::Value as Json;

use crate::network_cli::files::{Files, keys};

#[test]
fn estimates_tell_their_standard_errors() {
    let files = Files::new();
    let ask = |more: &str| {
        files.json(&format!(
            "--file garden.bif --observe grass=wet --algorithm importance-sampling {more}"
        ))
    };
    let found = ask("--samples 20000 --seed 3");
    let fields = [
        "marginals",
        "standard_errors",
        "log_evidence",
        "log_evidence_standard_error",
        "algorithm",
        "exact",
        "seconds",
    ];
    assert_eq!(keys(&found), fields);
    let near = |found: &Json, error: &Json, expected: f64| {
        let (found, error) = (found.as_f64().unwrap(), error.as_f64().unwrap());
        assert!(
            error > 0.0 && (found - expected).abs() < 5.0 * error,
            "{found} ± {error}"
        );
        error
    };
    let (p, errors) = (&found["marginals"], &found["standard_errors"]);
    assert_eq!(keys(errors), keys(p));
    let error = near(&p["rain"]["yes"], &errors["rain"]["yes"], 0.18 / 0.34);
    near(&p["cat=mood"]["sits"], &errors["cat=mood"]["sits"], 0.75);
    near(
        &found["log_evidence"],
        &found["log_evidence_standard_error"],
        0.34_f64.ln(),
    );
    // With a hundredth of the samples, the error is ten times as large.
    let few = ask("--samples 200 --seed 3");
    let ratio = few["standard_errors"]["rain"]["yes"].as_f64().unwrap() / error;
    assert!((5.0..20.0).contains(&ratio), "{ratio}");
    assert_eq!(ask("--samples 200 --seed 3")["marginals"], few["marginals"]);
    assert_ne!(ask("--samples 200 --seed 4")["marginals"], few["marginals"]);
    let evidence = ask("--task evidence");
    assert_eq!(keys(&evidence), fields[2..]);
    assert_eq!(evidence["exact"], false);
    let text = files.text("--file garden.bif --algorithm importance-sampling --query rain");
    assert_eq!(text.matches(" ± ").count(), 3, "{text}");
}

#[test]
fn a_repeated_question_tells_the_medians() {
    let files = Files::new();
    let ask = "--file garden.bif --algorithm importance-sampling --samples 20000 --repeat 20";
    let started = Instant::now();
    let found = files.json(ask);
    // At least half of the queries take the median time or longer.
    let query = found["seconds"]["query"].as_f64().unwrap();
    assert!(started.elapsed().as_secs_f64() >= 10.0 * query);
    let twice = files.json("--file garden.bif --algorithm junction-tree --repeat 2");
    assert_eq!(keys(&twice["seconds"]), ["parse", "compile", "query"]);
}

/// Regression test: each state was searched among all states to print its probability and its standard error.
#[test]
fn many_states_are_printed_at_once() {
    let states = 65_000;
    let started = Instant::now();
    let files = Files::new();
    let text = format!("MARKOV\n1\n{states}\n0\n");
    std::fs::write(files.path("wide.uai"), text).unwrap();
    for format in ["text", "json"] {
        for algorithm in ["junction-tree", "importance-sampling --samples 100000"] {
            let ask = format!("--file wide.uai --format {format} --algorithm {algorithm}");
            let printed = files.text(&ask);
            assert!(printed.len() > states);
        }
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}
