//! Single worlds (assignments) of a decision circuit: the worlds with the largest weights, and random worlds.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};

use super::decision_circuit::{CircuitNode, DecisionCircuit};
use super::scaled_number::ScaledNumber;

/// One world (assignment) of a decision circuit. A traversal of the circuit from its root gives the world: its choices at sum nodes in traversal
/// order, and the value nodes that it visits.
#[derive(Clone, Debug, Default)]
pub struct CircuitWorld {
    /// For each choice at a sum node, `true` if the traversal takes the second child.
    choices: Vec<bool>,
    /// The visited values of variables, as indices in the circuit's numbering of all values of all variables.
    pub values: Vec<u32>,
}

impl DecisionCircuit {
    /// Traverses the decision circuit from the root to the leaves; `choose` returns `true` for the second child of a sum node.
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

    /// Draws a random world (assignment) with probability proportional to its weight. The argument `values` has the value of each circuit node; the
    /// value of the root must not be zero.
    pub fn sample(&self, values: &[ScaledNumber], rng: &mut impl Rng) -> CircuitWorld {
        self.walk(|_, a, b| {
            let [a, b] = [a, b].map(|child| values[child as usize]);
            let share = b.share_of(a + b);
            rng.random::<f64>() < share
        })
    }

    /// Returns the `count` worlds (assignments) with the largest weights, best first. For each circuit node, `maxima` has the largest weight of a
    /// world of the subcircuit below the node.
    ///
    /// A traversal of the circuit rejects one child at each sum node. The argument `maxima` gives the weight of the best world with a rejected child,
    /// and the best rejected child leads to the next best world.
    ///
    /// **References.** Lawler, *A procedure for computing the K best solutions to discrete optimization problems*, 1972.
    pub fn k_best(&self, maxima: &[ScaledNumber], count: usize) -> Vec<CircuitWorld> {
        let mut found: Vec<CircuitWorld> = Vec::new();
        if maxima[self.root as usize].is_zero() || count == 0 {
            return found;
        }
        // Choices that the found worlds rejected, sorted by rating: each has the index of its world and the index of the choice in this world.
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

/// Rating of a rejected choice at a sum node: the logarithm of its weight relative to the largest weight (largest first), and then the order of
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
