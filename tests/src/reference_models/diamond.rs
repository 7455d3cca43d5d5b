//! A model of a packet that passes through a chain of diamond-shaped networks.

use figrs::prelude::*;

use super::Question;
use crate::asked::Worlds;

/// A packet takes one of the two paths of a diamond, one of which loses it with probability 0.0001 (Holtzen, Van den Broeck and Millstein 2020).
fn step(there: &Element<bool>) -> Element<bool> {
    let (route, drop) = (Flip::new(0.5), Flip::new(0.0001));
    let lossy = route.not().and(there).and(&drop.not());
    route.and(there).or(&lossy)
}

/// The packet arrives after `steps` diamonds with probability `(1 − 0.00005)^steps`.
pub fn diamond(steps: usize, reference: &'static str) -> Question {
    let mut there = Constant::new(true);
    for _ in 0..steps {
        there = step(&there);
    }
    Question::new(reference, Model::new())
        .probability("P(s)", &there, true, (1.0 - 5e-5_f64).powf(steps as f64))
        .worlds(Worlds::Many)
        .samples((500_000 / steps as u64).min(50_000))
}
