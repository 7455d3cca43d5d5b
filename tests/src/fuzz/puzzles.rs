//! Fuzzes the reader of rule files.

use figrs::gdl::{GroundingLimits, Length, Policy, Puzzle};
use figrs::{Compiled, Frontier};

use super::text;

/// Reads rules in the Game Description Language, fills in variables, and searches for plans of a few steps.
///
/// # Panics
///
/// Panics if inference finds no plan although the search has found one, or if a plan breaks the rules.
pub fn rules(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let limits = GroundingLimits::default()
        .facts(100)
        .rules(200)
        .matches(5_000);
    let Ok(puzzle) = Puzzle::parse_within(text, limits) else {
        return;
    };
    let frontier = Frontier::new().memory(1 << 18);
    let Ok(survey) = puzzle.shortest(&frontier, 3) else {
        return;
    };
    let plans = puzzle.elements(Length::Exactly(survey.steps()), Policy::Legal);
    let Ok(compiled) = frontier.compile(plans.model(), plans.moves()) else {
        return;
    };
    let samples = compiled.samples(1).expect("there is a plan");
    for world in samples.take(2) {
        let mut state = puzzle.start();
        for action in plans.plan(&world).expect("a world of these elements") {
            assert!(puzzle.legal(&state).contains(&action));
            state = puzzle.next(&state, action);
        }
        assert!(puzzle.is_solved(&state));
    }
}
