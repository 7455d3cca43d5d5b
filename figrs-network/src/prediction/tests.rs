use std::fmt::Write as _;

use figrs_core::Model;
use figrs_infer::{Error, JunctionTree};

use super::super::{CasePredictor, Network, NetworkData, State};

/// Returns a network of three dependent variables, in which one table contains a zero.
fn network() -> Network {
    Network::from_bif(
        "network n { }
        variable a { type discrete [ 2 ] { x, y }; }
        variable b { type discrete [ 3 ] { p, q, r }; }
        variable c { type discrete [ 2 ] { u, v }; }
        probability ( a ) { table 0.3, 0.7; }
        probability ( b | a ) { (x) 0.5, 0.5, 0; (y) 0.1, 0.3, 0.6; }
        probability ( c | a, b ) { (x, p) 0.2, 0.8; (x, q) 1, 0; (x, r) 0.5, 0.5; (y, p) 0.9, 0.1; (y, q) 0.4, 0.6; (y, r) 0.25, 0.75; }",
    )
    .unwrap()
}

/// Returns the probability that the network has the states of `case`, computed by a sum over all joint states; the states of `b` have the likelihood
/// weights `weights`.
fn by_worlds(network: &Network, case: &[Option<usize>; 3], weights: [f64; 3]) -> f64 {
    let numbers = |table: usize| network.tables()[table].numbers();
    let mut sum = 0.0;
    for (a, b, c) in (0..12).map(|i| (i / 6, i / 2 % 3, i % 2)) {
        let meets = case
            .iter()
            .zip([a, b, c])
            .all(|(cell, state)| cell.is_none_or(|cell| cell == state));
        if meets {
            let p = numbers(0)[a] * numbers(1)[a * 3 + b] * numbers(2)[(a * 3 + b) * 2 + c];
            sum += p * weights[b];
        }
    }
    sum
}

fn every_case(network: &Network) -> NetworkData {
    let mut text = "c,b,a\n".to_owned();
    for c in ["u", "v", ""] {
        for b in ["p", "q", "r", "NA"] {
            for a in ["x", "y", "?"] {
                writeln!(text, "{c},{b},{a}").unwrap();
            }
        }
    }
    network.data_from_csv(&text).unwrap()
}

#[test]
fn predictions_are_sums_over_worlds() {
    let network = network();
    let data = every_case(&network);
    let weights = [0.5, 2.0, 0.25];
    let weighed = network
        .model()
        .weigh(&network.elements()[1], move |b: &State| weights[b.index()]);
    for (model, weights) in [(network.model(), [1.0; 3]), (weighed, weights)] {
        for predicted in 0..3 {
            let algorithm = JunctionTree::new();
            let mut predictor =
                CasePredictor::new(&network, &model, predicted, &[0, 1, 2], &algorithm).unwrap();
            for number in 0..data.len() {
                let found = predictor.predict(data.row(number)).unwrap();
                let mut case = [None; 3];
                for (own, cell) in case.iter_mut().zip(data.row(number)) {
                    *own = cell.map(State::index);
                }
                case[predicted] = None;
                let total = by_worlds(&network, &case, weights);
                let all = by_worlds(&network, &[None; 3], weights);
                if total == 0.0 {
                    assert_eq!(found.log_likelihood(), f64::NEG_INFINITY);
                    assert_eq!(
                        (found.probabilities(), found.most_probable()),
                        (&[][..], None)
                    );
                    continue;
                }
                assert!((found.log_likelihood() - (total / all).ln()).abs() < 1e-12);
                for (state, p) in found.probabilities().iter().enumerate() {
                    case[predicted] = Some(state);
                    let expected = by_worlds(&network, &case, weights) / total;
                    assert!((p - expected).abs() < 1e-12, "{case:?}: {p} for {expected}");
                }
            }
        }
    }
}

#[test]
fn impossible_evidence_of_the_model_is_an_error() {
    let network = network();
    let [a, b] = [("a", "x"), ("b", "r")].map(|(v, s)| network.observation(v, s).unwrap());
    let model: Model = network.observing(&[a, b]);
    let made = CasePredictor::new(&network, &model, 2, &[], &JunctionTree::new());
    assert!(matches!(made, Err(Error::ImpossibleEvidence { .. })));
}

#[test]
fn the_first_of_equally_probable_states_is_taken() {
    let network = Network::from_uai("BAYES\n1\n3\n1\n1 0\n3\n0.2 0.4 0.4\n").unwrap();
    let model = network.model();
    let mut predictor = CasePredictor::new(&network, &model, 0, &[], &JunctionTree::new()).unwrap();
    let found = predictor.predict([None]).unwrap();
    assert_eq!(
        (found.most_probable(), found.log_likelihood()),
        (Some(1), 0.0)
    );
}
