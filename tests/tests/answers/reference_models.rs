//! Tests of the reference models: the exact engines find the exact numbers, which agree with those of the reference.

use std::collections::BTreeMap;

use figrs::prelude::*;
use figrs::{Bounds, LazyVariableElimination, MpeBranchAndBound};
use figrs_tests::asked::Worlds;
use figrs_tests::reference_models::{Question, flipped_coin, questions};
use serde_json::Value as Json;

const EXACT: f64 = 1e-9;

/// True if two numbers are close relatively, because some of them are small.
fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

/// Returns the wrong numbers in an answer.
fn wrong_numbers(question: &Question, algorithm: &dyn Algorithm) -> Vec<String> {
    let answer = match algorithm.answer(&question.model, &question.targets) {
        Ok(answer) => answer,
        Err(error) => return vec![error.to_string()],
    };
    let mut wrong = Vec::new();
    for quantity in &question.quantities {
        match quantity.read(&answer) {
            Ok(found) if close(found.number, quantity.exact, EXACT) => {}
            Ok(found) => wrong.push(format!(
                "{}: {} is right, not {}",
                quantity.name, quantity.exact, found.number
            )),
            Err(error) => wrong.push(format!("{}: {error}", quantity.name)),
        }
    }
    wrong
}

fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs an exact algorithm on all questions that it can answer.
fn put_to(algorithm: &dyn Algorithm, able: impl Fn(&Question) -> bool) {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for question in questions().iter().filter(|question| able(question)) {
        asked += 1;
        let own = wrong_numbers(question, algorithm).into_iter();
        wrong.extend(own.map(|text| format!("{}: {text}", question.name)));
    }
    println!("{}: {asked} questions", algorithm.name());
    assert!(asked > 0);
    report(&wrong);
}

#[test]
fn enumeration_finds_the_exact_numbers() {
    put_to(&Enumerate::new(), |q| q.worlds == Worlds::Few);
}

#[test]
fn variable_elimination_finds_the_exact_numbers() {
    put_to(&VariableElimination::new(), |q| q.worlds <= Worlds::Many);
}

#[test]
fn the_junction_tree_finds_the_exact_numbers() {
    put_to(&JunctionTree::new(), |q| q.worlds <= Worlds::Many);
}

#[test]
fn lazy_bounds_close_on_the_exact_numbers() {
    for question in questions() {
        if question.worlds != Worlds::Endless {
            continue;
        }
        let algorithm = LazyVariableElimination::to_width(EXACT);
        let answer = algorithm
            .answer(&question.model, &question.targets)
            .unwrap();
        let mut read = 0;
        for quantity in &question.quantities {
            let Some(bounds) = quantity.read_bounds(&answer) else {
                continue;
            };
            let Bounds { lower, upper } = bounds.unwrap();
            let holds = lower - 1e-12 <= quantity.exact && quantity.exact <= upper + 1e-12;
            let name = &quantity.name;
            assert!(
                holds && upper - lower < 2.0 * EXACT,
                "{name}: [{lower}, {upper}]"
            );
            read += 1;
        }
        assert!(read > 0, "{} has no bounds", question.name);
    }
}

#[test]
fn the_most_probable_worlds_are_found() {
    let mut found = 0;
    for question in questions() {
        let Some(best) = &question.best else { continue };
        found += 1;
        for algorithm in algorithms![MpeVariableElimination::new(), MpeBranchAndBound::new()] {
            let answer = algorithm.answer(&question.model, &best.roots).unwrap();
            let what = format!("{} by {}", question.name, algorithm.name());
            let log = answer.log_probability().unwrap();
            assert!(
                close(log, best.log_probability, EXACT),
                "{what}: {log} is not {}",
                best.log_probability
            );
            assert!(best.is_right(&answer).unwrap(), "{what}: another world");
        }
    }
    assert!(found >= 6, "{found}");
}

#[test]
fn the_most_likely_bias_is_a_value_of_the_grid() {
    let (model, bias) = flipped_coin();
    let answer = VariableElimination::new().run(&model, &bias).unwrap();
    assert_eq!(answer.most_likely_value(&bias).unwrap(), 0.695);
}

/// Returns the number with this name; `[3]` at the end of a name is a position in a list.
fn number(model: &Json, name: &str) -> Option<f64> {
    if let Some(number) = model[name].as_f64() {
        return Some(number);
    }
    match name
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['))
    {
        Some((list, position)) => model[list][position.parse::<usize>().ok()?].as_f64(),
        None => None,
    }
}

#[test]
fn the_exact_numbers_are_those_of_the_reference() {
    const FILE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/reference/models.json"
    );
    let Ok(text) = std::fs::read_to_string(FILE) else {
        println!("skipped: there is no {FILE}");
        return;
    };
    let reference: BTreeMap<String, Json> = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    let mut wrong = Vec::new();
    let mut known = |of: &str, name: &str, ours: f64| {
        let theirs = number(&reference[of], name);
        compared += 1;
        if !theirs.is_some_and(|theirs| close(ours, theirs, 1e-12)) {
            wrong.push(format!("{of}: {name}: {ours} is not {theirs:?}"));
        }
    };
    let questions = questions();
    for question in &questions {
        for quantity in &question.quantities {
            known(question.reference, &quantity.name, quantity.exact);
        }
        if let Some(best) = &question.best {
            let (name, ours) = match question.reference {
                hmm if hmm.starts_with("M06") => ("Viterbi logp", best.log_probability),
                _ => ("MPE joint", best.log_probability.exp()),
            };
            known(question.reference, name, ours);
        }
    }
    for name in reference.keys() {
        if questions.iter().all(|question| question.reference != name) {
            wrong.push(format!("{name} of the reference is not asked"));
        }
    }
    report(&wrong);
    println!("{compared} numbers of {} models agree", reference.len());
}
