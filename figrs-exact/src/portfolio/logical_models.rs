//! Tests with large logical models (models with many zeros): puzzles, diagnoses, plans, and paths in graphs.

use figrs_core::{Constant, Element, Flip, Model, Parents, Uniform, fold};

use super::Exact;
use crate::variable_elimination::VariableElimination;
use figrs_answer::algorithm::Run;
use figrs_factor::algebra::Counting;

/// A generator of pseudo-random numbers; its field contains the state from which the next number is computed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn share(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }
}

fn assert_close(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(error <= 1e-9 * (1.0 + expected.abs()), "{found} {expected}");
}

/// Returns a model of a generalised Sudoku with the cells `known`; its blocks have `rows` rows and `columns` columns.
fn sudoku(rows: usize, columns: usize, known: &[Option<usize>]) -> (Model, Vec<Element<usize>>) {
    let n = rows * columns;
    let cells: Vec<Element<usize>> = (0..n * n).map(|_| Uniform::new(0..n)).collect();
    let place = |i: usize| {
        let (row, column) = (i / n, i % n);
        [row, column, row / rows * rows + column / columns]
    };
    let mut model = Model::new();
    for i in 0..n * n {
        for j in 0..i {
            if place(i).iter().zip(place(j)).any(|(&a, b)| a == b) {
                model = model.observe(&cells[i].equals(&cells[j]), false);
            }
        }
    }
    for (cell, value) in cells.iter().zip(known) {
        if let Some(value) = *value {
            model = model.observe(cell, value);
        }
    }
    (model, cells)
}

/// Returns the number of valid completions of the Sudoku `cells`.
fn fillings(rows: usize, columns: usize, cells: &mut [Option<usize>]) -> u64 {
    let n = rows * columns;
    let Some(i) = cells.iter().position(Option::is_none) else {
        return 1;
    };
    let sees = |j: usize| {
        let block = |k: usize| (k / n / rows, k % n / columns);
        i / n == j / n || i % n == j % n || block(i) == block(j)
    };
    let seen: Vec<usize> = (0..n * n)
        .filter(|&j| sees(j))
        .filter_map(|j| cells[j])
        .collect();
    let mut count = 0;
    for value in (0..n).filter(|value| !seen.contains(value)) {
        cells[i] = Some(value);
        count += fillings(rows, columns, cells);
    }
    cells[i] = None;
    count
}

#[test]
fn sudokus_are_counted() {
    let (model, cells) = sudoku(2, 2, &[]);
    let (count, _) = Exact::new().count(&model, &cells).unwrap();
    assert_eq!(count.to_string(), "288");
    // The test removes the values of some cells of a valid Sudoku.
    let mut draws = Draws(5);
    let square = |i: usize| (i / 9 % 3 * 3 + i / 27 + i % 9) % 9;
    let mut known: Vec<Option<usize>> = (0..81).map(|i| Some(square(i))).collect();
    for _ in 0..56 {
        known[draws.below(81)] = None;
    }
    let expected = fillings(3, 3, &mut known);
    let (model, cells) = sudoku(3, 3, &known);
    let (count, choice) = Exact::new().count(&model, &cells).unwrap();
    assert_eq!(count.to_string(), expected.to_string(), "{choice}");
    assert!(expected > 1);
}

/// Returns a noisy-or network in which the first `shown` findings are present and the other findings absent, and the logarithm of
/// the probability of these findings.
fn diagnosis(ills: usize, findings: usize, shown: usize) -> (Model, Vec<Element<bool>>, f64) {
    const CAUSES: usize = 4;
    let mut draws = Draws(3);
    let priors: Vec<f64> = (0..ills).map(|_| 0.1 + 0.3 * draws.share()).collect();
    let ill: Vec<Element<bool>> = priors.iter().map(|&p| Flip::new(p)).collect();
    let leak = 0.01;
    let (mut model, mut links) = (Model::new(), Vec::new());
    for finding in 0..findings {
        let mut own: Vec<(usize, f64)> = Vec::new();
        while own.len() < CAUSES {
            let cause = draws.below(ills);
            if own.iter().all(|link| link.0 != cause) {
                own.push((cause, 0.2 + 0.7 * draws.share()));
            }
        }
        let causes = own.iter().map(|&(cause, p)| ill[cause].and(&Flip::new(p)));
        let causes: Vec<Element<bool>> = causes.chain([Flip::new(leak)]).collect();
        let shows = fold(&causes, false, |&any, &cause| any || cause);
        model = model.observe(&shows, finding < shown);
        links.push(own);
    }
    // The probability is computed by inclusion and exclusion over the present findings (Quickscore, Heckerman 1989). The more findings are present,
    // the more digits are lost by cancellation.
    let mut total = 0.0;
    for set in 0..1_u32 << shown {
        let is_out = |finding: usize| finding >= shown || set >> finding & 1 == 1;
        let out: Vec<&Vec<(usize, f64)>> = (0..findings)
            .filter(|&f| is_out(f))
            .map(|f| &links[f])
            .collect();
        let mut product: f64 = out.iter().map(|_| 1.0 - leak).product();
        for (cause, prior) in priors.iter().enumerate() {
            let own = out
                .iter()
                .flat_map(|links| links.iter())
                .filter(|link| link.0 == cause);
            let none: f64 = own.map(|link| 1.0 - link.1).product();
            product *= 1.0 - prior + prior * none;
        }
        let sign = if set.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        total += sign * product;
    }
    (model, ill, total.ln())
}

