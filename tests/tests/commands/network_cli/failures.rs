//! Failures of the network example: questions without an answer, and wrong options and files.

use std::fmt::Write as _;

use figrs_tests::example::text;
use serde_json::Value as Json;

use crate::network_cli::files::{Files, keys};

#[test]
fn impossible_evidence_has_a_log_evidence_and_exit_code_one_elsewhere() {
    let files = Files::new();
    let evidence = "--file garden.bif --observe cat=mood=flies";
    for algorithm in [
        "junction-tree",
        "variable-elimination",
        "slices",
        "circuit",
        "enumerate",
    ] {
        let ask = format!("{evidence} --task evidence --algorithm {algorithm}");
        let found = files.json(&ask);
        assert_eq!(found["log_evidence"], "-inf");
        assert!(files.text(&ask).starts_with("log-evidence -inf"));
    }
    for question in [
        "",
        "--task mpe",
        "--task k-best",
        "--task sample",
        "--algorithm enumerate",
        "--algorithm importance-sampling",
        "--task mpe --algorithm mpe-variable-elimination",
        "--task mpe --algorithm slices",
        "--task mpe --algorithm circuit",
        "--task mpe --algorithm branch-and-bound",
        "--task k-best --algorithm circuit",
        "--task evidence --algorithm importance-sampling",
    ] {
        let output = files.run(&format!("{evidence} {question}"));
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
        "--algorithm junction-tree",
        "--task mpe --algorithm junction-tree",
        "--algorithm variable-elimination",
        "--task mpe --algorithm mpe-variable-elimination",
    ] {
        let ask = format!("--file garden.bif {question} --memory");
        let output = files.run(&format!("{ask} 7"));
        assert_eq!(output.status.code(), Some(1), "{question}");
        let told = text(&output.stderr);
        assert!(
            told.starts_with("error: ") && told.contains("more than --memory"),
            "{told}"
        );
        files.text(&format!("{ask} 100000"));
    }
}

#[test]
fn without_an_exact_answer_there_are_bounds() {
    let files = Files::new();
    let ask = "--file garden.bif --observe grass=wet --memory 7 --format json";
    for (task, code) in [("evidence", 0), ("marginals", 1)] {
        let output = files.run(&format!("{ask} --task {task}"));
        assert_eq!(output.status.code(), Some(code), "{task}");
        let found: Json = serde_json::from_str(&text(&output.stdout)).unwrap();
        assert_eq!(
            keys(&found),
            ["bounds", "algorithm", "exact", "tried", "seconds"]
        );
        let [low, high] = [0, 1].map(|i| found["bounds"]["log_evidence"][i].as_f64().unwrap());
        let exact = 0.34_f64.ln();
        assert!(low <= exact + 1e-9 && high >= exact - 1e-9, "{low} {high}");
        assert_eq!(found["exact"], false);
    }
    let told = files.text("--file garden.bif --observe grass=wet --task evidence --memory 7");
    assert!(told.starts_with("not known: the log-evidence is between "));
}

