//! Tests of the guarantees of a Metropolis-Hastings step without sampling error: the exact transition matrix leaves the exact posterior invariant,
//! and kernels with a mistake do not.

use std::cell::Cell;

use figrs_core::{
    Chain, Constant, Element, Flip, If, Model, Normal, Parents, Select, StandardDeviation, Uniform,
    rand::RngExt, stream,
};
use figrs_infer::internals::{AcceptanceTerms, Proposals};
use figrs_infer::{Enumerate, MetropolisHastings, Move, Run};
use figrs_tests::every_step::{Worlds, drift, is_irreducible};
use figrs_tests::random_model::{Built, Description, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

const WORLDS: usize = 40;
const DECISIONS: usize = 4000;
/// Tolerance for rounding errors only.
const EXACT: f64 = 1e-12;
/// Discrepancy that counts as a detected mistake.
const WRONG: f64 = 1e-6;

type Checked = Result<(), TestCaseError>;

fn failed(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

fn worlds(built: &Built) -> Result<Option<Worlds>, TestCaseError> {
    Worlds::new(&built.model, &built.erased(), WORLDS).map_err(failed)
}

/// Checks that the worlds among which steps move are those of the model, with their probabilities.
fn worlds_are_those_of_the_model(built: &Built, worlds: &Worlds) -> Checked {
    let exact = Enumerate::new().run(&built.model, built.erased());
    let exact = exact.map_err(failed)?;
    for (position, target) in built.targets.iter().enumerate() {
        let mut sums = [0.0; 8];
        for world in 0..worlds.len() {
            sums[target.code(worlds.target(world, position)) as usize] += worlds.posterior[world];
        }
        let right = target.probabilities(&exact).map_err(failed)?;
        for (code, (p, q)) in sums.iter().zip(right).enumerate() {
            prop_assert!(
                (p - q).abs() < 1e-10,
                "target {position}, {code}: {p}, not {q}"
            );
        }
    }
    Ok(())
}

#[test]
fn the_posterior_is_stationary() {
    let (checked, large, connected) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let count = |cell: &Cell<u32>| cell.set(cell.get() + 1);
    let property = |description: &Description| -> Checked {
        let built = build(description);
        let Some(mut worlds) = worlds(&built)? else {
            return Ok(());
        };
        worlds_are_those_of_the_model(&built, &worlds)?;
        let kernel = Proposals::new();
        let matrix = worlds.matrix(&kernel, AcceptanceTerms::log_acceptance, DECISIONS);
        let Some(matrix) = matrix.map_err(failed)? else {
            return Ok(());
        };
        count(&checked);
        if worlds.len() >= 8 {
            count(&large);
        }
        if is_irreducible(&matrix) {
            count(&connected);
        }
        let drift = drift(&worlds.posterior, &matrix);
        prop_assert!(drift < EXACT, "a step changes a probability by {drift}");
        worlds
            .walk(&kernel, &mut stream(5, u64::from(checked.get())), 40)
            .map_err(failed)
    };
    for_random_models(2000, 21, property);
    let (checked, large, connected) = (checked.get(), large.get(), connected.get());
    println!("{checked} models, {large} of eight worlds or more, {connected} irreducible");
    assert!(checked > 650 && large > 120 && connected > checked / 2);
}

/// Returns a model in which each mistake has an effect: branches that differ in size, evidence, a shared element.
fn branches() -> (Model, Vec<Element<u32>>) {
    let size = Select::new([(0.5, 0_u32), (0.3, 1), (0.2, 2)]);
    let shared = Flip::new(0.35);
    let own = shared.clone();
    let total = size.flat_map(move |&n| match n {
        0 => Constant::new(0),
        1 => Select::new([(0.6, 0), (0.4, 1)]),
        _ => {
            let (a, b) = (Flip::new(0.3), Flip::new(0.8));
            Chain::new((&own, &a, &b), |(&s, &a, &b)| {
                let n = u32::from(s) + u32::from(a) + u32::from(b);
                If::new(&Flip::new(0.4), Constant::new(n), Uniform::new([0, 1, 2]))
            })
        }
    });
    let seen = (&total, &shared)
        .flat_map(|(&n, &s)| Flip::new(0.2 + 0.15 * f64::from(n) + if s { 0.3 } else { 0.0 }));
    let model = Model::new()
        .observe(&seen, true)
        .weigh(&size, |&n| 1.0 + f64::from(n));
    (model, vec![size, total])
}

/// Returns the next state of a walk on three values that goes up more often than down.
fn up(from: u32) -> Element<u32> {
    Select::new([(0.7, (from + 1) % 3), (0.2, (from + 2) % 3), (0.1, from)])
}

fn asymmetric() -> (Model, Vec<Element<u32>>) {
    let x = Select::new([(0.5, 0_u32), (0.3, 1), (0.2, 2)]);
    let seen = x.flat_map(|&n| Flip::new(0.2 + 0.3 * f64::from(n)));
    (Model::new().observe(&seen, true), vec![x])
}

fn drift_of(
    (model, targets): (Model, Vec<Element<u32>>),
    proposals: impl FnOnce(&[Element<u32>]) -> Proposals,
    log_acceptance: fn(&AcceptanceTerms) -> f64,
) -> f64 {
    let erased: Vec<_> = targets.iter().map(|t| t.erased().clone()).collect();
    let mut worlds = Worlds::new(&model, &erased, 200).unwrap().unwrap();
    let matrix = worlds.matrix(&proposals(&targets), log_acceptance, 100_000);
    let matrix = matrix.unwrap().unwrap();
    assert!(is_irreducible(&matrix));
    drift(&worlds.posterior, &matrix)
}

#[test]
fn proposals_of_the_users_own_are_weighed() {
    let own = |elements: &[Element<u32>]| {
        let mut proposals = Proposals::new();
        proposals.set(&elements[0], |&from| up(from));
        proposals
    };
    assert!(drift_of(asymmetric(), own, AcceptanceTerms::log_acceptance) < EXACT);
    assert!(drift_of(branches(), own, AcceptanceTerms::log_acceptance) < EXACT);
    let with_block = |elements: &[Element<u32>]| {
        let mut proposals = own(elements);
        proposals.add_block(&elements[0]);
        proposals
    };
    assert!(drift_of(branches(), with_block, AcceptanceTerms::log_acceptance) < EXACT);
}

/// A typical mistake in the acceptance probability: its name, and the ratio that the faulty kernel uses instead.
type Mistake = (&'static str, fn(&AcceptanceTerms) -> f64);

const MISTAKES: [Mistake; 5] = [
    ("everything is accepted", |_| 0.0),
    ("the prior is counted twice", |t| {
        t.log_acceptance() + t.change.prior
    }),
    ("the number of choices is left out", |t| {
        t.log_acceptance() - (t.picks.0 as f64 / t.picks.1 as f64).ln()
    }),
    (
        "the choices of branches are not weighed as proposals",
        |t| t.log_acceptance() - t.change.removed + t.change.added,
    ),
    ("the probability of proposals is left out", |t| {
        t.log_acceptance() - t.backward + t.forward
    }),
];

#[test]
fn mistakes_are_found() {
    let own = |elements: &[Element<u32>]| {
        let mut proposals = Proposals::new();
        proposals.set(&elements[0], |&from| up(from));
        proposals
    };
    for (name, mistaken) in MISTAKES {
        let drift = drift_of(branches(), own, mistaken);
        println!("{name}: {drift:.2e}");
        assert!(drift > WRONG, "{name} is not found: {drift}");
    }
}

/// The check of random models would have detected each of the mistakes, most of them many times.
#[test]
fn mistakes_are_found_in_random_models() {
    let found = MISTAKES.map(|_| Cell::new(0));
    for_random_models(250, 22, |description| {
        let built = build(description);
        let Some(mut worlds) = worlds(&built)? else {
            return Ok(());
        };
        for ((_, mistaken), found) in MISTAKES.iter().zip(&found) {
            let matrix = worlds.matrix(&Proposals::new(), *mistaken, DECISIONS);
            if let Some(matrix) = matrix.map_err(failed)? {
                let wrong = drift(&worlds.posterior, &matrix) > WRONG;
                found.set(found.get() + u32::from(wrong));
            }
        }
        Ok(())
    });
    for ((name, _), found) in MISTAKES.iter().zip(&found) {
        println!("{name}: in {} models", found.get());
        assert!(found.get() > 2, "{name}: found in {} models", found.get());
    }
}

/// If evidence fixes the number of true values among some choices, single steps cannot change anything. A kernel that has detected this changes pairs
/// of choices such that the number stays the same; it is as exact, and reaches all worlds.
#[test]
fn pairs_of_stuck_choices_connect_worlds_and_leave_the_posterior() {
    let coins = [0.1, 0.45, 0.3, 0.8].map(Flip::new);
    let dial = Select::new([(0.5, 0_u32), (0.3, 1), (0.2, 2)]);
    let count = coins.iter().fold(Constant::new(0_u32), |count, coin| {
        (&count, coin).map(|(n, &b)| n + u32::from(b))
    });
    let total = (&count, &dial).map(|(n, d)| n + d);
    let seen = dial.flat_map(|&d| Flip::new(0.3 + 0.2 * f64::from(d)));
    let model = Model::new().observe(&total, 2).observe(&seen, true);
    let mut targets: Vec<_> = coins.iter().map(|coin| coin.erased().clone()).collect();
    targets.push(dial.erased().clone());
    let mut worlds = Worlds::new(&model, &targets, 100).unwrap().unwrap();
    let proposals = Proposals::new();
    let alone = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 1000);
    assert!(!is_irreducible(&alone.unwrap().unwrap()));
    let mut kernel = worlds.adapted(&proposals, &mut stream(1, 0), 400).unwrap();
    let adapted = worlds.matrix_of(&mut kernel, AcceptanceTerms::log_acceptance, 10_000);
    let adapted = adapted.unwrap().unwrap();
    assert!(is_irreducible(&adapted) && drift(&worlds.posterior, &adapted) < EXACT);
    let unweighed = |t: &AcceptanceTerms| t.log_acceptance() - t.backward + t.forward;
    let matrix = worlds.matrix_of(&mut kernel, unweighed, 10_000);
    assert!(drift(&worlds.posterior, &matrix.unwrap().unwrap()) > WRONG);
}

/// Integers that are far apart are changed by random-walk steps of either sign.
#[test]
fn walks_of_integers_leave_the_posterior() {
    let n = Uniform::new(0..24_u32);
    let seen = n.flat_map(|&n| Flip::new(0.02 + 0.04 * f64::from(n)));
    let model = Model::new().observe(&seen, true);
    let mut worlds = Worlds::new(&model, &[n.erased().clone()], 100)
        .unwrap()
        .unwrap();
    let proposals = Proposals::new();
    let mut kernel = worlds.adapted(&proposals, &mut stream(2, 0), 100).unwrap();
    let fresh = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 10_000);
    let adapted = worlds.matrix_of(&mut kernel, AcceptanceTerms::log_acceptance, 10_000);
    for matrix in [&fresh, &adapted] {
        let matrix = matrix.as_ref().unwrap().as_ref().unwrap();
        assert!(is_irreducible(matrix) && drift(&worlds.posterior, matrix) < EXACT);
    }
    // A neighbouring value is reached more often than by draws from the prior alone.
    assert!(fresh.unwrap().unwrap()[12][13] > 1.1 / 24.0);
}

/// Two elements must change together: single steps do not connect the worlds, but a block does.
#[test]
fn blocks_connect_worlds() {
    let (a, b) = (Flip::new(0.3), Flip::new(0.6));
    let model = Model::new().condition(&a.equals(&b), |&same| same);
    let targets = [a.erased().clone(), b.erased().clone()];
    let mut worlds = Worlds::new(&model, &targets, 10).unwrap().unwrap();
    let mut proposals = Proposals::new();
    let alone = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 1000);
    let alone = alone.unwrap().unwrap();
    assert!(!is_irreducible(&alone) && drift(&worlds.posterior, &alone) < EXACT);
    proposals.add_block((&a, &b));
    let together = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 1000);
    let together = together.unwrap().unwrap();
    assert!(is_irreducible(&together) && drift(&worlds.posterior, &together) < EXACT);
}

