//! Tests of random systems of states, which are written as rules and explored without them.

use std::collections::BTreeMap;
use std::fmt::Write;

use figrs::gdl::{Length, Move, Policy, Puzzle};
use figrs::prelude::*;
use figrs::stream;
use rand::{Rng, RngExt};
use statrs::distribution::{ChiSquared, ContinuousCDF};

const FACTS: usize = 5;
const ACTIONS: usize = 4;
const STEPS: usize = 6;

/// A test whether a fact holds, or does not hold.
type Test = (usize, bool);

/// The effect of an action on a fact.
#[derive(Clone, Copy)]
enum Effect {
    Keep,
    Set(bool),
    /// The previous value of another fact.
    Copy(usize),
    /// The negation of the previous value of another fact.
    Opposite(usize),
}

struct System {
    start: u32,
    legal: Vec<Vec<Test>>,
    effects: Vec<[Effect; FACTS]>,
    goal: Vec<Test>,
    /// States in which the puzzle is lost.
    lost: Vec<Test>,
}

fn tests(rng: &mut impl Rng, count: usize) -> Vec<Test> {
    (0..count)
        .map(|_| (rng.random_range(0..FACTS), rng.random()))
        .collect()
}

fn effect(rng: &mut impl Rng) -> Effect {
    match rng.random_range(0..6) {
        0 => Effect::Set(rng.random()),
        1 => Effect::Copy(rng.random_range(0..FACTS)),
        2 => Effect::Opposite(rng.random_range(0..FACTS)),
        _ => Effect::Keep,
    }
}

fn holds(tests: &[Test], state: u32) -> bool {
    tests
        .iter()
        .all(|&(fact, holds)| (state >> fact & 1 == 1) == holds)
}

impl System {
    fn new(rng: &mut impl Rng) -> Self {
        Self {
            start: rng.random_range(0..1 << FACTS),
            legal: (0..ACTIONS).map(|i| tests(rng, i % 3)).collect(),
            effects: (0..ACTIONS)
                .map(|_| [(); FACTS].map(|()| effect(rng)))
                .collect(),
            goal: tests(rng, 3),
            lost: tests(rng, 4),
        }
    }

    fn is_terminal(&self, state: u32) -> bool {
        holds(&self.goal, state) || holds(&self.lost, state)
    }

    fn next(&self, state: u32, action: usize) -> u32 {
        let bit = |fact: usize| state >> fact & 1 == 1;
        let after = self.effects[action]
            .iter()
            .enumerate()
            .map(|(fact, effect)| match effect {
                Effect::Keep => bit(fact),
                Effect::Set(value) => *value,
                Effect::Copy(other) => bit(*other),
                Effect::Opposite(other) => !bit(*other),
            });
        after
            .enumerate()
            .map(|(fact, holds)| u32::from(holds) << fact)
            .sum()
    }

    fn rules(&self) -> String {
        let test = |&(fact, holds): &Test| {
            if holds {
                format!("(true (f {fact}))")
            } else {
                format!("(not (true (f {fact})))")
            }
        };
        let all = |tests: &[Test]| tests.iter().map(test).collect::<Vec<_>>().join(" ");
        let mut text = String::from("(role r)\n");
        for fact in (0..FACTS).filter(|fact| self.start >> fact & 1 == 1) {
            writeln!(text, "(init (f {fact}))").unwrap();
        }
        for (action, (tests, effects)) in self.legal.iter().zip(&self.effects).enumerate() {
            writeln!(text, "(<= (legal r (act {action})) {})", all(tests)).unwrap();
            for (fact, effect) in effects.iter().enumerate() {
                let when = match effect {
                    Effect::Keep => format!("(true (f {fact}))"),
                    Effect::Set(true) => String::new(),
                    Effect::Set(false) => continue,
                    Effect::Copy(other) => format!("(true (f {other}))"),
                    Effect::Opposite(other) => format!("(not (true (f {other})))"),
                };
                writeln!(
                    text,
                    "(<= (next (f {fact})) (does r (act {action})) {when})"
                )
                .unwrap();
            }
        }
        let (goal, lost) = (all(&self.goal), all(&self.lost));
        writeln!(text, "(<= won {goal})\n(<= over {lost})").unwrap();
        text + "(<= terminal (or won over))\n(<= (goal r 100) won)\n(<= (goal r 0) (not won))\n"
    }

