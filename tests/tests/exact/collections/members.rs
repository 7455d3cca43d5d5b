//! Tests of members that do not exist or ask for each other, and of members that are made when they are asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use figrs::prelude::*;
use figrs::{Elements, Fault, MemberError, ModelError, Neighbour, Process};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::exact;

#[track_caller]
fn member_error(error: &Error) -> &MemberError {
    match error {
        Error::Model(ModelError::Function {
            fault: Fault::Member(error),
            ..
        }) => error,
        other => panic!("{other}"),
    }
}

fn all_kinds() -> Vec<Box<dyn Algorithm>> {
    let mut all = exact();
    all.extend(algorithms![
        MpeVariableElimination::new(),
        ImportanceSampling::new(100).seed(1),
        MetropolisHastings::new(100).seed(1),
        SequentialMonteCarlo::new(100).seed(1)
    ]);
    all
}

#[test]
fn evidence_on_members_that_do_not_exist_is_an_error() {
    let length = Uniform::new([1_usize, 2]);
    let coins = Elements::of(&length, |_| Flip::new(0.5));
    let two = Elements::new([Flip::new(0.5), Flip::new(0.5)]);
    let hours = Process::new(|_: &u32| Flip::new(0.5)).within(|&hour| hour < 24);
    for member in [coins.at(5), two.at(5), coins.at(1), hours.at(&24)] {
        let model = Model::new().observe(&member, true);
        for algorithm in all_kinds() {
            let error = algorithm.run(&model, &length).unwrap_err();
            assert!(
                matches!(member_error(&error), MemberError::NoMember { .. }),
                "{error}"
            );
        }
    }
    // Evidence excludes the worlds without the member.
    let model = Model::new()
        .observe(&coins.at(1), true)
        .condition(&length, |&n| n == 2);
    for algorithm in exact() {
        let answer = algorithm.run(&model, &length).unwrap();
        assert_eq!(answer.probability(&length, &2).unwrap(), 1.0);
    }
}

#[test]
fn an_uncertain_index_makes_only_the_members_that_it_may_be() {
    let made = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&made);
    let urns = Process::new(move |name: &&'static str| {
        counter.fetch_add(1, Ordering::Relaxed);
        Flip::new(if *name == "left" { 0.9 } else { 0.2 })
    });
    let which = Select::new([(0.25, "left"), (0.75, "right")]);
    let drawn = urns.at_element(&which);
    assert_eq!(made.load(Ordering::Relaxed), 0);
    // Evidence on a member, before and after it is made; two references to one member read one value.
    let other = urns.at_element(&Select::new([(0.5, "right"), (0.5, "left")]));
    let model = Model::new().observe(&urns.at(&"left"), false);
    let both = drawn.and(&other);
    for algorithm in exact() {
        let answer = algorithm.run(&model, &both).unwrap();
        let found = answer.probability(&both, &true).unwrap();
        assert!(
            (found - 0.75 * 0.5 * 0.2).abs() < 1e-12,
            "{}: {found}",
            algorithm.name()
        );
    }
    drop(drawn);
}

#[test]
fn members_that_ask_for_each_other_in_a_world_are_an_error() {
    let chase = Process::recursive(|chase: &Process<u32, u32>, &at| {
        let chase = chase.clone();
        Uniform::new([0, 1]).flat_map(move |&to| match to == at {
            true => Constant::new(at),
            false => chase.at(&to),
        })
    });
    let first = chase.at(&0);
    for algorithm in all_kinds() {
        let error = algorithm.run(&Model::new(), &first).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Model(ModelError::Function {
                    fault: Fault::Cyclic,
                    ..
                })
            ),
            "{}: {error}",
            algorithm.name()
        );
    }
    // No cycle in any world: the second member does not ask back.
    let model = Model::new().intervene(&chase.at(&1), 7);
    let answer = VariableElimination::new().run(&model, &first).unwrap();
    assert_eq!(answer.probability(&first, &7).unwrap(), 0.5);
}

