//! Compares boards that Markov chains draw for the library's puzzles with exact laws, and numbers of islands of few cells with numbers of
//! polyominoes.
//!
//! Seeds are fixed, and chains of different seeds are independent. For random seeds, all tests of this file together would give a false alarm with
//! probability `FALSE_ALARM`.

use figrs_infer::Compiled;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use figrs_models::board::{BoardError, ConditionalSampler, Event, Generator, Method};
use figrs_models::chromatic_maze::{ChromaticMaze, ChromaticTile, Endpoint, Hue};
use figrs_models::grid::{Board, Position, Size};
use figrs_models::island::Island;
use figrs_models::variation::goodness_of_fit;
use figrs_models::yin_yang::YinYang;

const FALSE_ALARM: f64 = 1e-6;
/// Number of laws that the tests of this file compare with draws.
const LAWS: f64 = 5.0;
const DRAWS: u64 = 500;

fn size(rows: usize, columns: usize) -> Size {
    Size::new(rows, columns).unwrap()
}

/// Draws four boards for each seed, each from a chain of its own.
fn drawn<G: Generator>(generator: &G) -> impl Iterator<Item = G::Board> {
    (0..DRAWS / 4).flat_map(|seed| {
        let sampler = ConditionalSampler::new().among([Method::Chain]);
        let sample = sampler.seed(seed).sample(generator, 4).unwrap();
        assert!(!sample.report.is_cut && sample.boards.len() == 4);
        sample.boards
    })
}

#[track_caller]
fn follows<K: Hash + Eq>(mut expected: HashMap<K, f64>, drawn: impl Iterator<Item = K>) {
    let total: f64 = expected.values().sum();
    let mut counts: HashMap<K, u64> = HashMap::new();
    for key in drawn {
        *counts.entry(key).or_default() += 1;
    }
    let pairs = counts.into_iter().map(|(key, count)| {
        let weight = expected.remove(&key).expect("what cannot be");
        (count, weight)
    });
    let mut pairs: Vec<(u64, f64)> = pairs.collect();
    pairs.extend(expected.into_values().map(|weight| (0, weight)));
    for (_, weight) in &mut pairs {
        *weight *= DRAWS as f64 / total;
    }
    let fit = goodness_of_fit(&pairs).unwrap();
    assert!(fit.p_value > FALSE_ALARM / LAWS, "{fit:?}");
}

/// Yin-Yang boards that are drawn by moves of the line between the colours are equally likely, with bounds on the colours and without.
#[test]
fn lines_between_colours_follow_the_law() {
    let boards = [
        YinYang::new(size(4, 4)).black(8..=8).unwrap(),
        YinYang::new(size(3, 4)),
    ];
    for boards in boards {
        let exact = ConditionalSampler::new().among([Method::Exact]);
        let exact = exact.exact(&boards).unwrap();
        let count: usize = exact.compiled().count().unwrap().try_into().unwrap();
        let mut counts: HashMap<String, u64> = HashMap::new();
        for board in drawn(&boards) {
            *counts.entry(board.to_string()).or_default() += 1;
        }
        assert!(counts.len() <= count, "{} of {count}", counts.len());
        let mut tally: Vec<u64> = counts.into_values().collect();
        tally.resize(count, 0);
        let share = DRAWS as f64 / count as f64;
        let expected: Vec<(u64, f64)> = tally.into_iter().map(|drawn| (drawn, share)).collect();
        let fit = goodness_of_fit(&expected).unwrap();
        assert!(fit.p_value > FALSE_ALARM / LAWS, "{fit:?}");
    }
}

/// Returns the start, the finish and the number of different colours of a chromatic maze.
fn kind(board: &Board<ChromaticTile>) -> (Position, Position, usize) {
    let mut colours: Vec<Hue> = board.cells().iter().map(|tile| tile.colour).collect();
    colours.sort_unstable_by_key(|&hue| hue as u8);
    colours.dedup();
    (
        board.start().unwrap(),
        board.finish().unwrap(),
        colours.len(),
    )
}

