//! Conformance cases of `Chain` elements, and of evidence of every kind about them.

use figrs::prelude::*;
use figrs::{Recursive, tuple};

use crate::conformance::asked::{Asked, probability, probability_of_evidence};
use crate::conformance::case::Expected::Number;

/// A `Chain` whose outcomes are elements that other elements can use too.
struct Outcomes {
    test: Element<bool>,
    first: Element<i32>,
    chain: Element<i32>,
}

fn outcomes() -> Outcomes {
    let test = Flip::new(0.3);
    let first = Select::new([(0.1, 1), (0.9, 2)]);
    let second = Select::new([(0.7, 1), (0.2, 2), (0.1, 3)]);
    let results = (first.clone(), second);
    let chain = test.flat_map(move |&t| {
        if t {
            results.0.clone()
        } else {
            results.1.clone()
        }
    });
    Outcomes { test, first, chain }
}

/// Nested `If(a, If(b, ...))` with the values of a filter: a hidden state and a noisy sensor, step by step.
fn filter(observed: &[bool]) -> Asked {
    let step = |before: &Element<bool>| If::new(before, Flip::new(0.8), Flip::new(0.3));
    let mut state = Flip::new(0.2);
    let mut model = Model::new();
    for &seen in observed {
        state = step(&state);
        let sensor = If::new(&state, Flip::new(0.6), Flip::new(0.1));
        model = model.observe(&sensor, seen);
    }
    probability(model, &state, true)
}

/// Returns the number of leaves of a random tree of at most this depth.
fn leaves(depth: u32) -> Element<u32> {
    let leaves = Recursive::new(|call, &depth: &u32| -> Element<u32> {
        let is_leaf = if depth == 0 { 1.0 } else { 0.5 };
        Flip::new(is_leaf).flat_map(move |&leaf| {
            if leaf {
                Constant::new(1)
            } else {
                call(depth - 1).plus(&call(depth - 1))
            }
        })
    });
    leaves.call(depth)
}

/// Returns a coin's bias, which is drawn once, and the result of two calls that read it.
fn two_coins_of_one_bias() -> (Element<f64>, Element<bool>) {
    let bias = Uniform::new([0.2, 0.8]);
    let captured = bias.clone();
    let coins = Recursive::new(move |call, &left: &u32| match left {
        0 => Constant::new(true),
        _ => Flip::new(&captured).and(&call(left - 1)),
    });
    (bias, coins.call(1).and(&coins.call(1)))
}

cases! {
    calls: Number(0.25), Few, || probability(Model::new(), &leaves(2), 3);

    calls_observed: Number(0.125 / 0.375), Few, || {
        let tree = leaves(2);
        probability(Model::new().condition(&tree, |&n| n == 2 || n == 3), &tree, 2)
    };

    calls_that_capture: Number(0.34), Few, || {
        probability(Model::new(), &two_coins_of_one_bias().1, true)
    };

    calls_that_capture_observed: Number(0.64 / 0.68), Few, || {
        let (bias, both) = two_coins_of_one_bias();
        probability(Model::new().observe(&both, true), &bias, 0.8)
    };

    /// Each branching has weight 1/2, so the total weight is 0.5 + 0.5 · 0.5 = 0.75.
    calls_that_score: Number(0.5 / 0.75), Few, || {
        let weighed = Recursive::new(|call, &left: &u32| {
            Flip::new(0.5).flat_map(move |&stop| match (stop, left) {
                (true, _) | (_, 0) => Constant::new(left),
                _ => Score::weigh_at_most(&call(left - 1), 0.5, |_| 0.5),
            })
        });
        probability(Model::new(), &weighed.call(1), 1)
    };

    chain: Number(0.52), Few, || {
        probability(Model::new(), &outcomes().chain, 1)
    };

    chain_observe_outcome: Number(0.79), Few, || {
        let o = outcomes();
        probability(Model::new().observe(&o.first, 1), &o.chain, 1)
    };

    chain_observe_outcome_parent: Number(0.3), Few, || {
        let o = outcomes();
        probability(Model::new().observe(&o.first, 1), &o.test, true)
    };

    chain_shared_parent: Number(15.0 / 29.0), Few, || {
        let f = Flip::new(0.3);
        let c = If::new(&f, &f, Flip::new(0.4));
        probability(Model::new().observe(&c, true), &f, true)
    };

    chain_result_constraint_not_parent: Number(4.0 / 15.0), Few, || {
        let (f, r) = (Flip::new(0.3), Flip::new(0.8));
        let c = If::new(&f, &r, Constant::new(false));
        let model = Model::new().weigh(&r, |&r| if r { 2.0 } else { 1.0 });
        probability(model, &c, true)
    };

    nested_if: Number(0.443), Few, || {
        let inner = If::new(&Flip::new(0.3), Flip::new(0.4), Flip::new(0.5));
        let outer = If::new(&Flip::new(0.1), Flip::new(0.2), inner);
        probability(Model::new(), &outer, true)
    };

    constraint_dependent: Number(51.0 / 91.0), Few, || {
        let p = Uniform::new([0.3, 0.5, 0.7, 0.9]);
        let f = Flip::new(&p);
        let a = If::new(&f, Select::new([(0.3, 1), (0.7, 2)]), Constant::new(2));
        let model = Model::new().weigh(&a, |&a| f64::from(a));
        probability(model, &f, true)
    };

    monty_hall: Number(2.0 / 3.0), Few, || {
        let car = Uniform::new(1..=3);
        let host = car.flat_map(|&car| match car {
            1 => Uniform::new([2, 3]),
            2 => Constant::new(3),
            _ => Constant::new(2),
        });
        probability(Model::new().observe(&host, 3), &car, 2)
    };

    contingent_condition: Number(5.0 / 23.0), Few, || {
        let (x, y) = (Flip::new(0.1), Flip::new(0.2));
        // If x is true, so is y.
        let model = Model::new().condition(&tuple((&x, &y)), |(x, y)| !x || *y);
        probability(model, &y, true)
    };

    intervention_parent: Number(0.1), Few, || {
        let a = Flip::new(0.1);
        let b = If::new(&a, Flip::new(0.2), Flip::new(0.3));
        probability(Model::new().intervene(&b, true), &a, true)
    };

    mh_two_conditions: Number(2.0 / 7.0), Few, || {
        let (f1, f2, f3, f4) = (Flip::new(0.3), Flip::new(0.8), Flip::new(0.4), Flip::new(0.6));
        let c = If::new(&f1, &f2, &f3);
        let model = Model::new().observe(&f3, true).observe(&c.equals(&f4), true);
        probability(model, &f1, true)
    };

    pf_one_step: Number(0.8), Few, || filter(&[true]);
    pf_two_steps: Number(28.0 / 55.0), Few, || filter(&[true, false]);

    pe_two_dependent: Number(0.72), Few, || {
        let d = Select::new([(0.2, 0.6), (0.8, 0.9)]);
        let (f1, f2) = (Flip::new(&d), Flip::new(&d));
        probability_of_evidence(Model::new().observe(&f1, true).observe(&f2, true))
    };

    pe_complex_dist: Number(0.726), Few, || {
        let p = Select::new([(0.2, 0.4), (0.8, 0.6)]);
        let d = Dist::new([(p, Flip::new(0.6)), (Constant::new(0.4), Flip::new(0.9))]);
        probability_of_evidence(Model::new().observe(&d, true))
    };

    pe_impossible: Number(0.0), Few, || {
        probability_of_evidence(Model::new().observe(&Constant::new(8), 7))
    };
}
