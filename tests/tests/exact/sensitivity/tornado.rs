//! Tests of tornado tables.

use figrs::prelude::*;
use figrs::{Query, Sensitivity, Tornado};

fn test_for_an_illness() -> (Model, Element<bool>, [Param; 3]) {
    let params = [("prior", 0.01), ("detects", 0.9), ("errs", 0.05)];
    let params = params.map(|(name, p)| Param::new(name, p));
    let ill = Flip::new(&params[0]).named("ill");
    let positive = If::new(&ill, Flip::new(&params[1]), Flip::new(&params[2]));
    (Model::new().observe(&positive, true), ill, params)
}

fn tornado() -> Tornado {
    let (model, ill, [prior, detects, errs]) = test_for_an_illness();
    let answer = VariableElimination::new().run(&model, &ill).unwrap();
    let ranges = [
        (&detects, 0.8, 0.95),
        (&errs, 0.01, 0.1),
        (&prior, 0.005, 0.02),
    ];
    answer
        .tornado(&Query::probability(&ill, true), ranges)
        .unwrap()
}

#[test]
fn values_at_the_ends_are_those_of_the_model_with_these_parameters() {
    let bayes = |p: f64, d: f64, e: f64| p * d / (p * d + (1.0 - p) * e);
    let tornado = tornado();
    let expected = [
        ("errs", bayes(0.01, 0.9, 0.01), bayes(0.01, 0.9, 0.1)),
        ("prior", bayes(0.005, 0.9, 0.05), bayes(0.02, 0.9, 0.05)),
        ("detects", bayes(0.01, 0.8, 0.05), bayes(0.01, 0.95, 0.05)),
    ];
    assert!((tornado.value - bayes(0.01, 0.9, 0.05)).abs() < 1e-15);
    for (row, (name, low, high)) in tornado.rows.iter().zip(expected) {
        assert_eq!(row.parameter, name);
        assert!((row.low.1 - low).abs() < 1e-12 && (row.high.1 - high).abs() < 1e-12);
        assert!((row.swing() - (high - low).abs()).abs() < 1e-12);
    }
    let total = 0.0585f64;
    assert!((tornado.rows[1].slope - 0.045 / total.powi(2)).abs() < 1e-12);
}

#[test]
fn the_text_is_a_table_with_the_widest_swing_first() {
    let text = tornado().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "P(ill = true) = 0.153846");
    assert_eq!(lines.len(), 5);
    assert!(
        lines[2].starts_with("errs ") && lines[2].contains("0.01 to 0.1"),
        "{text}"
    );
    assert!(
        lines
            .iter()
            .skip(2)
            .all(|line| line.len() == lines[1].len()),
        "{text}"
    );
}

/// The derivatives of a tree compiled with varying evidence are those for the evidence that is set.
#[test]
fn a_compiled_tree_has_the_derivatives_of_its_present_evidence() {
    let (_, ill, [prior, ..]) = test_for_an_illness();
    let positive = If::new(&ill, Flip::new(0.9), Flip::new(0.05));
    let tree = JunctionTree::new().varying(&positive);
    let mut tree = tree.compile(&Model::new(), &ill).unwrap();
    let query = Query::probability(&ill, true);
    let slopes = [true, false].map(|seen| {
        tree.set(&positive, seen).unwrap();
        tree.answer().unwrap().derivative(&query, &prior).unwrap()
    });
    let slope = |a: f64, b: f64| a * b / (0.01 * a + 0.99 * b).powi(2);
    assert!((slopes[0] - slope(0.9, 0.05)).abs() < 1e-12);
    assert!((slopes[1] - slope(0.1, 0.95)).abs() < 1e-12);
}
