//! The Monty Hall problem.

use figrs::prelude::*;

use super::Question;

/// Returns the door with the prize, the door that was picked, and the door that the host opens, whose possible values depend on the first two.
fn doors() -> [Element<usize>; 3] {
    let prize = Uniform::new(0..3);
    let pick = Uniform::new(0..3);
    let host = (&prize, &pick).flat_map(|(&prize, &pick)| {
        Uniform::new((0..3).filter(move |&door| door != prize && door != pick))
    });
    [prize, pick, host]
}

/// Asks about the prize after the first door was picked and the host opened the last one.
pub fn monty_hall() -> Question {
    let [prize, pick, host] = doors();
    let model = Model::new().observe(&pick, 0).observe(&host, 2);
    Question::new("M03_monty", model)
        .evidence("P(pick=0,host=2)", 1.0 / 6.0)
        .probability("P(prize=0|e)", &prize, 0, 1.0 / 3.0)
        .probability("P(prize=1|e)", &prize, 1, 2.0 / 3.0)
        .probability("P(prize=2|e)", &prize, 2, 0.0)
}

/// Asks for the prior probability that the third door has the prize.
pub fn monty_hall_switching() -> Question {
    let [prize, pick, host] = doors();
    let wins = (&prize, &pick, &host).map(|(prize, pick, host)| prize != pick && prize != host);
    Question::new("M03_monty", Model::new())
        .named("M03_monty switching")
        .probability("P(switch wins)", &wins, true, 2.0 / 3.0)
}
