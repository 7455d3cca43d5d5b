//! Tests of many targets in one run of variable elimination.

use std::time::{Duration, Instant};

use figrs_core::{Element, Model, Parents, Select, Uniform};
use figrs_infer::{Algorithm, Answer, JunctionTree, Limits, Run, VariableElimination};

/// Returns a chain of states with three values, some of which are known to differ.
fn chain(length: usize) -> (Model, Vec<Element<u8>>) {
    let mut states = vec![Uniform::new(0..3)];
    let mut model = Model::new();
    for i in 1..length {
        let next = states[i - 1].flat_map(|&x| Select::new([(0.5, x), (0.3, (x + 1) % 3)]));
        if i % 7 == 0 {
            model = model.condition(&next, |&x| x != 1);
        }
        states.push(next);
    }
    (model, states)
}

fn same(states: &[Element<u8>], a: &Answer, b: &Answer) {
    let logs = [a, b].map(|answer| answer.log_evidence().unwrap().value);
    assert!((logs[0] - logs[1]).abs() < 1e-10, "{logs:?}");
    for state in states {
        for value in 0..3 {
            let [p, q] = [a, b].map(|answer| answer.probability(state, &value).unwrap());
            assert!((p - q).abs() < 1e-12, "{p} {q}");
        }
    }
}

#[test]
fn many_targets_take_about_as_long_as_all_marginals_of_a_tree() {
    let (model, states) = chain(150);
    let took = |algorithm: &dyn Algorithm| -> Duration {
        let run = |_| {
            let began = Instant::now();
            let answer = algorithm.run(&model, &states).unwrap();
            assert!(answer.log_evidence().is_ok());
            began.elapsed()
        };
        (0..3).map(run).min().unwrap()
    };
    let (elimination, tree) = (VariableElimination::new(), JunctionTree::new());
    let answers = [elimination.run(&model, &states), tree.run(&model, &states)];
    let [a, b] = answers.map(Result::unwrap);
    same(&states, &a, &b);
    // A separate elimination for each target took a hundred times as long.
    let (own, other) = (took(&elimination), took(&tree));
    assert!(own < 10 * other, "{own:?}, tree {other:?}");
}

#[test]
fn what_does_not_fit_together_is_done_apart() {
    let (model, states) = chain(120);
    // The memory suffices for one message at a time, but not for all messages together.
    let options = Limits::default().memory(1500);
    let tight = VariableElimination::new().limits(options.clone());
    assert!(
        JunctionTree::new()
            .limits(options)
            .run(&model, &states)
            .is_err()
    );
    let (a, b) = (
        tight.run(&model, &states),
        VariableElimination::new().run(&model, &states),
    );
    same(&states, &a.unwrap(), &b.unwrap());
    // Each sum needs two of the numbers, but all sums together need all numbers at once.
    let numbers: Vec<Element<u8>> = (0..16).map(|_| Uniform::new(0..4)).collect();
    let mut sums = Vec::new();
    for (i, a) in numbers.iter().enumerate() {
        sums.extend(numbers[..i].iter().map(|b| (a, b).map(|(x, y)| x + y)));
    }
    assert!(JunctionTree::new().run(&Model::new(), &sums).is_err());
    let answer = VariableElimination::new()
        .run(&Model::new(), &sums)
        .unwrap();
    assert!(
        sums.iter()
            .all(|sum| (answer.probability(sum, &1).unwrap() - 0.125).abs() < 1e-12)
    );
}
