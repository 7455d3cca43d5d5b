//! Tests of conditional independence: elements that are reported independent have a joint distribution that factorises, and others do not.

use std::cell::Cell;

use figrs::prelude::*;
use figrs::{Marginal, independent, tuple};
use figrs_tests::random_model::{Description, Target, build, for_random, for_random_models};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, asked, failed, is_wide};

/// Returns the largest difference between the joint distribution of two elements given a third element and the product of their distributions given
/// it.
fn dependence(joint: &Marginal<(u64, u64, u64)>) -> f64 {
    let probability =
        |test: &dyn Fn(u64, u64, u64) -> bool| joint.probability_that(|&(a, b, c)| test(a, b, c));
    let mut largest = 0.0f64;
    for c in 0..8 {
        let given = probability(&|_, _, z| z == c);
        if given < 1e-6 {
            continue;
        }
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let both = probability(&|x, y, z| (x, y, z) == (a, b, c)) / given;
            let first = probability(&|x, _, z| (x, z) == (a, c)) / given;
            let second = probability(&|_, y, z| (y, z) == (b, c)) / given;
            largest = largest.max((both - first * second).abs());
        }
    }
    largest
}

/// True if two elements vary, so that their independence is not trivial.
fn both_vary(joint: &Marginal<(u64, u64, u64)>) -> bool {
    let varies = |of: &dyn Fn(&(u64, u64, u64)) -> u64| {
        let values: Vec<u64> = joint
            .iter()
            .filter(|(_, p)| *p > 1e-6)
            .map(|(v, _)| of(v))
            .collect();
        values.iter().any(|v| *v != values[0])
    };
    varies(&|v| v.0) && varies(&|v| v.1)
}

