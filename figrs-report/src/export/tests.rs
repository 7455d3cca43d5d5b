//! Tests that read exported draws back with independent parsers.

use figrs_core::{AnyElement, Constant, Element, Support, Value};
use serde_json::Value as Json;

use std::io;

use figrs_infer::{Draws, TargetDraws};

use super::WriteDraws;

fn drawn<T: Value>(element: &Element<T>, draws: &[T]) -> TargetDraws {
    let element: AnyElement = element.erased().clone();
    let mut values = element.no_values();
    let indices: Vec<u32> = draws
        .iter()
        .map(|v| values.insert(v).unwrap() as u32)
        .collect();
    let support: Support = values.build();
    TargetDraws {
        element,
        support,
        indices: indices.into(),
    }
}

fn draws() -> Draws {
    let words = [
        "plain",
        "comma, and \"quotes\"",
        "two\r\nlines",
        "tab\t\\ \u{1} é",
    ];
    Draws {
        chains: 2,
        length: 2,
        targets: vec![
            drawn(
                &Constant::new(0.0).named("mu"),
                &[0.1, -2.5e-300, 1e22, 0.1],
            ),
            drawn(
                &Constant::new(true).named("on, off"),
                &[true, false, true, true],
            ),
            drawn(&Constant::new("").named("word"), &words),
            drawn(&Constant::new(0u64).named("n"), &[3, u64::MAX, 3, 0]),
            drawn(
                &Constant::new(vec![0.0]).named("w"),
                &[
                    vec![1.0, 2.0],
                    vec![3.0, 4.0],
                    vec![1.0, 2.0],
                    vec![0.5, 0.25],
                ],
            ),
            drawn(&Constant::new(0.0).named("chain"), &[1.0, 2.0, 3.0, 4.0]),
            drawn(&Constant::new(0.0).named("mu"), &[5.0, 6.0, 7.0, 8.0]),
        ],
        log_weights: Some(vec![-1.5, 0.0, -800.25, 2.0]),
    }
}

fn csv_of(draws: &Draws) -> Vec<Vec<String>> {
    let mut bytes = Vec::new();
    draws.write_csv(&mut bytes).unwrap();
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(&bytes[..]);
    let rows = reader
        .records()
        .map(|row| row.unwrap().iter().map(Into::into).collect());
    rows.collect()
}

