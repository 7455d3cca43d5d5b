//! Tests of best-first search against breadth-first search on random graphs, and of its limits.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use figrs::gdl::{BestFirst, SearchEstimate, StateSpace};
use figrs::{Stopped, stream};
use rand::RngExt;

/// A random directed graph with goal states.
struct Graph {
    next: Vec<Vec<u32>>,
    goals: Vec<bool>,
    /// Number of steps to the nearest goal; `None` if no goal can be reached.
    left: Vec<Option<u32>>,
    /// Divisor of the number of remaining steps that gives the lower bound.
    slack: u32,
    expanded: u64,
}

impl Graph {
    fn new(seed: u64, slack: u32) -> Self {
        let rng = &mut stream(41, seed);
        let count = rng.random_range(1..60);
        let arcs = rng.random_range(0..3 * count);
        let mut next = vec![Vec::new(); count];
        for _ in 0..arcs {
            next[rng.random_range(0..count)].push(rng.random_range(0..count) as u32);
        }
        let mut goals = vec![false; count];
        for _ in 0..rng.random_range(0..3) {
            goals[rng.random_range(0..count)] = true;
        }
        let mut left: Vec<Option<u32>> = goals.iter().map(|&goal| goal.then_some(0)).collect();
        for steps in 0..count as u32 {
            for from in 0..count {
                let reaches = next[from]
                    .iter()
                    .any(|&to| left[to as usize] == Some(steps));
                if left[from].is_none() && reaches {
                    left[from] = Some(steps + 1);
                }
            }
        }
        Self {
            next,
            goals,
            left,
            slack,
            expanded: 0,
        }
    }

    fn is_way(&self, plan: &[u32]) -> bool {
        let mut at = 0;
        let mut all = plan.iter();
        all.all(|&to| {
            let from = std::mem::replace(&mut at, to);
            self.next[from as usize].contains(&to)
        }) && self.goals[at as usize]
    }
}

impl StateSpace for Graph {
    type State = u32;
    type Action = u32;

    fn start(&self) -> u32 {
        0
    }

    fn is_goal(&mut self, state: &u32) -> bool {
        self.goals[*state as usize]
    }

    fn successors(&mut self, state: &u32, found: &mut Vec<(u32, u32)>) {
        self.expanded += 1;
        found.extend(self.next[*state as usize].iter().map(|&to| (to, to)));
    }

    fn estimate(&mut self, state: &u32, estimate: &mut SearchEstimate<u32>) {
        let left = self.left[*state as usize];
        estimate.is_dead_end = self.slack == 1 && left.is_none();
        estimate.at_least = left.map_or(0, |left| left.div_ceil(self.slack));
        // One of the scores is misleading.
        let left = u64::from(left.unwrap_or(99));
        estimate.scores.extend([left, 1000 - left]);
        let useful = self.next[*state as usize].iter();
        estimate.preferred.extend(useful.filter(|to| **to % 2 == 0));
    }

    fn at_least(&mut self, state: &u32) -> Option<u32> {
        match self.left[*state as usize] {
            Some(left) => Some(left.div_ceil(self.slack)),
            None if self.slack == 1 => None,
            None => Some(0),
        }
    }

    fn work(&self) -> u64 {
        self.expanded
    }
}

