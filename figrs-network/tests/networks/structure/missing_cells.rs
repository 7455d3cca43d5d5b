//! Tests of learning structures from data with missing cells.

use figrs_network::{NetworkData, ScoredNetwork, Variable};

use super::*;

/// A network with a collider `c` of two causes, from which a chain begins.
const TRUTH: &str = "network n { }
    variable a { type discrete [ 2 ] { x, y }; }
    variable b { type discrete [ 2 ] { x, y }; }
    variable c { type discrete [ 3 ] { x, y, z }; }
    variable d { type discrete [ 2 ] { x, y }; }
    variable e { type discrete [ 2 ] { x, y }; }
    probability ( a ) { table 0.4, 0.6; }
    probability ( b ) { table 0.3, 0.7; }
    probability ( c | a, b ) { (x, x) 0.9, 0.05, 0.05; (x, y) 0.1, 0.8, 0.1; (y, x) 0.1, 0.1, 0.8; (y, y) 0.3, 0.4, 0.3; }
    probability ( d | c ) { (x) 0.9, 0.1; (y) 0.15, 0.85; (z) 0.5, 0.5; }
    probability ( e | d ) { (x) 0.85, 0.15; (y) 0.1, 0.9; }";

/// Returns samples of a network in which each cell is removed with the given probability, and the number of removed
/// cells.
fn sampled(network: &Network, count: usize, missing: f64, seed: u64) -> (NetworkData, u64) {
    let mut random = stream(seed, 0);
    let names: Vec<&str> = network.variables().iter().map(Variable::name).collect();
    let (mut text, mut removed) = (names.join(",") + "\n", 0);
    for _ in 0..count {
        let mut world: Vec<usize> = Vec::new();
        for table in network.tables() {
            let (&child, parents) = table.variables().split_last().unwrap();
            let states = |v: usize| network.variables()[v].states().len();
            let row = parents.iter().fold(0, |row, &p| row * states(p) + world[p]);
            let numbers = table.numbers();
            let mut left: f64 = random.random();
            let state = numbers[row * states(child)..].iter().position(|p| {
                left -= p;
                left < 0.0
            });
            world.push(state.unwrap().min(states(child) - 1));
        }
        let cells = world.iter().enumerate().map(|(v, &state)| {
            let is_removed = random.random_bool(missing);
            removed += u64::from(is_removed);
            let states = network.variables()[v].states();
            if is_removed {
                ""
            } else {
                states.get(state).unwrap().name()
            }
        });
        text += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    (network.data_from_csv(&text).unwrap(), removed)
}

/// Returns the last score of the observed cells.
fn observed_score(found: &LearnedStructure) -> f64 {
    let missing = found.missing.as_ref().unwrap();
    *missing.scores.last().unwrap()
}

#[test]
fn structures_from_missing_cells_score_as_the_true_one() {
    let truth = Network::from_bif(TRUTH).unwrap();
    let empty = without_arcs_of(&truth);
    for (missing, scores) in [
        (0.1, &[NetworkScore::K2, SCORES[2]][..]),
        (0.3, &SCORES[..1]),
    ] {
        let (data, removed) = sampled(&truth, 250, missing, 2);
        for &score in scores {
            let learner = StructureLearner::new(score).restarts(10);
            let found = learner.learn(&empty, &data).unwrap();
            let rounds = found.missing.as_ref().unwrap();
            assert_eq!(rounds.cells, removed);
            assert!(
                rounds.scores.is_sorted() && rounds.rounds >= 2,
                "{rounds:?}"
            );
            // The true structure is fitted with tables of its own, up to the tolerance of the rounds; no search changes
            // it.
            let fixed = learner.clone().rounds(0).learn(&truth, &data).unwrap();
            assert_eq!(parents_of(&fixed.network), parents_of(&truth));
            let (own, other) = (observed_score(&found), observed_score(&fixed));
            assert!(
                own >= other - 0.02,
                "{score:?}, {missing}: {own} below {other}"
            );
            assert_eq!(found.ended, Stopped::Finished);
        }
    }
}

fn without_arcs_of(network: &Network) -> Network {
    let variables = network.variables().iter();
    let states: Vec<usize> = variables.map(|v| v.states().len()).collect();
    let mut text = without_arcs(&states).to_bif().unwrap();
    for (v, variable) in network.variables().iter().enumerate() {
        text = text.replace(&format!("v{v}"), variable.name());
        for (s, state) in variable.states().iter().enumerate() {
            text = text.replace(&format!("s{s}"), state.name());
        }
    }
    Network::from_bif(&text).unwrap()
}

/// For BIC, the score of the observed cells is their log-likelihood minus the penalty. The score of the expected counts is smaller by the entropy
/// of the missing cells.
#[test]
fn scores_of_cells_that_are_there_are_likelihoods_with_penalties() {
    let truth = Network::from_bif(TRUTH).unwrap();
    let (data, _) = sampled(&truth, 200, 0.2, 5);
    let found = StructureLearner::new(NetworkScore::Bic)
        .restarts(0)
        .learn(&truth, &data)
        .unwrap();
    let parameters = found.network.tables().iter().map(|table| {
        let child = *table.variables().last().unwrap();
        let states = found.network.variables()[child].states().len();
        table.numbers().len() / states * (states - 1)
    });
    let penalty = 200_f64.ln() / 2.0 * parameters.sum::<usize>() as f64;
    // The fitted tables maximise the likelihood up to the tolerance of their rounds.
    assert!((observed_score(&found) - (found.log_likelihood - penalty)).abs() < 1e-2);
    let ScoredNetwork { total, .. } = found.score;
    assert!(total < observed_score(&found));
}

/// If no cell is missing, no rounds of structural expectation-maximisation are run.
#[test]
fn complete_data_has_no_rounds() {
    let truth = Network::from_bif(TRUTH).unwrap();
    let (data, removed) = sampled(&truth, 100, 0.0, 1);
    let found = StructureLearner::new(NetworkScore::Bic)
        .learn(&truth, &data)
        .unwrap();
    assert_eq!((removed, found.missing), (0, None));
}

#[test]
fn rounds_end_with_the_interrupt_and_are_the_same_on_threads() {
    let truth = Network::from_bif(TRUTH).unwrap();
    let empty = without_arcs_of(&truth);
    let (data, _) = sampled(&truth, 150, 0.2, 3);
    let learner = StructureLearner::new(NetworkScore::Bic).restarts(1);
    let late = learner
        .clone()
        .deadline(Duration::ZERO)
        .learn(&empty, &data)
        .unwrap();
    let rounds = late.missing.unwrap();
    assert_eq!(
        (late.ended, rounds.rounds, rounds.scores.len()),
        (Stopped::Deadline, 0, 1)
    );
    assert!(parents_of(&late.network).iter().all(Vec::is_empty));
    let threads = |n| {
        learner
            .clone()
            .threads(NonZero::new(n).unwrap())
            .learn(&empty, &data)
            .unwrap()
    };
    let (one, two) = (threads(1), threads(2));
    assert_eq!(one.score.total.to_bits(), two.score.total.to_bits());
    assert_eq!(one.network.to_bif().unwrap(), two.network.to_bif().unwrap());
}
