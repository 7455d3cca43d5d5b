//! Tests each method on a puzzle that a user could have written: the laws of its boards, the chosen methods with their reasons, and errors.
//!
//! Seeds are fixed. For random seeds, all tests of this file together would give a false alarm with probability `FALSE_ALARM`.

mod interrupts;
mod orchard;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use figrs_infer::{Compiled, Error};
use figrs_models::board::{
    BoardError, ConditionalSampler, Event, Generator, Method, MethodChoice, Reason,
};
use figrs_models::dungeon::Dungeon;
use figrs_models::grid::{GridError, Position, Size};
use figrs_models::maze::PerfectMaze;
use figrs_models::variation::goodness_of_fit;

use orchard::{Chains, Everything, Orchard, Own, orchard};

const FALSE_ALARM: f64 = 1e-6;
/// Number of laws that the tests of this file compare with draws.
const LAWS: f64 = 12.0;
const DRAWS: usize = 3000;
/// A number of boards larger than rejection draws in the first round.
const WIDE_DRAWS: usize = 20_000;

/// Draws boards, and compares their law with the enumeration of all boards. Returns the method that drew them and the reason for its choice.
#[track_caller]
fn law(orchard: &Orchard, sampler: ConditionalSampler) -> (Method, Reason) {
    law_of(DRAWS, orchard, sampler)
}

#[track_caller]
fn law_of(draws: usize, orchard: &Orchard, sampler: ConditionalSampler) -> (Method, Reason) {
    let sample = sampler.seed(11).sample(orchard, draws).unwrap();
    assert_eq!(sample.boards.len(), draws);
    follow_the_law(orchard, &sample.boards);
    let choice = sample.report.choice;
    (choice.method, choice.reason)
}

/// Compares the law of independent draws with the enumeration of all boards.
#[track_caller]
fn follow_the_law(orchard: &Orchard, drawn: &[Vec<bool>]) {
    let mut counts = HashMap::<&Vec<bool>, u64>::new();
    for board in drawn {
        *counts.entry(board).or_default() += 1;
    }
    let draws = drawn.len();
    let cells = orchard.size.cells();
    let all = (0..1u32 << cells).map(|bits| (0..cells).map(|cell| bits >> cell & 1 == 1).collect());
    let boards: Vec<(Vec<bool>, f64)> = all
        .filter(|board: &Vec<bool>| orchard.follows_the_rules(board) && orchard.meets(board))
        .map(|board| {
            let trees = board.iter().filter(|&&tree| tree).count();
            let weight = 0.4f64.powf(trees as f64) * 0.6f64.powf((cells - trees) as f64);
            (board, weight)
        })
        .collect();
    let total: f64 = boards.iter().map(|(_, weight)| weight).sum();
    let expected: Vec<(u64, f64)> = boards
        .iter()
        .map(|(board, weight)| {
            let drawn = counts.remove(board).unwrap_or(0);
            (drawn, draws as f64 * weight / total)
        })
        .collect();
    assert!(counts.is_empty(), "what cannot be: {counts:?}");
    let fit = goodness_of_fit(&expected).unwrap();
    assert!(fit.p_value > FALSE_ALARM / LAWS, "{fit:?}");
}

/// Chains of different seeds are independent, so one board is taken from each.
#[test]
fn chains_tend_to_the_law() {
    for chains in [Chains::Anywhere, Chains::Trees] {
        let orchard = Orchard {
            chains: Some(chains),
            ..orchard()
        };
        let chain = |seed| {
            let sampler = ConditionalSampler::new().seed(seed);
            let sample = sampler.among([Method::Chain]).sample(&orchard, 1).unwrap();
            assert_eq!(sample.report.choice.method, Method::Chain);
            assert!(sample.report.diagnostics[0].1 < 1.06, "{:?}", sample.report);
            sample.boards.into_iter().next().unwrap()
        };
        let drawn: Vec<Vec<bool>> = (0..DRAWS as u64 / 10).map(chain).collect();
        follow_the_law(&orchard, &drawn);
    }
}

#[test]
fn chains_draw_boards_of_any_size_and_say_so() {
    let large = Orchard {
        size: Size::new(10, 10).unwrap(),
        least: 24,
        has_elements: false,
        chains: Some(Chains::Anywhere),
        clues: vec![(Position { row: 3, column: 7 }, true)],
        ..orchard()
    };
    let sample = ConditionalSampler::new().sample(&large, 4).unwrap();
    assert_eq!(sample.report.choice.method, Method::Chain);
    assert_eq!(sample.report.choice.reason, Reason::NoElements);
    let names: Vec<&str> = sample
        .report
        .diagnostics
        .iter()
        .map(|(name, _)| *name)
        .collect();
    let expected = [
        "r-hat",
        "effective boards",
        "chains",
        "sweeps to a first board",
        "sweeps between boards",
    ];
    assert_eq!(names, expected);
    assert_eq!(sample.boards.len(), 4);
    for board in &sample.boards {
        assert!(large.follows_the_rules(board) && large.meets(board) && board[37]);
    }
    let again = ConditionalSampler::new().sample(&large, 4).unwrap();
    assert_eq!(again.boards, sample.boards);
}