fn json_of(draws: &Draws) -> Json {
    let mut bytes = Vec::new();
    draws.write_arviz_json(&mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn csv_is_read_back() {
    let rows = csv_of(&draws());
    let header = [
        "chain",
        "draw",
        "mu",
        "on, off",
        "word",
        "n",
        "w[0]",
        "w[1]",
        "chain (2)",
        "mu (2)",
        "log_weight",
    ];
    assert_eq!(rows[0], header);
    assert_eq!(rows.len(), 5);
    assert_eq!(
        rows[1],
        [
            "0", "0", "0.1", "true", "plain", "3", "1.0", "2.0", "1.0", "5.0", "-1.5"
        ]
    );
    assert_eq!(rows[2][4], "comma, and \"quotes\"");
    assert_eq!(rows[3][4], "two\r\nlines");
    assert_eq!(rows[2][5], u64::MAX.to_string());
    let mu: Vec<f64> = rows[1..]
        .iter()
        .map(|row| row[2].parse().unwrap())
        .collect();
    assert_eq!(mu, [0.1, -2.5e-300, 1e22, 0.1]);
    let places: Vec<[&str; 2]> = rows[1..].iter().map(|row| [&*row[0], &*row[1]]).collect();
    assert_eq!(places, [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]);
}

/// Returns the lengths of nested lists of numbers, from the outer to the inner lists; an error if lists of the same level have different lengths.
fn shape(json: &Json) -> Result<Vec<usize>, String> {
    match json {
        Json::Number(_) => Ok(Vec::new()),
        Json::Array(items) => {
            let inner = items.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
            if inner.windows(2).any(|pair| pair[0] != pair[1]) {
                return Err(format!("not rectangular: {json}"));
            }
            let rest = inner.into_iter().next().unwrap_or_default();
            Ok([vec![items.len()], rest].concat())
        }
        _ => Err(format!("not a number: {json}")),
    }
}

#[test]
fn arviz_finds_its_groups() {
    let json = json_of(&draws());
    let groups: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(groups, ["posterior", "sample_stats", "attrs"]);
    for group in ["posterior", "sample_stats"] {
        for (name, variable) in json[group].as_object().unwrap() {
            let expected: &[usize] = if name == "w" { &[2, 2, 2] } else { &[2, 2] };
            assert_eq!(shape(variable).unwrap(), expected, "{name}");
        }
    }
    let posterior = &json["posterior"];
    assert_eq!(
        posterior["mu"],
        serde_json::json!([[0.1, -2.5e-300], [1e22, 0.1]])
    );
    assert_eq!(posterior["on, off"], serde_json::json!([[1, 0], [1, 1]]));
    assert_eq!(posterior["n"][0][1], serde_json::json!(u64::MAX));
    assert_eq!(posterior["w"][1][1], serde_json::json!([0.5, 0.25]));
    assert_eq!(posterior["word"], serde_json::json!([[0, 1], [2, 3]]));
    assert_eq!(json["attrs"]["levels_of_word"][3], "tab\t\\ \u{1} é");
    assert_eq!(json["attrs"]["inference_library"], "figrs");
    assert_eq!(json["sample_stats"]["log_weight"][1][0], -800.25);
    let unweighted = Draws {
        log_weights: None,
        ..draws()
    };
    assert!(json_of(&unweighted).get("sample_stats").is_none());
}

#[test]
fn numbers_that_are_not_finite_are_written_as_python_does() {
    let draws = Draws {
        chains: 1,
        length: 3,
        targets: vec![drawn(
            &Constant::new(0.0).named("x"),
            &[f64::NAN, f64::INFINITY, 1.0],
        )],
        log_weights: Some(vec![0.0, f64::NEG_INFINITY, 0.0]),
    };
    let mut bytes = Vec::new();
    draws.write_arviz_json(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(
        text.contains("[[NaN,Infinity,1.0]]") && text.contains("[[0.0,-Infinity,0.0]]"),
        "{text}"
    );
}

#[test]
fn lists_of_different_lengths_are_written_as_they_look() {
    let draws = Draws {
        chains: 1,
        length: 2,
        targets: vec![drawn(
            &Constant::new(vec![0.0]).named("w"),
            &[vec![1.0], vec![1.0, 2.0]],
        )],
        log_weights: None,
    };
    assert_eq!(
        csv_of(&draws),
        [
            ["chain", "draw", "w"],
            ["0", "0", "[1.0]"],
            ["0", "1", "[1.0, 2.0]"]
        ]
    );
    assert_eq!(json_of(&draws)["attrs"]["levels_of_w"][1], "[1.0, 2.0]");
}

#[test]
fn draws_that_do_not_fit_together_are_refused() {
    let mut short = draws();
    short.length = 3;
    let error = short.write_csv(Vec::new()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    assert!(error.to_string().contains("4 draws of `mu`"), "{error}");
    let mut weights = draws();
    weights.log_weights = Some(vec![0.0]);
    assert!(weights.write_arviz_json(Vec::new()).is_err());
    let mut position = draws();
    position.targets[0].indices = vec![0, 1, 2, 9].into();
    assert!(position.write_csv(Vec::new()).is_err());
}

#[test]
fn errors_of_the_writer_are_returned() {
    let mut full = [0u8; 16];
    assert!(draws().write_csv(&mut full[..]).is_err());
    assert!(draws().write_arviz_json(&mut full[..]).is_err());
}
