//! Tests of every error, each produced by a program that a user might write: the message names the element, the number and the remedy.

use std::path::{Path, PathBuf};

use figrs::LazyVariableElimination;
use figrs::prelude::*;

mod expanding;
mod fault;
mod lazy;
mod model;
mod query;
mod sampling;

/// Checks that the message of an error contains all of these parts, also when it is returned by a `main` that fails.
#[track_caller]
fn says(error: Error, parts: &[&str]) -> Error {
    let message = error.to_string();
    assert_eq!(format!("{error:?}"), message);
    assert_ne!(format!("{error:#?}"), message);
    for part in parts {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
    error
}

fn error<T: Value>(algorithm: &dyn Algorithm, model: &Model, target: &Element<T>) -> Error {
    algorithm.run(model, target).unwrap_err()
}

/// Checks that a mistake in a model gives the same error for every algorithm.
#[track_caller]
fn everywhere<T: Value>(model: &Model, target: &Element<T>, parts: &[&str]) -> Vec<Error> {
    let algorithms = algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        LazyVariableElimination::to_width(0.0),
        MpeVariableElimination::new(),
        ImportanceSampling::new(1000),
    ];
    let mut errors = Vec::new();
    for algorithm in algorithms {
        errors.push(says(error(&*algorithm, model, target), parts));
    }
    errors
}

/// Collects the source files of the libraries.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_error_prints_its_message() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for name in [
        "figrs-answer",
        "figrs-core",
        "figrs-design",
        "figrs-factor",
        "figrs-gaussian",
        "figrs-reals",
        "figrs-gdl",
        "figrs-models",
        "figrs-network",
        "figrs-report",
        "figrs-spread",
    ] {
        sources(&root.join(name).join("src"), &mut found);
    }
    let mut errors = 0;
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.starts_with("#[derive(")) {
            let names: Vec<&str> = line[9..].split([',', ')']).map(str::trim).collect();
            if names.contains(&"Error") || names.contains(&"thiserror::Error") {
                errors += 1;
                let debug = names.contains(&"ErrorDebug") && !names.contains(&"Debug");
                assert!(debug, "{}: {line} lacks ErrorDebug", path.display());
            }
        }
    }
    assert!(errors > 10, "{errors} errors found");
}