#[test]
fn chains_say_why_there_is_no_board() {
    let chain = |orchard: &Orchard, memory| {
        let sampler = ConditionalSampler::new().among([Method::Chain]);
        sampler.memory(memory).sample(orchard, 1).unwrap_err()
    };
    let orchard = |least, chains| Orchard {
        least,
        chains: Some(chains),
        ..orchard()
    };
    // One rule alone excludes ten trees in nine cells. Six trees are possible, and boards without adjacent trees are possible, but no board has both.
    let error = chain(&orchard(10, Chains::Anywhere), 1 << 30);
    assert!(matches!(error, BoardError::NoSolution { .. }), "{error}");
    let error = chain(&orchard(6, Chains::Anywhere), 1 << 30);
    let BoardError::NotFound { sweeps, nearest: 1 } = error else {
        panic!("{error}")
    };
    assert!(
        sweeps > 1000 && error.to_string().contains("perhaps impossible"),
        "{error}"
    );
    let error = chain(&orchard(3, Chains::TooFew), 1 << 30);
    let is_invalid = matches!(error, BoardError::Grid(GridError::Invalid(_)));
    assert!(
        is_invalid
            && error
                .to_string()
                .contains("the first board of a Markov chain"),
        "{error}"
    );
    let error = chain(&orchard(3, Chains::Anywhere), 1 << 10);
    assert!(
        matches!(error, BoardError::TooLarge { method: Method::Chain, predicted: Some(bytes), .. } if bytes > 1024.0),
        "{error}"
    );
    // A generator without cells and rules has no chains.
    let without = ConditionalSampler::new().among([Method::Chain]);
    let error = without.sample(&self::orchard(), 1).unwrap_err();
    assert!(matches!(error, BoardError::NoMethod), "{error}");
}

#[test]
fn boards_that_fit_are_exact() {
    let (method, reason) = law(&orchard(), ConditionalSampler::new());
    assert_eq!(method, Method::Exact);
    assert!(matches!(reason, Reason::Fits { bytes } if bytes > 0));
}

#[test]
fn a_few_boards_are_drawn_by_the_quicker_method() {
    let costly = Orchard {
        predicted: Some(1e8),
        chains: Some(Chains::Joined),
        ..orchard()
    };
    let chosen = |orchard: &Orchard, sampler: ConditionalSampler, boards| {
        let sample = sampler.seed(3).sample(orchard, boards).unwrap();
        assert_eq!(sample.boards.len(), boards);
        (sample.report.choice.method, sample.report.choice.reason)
    };
    let any = ConditionalSampler::new;
    let quicker = (Method::Chain, Reason::Quicker { predicted: 1e8 });
    assert_eq!(chosen(&costly, any(), 1), quicker);
    assert_eq!(chosen(&costly, any(), 4), quicker);
    let exact = |orchard: &Orchard, sampler, boards| {
        let choice = chosen(orchard, sampler, boards);
        assert!(
            matches!(choice, (Method::Exact, Reason::Fits { .. })),
            "{choice:?}"
        );
    };
    // If more boards are wanted than there are chains, boards of one chain depend on each other.
    exact(&costly, any(), 5);
    exact(&costly, any().among([Method::Exact]), 1);
    let quick = Orchard {
        predicted: Some(1e4),
        ..costly.clone()
    };
    exact(&quick, any(), 1);
    let unjoined = Orchard {
        chains: Some(Chains::Anywhere),
        ..costly
    };
    exact(&unjoined, any(), 1);
}

#[test]
fn rejection_of_relaxed_boards_has_the_law() {
    let relaxable = Orchard {
        is_relaxable: true,
        ..orchard()
    };
    let asked = ConditionalSampler::new().among([Method::Rejection]);
    let choice = law(&relaxable, asked);
    assert_eq!(choice, (Method::Rejection, Reason::Asked));
    // If both methods take turns, exact inference draws the boards first, because its states fit into the first round.
    let turns = ConditionalSampler::new().sample(&relaxable, 5).unwrap();
    let choice = turns.report.choice;
    assert_eq!(choice.method, Method::Exact);
    assert_eq!(choice.reason, Reason::FirstInTurn { round: 1 << 20 });
    // Without an element program for the demand, rejection draws the boards.
    let counted = Orchard {
        has_elements: false,
        ..relaxable
    };
    let choice = law(&counted, ConditionalSampler::new());
    assert_eq!(
        choice,
        (Method::Rejection, Reason::FirstInTurn { round: 1 << 20 })
    );
    // If rejection does not have all boards after the last round, the reason for its choice is that there is no element program.
    let limited = ConditionalSampler::new().memory(1 << 15);
    let choice = law(&counted, limited);
    assert_eq!(choice, (Method::Rejection, Reason::NoElements));
}

