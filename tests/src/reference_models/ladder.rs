//! A model of a packet that moves along a ladder of two wires.

use figrs::prelude::*;

use super::Question;
use crate::asked::Worlds;

/// One of two wires carries a packet. Each step loses the packet with probability 0.001 if it is on the first wire, and otherwise puts it on either
/// wire with equal probability (Holtzen, Van den Broeck and Millstein 2020).
fn step(wires: &Element<(bool, bool)>) -> Element<(bool, bool)> {
    let either = || Flip::new(0.5).map(|&first| (first, !first));
    let lost = || Constant::new((false, false));
    wires.flat_map(move |&wires| match wires {
        (true, _) => If::new(&Flip::new(0.001), lost(), either()),
        (false, true) => either(),
        (false, false) => lost(),
    })
}

/// The packet is on the first wire after `steps` steps, with probability `0.5 · 0.999 · 0.9995^(steps − 1)`.
pub fn ladder(steps: usize, reference: &'static str) -> Question {
    let mut wires = Constant::new((true, false));
    for _ in 0..steps {
        wires = step(&wires);
    }
    let first = wires.map(|&(first, _)| first);
    let exact = 0.5 * 0.999 * 0.9995_f64.powf(steps as f64 - 1.0);
    Question::new(reference, Model::new())
        .probability("P(fst)", &first, true, exact)
        .worlds(Worlds::Many)
        .samples((400_000 / steps as u64).min(20_000))
}
