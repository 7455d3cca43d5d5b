//! The example that asks networks, as a user runs it. The binary is built by `cargo test --workspace`.

use std::process::Output;
use std::time::Instant;

use figrs_tests::example::{self, text};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Rain makes the grass wet; the cat's mood has nothing to do with it.
const GARDEN: &str = "
network garden { }
variable grass { type discrete [ 2 ] { wet, dry }; }
variable rain { type discrete [ 2 ] { yes, no }; }
variable cat=mood { type discrete [ 3 ] { sits, runs, flies }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }
probability ( cat=mood ) { table 0.75, 0.25, 0; }
";

/// One factor over two variables: 1, 2, 3, 4.
const MARKOV: &str = "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 3 4\n";

/// A directory with the networks and their evidence.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        for (name, text) in [
            ("garden.bif", GARDEN),
            ("pair.uai", MARKOV),
            ("wet.json", r#"{"grass": "wet"}"#),
            ("dry.json", r#"{"grass": "dry"}"#),
            ("unknown.json", r#"{"gras": "wet"}"#),
            ("pair.evid", "1 1 0"),
            ("ragged.bif", "network n { }\nvariable a { type }"),
            ("rounded.uai", "BAYES\n1\n3\n1\n1 0\n3\n0.333 0.333 0.333\n"),
        ] {
            std::fs::write(files.path(name), text).unwrap();
        }
        files
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs the example; of the arguments those with an extension are files of the directory.
    fn run(&self, arguments: &str) -> Option<Output> {
        let arguments = arguments.split_whitespace().map(|argument| {
            let is_file = [".bif", ".uai", ".json", ".evid", ".txt"]
                .iter()
                .any(|extension| argument.ends_with(extension));
            if is_file {
                self.path(argument)
            } else {
                argument.into()
            }
        });
        let arguments: Vec<String> = arguments.collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        example::run("network", &arguments)
    }

    /// What the example prints if all goes well.
    fn text(&self, arguments: &str) -> Option<String> {
        let output = self.run(arguments)?;
        let told = text(&output.stderr);
        assert!(output.status.success(), "{arguments}: {told}");
        Some(text(&output.stdout))
    }

    fn json(&self, arguments: &str) -> Option<Json> {
        let text = self.text(&format!("{arguments} --format json"))?;
        Some(serde_json::from_str(&text).unwrap())
    }
}

fn keys(object: &Json) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[track_caller]
fn assert_near(found: &Json, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
}

#[test]
fn marginals_are_exact_and_in_the_order_of_the_file() {
    let files = Files::new();
    for algorithm in ["junction-tree", "variable-elimination", "enumerate"] {
        let ask = format!("--file garden.bif --observe grass=wet --algorithm {algorithm}");
        let Some(found) = files.json(&ask) else {
            return;
        };
        let marginals = &found["marginals"];
        assert_eq!(keys(marginals), ["grass", "rain", "cat=mood"]);
        assert_eq!(keys(&marginals["cat=mood"]), ["sits", "runs", "flies"]);
        assert_near(&marginals["rain"]["yes"], 0.18 / 0.34);
        assert_near(&marginals["grass"]["wet"], 1.0);
        assert_near(&marginals["grass"]["dry"], 0.0);
        assert_near(&marginals["cat=mood"]["runs"], 0.25);
        assert_near(&found["log_evidence"], 0.34_f64.ln());
        let (fields, seconds) = if algorithm == "junction-tree" {
            (
                vec!["marginals", "log_evidence", "cost", "seconds"],
                vec!["parse", "compile", "query"],
            )
        } else {
            (
                vec!["marginals", "log_evidence", "seconds"],
                vec!["parse", "query"],
            )
        };
        assert_eq!(keys(&found), fields);
        assert_eq!(keys(&found["seconds"]), seconds);
    }
}

#[test]
fn text_has_a_bar_for_each_state() {
    let files = Files::new();
    let ask = "--file garden.bif --observe grass=wet --query rain cat=mood";
    let Some(found) = files.text(ask) else { return };
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "rain");
    assert_eq!(lines[1], format!("  yes    0.529412 {}", "█".repeat(21)));
    assert_eq!(lines[3], "cat=mood");
    assert_eq!(lines[6], "  flies  0.000000");
    assert_eq!(lines[7], "log-evidence -1.078810 (probability 3.400000e-1)");
    assert!(lines[8].starts_with("cost: width ") && lines[9].starts_with("seconds: parse "));
    assert_eq!(lines.len(), 10);
}

