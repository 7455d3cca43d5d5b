//! Tests of deadlines while a model is expanded.

use std::thread::sleep;
use std::time::{Duration, Instant};

use figrs::prelude::*;
use figrs::{BeliefPropagation, LazyVariableElimination, MpeBeliefPropagation, MpeBranchAndBound};

/// A function that takes a millisecond for each of ten thousand pairs of values.
fn slow() -> Element<usize> {
    let (a, b) = (Uniform::new(0..100_usize), Uniform::new(0..100_usize));
    (&a, &b).map(|(a, b)| {
        sleep(Duration::from_millis(1));
        (a + b) % 2
    })
}

fn ends(algorithm: &dyn Algorithm, model: &Model, target: &Element<usize>) {
    let began = Instant::now();
    let answer = algorithm.run(model, target);
    let name = algorithm.name();
    assert!(
        matches!(answer, Err(Error::NothingDone { .. })),
        "{name}: {answer:?}"
    );
    let taken = began.elapsed();
    assert!(taken < Duration::from_secs(5), "{name}: {taken:?}");
}

#[test]
fn a_slow_function_does_not_outlast_the_deadline() {
    let soon = Duration::from_millis(50);
    let chosen = slow().flat_map(|&n| Uniform::new(0..n + 2));
    let scored = Model::new().condition(&Uniform::new(0..10_000_usize), |_| {
        sleep(Duration::from_millis(1));
        true
    });
    for (model, target) in [
        (Model::new(), slow()),
        (Model::new(), chosen),
        (scored, Uniform::new(0..2_usize)),
    ] {
        ends(
            &LazyVariableElimination::to_width(0.0).deadline(soon),
            &model,
            &target,
        );
        ends(&MpeBranchAndBound::new().deadline(soon), &model, &target);
        ends(&BeliefPropagation::new().deadline(soon), &model, &target);
        ends(&MpeBeliefPropagation::new().deadline(soon), &model, &target);
        ends(&Gibbs::new(100).deadline(soon), &model, &target);
    }
}