/// Compares chromatic mazes with bounds, with clues and without either with the enumeration of all boards of two by two tiles.
#[test]
fn chromatic_mazes_of_chains_follow_the_law() {
    let all = || ChromaticMaze::new(size(2, 2)).unwrap();
    let clues = || ChromaticMaze::with_clues("R.\n.>".parse().unwrap()).unwrap();
    let mazes = [
        (all(), 1..=3, false),
        (all().steps(2..=3).unwrap(), 2..=3, false),
        (clues().steps(1..=2).unwrap(), 1..=2, true),
    ];
    for (maze, steps, has_clues) in mazes {
        let mut expected = HashMap::new();
        for code in 0..6usize.pow(4) * 16 {
            let (start, finish) = (code % 4, code / 4 % 4);
            let tiles = (0..4).map(|at| ChromaticTile {
                colour: Hue::WHEEL[code / 16 / 6usize.pow(at as u32) % 6],
                end: match at {
                    at if at == start => Some(Endpoint::Start),
                    at if at == finish => Some(Endpoint::Finish),
                    _ => None,
                },
            });
            let board = Board::new(size(2, 2), tiles.collect()).unwrap();
            let is_met = !has_clues || (board.cells()[0].colour == Hue::WHEEL[0] && finish == 3);
            let way = board.solution().map_or(0, |way| way.len() - 1);
            if start != finish && is_met && steps.contains(&way) {
                *expected.entry(kind(&board)).or_default() += 1.0;
            }
        }
        follows(expected, drawn(&maze).map(|board| kind(&board)));
    }
}

/// Draws chromatic mazes with a long solution that are wider than automata can read.
#[test]
fn chromatic_mazes_are_as_wide_as_asked_for() {
    let maze = ChromaticMaze::new(size(18, 20))
        .unwrap()
        .steps(40..=60)
        .unwrap();
    let sample = ConditionalSampler::new().seed(3).sample(&maze, 2).unwrap();
    assert_eq!(sample.report.choice.method, Method::Chain);
    for board in sample.boards {
        assert!((41..=61).contains(&board.solution().unwrap().len()));
    }
}

/// The islands of some number of cells around the centre are the polyominoes with that number of cells, each counted once for each of its cells.
#[test]
fn islands_of_little_land_are_polyominoes() {
    let polyominoes = [1u32, 2, 6, 19, 63, 216, 760];
    for (rows, columns) in [(19, 40), (40, 21)] {
        let mut sum = 0u32;
        for (cells, number) in (1..).zip(polyominoes) {
            sum += cells * number;
            let island = Island::new(size(rows, columns))
                .unwrap()
                .land(0..=cells)
                .unwrap();
            let answers = ConditionalSampler::new().answers(&island).unwrap();
            assert_eq!(answers.method(), Method::Exact);
            assert_eq!(answers.count().unwrap(), sum.into(), "{cells}");
        }
    }
}

/// A chain that is interrupted returns the boards that it has, and reports the interruption.
#[test]
fn interrupted_chains_say_so() {
    let flag = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&flag);
    let sampler = ConditionalSampler::new().among([Method::Chain]);
    let sampler = sampler.interrupt(flag).on_event(move |event| {
        if matches!(event, Event::Swept { sweeps: 30.. }) {
            ends.store(true, Ordering::Release);
        }
    });
    let sample = sampler.sample(&YinYang::new(size(8, 8)), 2).unwrap();
    assert!(sample.report.is_cut);
    assert_eq!(sample.boards.len(), 2);
}

/// If one rule alone excludes all boards with the given clues, the error names the clues.
#[test]
fn chains_name_clues_that_leave_no_board() {
    let rest = format!("{}\n", "?".repeat(20)).repeat(19);
    let text = format!("?#{}\n{rest}", "?".repeat(18));
    let island = Island::with_clues(text.parse().unwrap()).unwrap();
    let error = ConditionalSampler::new()
        .among([Method::Chain])
        .sample(&island, 1);
    let Err(BoardError::NoSolution {
        clues, is_minimal, ..
    }) = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(clues, [Position { row: 0, column: 1 }]);
    assert!(!is_minimal);
}