/// If the test is true and its two readings are false, no single step leads to another world; this is conformance case `mh_two_conditions`.
#[test]
fn a_block_connects_the_worlds_of_two_conditions() {
    let (test, then) = (Flip::new(0.3), Flip::new(0.8));
    let (otherwise, other) = (Flip::new(0.4), Flip::new(0.6));
    let chosen = If::new(&test, &then, &otherwise);
    let same = chosen.equals(&other);
    let model = Model::new().observe(&otherwise, true).observe(&same, true);
    let targets = [test.erased().clone()];
    let mut worlds = Worlds::new(&model, &targets, 10).unwrap().unwrap();
    let mut proposals = Proposals::new();
    let alone = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 1000);
    assert!(!is_irreducible(&alone.unwrap().unwrap()));
    proposals.add_block((&then, &other));
    let together = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 1000);
    let together = together.unwrap().unwrap();
    assert!(is_irreducible(&together) && drift(&worlds.posterior, &together) < EXACT);
    let is_true = |&world: &usize| worlds.target(world, 0).get() == Some(&true);
    let p: f64 = (0..worlds.len())
        .filter(is_true)
        .map(|world| worlds.posterior[world])
        .sum();
    assert!((p - 2.0 / 7.0).abs() < EXACT, "{p}");
}

