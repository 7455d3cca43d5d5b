//! Computes plans by exploring states, without inference.

use std::collections::BTreeMap;

use figrs::gdl::{Action, GameState, Puzzle};

/// Returns for each number of steps the number of plans, and the probability that a player who chooses among the legal actions uniformly solves the
/// puzzle with that number of steps.
pub(crate) fn plans(puzzle: &Puzzle, most: usize) -> Vec<(u64, f64)> {
    let mut layer = vec![(puzzle.start(), 1u64, 1.0)];
    let mut plans = Vec::new();
    for _ in 0..=most {
        let solved = layer.iter().filter(|(state, ..)| puzzle.is_solved(state));
        plans.push(solved.fold((0, 0.0), |(n, p), (_, m, q)| (n + m, p + q)));
        let mut next = BTreeMap::<Vec<String>, (GameState, u64, f64)>::new();
        for (state, count, p) in &layer {
            if puzzle.is_terminal(state) {
                continue;
            }
            let legal = puzzle.legal(state);
            for &action in &legal {
                let after = puzzle.next(state, action);
                let merged = next.entry(names(puzzle, &after)).or_insert((after, 0, 0.0));
                merged.1 += count;
                merged.2 += p / legal.len() as f64;
            }
        }
        layer = next.into_values().collect();
    }
    plans
}

/// Returns the facts of a state, in order.
pub(crate) fn names(puzzle: &Puzzle, state: &GameState) -> Vec<String> {
    let mut names: Vec<String> = puzzle.facts(state).into_iter().map(String::from).collect();
    names.sort_unstable();
    names
}

/// Returns the state after a plan; `None` if an action is not legal or if the puzzle ends before.
pub(crate) fn played(puzzle: &Puzzle, plan: &[Action]) -> Option<GameState> {
    plan.iter().try_fold(puzzle.start(), |state, action| {
        let legal = puzzle.legal(&state).contains(action);
        legal.then(|| puzzle.next(&state, *action))
    })
}
