//! Tests of expectation-maximisation on random networks with missing values, against rounds by enumeration of all worlds.

use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::{Cases, ExpectationMaximization, Fit, stream};
use figrs_tests::learning_network::{LearningNetwork, NetworkRow, data};

/// Number of rounds that are compared.
const ROUNDS: u64 = 4;
/// Probability that is moved between two values to test whether the likelihood is stationary.
const STEP: f64 = 1e-4;

fn learner(rounds: u64, map: bool) -> ExpectationMaximization<JunctionTree> {
    let learner = ExpectationMaximization::new(JunctionTree::new());
    let learner = learner.rounds(rounds).tolerance(0.0);
    if map { learner.map_estimate() } else { learner }
}

#[test]
fn rounds_are_those_by_enumeration() {
    for seed in 0..80 {
        let mut rng = stream(seed, 0);
        let description = LearningNetwork::random(&mut rng);
        if description.parameters.is_empty() {
            continue;
        }
        let (data, map) = (data(&description, &mut rng), seed % 2 == 0);
        let mut at: Vec<Vec<f64>> = description
            .parameters
            .iter()
            .map(|(_, start)| start.clone())
            .collect();
        let (fit, _, values) = description.fit(learner(ROUNDS, map), &data);
        for round in 0..=fit.rounds() {
            let (log_likelihood, next) = description.round(&data, &at, map);
            let found = fit.log_likelihoods()[round as usize];
            assert!(
                (found - log_likelihood).abs() < 1e-9,
                "seed {seed}, round {round}: {found} {log_likelihood}"
            );
            if round < fit.rounds() {
                at = next;
            }
        }
        for (found, expected) in values.iter().flatten().zip(at.iter().flatten()) {
            assert!(
                (found - expected).abs() < 1e-9,
                "seed {seed}: {values:?} {at:?}"
            );
        }
    }
}

#[test]
fn no_round_lowers_the_likelihood_and_the_end_is_stationary() {
    let mut rounds = [0, 0];
    for seed in 100..130 {
        let mut rng = stream(seed, 0);
        let description = LearningNetwork::random(&mut rng);
        if description.parameters.is_empty() {
            continue;
        }
        let data = data(&description, &mut rng);
        let plain = learner(100_000, false);
        let accelerated = plain.clone().accelerated();
        for (learner, total) in [plain, accelerated].into_iter().zip(&mut rounds) {
            let (fit, _, values) = description.fit(learner, &data);
            *total += fit.rounds();
            check_end(&description, &data, (&fit, &values), seed);
        }
    }
    assert!(rounds[1] < rounds[0] / 2, "{rounds:?}");
}

/// Checks that no round lowered the likelihood, and that moving probability between two values of a parameter changes the likelihood only to second
/// order.
fn check_end(
    description: &LearningNetwork,
    data: &[NetworkRow],
    (fit, values): (&Fit, &[Vec<f64>]),
    seed: u64,
) {
    for pair in fit.log_likelihoods().windows(2) {
        assert!(pair[1] >= pair[0] - 1e-9, "seed {seed}: {pair:?}");
    }
    let (best, _) = description.round(data, values, false);
    for (i, parameter) in values.iter().enumerate() {
        for (from, to) in [(0, 1), (1, 0)] {
            if parameter[from] < 2.0 * STEP {
                continue;
            }
            let mut moved = values.to_vec();
            moved[i][from] -= STEP;
            moved[i][to] += STEP;
            let (near, _) = description.round(data, &moved, false);
            assert!(
                near <= best + 1e-5,
                "seed {seed}, parameter {i}: {near} {best}"
            );
        }
    }
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let mut rng = stream(7, 0);
    let description = LearningNetwork::random(&mut rng);
    let (elements, learned) = description.build();
    let rows: Vec<Vec<Option<usize>>> = (0..500)
        .map(|_| {
            description
                .states
                .iter()
                .map(|&n| rng.random_bool(0.7).then(|| rng.random_range(0..n)))
                .collect()
        })
        .collect();
    let cases = Cases::new(&elements).rows(rows);
    let fit = |threads: usize| {
        let algorithm = ExpectationMaximization::new(JunctionTree::new()).rounds(5);
        let fit = algorithm
            .threads(threads.try_into().unwrap())
            .fit(&Model::new(), &cases)
            .unwrap();
        let values: Vec<Vec<f64>> = learned.iter().filter_map(|p| fit.value(p).ok()).collect();
        (fit.log_likelihoods().to_vec(), values)
    };
    assert_eq!(fit(1), fit(3));
}