fn independent_elements_factorise(description: &Description, found: &Cell<u32>) -> Checked {
    let built = build(description);
    let elements = built.elements();
    let model = &built.model;
    // The pairs consist of the newest elements and targets, and a third element is given.
    let mut asked_about: Vec<&Target> = built.targets.iter().collect();
    asked_about.extend(elements.iter().rev().take(4));
    if is_wide(model, &built.erased())? {
        return Ok(());
    }
    for (i, a) in asked_about.iter().enumerate().take(4) {
        for (j, b) in asked_about.iter().enumerate().skip(i + 1) {
            let c = asked_about[(i + j) % asked_about.len()];
            let (x, y, z) = (a.coded(), b.coded(), c.coded());
            let triple = tuple((&x, &y, &z));
            if is_wide(model, &[triple.erased().clone()])? {
                continue;
            }
            let Some(Ok(answer)) = asked(VariableElimination::new().run(model, &triple))? else {
                return Ok(());
            };
            if independent(model, &x, &y, &z).map_err(failed)? {
                let joint = answer.distribution(&triple).map_err(failed)?;
                let difference = dependence(&joint);
                prop_assert!(
                    difference < 1e-8,
                    "{a:?} and {b:?} given {c:?}: {difference}"
                );
                found.set(found.get() + u32::from(both_vary(&joint)));
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_called_independent_factorises() {
    let found = Cell::new(0);
    for_random_models(200, 30, |description| {
        independent_elements_factorise(description, &found)
    });
    assert!(
        found.get() > 300,
        "{} independences of elements that vary",
        found.get()
    );
}

/// A network of Booleans: for each variable, its parents among the earlier variables as bits, and a code of its probabilities.
type Network = Vec<(u8, u64)>;

/// Returns the elements of a network, whose probabilities are chosen so that no independence arises by coincidence.
fn network(description: &Network) -> Vec<Element<bool>> {
    let mut nodes: Vec<Element<bool>> = Vec::new();
    for (at, &(bits, code)) in description.iter().enumerate() {
        let parents: Vec<Element<bool>> = nodes
            .iter()
            .enumerate()
            .filter(|(i, _)| bits >> i & 1 == 1)
            .map(|(_, e)| e.clone())
            .collect();
        let number = move |row: usize| {
            let mixed = (code ^ (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
                .wrapping_mul(0xBF58_476D_1CE4_E5B9 ^ (at as u64) << 8);
            0.1 + 0.8 * ((mixed >> 11) as f64 / (1u64 << 53) as f64)
        };
        let row = |values: Vec<&bool>| values.iter().fold(0, |row, &&v| 2 * row + usize::from(v));
        nodes.push(if parents.is_empty() {
            Flip::new(number(0))
        } else {
            parents.flat_map(move |values| Flip::new(number(row(values))))
        });
    }
    nodes
}

fn dependence_is_found(description: &Network, found: &Cell<[u32; 2]>) -> Checked {
    let nodes = network(description);
    let n = nodes.len();
    let code = |e: &Element<bool>| e.map(|&v| u64::from(v));
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        for c in (0..n).filter(|&c| c != a && c != b) {
            let observed = (c + 1) % n;
            let model = if observed == a || observed == b || observed == c {
                Model::new()
            } else {
                Model::new().observe(&nodes[observed], true)
            };
            let triple = tuple((&code(&nodes[a]), &code(&nodes[b]), &code(&nodes[c])));
            let answer = VariableElimination::new()
                .run(&model, &triple)
                .map_err(failed)?;
            let difference = dependence(&answer.distribution(&triple).map_err(failed)?);
            let says = independent(&model, &nodes[a], &nodes[b], &nodes[c]).map_err(failed)?;
            prop_assert_eq!(
                says,
                difference < 1e-12,
                "{} and {} given {}: {}",
                a,
                b,
                c,
                difference
            );
            let [yes, no] = found.get();
            found.set([yes + u32::from(says), no + u32::from(!says)]);
        }
    }
    Ok(())
}

/// If no independence arises from coincidences of the probabilities, separation and independence are the same.
#[test]
fn what_is_not_called_independent_depends() {
    let found = Cell::new([0; 2]);
    let strategy = vec((0u8..32, proptest::arbitrary::any::<u64>()), 4..6);
    for_random(80, 31, &strategy, |network| {
        dependence_is_found(network, &found)
    });
    assert!(
        found.get().iter().all(|&count| count > 200),
        "{:?}",
        found.get()
    );
}

#[test]
fn functions_of_what_is_given_are_given() {
    let coins: Vec<_> = (0..2).map(|_| Flip::new(0.5)).collect();
    let first = coins[0].not();
    // Both elements read the first coin only through a function of the coin.
    let readers = [0.3, 0.6].map(|p| If::new(&first, Flip::new(p), Flip::new(0.9)));
    let model = Model::new();
    assert!(!independent(&model, &readers[0], &readers[1], ()).unwrap());
    assert!(independent(&model, &readers[0], &readers[1], &coins[0]).unwrap());
    assert!(independent(&model, &readers[0], &readers[1], &first).unwrap());
    assert!(independent(&model, &coins[0], &first, &coins[0]).unwrap());
    assert!(!independent(&model, &coins[0], &first, ()).unwrap());
    // With these probabilities an exclusive or is independent of each coin, but with other probabilities it is not.
    let differ = coins[0].differs(&coins[1]);
    assert!(!independent(&model, &differ, &coins[0], ()).unwrap());
    assert!(independent(&model, &coins[0], &coins[1], ()).unwrap());
    assert!(!independent(&model, &coins[0], &coins[1], &differ).unwrap());
    // Queries may be about sets of elements, and models may have interventions.
    assert!(!independent(&model, (&first, &differ), &coins, ()).unwrap());
    let set = Model::new().intervene(&first, true);
    assert!(independent(&set, &readers[0], (&readers[1], &coins[0]), ()).unwrap());
}

#[test]
fn evidence_joins_what_its_element_depends_on() {
    let (a, b) = (Flip::new(0.5), Flip::new(0.5));
    let both = a.and(&b);
    let weighed = Model::new().weigh(&both, |&both| if both { 2.0 } else { 1.0 });
    assert!(!independent(&weighed, &a, &b, ()).unwrap());
    let excluded = Model::new().condition(&both, |&both| !both);
    assert!(!independent(&excluded, &a, &b, ()).unwrap());
    // A `Score` has an effect only in the branch that `a` selects, so it is evidence about `a`, and makes `a` dependent on the element that it
    // weighs.
    let scored = Score::observe(&b, true);
    let chain = a.flat_map(move |&a| if a { scored.clone() } else { Flip::new(0.5) });
    let model = Model::new();
    assert!(!independent(&model, (&a, &chain), &b, ()).unwrap());
    let lonely = Flip::new(0.5);
    let scored = Score::observe(&Flip::new(0.1), true);
    let chain = a.flat_map(move |&a| if a { scored.clone() } else { Flip::new(0.5) });
    assert!(independent(&model, &lonely, (&a, &chain), ()).unwrap());
}

#[test]
fn captured_elements_are_part_of_the_graph() {
    let (a, hidden) = (Flip::new(0.5), Flip::new(0.3));
    let captured = hidden.clone();
    let chain = a.flat_map(move |&a| if a { captured.clone() } else { Flip::new(0.5) });
    let model = Model::new();
    assert!(!independent(&model, &chain, &hidden, ()).unwrap());
    assert!(!independent(&model, &a, &hidden, &chain).unwrap());
    // Evidence that excludes the branch removes the dependence.
    let elsewhere = Model::new().observe(&a, false);
    assert!(independent(&elsewhere, &chain, &hidden, ()).unwrap());
}

#[test]
fn values_without_end_are_allowed_where_nothing_creates_elements() {
    let mean = Normal::new(0.0, Variance(1.0));
    let [x, y] = [0, 1].map(|_| Normal::new(&mean, Variance(1.0)));
    let model = Model::new();
    assert!(!independent(&model, &x, &y, ()).unwrap());
    assert!(independent(&model, &x, &y, &mean).unwrap());
    let measured = Model::new().observe(&mean, 0.5);
    assert!(independent(&measured, &x, &y, ()).unwrap());
    let sum = (&x, &y).map(|(x, y)| x + y);
    assert!(!independent(&measured, &x, &y, &sum).unwrap());
    let created = mean.flat_map(|&m| Flip::new(if m > 0.0 { 0.9 } else { 0.1 }));
    let error = independent(&model, &created, &x, ()).unwrap_err();
    assert!(matches!(error, Error::Model(_)), "{error}");
}

#[test]
fn impossible_evidence_is_named() {
    let coin = Flip::new(0.5).named("coin");
    let model = Model::new().observe(&coin, true).observe(&coin, false);
    let error = independent(&model, &coin, Flip::new(0.5), ()).unwrap_err();
    assert!(
        matches!(&error, Error::ImpossibleEvidence { conflict, .. } if conflict.len() == 2),
        "{error}"
    );
}

/// Long chains are traversed without recursion on the stack.
#[test]
fn long_chains_are_walked_without_recursion() {
    let first = Flip::new(0.5);
    let mut last = first.clone();
    let mut middle = first.clone();
    for i in 0..20_000 {
        last = If::new(&last, Flip::new(0.9), Flip::new(0.2));
        if i == 10_000 {
            middle = last.clone();
        }
    }
    let model = Model::new();
    assert!(!independent(&model, &first, &last, ()).unwrap());
    assert!(independent(&model, &first, &last, &middle).unwrap());
}
