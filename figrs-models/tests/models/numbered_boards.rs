//! Tests numbered boards: they are the same in all ranges, they equal those of the sampler of boards, and they have the right law if some boards are
//! rejected.

use std::collections::HashMap;

use figrs_infer::ItemSampler;
use figrs_models::board::{BoardError, ConditionalSampler, Generator, Method};
use figrs_models::dungeon::Dungeon;
use figrs_models::grid::{GridError, Size};
use figrs_models::maze::PerfectMaze;
use figrs_models::variation::goodness_of_fit;

const SEED: u64 = 5;

/// Checks that numbered boards equal the boards that the sampler draws one after another by the same method.
fn compare<G>(generator: &G, method: Method)
where
    G: Generator<Board: std::fmt::Display + std::fmt::Debug + PartialEq + Send> + Sync,
{
    let sampler = ConditionalSampler::new().seed(SEED).among([method]);
    let numbered = sampler.numbered(generator).unwrap();
    let all = numbered.items(SEED, 0..100).unwrap();
    assert_eq!(all, sampler.sample(generator, 100).unwrap().boards);
    assert_eq!(all[37..41], numbered.items(SEED, 37..41).unwrap());
    let mut text = Vec::new();
    numbered.write(&all[3], &mut text).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), all[3].to_string());
}

#[test]
fn numbered_boards_are_those_that_are_drawn_one_after_another() {
    let size = Size::new(4, 5).unwrap();
    compare(&PerfectMaze::new(size), Method::Own("wilson"));
    compare(&PerfectMaze::new(size), Method::Exact);
    compare(&Dungeon::new(Size::new(4, 4).unwrap()), Method::Exact);
}

#[test]
fn boards_that_are_rejected_leave_the_law_of_the_others() {
    const DRAWS: u64 = 4000;
    let all = PerfectMaze::new(Size::new(3, 3).unwrap());
    let bounded = all.clone().steps(5..=6).unwrap();
    let sampler = ConditionalSampler::new();
    let draw = |maze: &PerfectMaze, seed| {
        let numbered = sampler.numbered(maze).unwrap();
        numbered.items(seed, 0..DRAWS).unwrap()
    };
    // All mazes that meet the demand are equally likely, and with this many draws each of them is drawn.
    let mut counts = HashMap::new();
    for maze in draw(&all, 1) {
        if bounded.meets(&maze) {
            counts.insert(maze.to_string(), 0);
        }
    }
    for maze in draw(&bounded, 2) {
        assert!(bounded.meets(&maze));
        *counts.get_mut(&maze.to_string()).unwrap() += 1;
    }
    let expected = DRAWS as f64 / counts.len() as f64;
    let counts: Vec<(u64, f64)> = counts.values().map(|&count| (count, expected)).collect();
    assert!(counts.len() > 10 && counts.len() < 192);
    let fit = goodness_of_fit(&counts).unwrap();
    assert!(fit.p_value > 1e-6, "{fit:?}");
}

#[test]
fn boards_by_particles_have_the_law_and_the_probability() {
    const DRAWS: u64 = 1500;
    let dungeon = Dungeon::new(Size::new(2, 3).unwrap());
    let exact = ConditionalSampler::new().exact(&dungeon).unwrap();
    let sampler = ConditionalSampler::new().among([Method::Particles]);
    let sampler = sampler.particles(200).seed(SEED);
    let numbered = sampler.numbered(&dungeon).unwrap();
    assert_eq!(numbered.method(), Method::Particles);
    let drawn = numbered.items(SEED, 0..DRAWS).unwrap();
    assert_eq!(drawn[700..703], numbered.items(SEED, 700..703).unwrap());
    let (populations, effective) = numbered.effective_populations().unwrap();
    assert!(populations as u64 >= DRAWS && effective > 0.9 * populations as f64);
    // Each marginal within five standard errors: a false alarm in less than one of a million comparisons. The bias of 200 particles is far smaller.
    for (cell, marginal) in exact.marginals().unwrap().iter().enumerate() {
        for (tile, p) in marginal {
            let found = drawn.iter().filter(|board| board.cells()[cell] == *tile);
            let share = found.count() as f64 / DRAWS as f64;
            let error = (p * (1.0 - p) / DRAWS as f64).sqrt();
            assert!(
                (share - p).abs() <= 5.0 * error + 1e-12,
                "{cell} {tile:?}: {share} {p}"
            );
        }
    }
    let estimate = sampler.estimated_log_probability(&dungeon).unwrap();
    let far = (estimate.value - exact.log_probability()).abs();
    assert!(far < 5.0 * estimate.standard_error + 1e-9, "{estimate:?}");
}

#[test]
fn boards_that_no_method_draws_by_number_are_refused() {
    let maze = PerfectMaze::new(Size::new(3, 3).unwrap());
    let rejection = ConditionalSampler::new().among([Method::Rejection]);
    let error = rejection.numbered(&maze).unwrap_err();
    assert!(matches!(error, BoardError::NoMethod), "{error}");
    // The exact method bounds the number of steps on narrow grids only.
    let exact = ConditionalSampler::new().among([Method::Exact]);
    assert!(exact.numbered(&maze.steps(4..=4).unwrap()).is_ok());
    let wide = PerfectMaze::new(Size::new(2, 7).unwrap());
    let error = exact.numbered(&wide.steps(9..=9).unwrap()).err().unwrap();
    assert!(
        matches!(error, BoardError::Grid(GridError::TooLarge(_))),
        "{error}"
    );
    let large = PerfectMaze::new(Size::new(40, 40).unwrap());
    let small = exact.memory(1 << 10).numbered(&large);
    assert!(matches!(
        small.unwrap_err(),
        BoardError::Inference(_) | BoardError::Grid(GridError::TooLarge(_))
    ));
}
