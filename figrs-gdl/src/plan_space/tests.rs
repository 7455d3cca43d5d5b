//! Compares predecessors and goal states with all states of small random games.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use crate::StateSpace;
use figrs_core::stream;
use rand::RngExt;

use super::super::goal_states::{FactSample, completed};
use super::super::{Action, GameState, Puzzle};
use super::PlanSpace;

/// A state of the random game: the lamps that are on, as bits, and the position of a pawn.
type Place = (u32, usize);

/// A random game whose actions switch groups of lamps or move a pawn on a graph.
struct Game {
    lamps: usize,
    /// For each action, the lamps that it switches, and possibly a lamp that must be on or off for the action to be legal.
    turns: Vec<(u32, Option<(usize, bool)>)>,
    ways: BTreeSet<(usize, usize)>,
    start: Place,
    goal: Place,
    /// True if the goal of the random game states the position of the pawn.
    is_placed: bool,
    /// True if the goal of the random game states that no lamp is off.
    is_negated: bool,
    has_clock: bool,
}

impl Game {
    /// Creates a random game; if `reversible`, each action can be undone by an action.
    fn new(seed: u64, reversible: bool) -> Self {
        let rng = &mut stream(71, seed);
        let (lamps, places) = (rng.random_range(1..=4), rng.random_range(1..=4));
        let turns = (0..rng.random_range(1..=3)).map(|_| {
            let turned = rng.random_range(1..1u32 << lamps);
            let lamp = rng.random_range(0..lamps);
            let is_free = turned >> lamp & 1 == 0 || !reversible;
            (
                turned,
                (is_free && rng.random()).then(|| (lamp, rng.random())),
            )
        });
        let turns = turns.collect();
        let mut ways = BTreeSet::new();
        for _ in 0..rng.random_range(0..2 * places) {
            let (from, to) = (rng.random_range(0..places), rng.random_range(0..places));
            if from != to {
                ways.insert((from, to));
                if reversible {
                    ways.insert((to, from));
                }
            }
        }
        let is_negated = rng.random();
        let all = (1 << lamps) - 1;
        let goal = if is_negated {
            all
        } else {
            rng.random_range(0..=all)
        };
        Self {
            start: (rng.random_range(0..=all), rng.random_range(0..places)),
            goal: (goal, rng.random_range(0..places)),
            is_placed: rng.random_bool(0.8),
            has_clock: rng.random(),
            lamps,
            turns,
            ways,
            is_negated,
        }
    }

    fn is_solved(&self, (on, at): Place) -> bool {
        on == self.goal.0 && (!self.is_placed || at == self.goal.1)
    }

    /// Returns the states that one action reaches from a state, each with the name of that action.
    fn next(&self, (on, at): Place) -> Vec<(String, Place)> {
        let turns = (0..).zip(&self.turns).filter(|(_, (_, test))| {
            test.is_none_or(|(lamp, is_on)| (on >> lamp & 1 == 1) == is_on)
        });
        let turned =
            turns.map(|(n, (turned, _)): (u32, _)| (format!("(turn {n})"), (on ^ turned, at)));
        let ways = self.ways.iter().filter(|way| way.0 == at);
        let gone = ways.map(|&(_, to)| (format!("(go {to})"), (on, to)));
        turned.chain(gone).collect()
    }