/// Returns an orchard whose states fit into memory only in the second of two rounds, so that rejection draws the boards of the first round.
fn in_both_ways() -> Orchard {
    Orchard {
        size: Size::new(4, 4).unwrap(),
        least: 4,
        is_relaxable: true,
        wide: Some(Everything),
        ..orchard()
    }
}

#[test]
fn boards_of_rejection_stay_where_exact_ones_join_them() {
    let orchard = in_both_ways();
    let drawn = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&drawn);
    let sampler = ConditionalSampler::new().on_event(move |event| {
        if let Event::Drawn { boards, tried, .. } = *event {
            seen.lock().unwrap().push((boards, tried.is_some()));
        }
    });
    let choice = law_of(WIDE_DRAWS, &orchard, sampler);
    assert_eq!(
        choice,
        (Method::Exact, Reason::FirstInTurn { round: 1 << 22 })
    );
    let drawn = drawn.lock().unwrap();
    let kept = drawn.iter().rfind(|(_, rejects)| *rejects);
    let kept = kept.map_or(0, |(boards, _)| *boards);
    let next = drawn.iter().find(|(_, rejects)| !rejects);
    assert!(kept > 0, "{kept} boards of rejection");
    assert_eq!(next, Some(&(kept + 1, false)));
}

#[test]
fn reasons_are_sentences() {
    let choice = |reason| {
        let method = Method::Exact;
        MethodChoice { method, reason }.to_string()
    };
    assert_eq!(
        choice(Reason::PredictedToFit { bytes: 2.5e7 }),
        "exact: its states are predicted to take about 25000000 bytes"
    );
    assert_eq!(
        choice(Reason::TooLarge {
            predicted: Some(f64::INFINITY),
            limit: 4096
        }),
        "exact: the states of the exact method take over 10^18 bytes, but only 4096 bytes are allowed"
    );
    assert_eq!(
        choice(Reason::TooRare { tried: 7 }),
        "exact: none of 7 independent boards in a row met the demands"
    );
    assert_eq!(
        choice(Reason::Quicker { predicted: 3e8 }),
        "exact: it draws a few boards sooner than the exact method, whose states are predicted to take about 300000000 bytes"
    );
    assert_eq!(
        choice(Reason::NoElements),
        "exact: such boards cannot be expressed as a program of elements"
    );
}

#[test]
fn boards_too_rare_for_a_sampler_of_their_own_are_drawn_otherwise() {
    let hopeless = Orchard {
        own: Some(Own::Hopeless),
        ..orchard()
    };
    let choice = law(&hopeless, ConditionalSampler::new());
    assert_eq!(choice.0, Method::Exact);
}

#[test]
fn rejection_of_independent_cells_has_the_law() {
    let often = Orchard {
        is_often_met: true,
        predicted: Some(1e12),
        ..orchard()
    };
    let choice = law(&often, ConditionalSampler::new());
    assert_eq!(choice, (Method::Rejection, Reason::OftenMet));
}

#[test]
fn particles_tend_to_the_law() {
    let small = Orchard {
        size: Size::new(2, 3).unwrap(),
        least: 2,
        ..orchard()
    };
    let asked = ConditionalSampler::new().among([Method::Particles]);
    // Each board takes two populations of 4096 particles, so only a few boards are drawn.
    let choice = law_of(200, &small, asked);
    assert_eq!(choice, (Method::Particles, Reason::Asked));
}

#[test]
fn samplers_of_their_own_have_the_law() {
    let own = |own| Orchard {
        own: Some(own),
        ..orchard()
    };
    let chance = Method::Own("chance");
    let choice = law(&own(Own::Independent), ConditionalSampler::new());
    assert_eq!(choice, (chance, Reason::Direct));
    let hopeless = Orchard {
        chains: Some(Chains::Anywhere),
        ..own(Own::Hopeless)
    };
    // If the exact method is not allowed, Markov chains draw boards that are too rare for the generator's own sampler.
    let sampler = ConditionalSampler::new().among([chance, Method::Chain]);
    let sample = sampler.sample(&hopeless, 2).unwrap();
    assert_eq!(sample.report.choice.method, Method::Chain);
    assert!(matches!(
        sample.report.choice.reason,
        Reason::TooRare { .. }
    ));
}

