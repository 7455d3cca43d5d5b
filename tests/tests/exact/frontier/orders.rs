//! Tests that orders of evidence that would need many states are changed, while the answers stay the same.

use figrs::fold;
use figrs::prelude::*;

use crate::frontier::close;

/// A hidden chain is observed with noise, and its observations are stated from the last to the first.
#[test]
fn observations_may_come_from_the_last_to_the_first() {
    let mut states = vec![Uniform::new(0..3u8)];
    for number in 1..30 {
        let next = states[number - 1]
            .flat_map(|&s| Select::new([(0.6, s), (0.3, (s + 1) % 3), (0.1, (s + 2) % 3)]));
        states.push(next);
    }
    let mut model = Model::new();
    for (number, state) in states.iter().enumerate().rev() {
        let seen = state.flat_map(|&s| Flip::new([0.2, 0.5, 0.9][usize::from(s)]));
        model = model.observe(&seen, number % 3 == 0);
    }
    let targets: Vec<_> = states.iter().rev().cloned().collect();
    let exact = VariableElimination::new().run(&model, &targets).unwrap();
    let found = Frontier::new().compile(&model, &targets).unwrap();
    assert!(
        found.largest_frontier() <= 9,
        "{}",
        found.largest_frontier()
    );
    for target in &targets {
        for value in 0..3 {
            let p = found.probability(target, &value).unwrap();
            assert!(close(p, exact.probability(target, &value).unwrap()));
        }
    }
}

/// The rules between the cells are stated first, and the clues last.
#[test]
fn a_sudoku_is_filled_where_its_clues_decide_most() {
    let clues = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let cells: Vec<Element<u8>> = (0..81).map(|_| Uniform::new(1..=9u8)).collect();
    let mut model = Model::new();
    for a in 0..81 {
        for b in 0..a {
            let (r, c, s, d) = (a / 9, a % 9, b / 9, b % 9);
            if r == s || c == d || (r / 3 == s / 3 && c / 3 == d / 3) {
                model = model.observe(&cells[a].differs(&cells[b]), true);
            }
        }
    }
    for (cell, clue) in cells.iter().zip(clues.chars()) {
        if let Some(value) = clue.to_digit(10) {
            model = model.observe(cell, value as u8);
        }
    }
    let found = Frontier::new().compile(&model, &cells).unwrap();
    assert_eq!(found.count().unwrap().to_string(), "1");
    assert!(
        found.largest_frontier() < 200,
        "{}",
        found.largest_frontier()
    );
    let world = found.most_probable().unwrap();
    let row: Vec<u8> = cells[72..]
        .iter()
        .map(|c| world.value(c).unwrap())
        .collect();
    assert_eq!(row, [3, 4, 5, 2, 8, 6, 1, 7, 9]);
}

/// Another order would call a function for values that earlier evidence excludes, so the stated order is kept.
#[test]
fn a_function_that_fails_in_another_order_is_called_in_the_stated_one() {
    let flips = |count: usize| (0..count).map(|_| Flip::new(0.4)).collect::<Vec<_>>();
    let (first, second) = (flips(14), flips(14));
    let (x, y, z) = (Flip::new(0.3), Flip::new(0.6), Flip::new(0.7));
    let mut parity = first[0].clone();
    for flip in &first[1..] {
        parity = (&parity, flip).map(|(parity, flip)| parity ^ flip);
    }
    let fragile = (&x, &z, &first[0]).map(|(x, z, p)| {
        assert!(!(*x && *z), "excluded");
        *z || *p
    });
    let mut model = Model::new()
        .observe(&parity, true)
        .condition(&y, |&y| y)
        .condition(&x.differs(&y), |&differ| differ)
        .condition(&fragile, |&fragile| fragile);
    for (a, b) in first.iter().zip(&second) {
        model = model.condition(&a.or(b), |&either| either);
    }
    let targets = [&x, &z, &first[0], &second[13]];
    let exact = VariableElimination::new().run(&model, targets).unwrap();
    let found = Frontier::new().run(&model, targets).unwrap();
    for target in targets {
        let [p, q] = [&exact, &found].map(|answer| answer.probability(target, &true).unwrap());
        assert!(close(p, q), "{p} {q}");
    }
}

/// The stated order is kept if no other order is predicted to have fewer states.
#[test]
fn a_scan_keeps_its_order() {
    let cells: Vec<_> = (0..64).map(|_| Flip::new(0.5)).collect();
    let runs = fold(&cells, vec![0u8; 8], |seen: &Vec<u8>, &cell| {
        let mut seen = seen.clone();
        seen.rotate_left(1);
        seen[7] = u8::from(cell);
        seen
    });
    let model = Model::new().condition(&runs, |seen| seen.contains(&1));
    let found = Frontier::new().compile(&model, &cells).unwrap();
    assert_eq!(found.largest_frontier(), 256);
    assert!(found.steps().1 > 50, "{:?}", found.steps());
}
