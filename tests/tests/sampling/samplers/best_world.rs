//! Tests that simulated annealing finds the most probable world of small models, from any seed.

use figrs::SimulatedAnnealing;
use figrs::prelude::*;
use figrs_tests::oracle::close;
use figrs_tests::reference_models::{
    Question, burglary, diamond, grid_reliability, hidden_markov, ladder, monty_hall,
    monty_hall_switching, qmr_small, sprinkler,
};

const SEEDS: u64 = 5;

/// Checks that the probability of the world found never exceeds the exact maximum, and equals it.
fn check(question: &Question, steps: u64) {
    let name = question.name;
    let exact = MpeVariableElimination::new().answer(&question.model, &question.targets);
    let exact = exact.and_then(|exact| exact.log_probability());
    let exact = exact.unwrap_or_else(|error| panic!("{name}: {error}"));
    for seed in 0..SEEDS {
        let annealing = SimulatedAnnealing::new(steps).seed(seed);
        let found = annealing.answer(&question.model, &question.targets);
        let found = found.and_then(|found| found.log_probability());
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            close(found, exact, 1e-9),
            "{name}, seed {seed}: {found}, not {exact}"
        );
    }
}

#[test]
fn annealing_finds_the_best_world_of_small_models() {
    for (question, steps) in [
        (sprinkler(), 1000),
        (burglary(), 1000),
        (monty_hall(), 1000),
        (monty_hall_switching(), 1000),
        (qmr_small(), 5000),
        (diamond(10, "M13b_diamond10"), 5000),
        (grid_reliability(3), 5000),
        (ladder(10, "M13a_ladder10"), 20_000),
        (hidden_markov(50, "M06a_hmm50"), 20_000),
    ] {
        check(&question, steps);
    }
}

/// If the temperature is lowest from the start, no step lowers the probability of the world.
#[test]
fn cold_chains_only_climb() {
    let n = Uniform::new(0..1000_u32);
    let model = Model::new().log_weigh(&n, |&n| f64::from(n) / 1e4);
    let annealing = SimulatedAnnealing::new(5000).cooling(1e-9, 1e-9);
    let answer = annealing.run(&model, &n).unwrap();
    let accepted = answer.sampling().and_then(|sampling| sampling.acceptance);
    // A step keeps the value with probability one in a thousand, and among n different numbers about ln n exceed all earlier ones.
    assert!(accepted.is_some_and(|share| share < 0.01), "{accepted:?}");
}
