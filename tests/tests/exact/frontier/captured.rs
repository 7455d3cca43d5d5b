//! Tests of `Chain` elements whose branches are elements of others: if one of these elements is observed, the information about earlier steps is
//! kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use figrs::prelude::*;

use crate::frontier::close;

/// A model, and elements at its beginning, in its middle and at its end.
type Case = (Model, Vec<Element<u8>>);

/// Compares log-evidence and marginals with those of elimination.
fn agrees((model, targets): &Case) {
    let found = Frontier::new().run(model, targets).unwrap();
    let exact = VariableElimination::new().run(model, targets).unwrap();
    let [p, q] = [&found, &exact].map(|answer| answer.log_evidence().unwrap().value);
    assert!(close(p, q), "{p} {q}");
    for target in targets {
        let distribution = exact.distribution(target).unwrap();
        for (value, q) in &distribution {
            let p = found.probability(target, value).unwrap();
            assert!(close(p, q), "{p} {q}");
        }
    }
}

/// Returns a sequence of states made by `step`; `order` changes the order of its evidence.
fn steps(
    length: usize,
    order: impl Fn(&mut Vec<Element<u8>>),
    step: impl Fn(&[Element<u8>], usize) -> Element<u8>,
) -> Case {
    let mut states = vec![Uniform::new(0..3u8)];
    for number in 1..=length {
        let next = step(&states, number);
        states.push(next);
    }
    let mut seen: Vec<_> = states.iter().skip(2).step_by(4).cloned().collect();
    order(&mut seen);
    let mut model = Model::new();
    for state in &seen {
        model = model.weigh(state, |&s| [0.5, 1.0, 0.7][usize::from(s)]);
    }
    let targets = [0, length / 2, length].map(|at| states[at].clone());
    (model, targets.to_vec())
}

/// Each state equals the last one or a changed one, as one or two random choices decide.
fn kept_or_moved(states: &[Element<u8>], number: usize) -> Element<u8> {
    let last = &states[number - 1];
    let moved = (last, &Flip::new(0.3)).map(|(s, up)| (s + if *up { 1 } else { 2 }) % 3);
    let stays = If::new(&last.is(1), Flip::new(0.9), Flip::new(0.6));
    If::new(&stays, last, moved)
}

/// The value of a state from some steps ago returns, after it has left the frontier.
fn comes_again(states: &[Element<u8>], number: usize) -> Element<u8> {
    let last = &states[number - 1];
    let (earlier, own) = (
        states[number.saturating_sub(3)].clone(),
        Uniform::new(0..3u8),
    );
    let changed = last.map(|s| (s * 2 + 1) % 3);
    last.flat_map(move |&s| match s {
        0 => changed.clone(),
        1 => own.clone(),
        _ => earlier.clone(),
    })
}

/// The `Chain` elements are nested, and the inner ones are separate elements.
fn nested(states: &[Element<u8>], number: usize) -> Element<u8> {
    let last = &states[number - 1];
    let inner = If::new(&Flip::new(0.2), last, Uniform::new(0..3u8));
    let middle = If::new(&last.is(0), &inner, Select::new([(0.3, 1u8), (0.7, 2)]));
    If::new(&last.is(2), inner.map(|s| (s + 1) % 3), middle)
}

#[test]
fn states_that_are_kept_or_changed_agree_with_elimination() {
    for step in [kept_or_moved, comes_again, nested] {
        agrees(&steps(13, |_| {}, step));
    }
}

#[test]
fn the_order_of_evidence_changes_no_answer() {
    for step in [kept_or_moved, comes_again, nested] {
        agrees(&steps(13, |seen| seen.reverse(), step));
        agrees(&steps(13, |seen| seen.rotate_left(2), step));
    }
}

#[test]
fn long_ago_comes_again() {
    let first = Uniform::new(0..3u8);
    let mut states = vec![first.clone()];
    for number in 1..40 {
        let last = &states[number - 1];
        let next = last.flat_map(|&s| Select::new([(0.8, s), (0.2, (s + 1) % 3)]));
        states.push(next);
    }
    let last = If::new(&states[39].is(0), &first, &states[20]);
    let model = Model::new().condition(&states[30], |&s| s > 0);
    agrees(&(model, vec![first, last, states[25].clone()]));
}

/// Returns the number of calls of the functions in a sequence of `Chain` elements, each of which has as a branch the one before or an element from
/// two steps before.
fn calls(length: usize) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let mut state = Flip::new(0.4);
    for _ in 0..length {
        let (own, last, count) = (Flip::new(0.7), state.clone(), Arc::clone(&count));
        let turned = state.map(|s| !s);
        let other = If::new(&turned, &own, Flip::new(0.2));
        state = own.flat_map(move |&own| {
            count.fetch_add(1, Ordering::Relaxed);
            if own { last.clone() } else { other.clone() }
        });
    }
    Frontier::new().run(&Model::new(), &state).unwrap();
    count.load(Ordering::Relaxed)
}

#[test]
fn functions_are_called_a_number_of_times_linear_in_the_steps() {
    let (few, many) = (calls(50), calls(400));
    assert!(many < 10 * few, "{few} {many}");
}

#[test]
fn coins_do_not_wait_for_the_beginning() {
    let mut states = vec![Uniform::new(0..3u8)];
    for number in 1..60 {
        let last = &states[number - 1];
        let chance = Uniform::new([0.3, 0.6]);
        let coin = Flip::new(&chance);
        let moved = last.map(|s| (s + 1) % 3);
        states.push(If::new(&coin, last, moved));
    }
    let model = Model::new().condition(&states[30], |&s| s > 0);
    let targets = [0, 30, 59].map(|at| states[at].clone());
    agrees(&(model, targets.to_vec()));
}

#[test]
fn a_branch_of_two_chains_is_one_element() {
    let shared = Uniform::new(0..3u8);
    let inner = shared.clone();
    let mut states = vec![Uniform::new(0..3u8)];
    for number in 1..12 {
        let last = &states[number - 1];
        let next = match number % 5 {
            1 => If::new(&last.is(0), &shared, last),
            2 => If::new(
                &last.is(1),
                Uniform::new(0..3u8),
                shared.map(|s| (s + 2) % 3),
            ),
            3 => {
                let inner = inner.clone();
                last.flat_map(move |&s| inner.map(move |i| (i + s) % 3))
            }
            _ => If::new(
                &last.is(2),
                Uniform::new(1..3u8),
                Select::new([(0.2, 0u8), (0.8, 2)]),
            ),
        };
        states.push(next);
    }
    let model = Model::new().condition(&states[9], |&s| s != 1);
    let targets = [0, 1, 6, 11].map(|at| states[at].clone());
    agrees(&(model.clone(), targets.to_vec()));
    agrees(&(model, vec![states[11].clone(), shared]));
}

#[test]
fn worlds_of_branches_of_one_chain_are_counted() {
    let first = Flip::new(0.4);
    let second = If::new(&first, Flip::new(0.7), Constant::new(false));
    let compiled = Frontier::new()
        .compile(&Model::new(), (&first, &second))
        .unwrap();
    let tree = JunctionTree::new()
        .compile(&Model::new(), (&first, &second))
        .unwrap();
    assert_eq!(compiled.count().unwrap(), tree.count().unwrap());
    let [a, b] = [compiled.most_probable(), tree.most_probable()].map(Result::unwrap);
    assert!(close(a.log_probability(), b.log_probability()));
}