/// Variables of three states, each two of which have a table without zeros.
fn dense(variables: usize) -> String {
    let pairs = (0..variables).flat_map(|i| (0..i).map(move |j| (j, i)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let mut text = format!(
        "MARKOV\n{variables}\n{}\n{}\n",
        "3 ".repeat(variables),
        pairs.len()
    );
    for (j, i) in &pairs {
        writeln!(text, "2 {j} {i}").unwrap();
    }
    text + &"9\n1.5 1 1 1 1.5 1 1 1 1.5\n".repeat(pairs.len())
}

#[test]
fn the_end_of_the_time_leaves_bounds() {
    let files = Files::new();
    std::fs::write(files.path("dense.uai"), dense(40)).unwrap();
    for (task, code) in [("evidence", 0), ("marginals", 1)] {
        let ask = format!("--file dense.uai --task {task} --time 1 --format json");
        let output = files.run(&ask);
        assert_eq!(output.status.code(), Some(code), "{task}");
        let found: Json = serde_json::from_str(&text(&output.stdout)).unwrap();
        let [low, high] = [0, 1].map(|i| found["bounds"]["log_evidence"][i].as_f64().unwrap());
        // Between the weight of the worlds in which all are equal, and the largest weight of all.
        let best = 780.0 * 1.5_f64.ln();
        let all = best + 40.0 * 3_f64.ln();
        assert!(low <= all && high >= best && low < high, "{low} {high}");
        assert!(high <= all + 1e-6, "{high} {all}");
        assert_eq!(found["exact"], false);
        assert_eq!(found["stopped"], "time");
    }
}

#[test]
fn a_refusal_tells_what_was_tried() {
    let files = Files::new();
    for task in ["count", "k-best", "sample"] {
        let output = files.run(&format!("--file garden.bif --task {task} --memory 7"));
        assert_eq!(output.status.code(), Some(1), "{task}");
        let told = text(&output.stderr);
        for words in [
            "error: no algorithm fits --memory 7",
            " was refused: ",
            "Circuit",
            "allow more by --memory, let it work longer by --time",
        ] {
            assert!(told.contains(words), "{task}: {told}");
        }
    }
}

#[test]
fn what_cannot_work_gives_one_line_and_exit_code_two() {
    let files = Files::new();
    for (arguments, part) in [
        ("--file missing.bif", "missing.bif"),
        ("--file network.txt", ".uai"),
        ("--file ragged.bif", "ragged.bif:2:"),
        ("--file pair.uai --evidence ragged.bif", ".evid"),
    ] {
        files.refuses(arguments, part);
    }
    for (arguments, part) in [
        ("--evidence missing.json", "missing.json"),
        (
            "--evidence unknown.json",
            "unknown.json:1:15: no variable is called `gras`; did you mean `grass`",
        ),
        ("--observe grass", "--observe grass: write VAR=STATE"),
        (
            "--observe gras=wet",
            "--observe gras=wet: no variable is called `gras`; did you mean `grass`",
        ),
        (
            "--observe grass=wett",
            "--observe grass=wett: `grass` has no state `wett`; did you mean `wet`",
        ),
        (
            "--observe grass=wet grass=dry",
            "by --observe grass=wet and by --observe grass=dry; keep one of them",
        ),
        (
            "--evidence wet.json --observe grass=dry",
            "wet.json and by --observe grass=dry",
        ),
        (
            "--query rian",
            "--query rian: no variable is called `rian`; did you mean `rain`",
        ),
        ("--task sample --count 0", "--count"),
        ("--repeat 0", "--repeat"),
        (
            "--task k-best --algorithm enumerate",
            "use exact or junction-tree",
        ),
        (
            "--task mpe --algorithm variable-elimination",
            "use exact or junction-tree or mpe-variable-elimination or slices or circuit or branch-and-bound or enumerate",
        ),
        (
            "--task evidence --algorithm mpe-variable-elimination",
            "use exact or junction-tree or",
        ),
        (
            "--task cost --algorithm importance-sampling",
            "use junction-tree",
        ),
    ] {
        files.refuses(&format!("--file garden.bif {arguments}"), part);
    }
}

/// A remedy that the task refuses would be none.
#[test]
fn remedies_name_flags_that_the_task_takes() {
    let files = Files::new();
    std::fs::write(files.path("data.csv"), "grass,rain\nwet,\n").unwrap();
    for (task, ways) in [
        (
            "marginals",
            "allow more by --memory, use --algorithm exact, query fewer variables by --query, observe more by --observe or use --algorithm importance-sampling",
        ),
        (
            "evidence",
            "allow more by --memory, use --algorithm exact, observe more by --observe or use --algorithm importance-sampling",
        ),
        (
            "mpe",
            "allow more by --memory, use --algorithm exact or observe more by --observe",
        ),
        (
            "k-best",
            "allow more by --memory, use --algorithm exact or observe more by --observe",
        ),
        (
            "sample",
            "allow more by --memory, use --algorithm exact or observe more by --observe",
        ),
        (
            "learn --data data.csv",
            "allow more by --memory or leave parents out of the network in --file",
        ),
    ] {
        let algorithm = if task.starts_with("learn") {
            ""
        } else {
            "--algorithm junction-tree"
        };
        let ask = format!("--file garden.bif --memory 7 --task {task} {algorithm}");
        let output = files.run(&ask);
        let told = text(&output.stderr);
        assert!(
            told.trim_end().ends_with(&format!("; {ways}")),
            "{task}: {told}"
        );
    }
}

/// Failures are reported in terms of the flags: without items of the library and lines of its sources.
#[test]
fn nothing_of_the_library_is_told() {
    let files = Files::new();
    for (arguments, part) in [
        ("--memory 7", "no exact marginals fit the memory"),
        ("--memory 7 --algorithm junction-tree", "more than --memory"),
        ("--memory 1KiB --task cost", ""),
        ("--memory 1KiB --task mpe", ""),
        (
            "--memory 7 --algorithm variable-elimination",
            "more than --memory",
        ),
        ("--observe cat=mood=flies", "the evidence is impossible"),
        ("--algorithm enumerate --task mpe", ""),
        ("--memory 6apples", "such as 512MiB or 6GiB"),
        (
            "--count 0 --task sample",
            "write a whole number from 1 to 1000000",
        ),
        (
            "--samples 0 --algorithm importance-sampling",
            "write a whole number, 1 or more",
        ),
        (
            "--samples many --algorithm importance-sampling",
            "write a whole number",
        ),
    ] {
        let output = files.run(&format!("--file garden.bif {arguments}"));
        let told = text(&output.stderr);
        if output.status.success() && part.is_empty() {
            continue;
        }
        assert!(told.contains(part), "{arguments}: {told}");
        for word in [
            "::",
            ".rs:",
            "Options",
            "(`",
            "digit",
            "18446744073709551615",
        ] {
            assert!(!told.contains(word), "{arguments}: {told}");
        }
    }
}

#[test]
fn sums_of_rows_are_told_without_the_rounding_of_their_last_digits() {
    let files = Files::new();
    let text_of = "network n { }\nvariable a { type discrete [ 2 ] { yes, no }; }\n\
                   probability ( a ) { table 0.1, 0.2; }\n";
    std::fs::write(files.path("row.bif"), text_of).unwrap();
    let told = text(&files.run("--file row.bif").stderr);
    assert!(told.contains("sums to 0.3, "), "{told}");
}
