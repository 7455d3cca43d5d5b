//! Two independent rare events, observed to have both happened.

use figrs::prelude::*;

use super::Question;

fn coins() -> [Element<bool>; 2] {
    let both = Flip::new(0.001).and(&Flip::new(0.001));
    let bell = If::new(&both, Flip::new(0.9), Flip::new(0.1));
    [both, bell]
}

/// Asks about two events of probability 0.001 each, given that both happened.
pub fn rare_coins() -> Question {
    let [both, bell] = coins();
    Question::new("M07_rare_coins", Model::new().observe(&both, true))
        .evidence("P(e)", 1e-6)
        .probability("P(c|e)", &bell, true, 0.9)
}

/// Asks about the same two events without evidence.
pub fn rare_coins_unobserved() -> Question {
    let [_, bell] = coins();
    Question::new("M07_rare_coins", Model::new())
        .named("M07_rare_coins unobserved")
        .probability("P(c)", &bell, true, 0.100_000_8)
}