#[test]
fn diagnoses_are_those_of_quickscore() {
    for (ills, findings, shown) in [(6, 8, 3), (20, 40, 4), (40, 80, 4)] {
        let (model, ill, expected) = diagnosis(ills, findings, shown);
        let answer = Exact::new().run(&model, &ill).unwrap();
        assert_close(answer.log_evidence().unwrap().value, expected);
    }
}

/// Returns a planning model: packages are carried through a row of rooms, and each step moves one package one room further.
fn delivery(packages: usize, rooms: usize, steps: usize) -> (Model, Vec<Element<usize>>) {
    let moves: Vec<Element<usize>> = (0..steps).map(|_| Uniform::new(0..packages)).collect();
    let mut places: Vec<Element<usize>> = (0..packages).map(|_| Constant::new(0)).collect();
    for moved in &moves {
        let go = |(package, place): (usize, &Element<usize>)| {
            (moved, place).map(move |(&moved, &place)| {
                if moved == package {
                    (place + 1).min(rooms - 1)
                } else {
                    place
                }
            })
        };
        places = places.iter().enumerate().map(go).collect();
    }
    let arrived = |model: Model, place: &Element<usize>| model.observe(place, rooms - 1);
    (places.iter().fold(Model::new(), arrived), moves)
}

/// Returns the number of sequences of `steps` steps in which each package is moved at least `least` times.
fn deliveries(packages: usize, least: usize, steps: usize) -> f64 {
    let binomial = |n: usize, k: usize| {
        (0..k)
            .map(|i| (n - i) as f64 / (i + 1) as f64)
            .product::<f64>()
    };
    let mut ways = vec![0.0; steps + 1];
    ways[0] = 1.0;
    for _ in 0..packages {
        let with = |all: usize| -> f64 {
            let of = |own: usize| binomial(all, own) * ways[all - own];
            (least..=all).map(of).sum()
        };
        ways = (0..=steps).map(with).collect();
    }
    ways[steps]
}

#[test]
fn plans_with_many_objects_are_counted() {
    for (packages, rooms, steps) in [(2, 2, 3), (3, 3, 8), (8, 2, 12), (10, 2, 10)] {
        let (model, moves) = delivery(packages, rooms, steps);
        let (count, choice) = Exact::new().count(&model, &moves).unwrap();
        let count: f64 = count.to_string().parse().unwrap();
        let expected = deliveries(packages, rooms - 1, steps);
        assert!(
            (count / expected - 1.0).abs() < 1e-12,
            "{count} {expected} {choice}"
        );
    }
}

/// Returns a model of bond percolation, in which each bond of a grid is open with probability one half. The first result is an element that is true
/// if open bonds connect the left side with the right side; the second result has the elements of the bonds. Because the grid contains cycles,
/// reachability is computed in rounds, one for each site of the grid.
fn crossing(rows: usize, columns: usize) -> (Element<bool>, Vec<Element<bool>>) {
    let n = rows * columns;
    let right = (0..n)
        .filter(|i| i % columns + 1 < columns)
        .map(|i| (i, i + 1));
    let down = (0..n - columns).map(|i| (i, i + columns));
    let bonds: Vec<(usize, usize)> = right.chain(down).collect();
    let open: Vec<Element<bool>> = bonds.iter().map(|_| Flip::new(0.5)).collect();
    let mut reached: Vec<Element<bool>> = (0..n).map(|i| Constant::new(i % columns == 0)).collect();
    for _ in 0..n - rows {
        let mut next = reached.clone();
        for (&(a, b), open) in bonds.iter().zip(&open) {
            next[a] = next[a].or(&reached[b].and(open));
            next[b] = next[b].or(&reached[a].and(open));
        }
        reached = next;
    }
    let last: Vec<Element<bool>> = reached
        .into_iter()
        .skip(columns - 1)
        .step_by(columns)
        .collect();
    (fold(&last, false, |&any, &reached| any || reached), open)
}

#[test]
fn ways_in_circles_are_found() {
    // Open bonds cross a rectangle that is one site longer than wide with probability one half, because they cross exactly one of the rectangle and
    // its dual, which has the same shape.
    for rows in [1, 2, 3] {
        let (crosses, open) = crossing(rows, rows + 1);
        let model = Model::new().observe(&crosses, true);
        let answer = Exact::new().run(&model, ()).unwrap();
        assert_close(answer.log_evidence().unwrap().value, 0.5_f64.ln());
        if rows < 3 {
            let counted = VariableElimination::new()
                .total::<Counting>(&model, &open)
                .unwrap();
            let (count, _) = Exact::new().count(&model, &open).unwrap();
            assert_eq!(count, counted.values[0]);
        }
    }
}
