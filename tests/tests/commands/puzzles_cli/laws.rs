//! Tests of the sampling methods other than the exact engine, against exact distributions.
//!
//! Seeds are fixed. If they were drawn at random, all tests here together would give a false alarm with a probability of `FALLBACKS`.

use std::collections::BTreeMap;
use std::path::Path;

use figrs::Frontier;
use figrs::models::chromatic_maze::ChromaticMaze;
use figrs::models::dungeon::Dungeon;
use figrs::models::grid::Size;
use figrs::models::variation::goodness_of_fit;
use figrs::prelude::*;
use figrs_tests::example::{self, text};
use figrs_tests::significance::FALLBACKS;
use serde_json::Value as Json;

use super::files::Files;

/// Number of statistics that are compared.
const TESTS: f64 = 8.0;

/// Checks counts of draws against weights that are proportional to their probabilities.
fn check<'a>(
    drawn: impl Iterator<Item = &'a Json>,
    weights: impl IntoIterator<Item = (String, f64)>,
) {
    let mut counts = BTreeMap::<String, u64>::new();
    for thing in drawn {
        *counts.entry(thing.to_string()).or_default() += 1;
    }
    let draws = counts.values().sum::<u64>() as f64;
    let weights: Vec<(String, f64)> = weights.into_iter().collect();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let expected = weights.into_iter().map(|(thing, weight)| {
        let count = counts.remove(&thing).unwrap_or(0);
        (count, draws * weight / total)
    });
    let expected: Vec<(u64, f64)> = expected.collect();
    assert!(counts.is_empty(), "what cannot be: {counts:?}");
    let fit = goodness_of_fit(&expected).unwrap();
    assert!(fit.p_value > FALLBACKS / TESTS, "{fit:?}: {expected:?}");
}

fn boards(found: &Json) -> impl Iterator<Item = &Json> {
    found["puzzles"].as_array().unwrap().iter()
}

/// The distribution of the walk length of 3 by 3 dungeons is tested.
#[test]
fn rejection_draws_from_the_exact_law() {
    let ask = "--size 3 --min-walk 8 --count 4000 --seed 51 --method rejection";
    let found = Files::new().json("dungeon", ask);
    let walks = [(8, 340.0), (10, 166.0), (12, 85.0), (14, 16.0), (16, 6.0)];
    let walks = walks.map(|(steps, number): (u32, f64)| (steps.to_string(), number));
    check(boards(&found).map(|board| &board["walk"]), walks);
}

/// The path lengths of 3 by 3 chromatic mazes have the exact law. If the length has no bounds, rejection starts from boards of any colours; if it has
/// bounds, from exact boards without bounds.
#[test]
fn rejection_draws_chromatic_mazes_from_the_exact_law() {
    let files = Files::new();
    for least in [1, 4] {
        let ask = "--size 3 --count 4000 --seed 57 --method rejection --min-steps";
        let found = files.json("chromatic_maze", &format!("{ask} {least}"));
        assert_eq!(found["method"], "rejection");
        let maze = ChromaticMaze::new(Size::new(3, 3).unwrap()).unwrap();
        let (steps, model) = maze.elements().unwrap().steps().unwrap();
        let exact = Frontier::new().run(&model, &steps).unwrap();
        let exact = exact.distribution(&steps).unwrap();
        let lengths = exact.iter().filter_map(|(steps, p)| {
            let steps = steps.filter(|&steps| steps >= least)?;
            Some((steps.to_string(), p))
        });
        check(boards(&found).map(|board| &board["steps"]), lengths);
    }
}

/// The memory of the first rounds is too small for the exact engine, and rejection finds the boards in one of these rounds.
#[test]
fn turns_draw_from_the_exact_law() {
    let ask = "--size 5x4 --min-walk 13 --count 4000 --seed 52";
    let found = Files::new().json("dungeon", ask);
    assert_eq!(found["method"], "rejection");
    let elements = Dungeon::new(Size::new(5, 4).unwrap()).elements().unwrap();
    let (walk, model) = elements.walk().unwrap();
    let exact = Frontier::new().run(&model, &walk).unwrap();
    let exact = exact.distribution(&walk).unwrap();
    let walks = exact.iter().filter_map(|(steps, p)| {
        let steps = steps.filter(|&steps| steps >= 13)?;
        Some((steps.to_string(), p))
    });
    check(boards(&found).map(|board| &board["walk"]), walks);
}

/// Mazes of 2 by 3 are the fifteen spanning trees of a ladder with three rungs; one of them has the path of five steps.
#[test]
fn walks_draw_from_the_exact_law() {
    let ask = "--size 2x3 --min-walk 3 --count 4000 --seed 53 --show-path";
    let found = Files::new().json("maze", ask);
    let mazes = boards(&found).map(|maze| &maze["path"]);
    // The paths go down at once, in the middle or at the end, or go back in the middle.
    let ways = [
        ("[[1,1],[1,2],[2,2],[3,2]]", 5.0),
        ("[[1,1],[2,1],[2,2],[3,2]]", 4.0),
        ("[[1,1],[2,1],[3,1],[3,2]]", 5.0),
        ("[[1,1],[1,2],[2,2],[2,1],[3,1],[3,2]]", 1.0),
    ];
    check(mazes, ways.map(|(way, trees)| (way.to_owned(), trees)));
}

/// All 34 Yin-Yang boards of 3 by 3 are tested. With this many particles all populations have nearly the same weight, so that few are drawn twice.
#[test]
fn particles_draw_boards_uniformly() {
    let files = Files::new();
    let ask = "--size 3 --method particles --count 680 --seed 54";
    let found = files.json("yin_yang", ask);
    let diagnostics = &found["diagnostics"];
    let effective = diagnostics["effective populations"].as_f64().unwrap();
    assert!(effective > 0.99 * diagnostics["populations"].as_f64().unwrap());
    let exact = files.json("yin_yang", "--size 3 --count 2000 --seed 1");

    let all: BTreeMap<String, f64> = boards(&exact)
        .map(|board| (board["grid"].to_string(), 1.0))
        .collect();
    assert_eq!(all.len(), 34);
    check(boards(&found).map(|board| &board["grid"]), all);
}

/// Plans across the river in nine moves are grouped by their third and fifth action.
#[test]
fn particles_draw_plans_as_they_are_likely() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/puzzle/river.kif");
    let ask = |arguments: &str| {
        let rules = ["--rules", rules.to_str().unwrap()];
        let shared = "--steps 9 --policy legal --format json";
        let arguments = arguments.split(' ').chain(shared.split(' ')).chain(rules);
        let output = example::run("puzzle", &arguments.collect::<Vec<_>>());
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice::<Json>(&output.stdout).unwrap()
    };
    let exact = ask("--task marginals");
    let drawn = "--task sample --method particles --particles 1000 --count 2000 --seed 55";
    let drawn = ask(drawn);
    let plans = drawn["samples"].as_array().unwrap();
    assert_eq!(plans.len(), 2000);
    for step in [2, 4] {
        let moves = exact["marginals"][step].as_object().unwrap();
        let moves = moves.iter().map(|(name, p)| {
            let p = p.as_f64().unwrap();
            (Json::from(name.as_str()).to_string(), p)
        });
        check(plans.iter().map(|plan| &plan["plan"][step]), moves);
    }
}
