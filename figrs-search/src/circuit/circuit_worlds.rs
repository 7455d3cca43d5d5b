//! Single worlds (assignments) of a decision circuit: the worlds of largest weight, and random worlds.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};

use super::decision_circuit::{CircuitNode, DecisionCircuit};
use super::scaled_number::ScaledNumber;

/// One world (assignment) of a decision circuit. A world is given by a traversal from the root: the choices at the sum nodes in
/// traversal order, and the value nodes that the traversal visits.
#[derive(Clone, Debug, Default)]
pub struct CircuitWorld {
    /// For each choice at a sum node, `true` if the traversal takes the second child.
    choices: Vec<bool>,
    /// The visited values of variables, as indices in the circuit's numbering of values.
    pub values: Vec<u32>,
}

impl DecisionCircuit {
    /// Traverses the circuit from the root downwards; `choose` returns `true` to take the second child of a sum.
    fn walk(&self, mut choose: impl FnMut(usize, u32, u32) -> bool) -> CircuitWorld {
        let mut world = CircuitWorld::default();
        let mut stack = vec![self.root];
        while let Some(place) = stack.pop() {
            match self.nodes[place as usize] {
                CircuitNode::Value(number) => world.values.push(number),
                CircuitNode::Symbol(_) => {}
                CircuitNode::Product(start, len) => stack.extend(self.children(start, len)),
                CircuitNode::Sum(a, b) => {
                    let second = choose(world.choices.len(), a, b);
                    world.choices.push(second);
                    stack.push(if second { b } else { a });
                }
            }
        }
        world
    }

    /// Draws a random world with probability proportional to its weight, given the value of each node; the value of the
    /// root must not be zero.
    pub fn sample(&self, values: &[ScaledNumber], rng: &mut impl Rng) -> CircuitWorld {
        self.walk(|_, a, b| {
            let [a, b] = [a, b].map(|child| values[child as usize]);
            let share = b.share_of(a + b);
            rng.random::<f64>() < share
        })
    }

    /// Returns the `count` worlds (assignments) of the largest weights, best first. `maxima` has, for each node, the largest weight
    /// of a world of the node's subcircuit.
    ///
    /// For each choice that the worlds found so far rejected, `maxima` gives the weight of the best world with this choice. The best
    /// of the rejected choices leads to the next best world.
    ///
    /// **References.** Lawler, *A procedure for computing the K best solutions to discrete optimization problems*, 1972.
    pub fn k_best(&self, maxima: &[ScaledNumber], count: usize) -> Vec<CircuitWorld> {
        let mut found: Vec<CircuitWorld> = Vec::new();
        if maxima[self.root as usize].is_zero() || count == 0 {
            return found;
        }
        // Choices that the found worlds rejected, sorted by rating: each has the index of its world and the index of
        // the choice.
        let mut open: BTreeMap<ChoiceRating, (usize, usize)> = BTreeMap::new();
        let mut age = 0;
        let mut next = Some((0.0, None::<(usize, usize)>));
        while let Some((rating, way)) = next.take() {
            let fixed = way.map_or(&[][..], |(base, at)| &found[base].choices[..=at]);
            let fixed = fixed.to_vec();
            let left = count - found.len() - 1;
            let base = found.len();
            let world = self.walk(|at, a, b| {
                let [first, second] = [a, b].map(|child| maxima[child as usize]);
                let better = second.ln() > first.ln();
                if at + 1 < fixed.len() {
                    return fixed[at];
                }
                if at + 1 == fixed.len() {
                    return !fixed[at];
                }
                let (best, other) = if better {
                    (second, first)
                } else {
                    (first, second)
                };
                if !other.is_zero() && left > 0 {
                    age += 1;
                    let rating = ChoiceRating(rating + other.ln() - best.ln(), age);
                    open.insert(rating, (base, at));
                    if open.len() > left {
                        open.pop_last();
                    }
                }
                better
            });
            found.push(world);
            if found.len() < count {
                next = open.pop_first().map(|(rating, way)| (rating.0, Some(way)));
            }
        }
        found
    }
}

/// Rating of a rejected choice: first the logarithm of its weight relative to the best weight (largest first), then the order of
/// insertion.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ChoiceRating(f64, u64);

impl Eq for ChoiceRating {}

impl PartialOrd for ChoiceRating {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ChoiceRating {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(self.1.cmp(&other.1))
    }
}
