//! Tests of plans by best-first search: they are replayed by a separate evaluation and compared with breadth-first search, with and without a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use figrs::gdl::{BestFirst, FoundPlan, GdlError, Length, PlanSizes, Policy, Puzzle};
use figrs::prelude::*;
use figrs::{Stopped, stream};
use rand::RngExt;

use crate::puzzles::reference::{plans, played};

/// A grid with walls and crates that are pushed; it writes the rules, and replays the moves of a plan without them.
struct Store {
    size: i32,
    walls: BTreeSet<(i32, i32)>,
    crates: BTreeSet<(i32, i32)>,
    man: (i32, i32),
    target: (i32, i32),
    limit: usize,
}

const WAYS: [(&str, i32, i32); 4] = [
    ("north", -1, 0),
    ("south", 1, 0),
    ("west", 0, -1),
    ("east", 0, 1),
];

impl Store {
    fn new(seed: u64) -> Self {
        let rng = &mut stream(43, seed);
        let size = rng.random_range(3..=4);
        let mut places: Vec<(i32, i32)> = (0..size * size).map(|n| (n / size, n % size)).collect();
        let mut take = || places.swap_remove(rng.random_range(0..places.len()));
        let (man, target) = (take(), take());
        let crates = (0..2).map(|_| take()).collect();
        let walls = (0..size - 2).map(|_| take()).collect();
        Self {
            size,
            walls,
            crates,
            man,
            target,
            limit: [6, 12, 20][seed as usize % 3],
        }
    }

    fn is_free(&self, (r, c): (i32, i32)) -> bool {
        (0..self.size).contains(&r) && (0..self.size).contains(&c) && !self.walls.contains(&(r, c))
    }

    fn rules(&self) -> String {
        let mut text = String::from("(role porter) (init (step 0))\n");
        let man = self.man;
        writeln!(text, "(init (man {} {}))", man.0, man.1).unwrap();
        for (r, c) in &self.crates {
            writeln!(text, "(init (crate {r} {c}))").unwrap();
        }
        for place in (0..self.size * self.size).map(|n| (n / self.size, n % self.size)) {
            for (name, down, right) in WAYS {
                let to = (place.0 + down, place.1 + right);
                if self.is_free(place) && self.is_free(to) {
                    let ((a, b), (c, d)) = (place, to);
                    writeln!(text, "(beside {name} {a} {b} {c} {d})").unwrap();
                }
            }
        }
        for step in 0..self.limit {
            writeln!(text, "(after {step} {})", step + 1).unwrap();
        }
        let (r, c) = self.target;
        let limit = self.limit;
        write!(
            text,
            "(<= (legal porter (go ?d)) (true (man ?r ?c)) (beside ?d ?r ?c ?u ?v) (not (true (crate ?u ?v))))
             (<= (legal porter (go ?d)) (true (man ?r ?c)) (beside ?d ?r ?c ?u ?v) (true (crate ?u ?v)) \
                 (beside ?d ?u ?v ?x ?y) (not (true (crate ?x ?y))))
             (<= (enters ?u ?v) (does porter (go ?d)) (true (man ?r ?c)) (beside ?d ?r ?c ?u ?v))
             (<= (next (man ?u ?v)) (enters ?u ?v))
             (<= (next (crate ?r ?c)) (true (crate ?r ?c)) (not (enters ?r ?c)))
             (<= (next (crate ?x ?y)) (does porter (go ?d)) (enters ?u ?v) (true (crate ?u ?v)) (beside ?d ?u ?v ?x ?y))
             (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
             (<= terminal (true (crate {r} {c}))) (<= terminal (true (step {limit})))
             (<= (goal porter 0) (not (goal porter 100))) (<= (goal porter 100) (true (crate {r} {c})))"
        )
        .unwrap();
        text
    }

    /// True if a plan is legal, and the crate is at its destination at the end of the plan and not before.
    fn plays(&self, plan: &[&str]) -> bool {
        let (mut man, mut crates) = (self.man, self.crates.clone());
        plan.iter().enumerate().all(|(step, action)| {
            let name = action.trim_start_matches("(go ").trim_end_matches(')');
            let (_, down, right) = WAYS.into_iter().find(|(way, ..)| *way == name).unwrap();
            let to = (man.0 + down, man.1 + right);
            let beyond = (to.0 + down, to.1 + right);
            let pushes = crates.contains(&to);
            if crates.contains(&self.target) || step >= self.limit || !self.is_free(to) {
                return false;
            }
            if pushes && (!self.is_free(beyond) || crates.contains(&beyond)) {
                return false;
            }
            if pushes {
                crates.remove(&to);
                crates.insert(beyond);
            }
            man = to;
            true
        }) && crates.contains(&self.target)
    }
}

fn names<'p>(puzzle: &'p Puzzle, plan: &FoundPlan) -> Vec<&'p str> {
    plan.actions()
        .iter()
        .map(|&action| puzzle.action(action))
        .collect()
}

