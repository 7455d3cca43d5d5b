//! The sprinkler network.

use figrs::prelude::*;

use super::Question;

/// Returns the network of clouds, a sprinkler, rain and wet grass (Russell and Norvig), given wet grass, with the clouds, the sprinkler and the rain:
/// four Flips, with one impossible row in a table.
pub fn sprinkler_network() -> (Model, [Element<bool>; 3]) {
    let cloudy = Flip::new(0.5);
    let sprinkler = If::new(&cloudy, Flip::new(0.1), Flip::new(0.5));
    let rain = If::new(&cloudy, Flip::new(0.8), Flip::new(0.2));
    let wet = Cpd::new(
        (&sprinkler, &rain),
        [
            ((true, true), Flip::new(0.99)),
            ((true, false), Flip::new(0.9)),
            ((false, true), Flip::new(0.9)),
            ((false, false), Flip::new(0.0)),
        ],
    );
    let model = Model::new().observe(&wet, true);
    (model, [cloudy, sprinkler, rain])
}

/// Asks about the sprinkler network.
pub fn sprinkler() -> Question {
    let (model, [cloudy, sprinkler, rain]) = sprinkler_network();
    let world = (cloudy.clone(), sprinkler.clone(), rain.clone());
    Question::new("M01_sprinkler", model)
        .evidence("P(wet)", 0.6471)
        .probability("P(sprinkler|wet)", &sprinkler, true, 0.2781 / 0.6471)
        .probability("P(rain|wet)", &rain, true, 0.4581 / 0.6471)
        .probability("P(cloudy|wet)", &cloudy, true, 0.3726 / 0.6471)
        .most_probable(
            (&cloudy, &sprinkler, &rain),
            0.324_f64.ln(),
            move |answer| {
                let (cloudy, sprinkler, rain) = &world;
                Ok(answer.most_likely_value(cloudy)?
                    && !answer.most_likely_value(sprinkler)?
                    && answer.most_likely_value(rain)?)
            },
        )
}