/// Returns the largest difference between the flows from a world to another and back.
fn imbalance(posterior: &[f64], matrix: &[Vec<f64>]) -> f64 {
    let mut largest: f64 = 0.0;
    for from in 0..matrix.len() {
        for to in 0..from {
            let there = posterior[from] * matrix[from][to];
            largest = largest.max((there - posterior[to] * matrix[to][from]).abs());
        }
    }
    largest
}

/// Two dials with evidence about both; the second dial is read by a branch that has choices of its own.
fn dials() -> (Model, [Element<u32>; 2]) {
    let x = Select::new([(0.5, 0_u32), (0.3, 1), (0.2, 2)]);
    let y = x.flat_map(|&x| Select::new([(0.2 + 0.1 * f64::from(x), 0_u32), (0.3, 1), (0.1, 2)]));
    let further = y.flat_map(|&y| {
        if y == 0 {
            Constant::new(0)
        } else {
            Uniform::new(0..=y)
        }
    });
    let seen = (&x, &further)
        .flat_map(|(&x, &n)| Flip::new(0.1 + 0.25 * f64::from(x) + 0.15 * f64::from(n)));
    let model = Model::new()
        .observe(&seen, true)
        .weigh(&y, |&y| 1.0 + f64::from(y));
    (model, [x, y])
}