#[test]
fn plans_are_played_and_the_shortest_are_those_of_breadth_first_search() {
    let (mut solvable, mut impossible, mut longest) = (0, 0, 0);
    for case in 0..180 {
        let store = Store::new(case);
        let rules = store.rules();
        let puzzle = Puzzle::parse(&rules).unwrap();
        let frontier = Frontier::new();
        let exact = puzzle.shortest(&frontier, 40);
        let counted = plans(&puzzle, store.limit);
        let first = counted.iter().position(|&(count, _)| count > 0);
        assert_eq!(exact.as_ref().ok().map(PlanSizes::steps), first, "{rules}");
        let search = BestFirst::new();
        match (puzzle.any_plan(&search, 40), first) {
            (Ok(any), Some(first)) => {
                assert!(store.plays(&names(&puzzle, &any)), "{rules}");
                assert!(
                    any.at_least() <= first && first <= any.actions().len(),
                    "{rules}"
                );
                assert_eq!(any.is_shortest(), any.actions().len() == any.at_least());
                let best = puzzle.shorter_plan(&search, any).unwrap();
                assert!(store.plays(&names(&puzzle, &best)), "{rules}");
                assert!(
                    best.is_shortest() && best.actions().len() == first,
                    "{rules}"
                );
                longest = longest.max(first);
                solvable += 1;
            }
            (Err(error), None) => {
                assert!(
                    matches!(error, GdlError::NoPlan { proven: true, .. }),
                    "{error}"
                );
                let message = exact.unwrap_err().to_string();
                assert!(message.ends_with("and no longer plan does"), "{message}");
                impossible += 1;
            }
            (found, first) => panic!("{found:?} {first:?}\n{rules}"),
        }
        // States without the clock have the same plans.
        for steps in [first.unwrap_or(3), store.limit] {
            let program = puzzle.elements(Length::Exactly(steps), Policy::Blind);
            let compiled = frontier.compile(program.model(), program.moves()).unwrap();
            let count = counted[steps].0.to_string();
            assert_eq!(
                compiled.count().unwrap().to_string(),
                count,
                "{steps}\n{rules}"
            );
        }
    }
    assert!(
        solvable > 20 && impossible > 20 && longest > 5,
        "{solvable} {impossible} {longest}"
    );
}

