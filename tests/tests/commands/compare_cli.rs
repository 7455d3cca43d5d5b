//! Tests of the example that compares algorithms, run as a user runs it.

use std::process::{Command, Output};

use figrs_tests::browser;
use figrs_tests::example::{self, text};
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value as Json;
use tempfile::TempDir;

const GARDEN: &str = "
network garden { }
variable grass { type discrete [ 2 ] { wet, dry }; }
variable rain { type discrete [ 2 ] { yes, no }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }
";

fn files() -> TempDir {
    let files = tempfile::tempdir().unwrap();
    std::fs::write(files.path().join("garden.bif"), GARDEN).unwrap();
    std::fs::write(files.path().join("wet.json"), r#"{"grass": "wet"}"#).unwrap();
    files
}

/// Runs the example; arguments with an extension are names of files in the directory.
fn run(files: &TempDir, arguments: &str) -> Output {
    let arguments = arguments.split_whitespace().map(|argument| {
        let extensions = [".bif", ".json", ".svg", ".html"];
        if extensions
            .iter()
            .any(|extension| argument.ends_with(extension))
        {
            files.path().join(argument).to_str().unwrap().to_owned()
        } else {
            argument.into()
        }
    });
    let arguments: Vec<String> = arguments.collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    example::run("compare", &arguments)
}

/// Returns the output of the example if it succeeds.
fn words(files: &TempDir, arguments: &str) -> String {
    let output = run(files, arguments);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    text(&output.stdout)
}

fn json(files: &TempDir, arguments: &str) -> Json {
    let text = words(files, &format!("{arguments} --format json"));
    serde_json::from_str(&text).unwrap()
}

fn verdicts(found: &Json) -> Vec<(&str, &str)> {
    let rows = found["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        (
            row["algorithm"].as_str().unwrap(),
            row["verdict"].as_str().unwrap(),
        )
    })
    .collect()
}

#[test]
fn the_same_model_is_put_to_every_algorithm() {
    let files = files();
    let found = json(&files, "--model sprinkler --samples 8000 --seed 1");
    let agrees = "agrees";
    let within = "within-three";
    let expected = [
        ("VariableElimination", agrees),
        ("JunctionTree", agrees),
        ("MpeVariableElimination", agrees),
        ("BeliefPropagation", "approximate"),
        ("ImportanceSampling", within),
        ("SequentialMonteCarlo", within),
        ("MetropolisHastings", within),
        ("Gibbs", within),
        ("Enumerate", agrees),
    ];
    assert_eq!(verdicts(&found), expected);
    let exact = found["exact"]["values"][0].as_f64().unwrap();
    assert_eq!(found["estimands"][0]["name"], "P(rain = true)");
    assert!((exact - 0.4581 / 0.6471).abs() < 1e-12, "{exact}");
    let best = found["best_log_probability"].as_f64().unwrap();
    assert!((best - 0.324_f64.ln()).abs() < 1e-12, "{best}");
    for row in found["rows"].as_array().unwrap() {
        assert!(row["seconds"].as_f64().unwrap() > 0.0);
        assert!(row["memory"].as_u64().unwrap() > 0, "{row}");
    }
}

