//! Tests of rule files: plans are compared with a search through the states, and with known numbers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use figrs::gdl::{GdlError, Length, Move, Policy, Puzzle};
use figrs::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::puzzles::reference::{names, plans, played};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn puzzle(path: &str) -> Puzzle {
    Puzzle::read(here(path)).unwrap()
}

/// A rule file of the tests, the length of its shortest plans, and the number of these plans.
const FILES: [(&str, usize, u64); 6] = [
    ("data/jugs.kif", 6, 1),
    ("data/pairs.kif", 14, 2),
    ("data/gorge.kif", 4, 1),
    ("../examples/puzzle/river.kif", 7, 2),
    ("../examples/puzzle/lamps.kif", 5, 120),
    ("../examples/puzzle/towers.kif", 15, 1),
];

#[test]
fn shortest_plans_are_those_of_a_search() {
    for (path, length, count) in FILES {
        let puzzle = puzzle(path);
        let frontier = Frontier::new();
        let survey = puzzle.shortest(&frontier, 40).unwrap();
        assert_eq!(survey.steps(), length, "{path}");
        assert_eq!(
            puzzle.cheapest(&frontier, length + 3).unwrap(),
            length,
            "{path}"
        );
        let expected = plans(&puzzle, length);
        assert!(expected[..length].iter().all(|&(n, _)| n == 0), "{path}");
        assert_eq!(expected[length].0, count, "{path}");
        let program = puzzle.elements(Length::Exactly(length), Policy::Blind);
        let compiled = frontier.compile(program.model(), program.moves()).unwrap();
        assert_eq!(
            compiled.count().unwrap().to_string(),
            count.to_string(),
            "{path}"
        );
        assert!(compiled.largest_frontier() <= survey.states(), "{path}");
        let plan = program.plan(&compiled.most_probable().unwrap()).unwrap();
        let end = played(&puzzle, &plan).unwrap();
        assert!(plan.len() == length && puzzle.is_solved(&end), "{path}");
    }
}

#[test]
fn longer_plans_and_their_probabilities_are_those_of_a_search() {
    for path in [
        "data/jugs.kif",
        "data/gorge.kif",
        "../examples/puzzle/river.kif",
    ] {
        let puzzle = puzzle(path);
        let expected = plans(&puzzle, 10);
        let actions = puzzle.actions() as f64;
        let (mut count, mut probability) = (0, 0.0);
        for (steps, &(n, p)) in expected.iter().enumerate() {
            count += n;
            probability += p;
            for (length, n, p) in [
                (Length::Exactly(steps), n, p),
                (Length::AtMost(steps), count, probability),
            ] {
                let blind = puzzle.elements(length, Policy::Blind);
                let blind = Frontier::new()
                    .compile(blind.model(), blind.moves())
                    .unwrap();
                assert_eq!(
                    blind.count().unwrap().to_string(),
                    n.to_string(),
                    "{path} {length}"
                );
                let drawn = (n as f64).ln() - steps as f64 * actions.ln();
                let found = blind.log_evidence();
                assert!(
                    found == drawn || (found - drawn).abs() < 1e-9,
                    "{path} {length}"
                );
                let legal = puzzle.elements(length, Policy::Legal);
                let legal = Frontier::new().log_evidence(legal.model()).unwrap();
                assert!((legal.exp() - p).abs() < 1e-12, "{path} {length}");
                let survey = puzzle.survey(&Frontier::new(), length);
                assert_eq!(survey.is_ok(), n > 0, "{path} {length}");
            }
        }
    }
}