    /// Returns all plans of a given length.
    fn plans(&self, steps: usize) -> Vec<Vec<usize>> {
        let mut open = vec![(self.start, Vec::new())];
        for _ in 0..steps {
            let mut next = Vec::new();
            for (state, plan) in open
                .into_iter()
                .filter(|(state, _)| !self.is_terminal(*state))
            {
                for action in (0..ACTIONS).filter(|&action| holds(&self.legal[action], state)) {
                    let mut plan: Vec<usize> = plan.clone();
                    plan.push(action);
                    next.push((self.next(state, action), plan));
                }
            }
            open = next;
        }
        let solved = open
            .into_iter()
            .filter(|(state, _)| holds(&self.goal, *state));
        solved.map(|(_, plan)| plan).collect()
    }
}

#[test]
fn plans_are_those_of_the_system() {
    let (mut solvable, mut long) = (0, 0);
    for case in 0..150 {
        let system = System::new(&mut stream(11, case));
        let rules = system.rules();
        let puzzle = Puzzle::parse(&rules).unwrap();
        let frontier = Frontier::new();
        let expected: Vec<usize> = (0..=STEPS).map(|steps| system.plans(steps).len()).collect();
        let first = expected.iter().position(|&n| n > 0);
        let found = puzzle
            .shortest(&frontier, STEPS)
            .ok()
            .map(|survey| survey.steps());
        assert_eq!(found, first, "{rules}");
        assert_eq!(puzzle.cheapest(&frontier, STEPS).ok(), first, "{rules}");
        for (steps, &expected) in expected.iter().enumerate() {
            let program = puzzle.elements(Length::Exactly(steps), Policy::Blind);
            let compiled = frontier.compile(program.model(), program.moves()).unwrap();
            // The same elements are run by the algorithm that the portfolio chooses.
            let all = Exact::new().log_evidence(program.model()).unwrap();
            let counted = (expected as f64).ln() - steps as f64 * (puzzle.actions() as f64).ln();
            assert!(
                all == counted || (all - counted).abs() < 1e-9,
                "{all} {counted}\n{rules}"
            );
            assert_eq!(
                compiled.count().unwrap().to_string(),
                expected.to_string(),
                "{rules}"
            );
        }
        solvable += usize::from(first.is_some());
        long += usize::from(first.is_some_and(|first| first > 2));
    }
    // Enough systems are solvable or need long plans, so that the test is not trivial.
    assert!(solvable > 30 && long > 5, "{solvable} {long}");
}

/// All plans are equally probable; the probability of a false alarm is one in a million for each system.
#[test]
fn plans_are_drawn_alike() {
    let mut tested = 0;
    for case in 0..150 {
        let system = System::new(&mut stream(11, case));
        let plans = system.plans(4);
        if !(2..=200).contains(&plans.len()) {
            continue;
        }
        let puzzle = Puzzle::parse(&system.rules()).unwrap();
        let program = puzzle.elements(Length::Exactly(4), Policy::Blind);
        let compiled = Frontier::new()
            .compile(program.model(), program.moves())
            .unwrap();
        let mut seen: BTreeMap<Vec<usize>, f64> =
            plans.into_iter().map(|plan| (plan, 0.0)).collect();
        let expected = 50.0;
        let draws = 50 * seen.len();
        for world in compiled.samples(case).unwrap().take(draws) {
            let moves = world.values(program.moves()).unwrap();
            let plan = moves.iter().map(|drawn| match drawn {
                Move::Act(action) => {
                    let name = puzzle.action(*action);
                    name[5..name.len() - 1].parse().unwrap()
                }
                other => panic!("{other:?}"),
            });
            *seen.get_mut(&plan.collect::<Vec<usize>>()).unwrap() += 1.0;
        }
        let chi: f64 = seen
            .values()
            .map(|n: &f64| (n - expected).powi(2) / expected)
            .sum();
        let freedom = seen.len() as f64 - 1.0;
        let limit = ChiSquared::new(freedom).unwrap().inverse_cdf(1.0 - 1e-6);
        assert!(chi < limit, "case {case}: {chi} {limit}");
        tested += 1;
    }
    assert!(tested > 5, "{tested}");
}
