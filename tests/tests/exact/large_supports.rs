//! Tests of `Chain` elements over large supports, whose tables must not be dense.

use approx::assert_abs_diff_eq;
use figrs::Circuit;
use figrs::prelude::*;

/// A random walk on a long line has ten thousand rows of three outcomes, in a table of a hundred million cells.
#[test]
fn a_chain_of_few_outcomes_among_many_is_sparse() {
    const STATES: i32 = 10_000;
    let mut position = Uniform::new(0..STATES);
    for _ in 0..3 {
        position = position.flat_map(|&at| {
            let next = |step: i32| (at + step).rem_euclid(STATES);
            Select::new([(0.5, next(1)), (0.3, at), (0.2, next(-1))])
        });
    }
    let model = Model::new().condition(&position, |&at| at < 2);
    let answer = VariableElimination::new().run(&model, &position).unwrap();
    assert_abs_diff_eq!(
        answer.probability(&position, &0).unwrap(),
        0.5,
        epsilon = 1e-12
    );
    let log_evidence = answer.log_evidence().unwrap().value;
    assert_abs_diff_eq!(log_evidence.exp(), 2.0 / f64::from(STATES), epsilon = 1e-15);
    let world = MpeVariableElimination::new()
        .run(&model, &position)
        .unwrap();
    let right = (1.0 / f64::from(STATES)).ln() + 3.0 * 0.5_f64.ln();
    assert_abs_diff_eq!(world.log_probability().unwrap(), right, epsilon = 1e-9);
}

/// The branches are separate elements with thousands of values each.
#[test]
fn branches_with_many_values_are_joined_in_linear_size() {
    const VALUES: u32 = 20_000;
    let coin = Flip::new(0.25);
    let (low, high) = (Uniform::new(0..VALUES), Uniform::new(0..VALUES));
    let doubled = high.map(|&v| 2 * v);
    let either = If::new(&coin, &low, &doubled);
    // `low` is weighed, so that it does not become a row of the `Chain`'s table.
    let model = Model::new()
        .condition(&either, |v| v % 4 == 0)
        .weigh(&low, |&v| if v == 4 { 3.0 } else { 1.0 });
    let answer = VariableElimination::new().run(&model, &coin).unwrap();
    let n = f64::from(VALUES);
    let (heads, tails) = (0.25 * (n / 4.0 + 2.0) / n, 0.75 * 0.5 * (n + 2.0) / n);
    let p = answer.probability(&coin, &true).unwrap();
    assert_abs_diff_eq!(p, heads / (heads + tails), epsilon = 1e-12);
    // If the coin is heads, `high` is not reached, so the probability of the world has one small factor fewer.
    let world = MpeVariableElimination::new().run(&model, &coin).unwrap();
    assert!(world.most_likely_value(&coin).unwrap());
    assert_eq!(world.most_likely_value(&low).unwrap(), 4);
    assert_eq!(world.most_likely_value(&either).unwrap(), 4);
    assert_eq!(
        world.most_likely_value(&high),
        Err(Error::not_in_world(high.label()))
    );
    let right = (0.25 * 3.0 / n).ln();
    assert_abs_diff_eq!(world.log_probability().unwrap(), right, epsilon = 1e-9);
}

/// Regression test: an element with many values that nothing else reads was decided value by value, with a scan of all others each time. 2 000 values
/// took minutes in unoptimised builds.
#[test]
fn a_circuit_sums_over_the_values_of_one_element() {
    for values in [3_u32, 2_000] {
        let n = f64::from(values);
        let x = Select::new((0..values).map(|v| (f64::from(v + 1), v)));
        let y = Uniform::new(0..values);
        let odd = x.map(|v| v % 2 == 1);
        let model = Model::new().weigh(&x, |&v| if v == 0 { 3.0 } else { 1.0 });
        let answer = Circuit::new().run(&model, (&x, &y)).unwrap();
        let sum = n * (n + 1.0) / 2.0 + 2.0;
        for (v, weight) in [(0, 3.0), (1, 2.0), (values - 1, n)] {
            let found = answer.probability(&x, &v).unwrap();
            assert_abs_diff_eq!(found, weight / sum, epsilon = 1e-12);
            assert_abs_diff_eq!(
                answer.probability(&y, &v).unwrap(),
                1.0 / n,
                epsilon = 1e-12
            );
        }
        let observed = model.observe(&odd, false);
        let answer = Circuit::new().run(&observed, &x).unwrap();
        let even: f64 = (0..values).step_by(2).map(|v| f64::from(v + 1)).sum();
        let found = answer.probability(&x, &0).unwrap();
        assert_abs_diff_eq!(found, 3.0 / (even + 2.0), epsilon = 1e-12);
        assert_eq!(answer.probability(&x, &1).unwrap(), 0.0);
    }
}