#[test]
fn every_plan_is_drawn_alike_or_as_a_player_would() {
    let puzzle = puzzle("data/gorge.kif").goal(40);
    let length = Length::AtMost(5);
    for policy in [Policy::Blind, Policy::Legal] {
        let program = puzzle.elements(length, policy);
        let compiled = Frontier::new()
            .compile(program.model(), program.moves())
            .unwrap();
        let count: usize = compiled.count().unwrap().to_string().parse().unwrap();
        assert!(count > 5);
        let mut seen = BTreeMap::new();
        for world in compiled.samples(3).unwrap().take(20_000) {
            *seen.entry(program.plan(&world).unwrap()).or_insert(0.0) += 1.0;
        }
        let prior = |plan: &Vec<figrs::gdl::Action>| {
            let mut state = puzzle.start();
            let mut p = 1.0;
            for &action in plan {
                p /= puzzle.legal(&state).len() as f64;
                state = puzzle.next(&state, action);
            }
            p
        };
        let all = compiled.log_evidence().exp();
        let expected = |plan| match policy {
            Policy::Blind => 20_000.0 / count as f64,
            Policy::Legal => 20_000.0 * prior(plan) / all,
        };
        assert_eq!(seen.len(), count, "{policy:?}");
        let chi: f64 = seen
            .iter()
            .map(|(plan, n): (_, &f64)| (n - expected(plan)).powi(2) / expected(plan))
            .sum();
        // The limit is exceeded with probability one in a million.
        let limit = ChiSquared::new(count as f64 - 1.0)
            .unwrap()
            .inverse_cdf(1.0 - 1e-6);
        assert!(chi < limit, "{policy:?}: {chi} {limit}");
    }
}

#[test]
fn marginals_are_shares_of_plans() {
    let puzzle = puzzle("../examples/puzzle/river.kif");
    let program = puzzle.elements(Length::Exactly(7), Policy::Blind);
    let compiled = Frontier::new()
        .compile(program.model(), program.moves())
        .unwrap();
    let step = |step: usize| -> Vec<(String, f64)> {
        let marginal = compiled.distribution(&program.moves()[step]).unwrap();
        let named = marginal.iter().map(|(drawn, p)| match drawn {
            Move::Act(action) => (puzzle.action(*action).to_owned(), p),
            other => panic!("{other:?}"),
        });
        named.collect()
    };
    assert_eq!(step(0), [("(ferry sheep)".to_owned(), 1.0)]);
    let mut third = step(2);
    third.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(third.len(), 2);
    for ((name, p), expected) in third.iter().zip(["(ferry dog)", "(ferry oats)"]) {
        assert!(name == expected && (p - 0.5).abs() < 1e-12);
    }
}

#[test]
fn the_goal_may_be_worth_less() {
    let gorge = puzzle("data/gorge.kif");
    let shortest = |puzzle: &Puzzle| puzzle.shortest(&Frontier::new(), 9).unwrap().steps();
    assert_eq!(shortest(&gorge), 4);
    assert_eq!(shortest(&gorge.clone().goal(41)), 4);
    let spring = gorge.goal(40);
    assert_eq!(
        plans(&spring, 4)
            .iter()
            .map(|(n, _)| *n)
            .collect::<Vec<_>>(),
        [0, 0, 0, 0, 2]
    );
    assert_eq!(shortest(&spring), 4);
}

#[test]
fn states_and_actions_have_names() {
    let puzzle = puzzle("../examples/puzzle/towers.kif");
    assert_eq!(
        (puzzle.role(), puzzle.actions(), puzzle.possible_facts()),
        ("hand", 12, 12)
    );
    let start = puzzle.start();
    let rings = [
        "(ring 1 left)",
        "(ring 2 left)",
        "(ring 3 left)",
        "(ring 4 left)",
    ];
    assert_eq!(names(&puzzle, &start), rings);
    let mut legal: Vec<&str> = puzzle
        .legal(&start)
        .iter()
        .map(|&a| puzzle.action(a))
        .collect();
    legal.sort_unstable();
    assert_eq!(legal, ["(put 1 middle)", "(put 1 right)"]);
    assert!(format!("{start:?}").starts_with("GameState{"));
    assert!(!puzzle.is_terminal(&start) && puzzle.ground_rules() > 50);
}

