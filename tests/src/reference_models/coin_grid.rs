//! The bias of a coin on a grid of values.

use figrs::prelude::*;

use super::Question;

/// Returns a model of ten flips of a coin whose bias is one of a hundred numbers, and the element of the bias.
pub fn flipped_coin() -> (Model, Element<f64>) {
    let bias = Uniform::new((0..100).map(|i| f64::from(2 * i + 1) / 200.0));
    let mut model = Model::new();
    for head in [1, 1, 0, 1, 1, 0, 1, 1, 0, 1] {
        model = model.observe(&Flip::new(&bias), head == 1);
    }
    (model, bias)
}

/// Asks for the posterior of the bias given the flips.
pub fn coin_grid() -> Question {
    let (model, bias) = flipped_coin();
    // On average one of 1 300 worlds meets the evidence.
    Question::new("M04_coin_grid", model)
        .samples(200_000)
        .evidence("P(e)", 0.000_757_575_684_739_805_2)
        .expectation(
            "E[bias|e]=P(next=H|e)",
            &bias,
            |&bias| bias,
            0.666_666_634_654_346_8,
        )
        .probability("P(bias=0.705|e)", &bias, 0.705, 0.029_333_496_949_015_68)
        .probability_that(
            "P(bias>0.5|e)",
            &bias,
            |&bias| bias > 0.5,
            0.886_761_713_878_504_5,
        )
}