/// A table of random weights of three values for each pair of values.
fn random_table(number: u64) -> impl Fn(u32, u32) -> Vec<f64> + Clone + Send + Sync + 'static {
    move |a, b| {
        let mut random = stream(31, 9 * number + u64::from(3 * a + b));
        (0..3).map(|_| 0.05 + random.random::<f64>()).collect()
    }
}

fn from_table(
    table: impl Fn(u32, u32) -> Vec<f64> + Clone + Send + Sync + 'static,
) -> impl Fn((&u32, &u32)) -> Element<u32> + Clone + Send + Sync + 'static {
    move |(&a, &b)| Select::new(table(a, b).into_iter().zip(0..3))
}

/// Checks that a kernel with a move is in detailed balance with the posterior, and that a kernel without the probabilities of the move is not.
fn check_move(name: &str, (model, targets): (&Model, &[Element<u32>]), one: &Move) {
    let erased: Vec<_> = targets.iter().map(|t| t.erased().clone()).collect();
    let mut worlds = Worlds::new(model, &erased, 200).unwrap().unwrap();
    let mut proposals = Proposals::new();
    proposals.add_move(one.clone());
    let matrix = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 400_000);
    let matrix = matrix.unwrap().unwrap();
    let (drift, imbalance) = (
        drift(&worlds.posterior, &matrix),
        imbalance(&worlds.posterior, &matrix),
    );
    assert!(
        drift < EXACT && imbalance < EXACT,
        "{name}: {drift} {imbalance}"
    );
    let unweighed = |t: &AcceptanceTerms| t.log_acceptance() - t.backward + t.forward;
    let wrong = worlds
        .matrix(&proposals, unweighed, 400_000)
        .unwrap()
        .unwrap();
    assert!(self::imbalance(&worlds.posterior, &wrong) > WRONG, "{name}");
    worlds.walk(&proposals, &mut stream(3, 0), 60).unwrap();
}