#[test]
fn upper_case_comments_and_forms_make_no_difference() {
    let plain = "(role r) (init (n 0)) (legal r go) (<= (next (n 1)) (does r go)) (<= terminal (true (n 1)))
        (<= (goal r 100) (true (n 1)))";
    let odd = "\u{feff};; a comment (with a list
        ( ROLE r);
        (<= (Init (N 0)))(<= (legal ?r GO) (role ?r))\r\n\
        (<= (NEXT (n 1)) (or (does r go) (and (true (n 1)) (not (not (true (n 1)))))) ) ; (
        (<=(terminal)(not (or (not (true (n 1))) (distinct r R))))
        (<= (goal ?x 100) (terminal) (role ?x) (not (distinct ?x r)))";
    for text in [plain, odd] {
        let puzzle = Puzzle::parse(text).unwrap();
        assert_eq!(puzzle.shortest(&Frontier::new(), 3).unwrap().steps(), 1);
        assert_eq!(puzzle.facts(&puzzle.start()), ["(n 0)"]);
    }
}

#[test]
fn relations_that_nothing_defines_are_told() {
    let text = "(role r) (init a) (legal r go) (<= (next b) (does r go) (not (oops c))) (<= terminal (true b) (not odd))
        (<= (goal r 100) terminal (role r))";
    let puzzle = Puzzle::parse(text).unwrap();
    assert_eq!(puzzle.undefined(), ["oops", "odd"]);
    assert_eq!(puzzle.shortest(&Frontier::new(), 3).unwrap().steps(), 1);
    assert!(
        Puzzle::read(here("data/jugs.kif"))
            .unwrap()
            .undefined()
            .is_empty()
    );
}

#[test]
fn long_rules_take_no_longer_than_they_are() {
    let conditions: Vec<String> = (0..1900)
        .map(|i| format!("(true (n ?x{}))", i % 7))
        .collect();
    let text = format!(
        "(role r) (init (n 0)) (legal r go) (<= (next (n 0)) (does r go)) (<= terminal {}) (<= (goal r 100) terminal)",
        conditions.join(" ")
    );
    let started = std::time::Instant::now();
    let puzzle = Puzzle::parse(&text).unwrap();
    assert!(puzzle.is_solved(&puzzle.start()));
    // Regression test: the search for the next condition among all conditions took minutes.
    assert!(started.elapsed().as_secs() < 30);
}

#[test]
fn a_solved_start_is_a_plan_of_no_steps() {
    let text =
        "(role r) (legal r go) (init done) (<= terminal (true done)) (<= (goal r 100) (true done))";
    let puzzle = Puzzle::parse(text).unwrap();
    let frontier = Frontier::new();
    assert_eq!(puzzle.shortest(&frontier, 5).unwrap().steps(), 0);
    assert_eq!(puzzle.cheapest(&frontier, 5).unwrap(), 0);
    let program = puzzle.elements(Length::Exactly(0), Policy::Blind);
    let compiled = frontier.compile(program.model(), program.moves()).unwrap();
    assert_eq!(compiled.count().unwrap().to_string(), "1");
    // The puzzle has ended, so there is no plan of exactly one step, but there is a plan of at most three.
    assert!(matches!(
        puzzle.survey(&frontier, Length::Exactly(1)),
        Err(GdlError::NoPlan { .. })
    ));
    assert_eq!(
        puzzle.survey(&frontier, Length::AtMost(3)).unwrap().steps(),
        3
    );
}

#[test]
fn shared_files_have_the_lengths_that_are_known() {
    let directory = here("../../shared/data/gdl");
    if !directory.exists() {
        println!("skipped: {} is absent", directory.display());
        return;
    }
    // The plan length of the small 8-puzzle comes from a search; the other lengths are known.
    for (name, length) in [
        ("buttons", Some(6)),
        ("wolfgoatcabbage", Some(7)),
        ("hanoi3", Some(7)),
        ("eightpuzzle_small", None),
    ] {
        let puzzle = Puzzle::read(directory.join(format!("{name}.kif"))).unwrap();
        let expected = plans(&puzzle, 12);
        let first = expected.iter().position(|&(n, _)| n > 0).unwrap();
        assert!(
            length.is_none_or(|length| length == first),
            "{name}: {first}"
        );
        let frontier = Frontier::new();
        assert_eq!(
            puzzle.shortest(&frontier, 100).unwrap().steps(),
            first,
            "{name}"
        );
        assert_eq!(puzzle.cheapest(&frontier, 20).unwrap(), first, "{name}");
        let program = puzzle.elements(Length::Exactly(first), Policy::Blind);
        let compiled = frontier.compile(program.model(), program.moves()).unwrap();
        assert_eq!(
            compiled.count().unwrap().to_string(),
            expected[first].0.to_string(),
            "{name}"
        );
    }
}