/// A Brownian motion from zero: between two instants that are made, a Brownian bridge.
fn motion() -> Process<f64, f64> {
    type Known<'a> = Option<&'a Neighbour<f64, f64>>;
    Process::between(f64::total_cmp, |&t, before: Known<'_>, after: Known<'_>| {
        let zero = Neighbour {
            index: 0.0,
            member: Constant::new(0.0),
        };
        let a = before.unwrap_or(&zero);
        match after {
            None => Normal::new(&a.member, Variance(t - a.index)),
            Some(b) => {
                let share = (t - a.index) / (b.index - a.index);
                let mean = &a.member * (1.0 - share) + &b.member * share;
                Normal::new(mean, Variance((t - a.index) * (1.0 - share)))
            }
        }
    })
    .within(|&t| t > 0.0)
}

#[test]
fn a_brownian_motion_has_one_law_in_every_order_of_its_instants() {
    let instants = [0.1, 0.25, 1.0, 3.7];
    let mut random = StdRng::seed_from_u64(7);
    for case in 0..6 {
        let motion = motion();
        let mut order = instants;
        for at in (1..order.len()).rev() {
            order.swap(at, random.random_range(0..=at));
        }
        let made: Vec<Element<f64>> = order.iter().map(|t| motion.at(t)).collect();
        for (i, (s, at_s)) in order.iter().zip(&made).enumerate() {
            for (t, at_t) in order.iter().zip(&made).skip(i) {
                let sum = at_s + at_t;
                let answer = Exact::new().run(&Model::new(), &sum).unwrap();
                let found = answer.variance(&sum).unwrap();
                let right = s + t + 2.0 * s.min(*t);
                assert!(
                    (found - right).abs() < 1e-12 * right.max(1.0),
                    "case {case}, {order:?}, {s} and {t}: {found}, not {right}"
                );
            }
        }
        // Evidence on members made before, and on one made after them: a bridge, and its likelihood.
        let late = motion.at(&5.0);
        let model = Model::new().observe(&late, 2.0).observe(&made[0], 0.5);
        let between = motion.at(&4.0);
        let answer = Exact::new().run(&model, &between).unwrap();
        let (from, to) = (order[0], 5.0);
        let share = (4.0 - from) / (to - from);
        assert!((answer.mean(&between).unwrap() - (0.5 + 1.5 * share)).abs() < 1e-12);
        assert!((answer.variance(&between).unwrap() - (4.0 - from) * (1.0 - share)).abs() < 1e-12);
        let log_density = |x: f64, variance: f64| {
            -0.5 * (x * x / variance + (std::f64::consts::TAU * variance).ln())
        };
        let right = log_density(0.5, from) + log_density(1.5, to - from);
        assert!((Exact::new().log_evidence(&model).unwrap() - right).abs() < 1e-12);
    }
    let error = ImportanceSampling::new(10)
        .run(&Model::new(), motion().at(&-1.0))
        .unwrap_err();
    let text = member_error(&error).to_string();
    assert!(
        text.contains("no member with the index -1.0 of type `f64`"),
        "{text}"
    );
}

#[test]
fn a_sum_of_normal_members_has_a_closed_form() {
    let length = Select::new([(0.25, 1_usize), (0.75, 3)]);
    let jumps = Elements::of(&length, |at| Normal::new(at as f64, Variance(2.0)));
    let total = jumps.sum();
    let answer = Exact::new().run(&Model::new(), &total).unwrap();
    // The sums have the means 0 and 3, and the variances 2 and 6.
    assert!((answer.mean(&total).unwrap() - 2.25).abs() < 1e-12);
    let variance = 0.25 * (2.0 + 2.25 * 2.25) + 0.75 * (6.0 + 0.75 * 0.75);
    assert!((answer.variance(&total).unwrap() - variance).abs() < 1e-12);
}