#[test]
fn numbers_in_json_have_all_their_digits() {
    let files = Files::new();
    let ask = "--file garden.bif --observe grass=wet --query rain --format json";
    let Some(found) = files.text(ask) else { return };
    let (_, after) = found.split_once(r#""yes":"#).unwrap();
    let (digits, _) = after.split_once(',').unwrap();
    let p: f64 = digits.parse().unwrap();
    assert!(digits.len() >= 17 && p.to_string() == digits, "{digits}");
}

#[test]
fn only_what_is_queried_is_told_and_compiled() {
    let files = Files::new();
    let Some(found) = files.json("--file garden.bif --query cat=mood --query grass") else {
        return;
    };
    assert_eq!(keys(&found["marginals"]), ["grass", "cat=mood"]);
    let world = files
        .json("--file garden.bif --task mpe --query rain")
        .unwrap();
    assert_eq!(world["mpe"]["assignment"], json!({"rain": "no"}));
    assert_near(&world["mpe"]["log_probability"], (0.64_f64 * 0.75).ln());
    // What is left when rain is summed out, and the answer; told without compiling, whatever the memory.
    let cost = files
        .json("--file garden.bif --task cost --query rain --memory 7")
        .unwrap();
    assert_eq!(keys(&cost), ["cost", "seconds"]);
    assert_eq!(keys(&cost["seconds"]), ["parse", "compile"]);
    assert_eq!(
        cost["cost"],
        json!({"width": 1, "operations": 3.0, "table_bytes": 8 * (1 + 1)})
    );
    let all = files
        .json("--file garden.bif --task cost --query all")
        .unwrap();
    assert_eq!(all["cost"]["width"], 2);
    let evidence = files
        .json("--file garden.bif --task evidence --observe cat=mood=runs")
        .unwrap();
    assert_eq!(evidence["cost"]["width"], 1);
    assert_near(&evidence["log_evidence"], 0.25_f64.ln());
}

#[test]
fn evidence_comes_from_files_and_from_the_command_line() {
    let files = Files::new();
    let together = "--evidence wet.json --observe rain=no cat=mood=runs --observe rain=no";
    for (evidence, expected) in [
        ("", 1.0),
        ("--evidence wet.json", 0.34),
        ("--evidence dry.json", 0.66),
        (together, 0.16 * 0.25),
    ] {
        let ask = format!("--file garden.bif --task evidence {evidence}");
        let Some(found) = files.json(&ask) else {
            return;
        };
        assert_eq!(keys(&found), ["log_evidence", "cost", "seconds"]);
        assert_near(&found["log_evidence"], f64::ln(expected));
    }
    let text = files
        .text("--file garden.bif --task evidence --evidence dry.json")
        .unwrap();
    assert!(
        text.starts_with("log-evidence -0.415515 (probability 6.600000e-1)\n"),
        "{text}"
    );
}

#[test]
fn a_markov_network_is_asked_by_indices() {
    let files = Files::new();
    for algorithm in ["junction-tree", "variable-elimination", "enumerate"] {
        let ask = format!("--file pair.uai --algorithm {algorithm}");
        let Some(found) = files.json(&ask) else {
            return;
        };
        assert_near(&found["log_evidence"], 10_f64.ln());
        assert_near(&found["marginals"]["0"]["1"], 0.7);
        assert_near(&found["marginals"]["1"]["0"], 0.4);
        let found = files.json(&format!("{ask} --evidence pair.evid")).unwrap();
        assert_near(&found["log_evidence"], 4_f64.ln());
        assert_near(&found["marginals"]["0"]["1"], 0.75);
    }
    let best = files
        .json("--file pair.uai --task mpe --observe 0=0")
        .unwrap();
    assert_eq!(best["mpe"]["assignment"], json!({"0": "0", "1": "1"}));
    assert_near(&best["mpe"]["log_probability"], 2_f64.ln());
    let text = files.text("--file pair.uai --task evidence").unwrap();
    assert!(text.starts_with("log-evidence 2.302585\n"), "{text}");
}

#[test]
fn worlds_come_best_first() {
    let files = Files::new();
    for algorithm in ["junction-tree", "mpe-variable-elimination", "enumerate"] {
        let ask =
            format!("--file garden.bif --observe grass=wet --task mpe --algorithm {algorithm}");
        let Some(found) = files.json(&ask) else {
            return;
        };
        let expected = json!({"grass": "wet", "rain": "yes", "cat=mood": "sits"});
        assert_eq!(found["mpe"]["assignment"], expected);
        assert_near(&found["mpe"]["log_probability"], (0.18_f64 * 0.75).ln());
        let text = files.text(&ask).unwrap();
        assert!(text.contains("\n  cat=mood  sits\n"), "{text}");
    }
    // 0.64, 0.18, 0.16 and 0.02, each times 0.75 and 0.25.
    let best = [0.48, 0.16, 0.135, 0.12, 0.045, 0.04, 0.015, 0.005];
    for (count, expected) in [("", 5), ("--count 3", 3), ("--count 99", 8)] {
        let ask = format!("--file garden.bif --task k-best {count}");
        let found = files.json(&ask).unwrap();
        assert_eq!(keys(&found), ["worlds", "cost", "seconds"]);
        let worlds = found["worlds"].as_array().unwrap();
        assert_eq!(worlds.len(), expected);
        for (world, p) in worlds.iter().zip(best) {
            assert_near(&world["log_probability"], f64::ln(p));
        }
        let second = json!({"grass": "dry", "rain": "no", "cat=mood": "runs"});
        assert_eq!(worlds[1]["assignment"], second);
        let text = files.text(&ask).unwrap();
        assert_eq!(text.matches("log-probability").count(), expected);
    }
}

#[test]
fn samples_have_their_posterior_probabilities_and_follow_the_seed() {
    let files = Files::new();
    let ask = |more: &str| {
        files.json(&format!(
            "--file garden.bif --task sample --observe grass=wet {more}"
        ))
    };
    let Some(found) = ask("") else { return };
    assert_eq!(keys(&found), ["samples", "cost", "seconds"]);
    assert_eq!(found["samples"].as_array().unwrap().len(), 10);
    assert_eq!(keys(&found["samples"][0]), ["grass", "rain", "cat=mood"]);
    assert_eq!(found["samples"], ask("--seed 0").unwrap()["samples"]);
    assert_ne!(found["samples"], ask("--seed 1").unwrap()["samples"]);
    let many = ask("--count 4000 --seed 2").unwrap();
    let many = many["samples"].as_array().unwrap();
    assert_eq!(many.len(), 4000);
    let rainy = many.iter().filter(|world| world["rain"] == "yes").count() as f64 / 4000.0;
    // Five standard errors.
    assert!((rainy - 0.18 / 0.34).abs() < 0.04, "{rainy}");
    let text = files
        .text("--file garden.bif --task sample --count 3 --query rain grass")
        .unwrap();
    let worlds = text
        .lines()
        .filter(|line| line.starts_with("grass=") && line.contains(" rain="));
    assert_eq!(worlds.count(), 3);
}

#[test]
fn estimates_tell_their_standard_errors() {
    let files = Files::new();
    let ask = |more: &str| {
        files.json(&format!(
            "--file garden.bif --observe grass=wet --algorithm importance-sampling {more}"
        ))
    };
    let Some(found) = ask("--samples 20000 --seed 3") else {
        return;
    };
    let fields = [
        "marginals",
        "standard_errors",
        "log_evidence",
        "log_evidence_standard_error",
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
    // A hundredth of the samples, ten times the error.
    let few = ask("--samples 200 --seed 3").unwrap();
    let ratio = few["standard_errors"]["rain"]["yes"].as_f64().unwrap() / error;
    assert!((5.0..20.0).contains(&ratio), "{ratio}");
    assert_eq!(
        ask("--samples 200 --seed 3").unwrap()["marginals"],
        few["marginals"]
    );
    assert_ne!(
        ask("--samples 200 --seed 4").unwrap()["marginals"],
        few["marginals"]
    );
    let evidence = ask("--task evidence").unwrap();
    assert_eq!(
        keys(&evidence),
        ["log_evidence", "log_evidence_standard_error", "seconds"]
    );
    let text = files
        .text("--file garden.bif --algorithm importance-sampling --query rain")
        .unwrap();
    assert_eq!(text.matches(" ± ").count(), 3, "{text}");
}

#[test]
fn a_repeated_question_tells_the_medians() {
    let files = Files::new();
    let ask = "--file garden.bif --algorithm importance-sampling --samples 20000 --repeat 20";
    let started = Instant::now();
    let Some(found) = files.json(ask) else { return };
    // Half of the queries take at least the median.
    let query = found["seconds"]["query"].as_f64().unwrap();
    assert!(started.elapsed().as_secs_f64() >= 10.0 * query);
    let twice = files.json("--file garden.bif --repeat 2").unwrap();
    assert_eq!(keys(&twice["seconds"]), ["parse", "compile", "query"]);
}

#[test]
fn impossible_evidence_has_a_log_evidence_and_exit_code_one_elsewhere() {
    let files = Files::new();
    let evidence = "--file garden.bif --observe cat=mood=flies";
    for algorithm in ["junction-tree", "variable-elimination", "enumerate"] {
        let ask = format!("{evidence} --task evidence --algorithm {algorithm}");
        let Some(found) = files.json(&ask) else {
            return;
        };
        assert_eq!(found["log_evidence"], "-inf");
        assert!(files.text(&ask).unwrap().starts_with("log-evidence -inf"));
    }
    for question in [
        "",
        "--task mpe",
        "--task k-best",
        "--task sample",
        "--algorithm enumerate",
        "--algorithm importance-sampling",
        "--task mpe --algorithm mpe-variable-elimination",
        "--task evidence --algorithm importance-sampling",
    ] {
        let output = files.run(&format!("{evidence} {question}")).unwrap();
        assert_eq!(output.status.code(), Some(1), "{question}");
        let told = text(&output.stderr);
        assert!(
            told.starts_with("error: ") && told.contains("impossible"),
            "{told}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_question_that_needs_more_memory_than_allowed_has_no_answer() {
    let files = Files::new();
    for question in [
        "",
        "--task mpe",
        "--algorithm variable-elimination",
        "--task mpe --algorithm mpe-variable-elimination",
    ] {
        let ask = format!("--file garden.bif {question} --memory");
        let Some(output) = files.run(&format!("{ask} 7")) else {
            return;
        };
        assert_eq!(output.status.code(), Some(1), "{question}");
        let told = text(&output.stderr);
        assert!(
            told.starts_with("error: ") && told.contains("7 bytes"),
            "{told}"
        );
        files.text(&format!("{ask} 100000")).unwrap();
    }
}

#[test]
fn rows_that_were_rounded_are_noted() {
    let files = Files::new();
    let Some(output) = files.run("--file rounded.uai --format json") else {
        return;
    };
    let told = text(&output.stderr);
    assert!(
        told.contains("by them: 1, the first on line 7, 0 ()"),
        "{told}"
    );
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_near(&found["marginals"]["0"]["2"], 1.0 / 3.0);
    let output = files.run("--file garden.bif").unwrap();
    assert!(output.stderr.is_empty());
}

#[test]
fn what_cannot_work_gives_one_line_and_exit_code_two() {
    let files = Files::new();
    for (arguments, part) in [
        ("--file missing.bif", "missing.bif"),
        ("--file network.txt", ".uai"),
        ("--file ragged.bif", "ragged.bif:2:"),
        ("--file garden.bif --evidence missing.json", "missing.json"),
        (
            "--file garden.bif --evidence unknown.json",
            "did you mean `grass`",
        ),
        ("--file pair.uai --evidence ragged.bif", ".evid"),
        ("--file garden.bif --observe grass", "VAR=STATE"),
        (
            "--file garden.bif --observe gras=wet",
            "did you mean `grass`",
        ),
        (
            "--file garden.bif --observe grass=wett",
            "did you mean `wet`",
        ),
        (
            "--file garden.bif --observe grass=wet grass=dry",
            "keep one of them",
        ),
        (
            "--file garden.bif --evidence wet.json --observe grass=dry",
            "keep one of them",
        ),
        ("--file garden.bif --query rian", "did you mean `rain`"),
        ("--file garden.bif --query rain --task evidence", "--query"),
        ("--file garden.bif --count 3", "--task k-best or sample"),
        ("--file garden.bif --task sample --count 0", "--count"),
        ("--file garden.bif --samples 3", "importance-sampling"),
        ("--file garden.bif --seed 3", "--task sample"),
        (
            "--file garden.bif --memory 9 --algorithm enumerate",
            "--memory",
        ),
        ("--file garden.bif --repeat 0", "--repeat"),
        (
            "--file garden.bif --task k-best --algorithm enumerate",
            "use junction-tree",
        ),
        (
            "--file garden.bif --task mpe --algorithm variable-elimination",
            "use junction-tree or mpe-variable-elimination or enumerate",
        ),
        (
            "--file garden.bif --task evidence --algorithm mpe-variable-elimination",
            "use junction-tree or",
        ),
        (
            "--file garden.bif --task cost --algorithm importance-sampling",
            "use junction-tree",
        ),
    ] {
        let Some(output) = files.run(arguments) else {
            return;
        };
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let told = text(&output.stderr);
        assert!(
            told.starts_with("error: ") && told.contains(part),
            "{arguments}: {told}"
        );
        // Values that are no values of a flag are told with a hint at the help.
        assert!(
            told.lines().count() == 1 || told.contains("try '--help'"),
            "{told}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_help_tells_the_shape_of_the_answer() {
    let Some(output) = example::run("network", &["--help"]) else {
        return;
    };
    let told = text(&output.stdout);
    for part in [
        "\"marginals\": {VAR: {STATE: p}}",
        "Exit code",
        "\"-inf\"",
        "--repeat",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

/// The probability of each state was sought among all of them.
#[test]
fn many_states_are_printed_at_once() {
    let states = 65_000;
    let started = Instant::now();
    let files = Files::new();
    let text = format!("MARKOV\n1\n{states}\n0\n");
    std::fs::write(files.path("wide.uai"), text).unwrap();
    for format in ["text", "json"] {
        let Some(printed) = files.text(&format!("--file wide.uai --format {format}")) else {
            return;
        };
        assert!(printed.len() > states);
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}