#[test]
fn moves_are_in_detailed_balance() {
    for number in 0..3 {
        let (model, [x, y]) = dials();
        let question = (&model, &[x.clone(), y.clone()][..]);
        let [first, second, third, weights] = [0, 1, 2, 3].map(|i| random_table(4 * number + i));
        let draw_x = Move::draw(&x, &(&x, &y).flat_map(from_table(first)));
        let draw_y = Move::draw(&y, &(&x, &y).flat_map(from_table(second)));
        check_move("draw", question, &draw_x);
        // The second draw reads the new value of the first, also through a function.
        let sum = (&x, &y).map(|(x, y)| (x + y) % 3);
        let reading = Move::draw(&y, &(&sum, &x).flat_map(from_table(third)));
        check_move("chain", question, &draw_x.clone().then(reading.clone()));
        // Each of two moves undoes the other; another moves both elements.
        let step = |by: u32| {
            Move::draw(
                &x,
                &x.map(move |x| (x + by) % 3)
                    .flat_map(|&to| Select::new([(1.0, to)])),
            )
        };
        let either = Move::choose([
            (0.3, step(1)),
            (0.5, step(2)),
            (0.2, draw_x.clone().then(draw_y.clone())),
        ]);
        check_move("choice", question, &either);
        // Weights read the world, within a sequence and at its beginning.
        let of_world = (&x, &y).map(move |(&x, &y)| weights(x, y));
        let by_world = Move::choose_by(&of_world, [draw_y.clone(), reading, step(1).then(draw_y)]);
        check_move("weights", question, &by_world);
        let nothing = x.map(|&x| vec![f64::from(u8::from(x == 1)), 0.0]);
        let sometimes = Move::choose_by(&nothing, [draw_x, step(2)]);
        check_move("zeros", question, &step(1).then(Move::draw(&y, &y)));
        let erased = [x.erased().clone(), y.erased().clone()];
        let mut worlds = Worlds::new(&model, &erased, 200).unwrap().unwrap();
        let mut proposals = Proposals::new();
        proposals.add_move(sometimes);
        let matrix = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 400_000);
        assert!(imbalance(&worlds.posterior, &matrix.unwrap().unwrap()) < EXACT);
    }
}

/// Moves of one step connect worlds that no single step connects.
#[test]
fn moves_connect_worlds() {
    let (a, b) = (Flip::new(0.3), Flip::new(0.6));
    let model = Model::new().condition(&a.equals(&b), |&same| same);
    let targets = [a.erased().clone(), b.erased().clone()];
    let mut worlds = Worlds::new(&model, &targets, 10).unwrap().unwrap();
    let mut proposals = Proposals::new();
    let follow = a.flat_map(|&a| Flip::new(if a { 1.0 } else { 0.0 }));
    proposals.add_move(Move::draw(&a, &a).then(Move::draw(&b, &follow)));
    let together = worlds.matrix(&proposals, AcceptanceTerms::log_acceptance, 1000);
    let together = together.unwrap().unwrap();
    assert!(is_irreducible(&together) && drift(&worlds.posterior, &together) < EXACT);
}

#[test]
fn wrong_moves_are_errors() {
    let (x, y) = (
        Normal::new(0.0, StandardDeviation(1.0)),
        Uniform::new([0.0, 1.0]),
    );
    let model = Model::new()
        .weigh(&x, |x| (-x * x).exp())
        .weigh(&y, |y| 1.0 + y);
    let seen = Flip::new(0.5);
    let model = model.observe(&seen, true);
    let walk = || Move::draw(&x, &x.flat_map(|&x| Normal::new(x, StandardDeviation(0.5))));
    let prior = || Move::draw(&x, &x);
    let cases: [(Move, &str); 9] = [
        (
            walk().then(Move::draw(&seen, &seen)),
            "leave this element out of the moves, because its value is observed",
        ),
        (walk().then(walk()), "let each element move once in a step"),
        (
            Move::choose([(-1.0, walk()), (2.0, prior())]),
            "one weight, which is finite and not negative",
        ),
        (
            Move::choose([(0.0, walk())]),
            "at least one move a positive weight",
        ),
        (
            Move::choose([(f64::NAN, walk())]),
            "one weight, which is finite and not negative",
        ),
        (
            Move::choose_by(&y.map(|y| vec![*y]), [walk(), prior()]),
            "] for 2 moves",
        ),
        (
            Move::draw(&x, &x.flat_map(|&x| Uniform::new([2.0 * x, x / 2.0]))),
            "draw a continuous element from a density",
        ),
        (
            Move::draw(&x, &y.map(|y| *y)),
            "draw from an atomic element",
        ),
        (
            Move::draw(
                &x,
                &x.flat_map(|_| Normal::new(0.0, StandardDeviation(-1.0))),
            ),
            "-1",
        ),
    ];
    for (one, message) in cases {
        let error = MetropolisHastings::new(200)
            .with_move(one.clone())
            .run(&model, (&x, &y));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let sampler = MetropolisHastings::new(3000)
        .seed(3)
        .with_move(walk())
        .with_move(prior());
    let answer = sampler.run(&model, &x).unwrap();
    let variance = answer.variance(&x).unwrap();
    assert!((variance - 1.0 / 3.0).abs() < 0.06, "{variance}");
}
