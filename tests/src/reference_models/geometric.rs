//! Geometric distributions, defined by recursion as the number of failures before a success.

use figrs::prelude::*;

use super::Question;
use crate::asked::Worlds;

/// Returns the number of failures before a success of probability `p`: a model with infinitely many worlds.
pub fn failures(p: f64) -> Element<u32> {
    Flip::new(p).flat_map(move |&stop| {
        if stop {
            Constant::new(0)
        } else {
            failures(p).map(|n| n + 1)
        }
    })
}

/// Asks for the probability that the number of failures is even. With `q = 0.8²`: `P(even) = 0.2 / (1 − q)`, and half of the number is geometric
/// again.
pub fn geometric_even() -> Question {
    let n = failures(0.2);
    let model = Model::new().condition(&n, |n| n % 2 == 0);
    Question::new("M08_geometric", model)
        .named("M08_geometric even")
        .evidence("P(even)", 5.0 / 9.0)
        .probability_that("P(n>=4|even)", &n, |&n| n >= 4, 0.64 * 0.64)
        .expectation("E[n|even]", &n, |&n| f64::from(n), 2.0 * 0.64 / 0.36)
        .worlds(Worlds::Endless)
}

/// Each failure is counted with the probability of a coin, and three are counted. Then the number of the other failures is negative binomial: the
/// failures before four successes of probability 0.6.
pub fn geometric_counted() -> Question {
    let n = failures(0.2);
    let counted = n.flat_map(|&n| Binomial::new(n, 0.5));
    let model = Model::new().observe(&counted, 3);
    Question::new("M08_geometric", model)
        .named("M08_geometric counted")
        .evidence("P(y=3)", 8.0 / 81.0)
        .expectation("E[n|y=3]", &n, |&n| f64::from(n), 3.0 + 4.0 * 0.4 / 0.6)
        .probability("P(n=3|y=3)", &n, 3, 0.6_f64.powi(4))
        .worlds(Worlds::Endless)
}