#[test]
fn exact_boards_answer_other_questions() {
    let orchard = orchard();
    let exact = ConditionalSampler::new().exact(&orchard).unwrap();
    assert!(exact.is_possible() && exact.cost().states > 0);
    // Of the 63 independent sets of cells of the grid, 22 have three cells, 6 have four and 1 has five.
    let count = exact.compiled().count().unwrap();
    assert_eq!(count.to_string(), "29");
    let (board, log) = exact.most_probable().unwrap();
    assert_eq!(board.iter().filter(|&&tree| tree).count(), 3);
    let sum = 22.0 * 0.4f64.powi(3) * 0.6f64.powi(6)
        + 6.0 * 0.4f64.powi(4) * 0.6f64.powi(5)
        + 0.4f64.powi(5) * 0.6f64.powi(4);
    let probability = 0.4f64.powi(3) * 0.6f64.powi(6) / sum;
    assert!((log.exp() - probability).abs() < 1e-12);
    let marginals = exact.marginals().unwrap();
    let corners = [0, 2, 6, 8].map(|corner: usize| marginals[corner].probability(&true));
    assert!(corners.iter().all(|p| (p - corners[0]).abs() < 1e-12));
}

#[test]
fn failures_say_what_excludes_boards_or_what_they_need() {
    let sampler = ConditionalSampler::new;
    let at = |row, column| Position { row, column };
    let crossed = Orchard {
        clues: vec![(at(2, 2), false), (at(0, 0), true), (at(0, 1), true)],
        ..orchard()
    };
    let relaxed = Orchard {
        is_relaxable: true,
        ..crossed.clone()
    };
    for (orchard, method) in [
        (&crossed, Method::Exact),
        (&crossed, Method::Particles),
        (&relaxed, Method::Rejection),
    ] {
        let error = sampler().among([method]).sample(orchard, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "impossible: no board of 3 rows and 3 columns meets the clues at row 1, column 1; row 1, column 2; remove one of them"
        );
    }
    let crowded = Orchard {
        least: 6,
        ..orchard()
    };
    let error = sampler().sample(&crowded, 1).unwrap_err();
    let BoardError::NoSolution {
        clues, is_minimal, ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(clues.is_empty() && is_minimal);

    let small = || sampler().memory(1 << 10);
    let error = small().among([Method::Exact]).sample(&orchard(), 1);
    let error = error.unwrap_err();
    assert!(
        matches!(error, BoardError::Inference(Error::FrontierTooLarge { .. })),
        "{error}"
    );
    let both = [Method::Exact, Method::Rejection];
    let huge = Orchard {
        predicted: Some(2e6),
        ..orchard()
    };
    let error = small().among(both).sample(&huge, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "exact needs about 2000000 bytes, more than the memory limit of 1024; allow more (`memory`), or use a smaller board"
    );
    let error = small().sample(&orchard(), 1).unwrap_err();
    assert!(
        error.to_string().starts_with("particles needs about 2"),
        "{error}"
    );
    let hopeless = Orchard {
        own: Some(Own::Hopeless),
        ..orchard()
    };
    let chance = || sampler().among([Method::Own("chance")]);
    let error = chance().sample(&hopeless, 1).unwrap_err();
    assert!(matches!(error, BoardError::NoneMet { tried: 1_000_000 }));
    let none = sampler().among([Method::Own("unknown")]);
    let error = none.sample(&orchard(), 1).unwrap_err();
    assert!(matches!(error, BoardError::NoMethod), "{error}");
    let error = orchard().board(vec![true; 9]).unwrap_err();
    assert!(matches!(error, BoardError::Generator(_)), "{error}");
    assert_eq!(error.to_string(), std::fmt::Error.to_string());
}

#[test]
fn boards_without_an_element_program_say_so() {
    let sampler = ConditionalSampler::new();
    let maze = PerfectMaze::new(Size::new(5, 5).unwrap())
        .steps(12..=14)
        .unwrap();
    let sample = sampler.sample(&maze, 3).unwrap();
    assert_eq!(sample.report.choice.method, Method::Own("wilson"));
    assert_eq!(sample.report.diagnostics[0].0, "acceptance");
    for maze in &sample.boards {
        assert!((13..=15).contains(&maze.solution().unwrap().len()));
    }
    let wide = PerfectMaze::new(Size::new(7, 7).unwrap())
        .steps(12..=14)
        .unwrap();
    let error = sampler.exact(&wide).unwrap_err();
    assert!(
        matches!(error, BoardError::Grid(GridError::TooLarge(_))),
        "{error}"
    );
    // Markov chains draw such wide dungeons, but there are no exact answers about them.
    let wide = Dungeon::new(Size::new(3, 16).unwrap());
    let sample = sampler.sample(&wide, 1).unwrap();
    assert_eq!(sample.report.choice.method, Method::Chain);
    let error = sampler.answers(&wide).unwrap_err();
    assert!(
        matches!(error, BoardError::Grid(GridError::TooLarge(_))),
        "{error}"
    );
}