#[test]
fn plans_are_ways_and_the_shortest_are_those_of_breadth_first_search() {
    let (mut solvable, mut longest) = (0, 0);
    for case in 0..600 {
        let slack = 1 + case as u32 % 4;
        let mut graph = Graph::new(case, slack);
        let expected = graph.left[0].map(|left| left as usize);
        let any = BestFirst::new().any_plan(&mut graph).unwrap();
        assert_eq!(any.plan().is_some(), expected.is_some(), "{case}");
        assert_eq!(any.is_impossible(), expected.is_none(), "{case}");
        assert!(any.plan().is_none_or(|plan| graph.is_way(plan)), "{case}");
        // A greedy search keeps long paths to states, but its verdict holds for all states that it leaves out as well.
        for most in 0..6 {
            let found = BestFirst::new().steps(most).any_plan(&mut graph).unwrap();
            let is_short = expected.is_some_and(|expected| expected <= most);
            assert_eq!(found.plan().is_some(), is_short, "{case} {most}");
            assert_eq!(found.stopped(), Stopped::Finished, "{case} {most}");
            assert!(
                !found.is_impossible() || expected.is_none(),
                "{case} {most}"
            );
            match found.plan() {
                Some(plan) => assert!(plan.len() <= most && graph.is_way(plan), "{case} {most}"),
                None => assert!(
                    found.is_impossible() || found.at_least() == most + 1,
                    "{case}"
                ),
            }
        }
        let best = BestFirst::new().shortest_plan(&mut graph).unwrap();
        assert_eq!(best.plan().map(<[u32]>::len), expected, "{case}");
        assert_eq!(best.is_shortest(), expected.is_some(), "{case}");
        assert_eq!(best.is_impossible(), expected.is_none(), "{case}");
        assert!(best.plan().is_none_or(|plan| graph.is_way(plan)), "{case}");
        // With too few steps allowed, the search proves only that more steps are needed.
        if let Some(few) = expected.and_then(|steps| steps.checked_sub(1)) {
            let few_steps = BestFirst::new().steps(few);
            let none = few_steps.shortest_plan(&mut graph).unwrap();
            assert!(
                none.plan().is_none() && none.at_least() == few + 1,
                "{case}"
            );
            assert!(!none.is_impossible() && none.stopped() == Stopped::Finished);
            let none = few_steps.any_plan(&mut graph).unwrap();
            assert!(none.plan().is_none() && !none.is_impossible(), "{case}");
        }
        // The statements of a search with a small budget are true.
        let cut = BestFirst::new().work(2).shortest_plan(&mut graph).unwrap();
        assert!(
            expected.is_none_or(|steps| cut.at_least() <= steps),
            "{case}"
        );
        solvable += usize::from(expected.is_some());
        longest = longest.max(expected.unwrap_or(0));
    }
    assert!(solvable > 100 && longest > 7, "{solvable} {longest}");
}

/// A graph of infinitely many numbers, none of which is a goal.
struct Endless;

impl StateSpace for Endless {
    type State = u64;
    type Action = u8;

    fn start(&self) -> u64 {
        1
    }

    fn is_goal(&mut self, _: &u64) -> bool {
        false
    }

    fn successors(&mut self, state: &u64, found: &mut Vec<(u8, u64)>) {
        found.extend([(0, state.wrapping_mul(2)), (1, state.wrapping_mul(3) ^ 5)]);
    }
}

#[test]
fn limits_end_a_search_and_say_so() {
    let small = BestFirst::new().memory(1 << 20);
    for found in [
        small.any_plan(&mut Endless).unwrap(),
        small.shortest_plan(&mut Endless).unwrap(),
    ] {
        assert_eq!(found.stopped(), Stopped::Budget);
        assert!(found.plan().is_none() && !found.is_impossible() && !found.is_shortest());
        assert!(
            (1_000..100_000).contains(&found.states()),
            "{}",
            found.states()
        );
    }
    let late = BestFirst::new().deadline(Duration::from_millis(20));
    let found = late.any_plan(&mut Endless).unwrap();
    assert_eq!(found.stopped(), Stopped::Deadline);
    let flag = Arc::new(AtomicBool::new(true));
    let interrupted = BestFirst::new().interrupt(flag);
    let found = interrupted.shortest_plan(&mut Endless).unwrap();
    assert_eq!(found.stopped(), Stopped::Interrupted);
}

/// As [`Endless`], but a given number is the goal.
struct Until(u64);
impl StateSpace for Until {
    type State = u64;
    type Action = u8;
    fn start(&self) -> u64 {
        Endless.start()
    }
    fn is_goal(&mut self, state: &u64) -> bool {
        *state == self.0
    }
    fn successors(&mut self, state: &u64, found: &mut Vec<(u8, u64)>) {
        Endless.successors(state, found);
    }
}

/// Without estimates, best-first search equals breadth-first search.
#[test]
fn without_estimates_a_search_is_breadth_first() {
    let start = Endless.start();
    let (mut open, mut seen) = (VecDeque::from([(start, 0)]), BTreeSet::from([start]));
    let mut goal = (start, 0);
    while seen.len() < 3000 {
        let (state, steps) = open.pop_front().unwrap();
        goal = (state, steps);
        let mut found = Vec::new();
        Endless.successors(&state, &mut found);
        for (_, next) in found {
            if seen.insert(next) {
                open.push_back((next, steps + 1));
            }
        }
    }
    for found in [
        BestFirst::new().any_plan(&mut Until(goal.0)).unwrap(),
        BestFirst::new().shortest_plan(&mut Until(goal.0)).unwrap(),
    ] {
        assert_eq!(found.plan().unwrap().len(), goal.1);
    }
}