    fn rules(&self) -> String {
        let mut text = format!("(role r) (init (at {}))", self.start.1);
        for lamp in 0..self.lamps {
            write!(text, " (lamp {lamp})").unwrap();
            if self.start.0 >> lamp & 1 == 1 {
                write!(text, " (init (on {lamp}))").unwrap();
            }
        }
        for (n, (turned, test)) in self.turns.iter().enumerate() {
            for lamp in (0..self.lamps).filter(|lamp| turned >> lamp & 1 == 1) {
                write!(text, " (turns {n} {lamp})").unwrap();
            }
            match test {
                Some((lamp, true)) => write!(text, " (<= (legal r (turn {n})) (true (on {lamp})))"),
                Some((lamp, false)) => {
                    write!(text, " (<= (legal r (turn {n})) (not (true (on {lamp}))))")
                }
                None => write!(text, " (legal r (turn {n}))"),
            }
            .unwrap();
        }
        for (from, to) in &self.ways {
            write!(text, " (way {from} {to})").unwrap();
        }
        text += "
            (<= (legal r (go ?y)) (true (at ?x)) (way ?x ?y))
            (<= (turned ?l) (does r (turn ?n)) (turns ?n ?l))
            (<= (next (on ?l)) (true (on ?l)) (not (turned ?l)))
            (<= (next (on ?l)) (turned ?l) (not (true (on ?l))))
            (<= (next (at ?y)) (does r (go ?y)))
            (<= (next (at ?x)) (true (at ?x)) (does r (turn ?n)))
            (<= dark (lamp ?l) (not (true (on ?l))))
            (<= terminal won) (<= (goal r 100) won) (<= (goal r 0) (not won))\n";
        if self.has_clock {
            text += "(init (step 0)) (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 40)))\n";
            for step in 0..40 {
                write!(text, "(after {step} {}) ", step + 1).unwrap();
            }
        }
        let mut won = String::from("(<= won");
        if self.is_negated {
            won += " (not dark)";
        } else {
            for lamp in 0..self.lamps {
                let is_on = self.goal.0 >> lamp & 1 == 1;
                let (before, after) = if is_on { ("", "") } else { ("(not ", ")") };
                write!(won, " {before}(true (on {lamp})){after}").unwrap();
            }
        }
        if self.is_placed {
            write!(won, " (true (at {}))", self.goal.1).unwrap();
        }
        text + &won + ")"
    }

    /// Returns the smallest number of steps from the start to each reachable state; no steps lead on from a state that meets the goal.
    fn steps(&self) -> BTreeMap<Place, usize> {
        let mut steps = BTreeMap::from([(self.start, 0)]);
        let mut open = VecDeque::from([self.start]);
        while let Some(place) = open.pop_front() {
            let next = if self.is_solved(place) {
                Vec::new()
            } else {
                self.next(place)
            };
            for (_, after) in next {
                if !steps.contains_key(&after) {
                    steps.insert(after, steps[&place] + 1);
                    open.push_back(after);
                }
            }
        }
        steps
    }
}

/// Returns the lamps and the pawn of `state`; `None` unless it has exactly one pawn.
fn place(puzzle: &Puzzle, space: &PlanSpace<'_>, state: &GameState) -> Option<Place> {
    let (mut on, mut at) = (0, Vec::new());
    for fact in puzzle.facts(&space.full(state)) {
        let mut words = fact.trim_matches(['(', ')']).split(' ');
        let (name, number) = (words.next()?, words.next()?.parse::<usize>().ok()?);
        match name {
            "on" => on |= 1 << number,
            "at" => at.push(number),
            _ => {}
        }
    }
    match at[..] {
        [at] => Some((on, at)),
        _ => None,
    }
}

/// Returns all states that `space` reaches from its start, each as its lamps and its pawn.
fn states(puzzle: &Puzzle, space: &mut PlanSpace<'_>) -> BTreeMap<Place, GameState> {
    let start = space.start();
    let mut met = BTreeMap::from([(place(puzzle, space, &start).unwrap(), start.clone())]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        let mut found = Vec::new();
        space.successors(&state, &mut found);
        for (_, after) in found {
            let at = place(puzzle, space, &after).unwrap();
            if met.insert(at, after.clone()).is_none() {
                open.push(after);
            }
        }
    }
    met
}