/// Rules of a counter, a fact that changes by itself, and a fact that an action changes.
const TIMED: &str = "(role r) (init (step 0)) (init lamp) (init (at 0)) (legal r stay) (<= (legal r go) (true (at ?n)) (after ?n ?m))
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
    (<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (<= (next lamp) (true lamp))
    (<= (next (at ?m)) (does r go) (true (at ?n)) (after ?n ?m)) (<= (next (at ?n)) (does r stay) (true (at ?n)))";

#[test]
fn clocks_that_end_puzzles_make_no_other_difference() {
    for (end, counts) in [
        // The puzzle ends by the clock alone, so the goal has to hold at that time.
        ("(<= terminal (true (step 5))) (<= (goal r 100) (true (at 3)))", [0, 0, 0, 0, 0, 10, 0]),
        // The puzzle ends before the clock, or with it.
        (
            "(<= terminal (true (step 5))) (<= terminal (true (at 4))) (<= (goal r 100) (true (at 4))) (<= (goal r 100) (true (at 0)))",
            [0, 0, 0, 0, 1, 5, 0],
        ),
        // The goal reads the clock.
        (
            "(<= terminal (true (at 2))) (<= terminal (true (step 5))) (<= (goal r 100) (true (at 2)) (true (step 3)))",
            [0, 0, 0, 2, 0, 0, 0],
        ),
        // No rule reads the clock.
        ("(<= terminal (true (at 2))) (<= (goal r 100) terminal)", [0, 0, 1, 2, 3, 4, 5]),
        // The end is derived from the clock, and a goal with another value reads the clock.
        (
            "(<= late (true (step ?n)) (after 3 ?n)) (<= terminal late) (<= terminal (true (at 3))) (<= (goal r 100) (true (at 3)))
             (<= (goal r 50) (true (step 4)) (not (true (at 3))))",
            [0, 0, 0, 1, 3, 0, 0],
        ),
    ] {
        let puzzle = Puzzle::parse(&format!("{TIMED} {end}")).unwrap();
        let expected: Vec<u64> = plans(&puzzle, 6).iter().map(|&(count, _)| count).collect();
        assert_eq!(expected, counts, "{end}");
        let frontier = Frontier::new();
        for (steps, count) in counts.iter().enumerate() {
            let program = puzzle.elements(Length::Exactly(steps), Policy::Blind);
            let compiled = frontier.compile(program.model(), program.moves()).unwrap();
            assert_eq!(compiled.count().unwrap().to_string(), count.to_string(), "{end} {steps}");
            let all: u64 = counts[..=steps].iter().sum();
            let program = puzzle.elements(Length::AtMost(steps), Policy::Blind);
            let compiled = frontier.compile(program.model(), program.moves()).unwrap();
            assert_eq!(compiled.count().unwrap().to_string(), all.to_string(), "{end} {steps}");
        }
        let first = counts.iter().position(|&count| count > 0).unwrap();
        assert_eq!(puzzle.shortest(&frontier, 9).unwrap().steps(), first, "{end}");
        let found = puzzle.any_plan(&BestFirst::new(), 9).unwrap();
        let found = puzzle.shorter_plan(&BestFirst::new(), found).unwrap();
        assert!(found.is_shortest() && found.actions().len() == first, "{end}");
        let ended = played(&puzzle, found.actions()).unwrap();
        assert!(puzzle.is_solved(&ended), "{end}");
    }
}

/// Longer plans are not excluded if the clock ends the puzzle later than the limit of steps.
#[test]
fn what_the_clock_ends_later_is_not_excluded() {
    let rules = format!("{TIMED} (<= terminal (true (step 5))) (<= (goal r 100) (true (at 3)))");
    let puzzle = Puzzle::parse(&rules).unwrap();
    for most in 0..8 {
        match (most, puzzle.any_plan(&BestFirst::new(), most)) {
            (0..5, Err(GdlError::NoPlan { proven: false, .. })) => {}
            (5.., Ok(found)) => assert_eq!(found.actions().len(), 5),
            (_, other) => panic!("{most} {other:?}"),
        }
    }
    // A work limit that is smaller than the work for the states without a clock is respected.
    let mut switches = String::from("(role r) (init (step 0)) ");
    for n in 0..40 {
        write!(switches, "(switch {n}) (after {n} {}) ", n + 1).unwrap();
    }
    switches += "(<= (legal r (turn ?x)) (switch ?x)) (<= (next (on ?x)) (does r (turn ?x)) (not (true (on ?x))))
         (<= (next (on ?x)) (true (on ?x)) (not (does r (turn ?x)))) (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
         (<= dark (switch ?x) (not (true (on ?x)))) (<= terminal (not dark)) (<= terminal (true (step 40))) (<= (goal r 100) (not dark))";
    let puzzle = Puzzle::parse(&switches).unwrap();
    let limited = BestFirst::new().work(10);
    assert_eq!(
        (limited.work_limit(), BestFirst::new().work_limit()),
        (Some(10), None)
    );
    match puzzle.any_plan(&limited, 100) {
        Err(GdlError::SearchEnded { states, .. }) => assert!(states < 100, "{states}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn surveys_of_too_much_work_end_early() {
    let rules = format!("{TIMED} (<= terminal (true (at 4))) (<= (goal r 100) terminal)");
    let puzzle = Puzzle::parse(&rules).unwrap();
    let (frontier, length) = (Frontier::new(), Length::AtMost(6));
    let all = puzzle.survey(&frontier, length).unwrap();
    assert_eq!(
        puzzle.survey_within(&frontier, length, 1 << 40).unwrap(),
        all
    );
    match puzzle.survey_within(&frontier, length, 1) {
        Err(GdlError::Unfinished { excluded, .. }) => assert_eq!(excluded, 0),
        other => panic!("{other:?}"),
    }
    let none = puzzle.survey_within(&frontier, Length::AtMost(3), 1 << 40);
    assert!(matches!(none, Err(GdlError::NoPlan { proven: false, .. })));
}

#[test]
fn states_of_a_world_have_the_clock() {
    let end =
        "(<= terminal (true (step 5))) (<= terminal (true (at 4))) (<= (goal r 100) (true (at 4)))";
    let puzzle = Puzzle::parse(&format!("{TIMED} {end}")).unwrap();
    let program = puzzle.elements(Length::Exactly(5), Policy::Blind);
    let targets = vec![program.states()[2].clone(), program.states()[5].clone()];
    let compiled = Frontier::new().compile(program.model(), &targets).unwrap();
    for (element, step) in targets.iter().zip(["(step 2)", "(step 5)"]) {
        let marginal = compiled.distribution(element).unwrap();
        for (state, _) in &marginal {
            let facts = puzzle.facts(state);
            assert!(
                facts.contains(&step) && facts.contains(&"lamp"),
                "{facts:?}"
            );
        }
    }
}

/// The goal can be met in states in which its negation cannot, and the other way round; whether the player wins is decided separately for each game.
#[test]
fn negation_is_ordered_fact_by_fact() {
    for case in 0..200 {
        let rng = &mut stream(47, case);
        let count: usize = rng.random_range(2..8);
        let mut moves = BTreeMap::<usize, Vec<usize>>::new();
        for from in 0..count {
            let targets = (from + 1..count).filter(|_| rng.random_bool(0.4)).collect();
            moves.insert(from, targets);
        }
        let mut won = vec![false; count];
        for place in (0..count).rev() {
            won[place] = moves[&place].iter().any(|&to| !won[to]);
        }
        let mut rules = String::from(
            "(role r) (init (piece 0)) (init (open 0)) (<= (legal r stop) (true (piece ?x)))",
        );
        for (from, to) in moves
            .iter()
            .flat_map(|(&from, to)| to.iter().map(move |&to| (from, to)))
        {
            write!(rules, "(edge {from} {to}) ").unwrap();
        }
        // The rules negate `won`, which never changes, and `seen`, which depends on the state.
        write!(
            rules,
            "(<= (won ?x) (edge ?x ?y) (not (won ?y)))
             (<= (seen ?x) (true (piece ?y)) (edge ?x ?z) (not (seen ?z)))
             (<= (next (piece ?x)) (true (piece ?x))) (<= (next ended) (does r stop))
             (<= terminal (true ended)) (<= (goal r 0) (not (won 0))) (<= (goal r 0) (not (seen 0)))
             (<= (goal r 100) (not (goal r 0)))"
        )
        .unwrap();
        let puzzle = Puzzle::parse(&rules).unwrap();
        let found = puzzle
            .shortest(&Frontier::new(), 3)
            .ok()
            .map(|found| found.steps());
        assert_eq!(found, won[0].then_some(1), "{rules}");
    }
}

#[test]
fn searches_that_end_too_early_say_so() {
    let switches: Vec<String> = (0..40).map(|n| format!("(switch {n})")).collect();
    let switches = switches.join(" ");
    // The relaxed estimate is not informative here, because each switch turns another one off.
    let rules = format!(
        "(role r) {switches} (<= (legal r (turn ?x)) (switch ?x)) (<= (next (on ?x)) (does r (turn ?x)) (not (true (on ?x))))
         (<= (next (on ?x)) (true (on ?x)) (not (does r (turn ?x)))) (<= odd (true (on 0)) (not (true (on 0))))
         (<= dark (switch ?x) (not (true (on ?x)))) (<= terminal (not dark)) (<= (goal r 100) (not dark))"
    );
    let puzzle = Puzzle::parse(&rules).unwrap();
    let error = puzzle
        .any_plan(&BestFirst::new().work(10), 100)
        .unwrap_err();
    match &error {
        GdlError::SearchEnded {
            stopped, is_full, ..
        } => assert_eq!((*stopped, *is_full), (Stopped::Budget, false)),
        other => panic!("{other}"),
    }
    assert!(
        error
            .to_string()
            .starts_with("the search found no plan among "),
        "{error}"
    );
    let cut = puzzle.shortest_within(&Frontier::new(), 100, 3_000_000);
    match cut.unwrap_err() {
        error @ GdlError::Unfinished { .. } => {
            let GdlError::Unfinished {
                excluded,
                states,
                is_full: false,
            } = error
            else {
                unreachable!()
            };
            assert!(
                (2..40).contains(&excluded) && states > 100,
                "{excluded} {states}"
            );
            assert!(error.to_string().contains("search for one plan"), "{error}");
        }
        other => panic!("{other}"),
    }
    let little = puzzle.any_plan(&BestFirst::new().memory(1), 100);
    assert!(matches!(
        little,
        Err(GdlError::SearchEnded { is_full: true, .. })
    ));
    let little = puzzle.shortest_within(&Frontier::new().memory(1 << 16), 100, u64::MAX);
    assert!(
        matches!(little, Err(GdlError::Unfinished { is_full: true, .. })),
        "{little:?}"
    );
    let found = puzzle.any_plan(&BestFirst::new(), 100).unwrap();
    assert_eq!(found.actions().len(), 40);
    let growth = puzzle.growth(1000);
    assert_eq!((growth.steps(), growth.states()), (2, 781));
    assert_eq!(growth.relations(), [("on".to_owned(), 781)]);
    assert_eq!(
        growth.to_string(),
        "after 2 steps there are 781 joint states, of 781 sets of facts `on`"
    );
}