/// The tours of a knight through all squares of a board, from a corner. A state is the set of visited squares and the last square.
struct Tour {
    side: i32,
}

impl StateSpace for Tour {
    type State = (u64, u8);
    type Action = u8;

    fn start(&self) -> (u64, u8) {
        (1, 0)
    }

    fn is_goal(&mut self, (visited, _): &(u64, u8)) -> bool {
        *visited == (1 << (self.side * self.side)) - 1
    }

    fn successors(&mut self, &(visited, at): &(u64, u8), found: &mut Vec<(u8, (u64, u8))>) {
        let (row, column) = (i32::from(at) / self.side, i32::from(at) % self.side);
        let moves = [
            (1, 2),
            (2, 1),
            (2, -1),
            (1, -2),
            (-1, -2),
            (-2, -1),
            (-2, 1),
            (-1, 2),
        ];
        for (down, right) in moves {
            let (row, column) = (row + down, column + right);
            let to = row * self.side + column;
            let is_in = (0..self.side).contains(&row) && (0..self.side).contains(&column);
            if is_in && visited >> to & 1 == 0 {
                found.push((to as u8, (visited | 1 << to, to as u8)));
            }
        }
    }
}

/// Without an estimate, a dive visits first the states with few successors.
#[test]
fn dives_find_what_lies_deep() {
    for side in [5, 6, 7] {
        let found = BestFirst::new().any_plan(&mut Tour { side }).unwrap();
        let plan = found.plan().unwrap();
        assert_eq!(plan.len() as i32, side * side - 1);
        let (mut tour, mut state) = (Tour { side }, (1, 0));
        for &square in plan {
            let mut next = Vec::new();
            tour.successors(&state, &mut next);
            state = next.into_iter().find(|(to, _)| *to == square).unwrap().1;
        }
        assert!(tour.is_goal(&state) && !found.is_shortest());
    }
}

/// Twenty lamps in a circle, of which a step switches three adjacent ones; the goal is that all lamps are off.
struct Lamps {
    start: u32,
    knows_goals: bool,
}

/// Returns the lamps after a step.
fn turned(lamps: u32, at: u8) -> u32 {
    let at = u32::from(at);
    let three = [at, (at + 1) % 20, (at + 2) % 20];
    three.iter().fold(lamps, |lamps, lamp| lamps ^ 1 << lamp)
}

impl StateSpace for Lamps {
    type State = u32;
    type Action = u8;

    fn start(&self) -> u32 {
        self.start
    }

    fn is_goal(&mut self, lamps: &u32) -> bool {
        *lamps == 0
    }

    fn successors(&mut self, lamps: &u32, found: &mut Vec<(u8, u32)>) {
        found.extend((0..20).map(|at| (at, turned(*lamps, at))));
    }

    fn goals(&mut self) -> Vec<u32> {
        if self.knows_goals {
            vec![0]
        } else {
            Vec::new()
        }
    }

    fn predecessors(&mut self, lamps: &u32, found: &mut Vec<(u8, u32)>) {
        self.successors(lamps, found);
    }
}

/// The goal needs ten steps in any order, and no fewer; a search from both ends finds them among far fewer states.
#[test]
fn a_search_from_both_ends_meets_between_them() {
    let steps = [0, 1, 3, 6, 7, 9, 12, 14, 15, 18];
    let start = steps.iter().fold(0, |lamps, &at| turned(lamps, at));
    let mut states = Vec::new();
    for knows_goals in [true, false] {
        let mut lamps = Lamps { start, knows_goals };
        let search = BestFirst::new().steps(steps.len());
        let found = search.any_plan(&mut lamps).unwrap();
        let plan = found.plan().unwrap();
        assert_eq!(plan.len(), steps.len());
        assert_eq!(plan.iter().fold(start, |lamps, &at| turned(lamps, at)), 0);
        states.push(found.states());
    }
    assert!(states[0] * 2 < states[1], "{states:?}");
}