#[test]
fn text_has_a_table_the_verdict_and_bars() {
    let files = files();
    let ask = "--model burglary --algorithms junction-tree,forward-sampling,gibbs --samples 2000";
    let found = words(&files, ask);
    for part in [
        "answer: P(burglary = true)",
        "exact: 0.284172 (VariableElimination",
        "within 3 SE",
        "not applicable: ForwardSampling: ForwardSampling draws from the prior",
        "fastest exact: JunctionTree",
        "most effective samples per second: Gibbs",
        "burglary (VariableElimination)",
        "0.284172 ███████████",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
}

#[test]
fn every_model_and_generator_has_an_exact_answer_that_algorithms_agree_with() {
    let files = files();
    for question in [
        "--model hmm --algorithms enumerate,junction-tree,frontier",
        "--model mixture --algorithms variable-elimination,junction-tree",
        "--model grid --algorithms variable-elimination,junction-tree",
        "--model learned --algorithms enumerate,variable-elimination,junction-tree",
        "--generator yin-yang --rows 3 --columns 3 --algorithms enumerate,junction-tree",
        "--generator maze --rows 3 --columns 3 --algorithms variable-elimination,junction-tree",
        "--generator island --algorithms variable-elimination,junction-tree",
    ] {
        let found = json(&files, question);
        for (algorithm, verdict) in verdicts(&found) {
            assert_eq!(verdict, "agrees", "{question}: {algorithm}");
        }
    }
    // The condition takes every second number of a geometric distribution with failure probability one half, whose shares are 3/4, 3/16, 3/64 and so
    // on.
    let ask = "--model geometric --algorithms lazy-variable-elimination,importance-sampling";
    let found = json(&files, ask);
    assert_eq!(found["exact"], Json::Null);
    for row in found["rows"].as_array().unwrap() {
        assert_eq!(row["verdict"], "unjudged");
        let values = row["values"].as_array().unwrap();
        let names = found["estimands"].as_array().unwrap().iter();
        let named = names
            .zip(values)
            .find(|(name, _)| name["name"] == "P(none = true)");
        let value = named.unwrap().1.as_f64().unwrap();
        assert!((value - 0.75).abs() < 0.03, "{row}");
    }
    // The posterior of the learned parameter is Beta(4, 18), with mean 2/11 and standard deviation .08. Variable elimination finds it in closed form.
    // Algorithms that enumerate values do not apply to this parameter.
    let found = json(&files, "--model rate --samples 20000");
    let mut means = 0;
    for row in found["rows"].as_array().unwrap() {
        if row["verdict"] == "not-applicable" {
            let words = row["message"].as_str().unwrap();
            assert!(words.contains("continuous values"), "{row}");
            continue;
        }
        let is_near = ["agrees", "within-three"]
            .iter()
            .any(|verdict| row["verdict"] == *verdict);
        assert!(is_near, "{row}");
        // The most probable world has no mean.
        if let Some(value) = row["values"][0].as_f64() {
            assert!((value - 2.0 / 11.0).abs() < 0.01, "{row}");
            means += 1;
        }
    }
    assert!(means >= 3, "{found}");
}

#[test]
fn networks_are_asked_with_evidence_from_files_and_the_command_line() {
    let files = files();
    for evidence in ["wet.json", "grass=wet"] {
        let ask = format!(
            "--network garden.bif --query rain --evidence {evidence} --algorithms enumerate"
        );
        let found = json(&files, &ask);
        assert_eq!(found["estimands"][0]["name"], "P(rain = yes)");
        let p = found["rows"][0]["values"][0].as_f64().unwrap();
        assert!((p - 0.18 / 0.34).abs() < 1e-12, "{p}");
    }
    let all = json(&files, "--network garden.bif --algorithms junction-tree");
    assert_eq!(all["targets"], serde_json::json!(["grass", "rain"]));
}

#[test]
fn answers_are_checked_on_request() {
    let files = files();
    for model in ["burglary", "sprinkler", "grid", "hmm"] {
        let found = json(
            &files,
            &format!("--model {model} --samples 500 --self-check"),
        );
        for row in found["rows"].as_array().unwrap() {
            assert_ne!(row["verdict"], "no-answer", "{model}: {row}");
            assert_eq!(row["checked"], true, "{model}: {row}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_answers() {
    let files = files();
    let ask = |seed: u32| {
        let ask = format!("--model sprinkler --algorithms gibbs --samples 400 --seed {seed}");
        json(&files, &ask)["rows"][0]["values"].clone()
    };
    let first = ask(3);
    assert_eq!(first, ask(3));
    assert_ne!(first, ask(4));
}

#[test]
fn a_time_limit_ends_samplers_with_the_answer_so_far() {
    let files = files();
    let ask =
        "--model sprinkler --algorithms importance-sampling --samples 1000000000 --time-limit 0.2";
    let found = json(&files, ask);
    assert_eq!(found["rows"][0]["message"], "ended by its deadline");
    assert_eq!(found["rows"][0]["verdict"], "within-three");
    assert!(found["rows"][0]["seconds"].as_f64().unwrap() < 2.2);
}

#[test]
fn exact_algorithms_end_at_a_time_limit() {
    let files = files();
    for (algorithm, question) in [
        ("enumerate", "--generator maze --rows 5 --columns 5"),
        (
            "mpe-branch-and-bound",
            "--generator yin-yang --rows 9 --columns 9",
        ),
        (
            "lazy-variable-elimination",
            "--generator yin-yang --rows 9 --columns 9",
        ),
    ] {
        let ask = format!("{question} --algorithms {algorithm} --time-limit 0.2 --format json");
        let output = run(&files, &ask);
        let found: Json = serde_json::from_slice(&output.stdout).unwrap();
        let row = &found["rows"][0];
        let words = row["message"].as_str().unwrap_or_default();
        // The run had not finished by itself, and was not given up from outside after the time of grace either.
        assert!(!words.contains("no answer within"), "{algorithm}: {words}");
        let seconds = row["seconds"].as_f64().unwrap();
        assert!((0.2..2.2).contains(&seconds), "{algorithm}: {row}");
    }
}

#[test]
fn reasons_for_no_answer_name_no_place_in_sources_and_nothing_of_the_library() {
    let files = files();
    let text_and_json = ["text", "json"].as_slice();
    for (ask, formats) in [
        (
            "--model mixture --algorithms enumerate,importance-sampling --samples 100",
            text_and_json,
        ),
        (
            "--network garden.bif --evidence grass=wet rain=no --algorithms enumerate,rejection-sampling --samples 100",
            text_and_json,
        ),
        // The enumeration of infinitely many worlds runs for a while.
        (
            "--model geometric --algorithms enumerate,gibbs --samples 100",
            &["text"],
        ),
    ] {
        for format in formats {
            let output = run(&files, &format!("{ask} --format {format}"));
            let words = text(&output.stdout);
            assert!(!words.is_empty() && !words.contains(".rs:"), "{words}");
            assert!(!words.contains("(`max_"), "{words}");
        }
    }
}

#[test]
fn answers_are_not_lost_with_curves_that_the_time_is_too_short_for() {
    let files = files();
    let ask = "--model hmm --samples 1000000000 --algorithms importance-sampling --time 1 --format json --curves c.svg";
    let output = run(&files, ask);
    let notes = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{notes}");
    assert!(notes.contains("c.svg is not written"), "{notes}");
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stopped"], "time");
}

/// Returns the tags of a document, and checks that it is well-formed.
fn tags(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let mut names = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                names.push(text(tag.name().as_ref()));
            }
            Event::Eof => return names,
            _ => {}
        }
    }
}

fn count(xml: &str, name: &str) -> usize {
    tags(xml).iter().filter(|tag| *tag == name).count()
}

#[test]
fn curves_and_a_report_are_written() {
    let files = files();
    let ask = "--model sprinkler --algorithms junction-tree,gibbs,importance-sampling --samples 2000 \
               --curves curves.svg --report report.html";
    let found = words(&files, ask);
    assert!(found.contains("largest error against time"), "{found}");
    let read = |name| std::fs::read_to_string(files.path().join(name)).unwrap();
    let curves = read("curves.svg");
    assert!(curves.contains("Gibbs") && curves.contains("ImportanceSampling"));
    assert!(count(&curves, "circle") > 4);
    let report = read("report.html");
    // The pictures are curves, three posteriors, the model, the elimination tree, and the trace and the ranks of Gibbs.
    assert_eq!(count(&report, "svg"), PICTURES);
    assert_eq!(count(&report, "script"), 0);
    assert!(report.contains("Algorithms side by side: sprinkler"));
    let Some(seen) = browser::opened(&files.path().join("report.html")) else {
        return;
    };
    assert_eq!(seen.matches("<svg").count(), PICTURES, "{seen}");
    for picture in seen.split("<svg").skip(1) {
        let drawn = picture.split("</svg>").next().unwrap();
        assert!(drawn.contains("<text"), "{drawn}");
    }
}

const PICTURES: usize = 8;

/// An interrupt by Ctrl-C is sent if the system has a command that sends signals to processes.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_with_the_answers_so_far() {
    let ask = "--model sprinkler --samples 1000000000 --algorithms enumerate,importance-sampling,gibbs --format json";
    let arguments: Vec<&str> = ask.split(' ').collect();
    let child = example::start("compare", &arguments);
    std::thread::sleep(std::time::Duration::from_millis(700));
    let signal = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(signal.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdicts(&found)[0], ("Enumerate", "agrees"));
    assert_eq!(found["rows"][1]["message"], "interrupted");
    assert_eq!(found["rows"][1]["verdict"], "within-three");
    assert!(
        found["rows"][2]["message"]
            .as_str()
            .unwrap()
            .starts_with("not run")
    );
}
