//! Compares answers about mazes by the matrix-tree theorem with the exact method and with published numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use figrs_infer::Error;
use figrs_models::board::{BoardError, ConditionalSampler, Event, Method};
use figrs_models::grid::Size;
use figrs_models::maze::{Border, DirectionWeights, PerfectMaze, Pointer};
use proptest::prelude::*;

fn mazes(rows: usize, columns: usize) -> PerfectMaze {
    PerfectMaze::new(Size::new(rows, columns).unwrap())
}

/// Checks that both methods give the same answers to all questions.
fn both_agree(maze: &PerfectMaze, weights: DirectionWeights) -> Result<(), TestCaseError> {
    let by = |method| {
        ConditionalSampler::new()
            .among([method])
            .answers(maze)
            .unwrap()
    };
    let (theorem, exact) = (by(Method::Own("matrix-tree")), by(Method::Exact));
    prop_assert_eq!(theorem.method(), Method::Own("matrix-tree"));
    prop_assert!(theorem.is_possible() && theorem.cost().is_none());
    prop_assert_eq!(theorem.count().unwrap(), exact.count().unwrap());
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + a.abs());
    let logs = (
        theorem.log_probability().unwrap(),
        exact.log_probability().unwrap(),
    );
    prop_assert!(close(logs.0, logs.1), "{:?}", logs);
    let (theorem_best, exact_best) = (
        theorem.most_probable().unwrap(),
        exact.most_probable().unwrap(),
    );
    prop_assert!(
        close(theorem_best.1, exact_best.1),
        "{} {}",
        theorem_best.1,
        exact_best.1
    );
    // The most probable boards of both methods are mazes of the same weight.
    let weight = |pointer: &Pointer| match pointer {
        Pointer::Root => 1.0,
        Pointer::Up => weights.up,
        Pointer::Down => weights.down,
        Pointer::Left => weights.left,
        Pointer::Right => weights.right,
    };
    let log = |cells: &[Pointer]| cells.iter().map(|cell| weight(cell).ln()).sum::<f64>();
    let (one, other) = (log(theorem_best.0.cells()), log(exact_best.0.cells()));
    prop_assert!(close(one, other), "{} {}", one, other);
    prop_assert!(theorem_best.0.solution().is_some());
    for (one, other) in theorem
        .marginals()
        .unwrap()
        .iter()
        .zip(exact.marginals().unwrap())
    {
        prop_assert_eq!(one.len(), other.len());
        for (pointer, p) in one {
            let expected = other.iter().find(|(value, _)| value == pointer);
            let expected = expected.map_or(0.0, |(_, p)| *p);
            prop_assert!(
                (p - expected).abs() < 1e-9,
                "{:?}: {} {}",
                pointer,
                p,
                expected
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_the_exact_method(
        (rows, columns) in (1usize..6, 1usize..5).prop_filter("two rooms", |(r, c)| r * c > 1),
        logs in prop::array::uniform4(-2.0..2.0f64),
        outside in any::<bool>(),
    ) {
        let [up, down, left, right] = logs.map(f64::exp);
        let weights = DirectionWeights { up, down, left, right };
        let border = if outside { Border::Outside } else { Border::Within };
        both_agree(&mazes(rows, columns).weights(weights).unwrap().border(border), weights)?;
    }
}

/// Regression test: with weights that drive walks away from the first room, marginals were computed from differences of large numbers and were wrong.
#[test]
fn marginals_are_right_wherever_the_weights_draw_to() {
    for (rows, columns) in [(3, 6), (6, 3), (4, 4), (1, 7), (2, 10)] {
        for ratio in [1.001, 3.0, 1e2, 1e6, 1e12] {
            for (down, right) in [
                (1.0, ratio),
                (ratio, 1.0),
                (ratio, 1.0 / ratio),
                (ratio, ratio),
            ] {
                let root = |ratio: f64| (ratio.sqrt().recip(), ratio.sqrt());
                let ((up, down), (left, right)) = (root(down), root(right));
                let weights = DirectionWeights {
                    up,
                    down,
                    left,
                    right,
                };
                let maze = mazes(rows, columns).weights(weights).unwrap();
                let by = |method| {
                    let answers = ConditionalSampler::new().among([method]).answers(&maze);
                    answers.unwrap().marginals().unwrap()
                };
                let (theorem, exact) = (by(Method::Own("matrix-tree")), by(Method::Exact));
                for (room, (one, other)) in theorem.iter().zip(&exact).enumerate() {
                    for pointer in Pointer::DIRECTIONS {
                        let of = |all: &[(Pointer, f64)]| {
                            let found = all.iter().find(|(value, _)| *value == pointer);
                            found.map_or(0.0, |(_, p)| *p)
                        };
                        assert!(
                            (of(one) - of(other)).abs() < 1e-9,
                            "{rows} by {columns}, {weights:?}, {room} {pointer:?}: {} {}",
                            of(one),
                            of(other)
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn usual_weights_agree_too() {
    for (rows, columns) in [(1, 1), (1, 5), (5, 1), (4, 4), (3, 6)] {
        for weights in [DirectionWeights::UNIFORM, DirectionWeights::SNAKE] {
            both_agree(&mazes(rows, columns).weights(weights).unwrap(), weights).unwrap();
        }
    }
}

#[test]
fn large_mazes_have_answers() {
    let maze = mazes(100, 100);
    let answers = ConditionalSampler::new().answers(&maze).unwrap();
    let count = answers.count().unwrap().to_string();
    // Independent pointers with equal weights are equally likely, so the number of mazes is the probability of the evidence times the number of
    // choices of pointers.
    let (corners, sides, inside) = (3.0, 4.0 * 98.0, 98.0 * 98.0);
    let choices = corners * 2f64.ln() + sides * 3f64.ln() + inside * 4f64.ln();
    let log = (answers.log_probability().unwrap() + choices) / 10f64.ln();
    let leading: f64 = format!("0.{}", &count[..17]).parse().unwrap();
    assert!(
        (leading.log10() + count.len() as f64 - log).abs() < 1e-8,
        "{log}"
    );
    let snakes = mazes(60, 40).weights(DirectionWeights::SNAKE).unwrap();
    let answers = ConditionalSampler::new().answers(&snakes).unwrap();
    let (board, _) = answers.most_probable().unwrap();
    // The most probable maze has all horizontal passages of all rows.
    assert_eq!(board.horizontal_links(), 60 * 39);
    let marginals = answers.marginals().unwrap();
    // The probabilities of the pointers of each of the 2400 rooms sum to one.
    let sum: f64 = marginals.iter().flatten().map(|(_, p)| p).sum();
    assert!((sum - 2400.0).abs() < 1e-9);
}

#[test]
fn answers_keep_to_memory_and_can_be_ended() {
    let maze = mazes(30, 40);
    let small = ConditionalSampler::new().memory(1 << 10);
    let error = small.answers(&maze).unwrap().marginals().unwrap_err();
    assert!(
        matches!(
            error,
            BoardError::TooLarge {
                method: Method::Own("matrix-tree"),
                predicted: Some(_),
                ..
            }
        ),
        "{error}"
    );
    let flag = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&flag);
    let ended = ConditionalSampler::new()
        .interrupt(flag)
        .on_event(move |event| {
            if matches!(event, Event::Computed { steps: 3, .. }) {
                stop.store(true, Ordering::Relaxed);
            }
        });
    let error = ended.answers(&maze).unwrap().count().unwrap_err();
    assert!(
        matches!(error, BoardError::Inference(Error::NothingDone { .. })),
        "{error}"
    );
    let none = ConditionalSampler::new().among([Method::Chain]);
    let error = none.answers(&maze).unwrap_err();
    assert!(matches!(error, BoardError::NoMethod), "{error}");
}