fn each_game(count: u64, mut look: impl FnMut(&Game, &Puzzle, &mut PlanSpace<'_>, bool)) {
    for case in 0..count {
        let reversible = case % 2 == 0;
        let game = Game::new(case, reversible);
        let puzzle = Puzzle::parse(&game.rules()).unwrap();
        let mut space = PlanSpace::new(&puzzle, true);
        look(&game, &puzzle, &mut space, reversible);
    }
}

#[test]
fn predecessors_lead_to_a_state_and_are_all_where_actions_are_undone() {
    let mut some = 0;
    each_game(300, |game, puzzle, space, reversible| {
        let met = states(puzzle, space);
        let steps = game.steps();
        assert!(met.keys().eq(steps.keys()), "{}", game.rules());
        for (&at, state) in &met {
            let mut found: Vec<(Action, GameState)> = Vec::new();
            space.predecessors(state, &mut found);
            let mut given = BTreeSet::new();
            for (action, before) in &found {
                let before = place(puzzle, space, before).unwrap();
                let way = (puzzle.action(*action).to_owned(), at);
                assert!(game.next(before).contains(&way), "{}", game.rules());
                assert!(!game.is_solved(before), "{}", game.rules());
                given.insert(before);
            }
            // The states that one action reaches from this state, and from which another action leads back.
            let back = game.next(at).into_iter().map(|(_, before)| before);
            let back = back.filter(|&before| {
                let leads_back = game.next(before).iter().any(|(_, after)| *after == at);
                before != at && !game.is_solved(before) && leads_back
            });
            let expected: BTreeSet<Place> = back.collect();
            assert!(given.is_subset(&expected), "{}", game.rules());
            if reversible {
                assert_eq!(given, expected, "{}", game.rules());
                some += expected.len();
            }
        }
    });
    assert!(some > 1000, "{some}");
}

#[test]
fn goal_states_are_solved_and_unique_where_all_states_are_sampled() {
    let (mut guessed, mut proven) = (0, 0);
    each_game(400, |game, puzzle, space, _| {
        for goal in space.goals() {
            let at = place(puzzle, space, &goal);
            assert!(at.is_none_or(|at| game.is_solved(at)), "{}", game.rules());
            guessed += 1;
        }
        let met = states(puzzle, space);
        let solved: Vec<&GameState> = met
            .iter()
            .filter(|(at, _)| game.is_solved(**at))
            .map(|(_, state)| state)
            .collect();
        let literals = space.facts_of_goal();
        for state in &solved {
            for &(fact, holds) in &literals {
                assert_eq!(
                    state.facts().any(|other| other == fact),
                    holds,
                    "{}",
                    game.rules()
                );
            }
        }
        let all: Vec<GameState> = met.values().cloned().collect();
        if let Some(goal) = completed(&FactSample::of(&all), &literals) {
            assert!(
                solved.iter().all(|&state| *state == goal),
                "{}",
                game.rules()
            );
            proven += usize::from(!solved.is_empty());
        }
    });
    assert!(guessed > 100 && proven > 50, "{guessed} {proven}");
}

#[test]
fn steps_back_from_the_goal_are_those_of_the_way_to_it() {
    let (mut compared, mut longest) = (0, 0);
    each_game(400, |game, puzzle, space, reversible| {
        let goals = space.goals();
        let Some(goal) = goals.iter().find_map(|goal| place(puzzle, space, goal)) else {
            return;
        };
        let steps = game.steps();
        if !reversible || !game.is_placed || !steps.contains_key(&goal) {
            return;
        }
        let mut met: BTreeMap<Place, usize> = BTreeMap::from([(goal, 0)]);
        let mut open = VecDeque::from([(goals[0].clone(), 0)]);
        while let Some((state, left)) = open.pop_front() {
            let mut found = Vec::new();
            space.predecessors(&state, &mut found);
            for (_, before) in found {
                let at = place(puzzle, space, &before).unwrap();
                if let Entry::Vacant(place) = met.entry(at) {
                    place.insert(left + 1);
                    open.push_back((before, left + 1));
                }
            }
        }
        assert_eq!(met.get(&game.start), steps.get(&goal), "{}", game.rules());
        compared += 1;
        longest = longest.max(steps[&goal]);
    });
    assert!(compared > 40 && longest > 2, "{compared} {longest}");
}
