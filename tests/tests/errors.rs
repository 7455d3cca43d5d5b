//! Every error, produced by a program that a user might write: it names the element, the number and the remedy.

use figrs::prelude::*;

#[path = "errors/fault.rs"]
mod fault;
#[path = "errors/lazy.rs"]
mod lazy;
#[path = "errors/model.rs"]
mod model;
#[path = "errors/query.rs"]
mod query;
#[path = "errors/sampling.rs"]
mod sampling;

/// Checks that the message of an error says all of these.
#[track_caller]
fn says(error: Error, parts: &[&str]) -> Error {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
    error
}

fn error<T: Value>(algorithm: &dyn Algorithm, model: &Model, target: &Element<T>) -> Error {
    algorithm.run(model, target).unwrap_err()
}

/// A mistake in a model is the same for every algorithm.
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
