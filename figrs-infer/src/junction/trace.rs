//! Traceback from messages to worlds: the steps are visited from the roots down, each choosing the values it summed out.

use crate::eliminate::Semiring;

use super::beliefs::Beliefs;
use super::tensor::Rank;
use super::tree::{Step, Tree};

/// The alternatives of one step, given the values of the variables of its result.
#[derive(Debug)]
pub(super) struct Alternatives<V> {
    /// The variables that were summed out.
    pub(super) summed: Vec<Rank>,
    /// Their values, one alternative after another.
    pub(super) values: Vec<u32>,
    /// Contribution of each alternative to the sum.
    pub(super) weights: Vec<V>,
}

impl<V> Alternatives<V> {
    /// Writes the values of an alternative into an assignment (by rank).
    pub(super) fn assign(&self, alternative: usize, values: &mut [u32]) {
        let n = self.summed.len();
        for (&rank, &value) in self.summed.iter().zip(&self.values[alternative * n..]) {
            values[rank as usize] = value;
        }
    }
}

impl<S: Semiring> Beliefs<S> {
    /// Alternatives of a step, in the order of the values, those without weight left out; `values` holds those of the
    /// variables of its result.
    pub(super) fn alternatives(
        &self,
        tree: &Tree,
        step: &Step,
        values: &mut [u32],
    ) -> Alternatives<S::Value> {
        let mut found = Alternatives {
            summed: tree.summed(step),
            values: Vec::new(),
            weights: Vec::new(),
        };
        let x = self.entries(tree, step.left);
        let unit = [S::one()];
        let y = step.right.map_or(&unit[..], |t| self.entries(tree, t));
        if let Some(products) = &step.products {
            let Some(out) = tree.entry(step.out, values) else {
                return found;
            };
            let first = products.partition_point(|product| (product[2] as usize) < out);
            let group = products[first..]
                .iter()
                .take_while(|p| p[2] as usize == out);
            for &[i, j, _] in group {
                let weight = S::mul(&x[i as usize], &y[j as usize]);
                if S::is_zero(&weight) {
                    continue;
                }
                tree.decode(step.left, i as usize, values);
                if let Some(right) = step.right {
                    tree.decode(right, j as usize, values);
                }
                found
                    .values
                    .extend(found.summed.iter().map(|&rank| values[rank as usize]));
                found.weights.push(weight);
            }
            return found;
        }
        let (mut at_x, x_strides) = tree.offsets(Some(step.left), &found.summed, values);
        let (mut at_y, y_strides) = tree.offsets(step.right, &found.summed, values);
        let mut digits = vec![0u32; found.summed.len()];
        'all: loop {
            let weight = S::mul(&x[at_x], &y[at_y]);
            if !S::is_zero(&weight) {
                found.values.extend_from_slice(&digits);
                found.weights.push(weight);
            }
            for (d, &rank) in found.summed.iter().enumerate().rev() {
                digits[d] += 1;
                at_x += x_strides[d];
                at_y += y_strides[d];
                let n = tree.cards[rank as usize];
                if digits[d] < n {
                    continue 'all;
                }
                digits[d] = 0;
                at_x -= x_strides[d] * n as usize;
                at_y -= y_strides[d] * n as usize;
            }
            return found;
        }
    }

    /// Chooses a value for every variable: from the roots down, `choose` picks one of each step's alternatives by their
    /// weights. `None` if a step has no alternative, because no assignment has weight.
    pub(super) fn trace(
        &self,
        tree: &Tree,
        mut choose: impl FnMut(&[S::Value]) -> usize,
    ) -> Option<Vec<u32>> {
        let mut values = vec![0; tree.cards.len()];
        for step in tree.steps.iter().rev().filter(|step| tree.decides(step)) {
            let alternatives = self.alternatives(tree, step, &mut values);
            if alternatives.weights.is_empty() {
                return None;
            }
            let chosen = match alternatives.weights.len() {
                1 => 0,
                _ => choose(&alternatives.weights),
            };
            alternatives.assign(chosen, &mut values);
        }
        Some(values)
    }
}

impl Tree {
    /// True if a step sums some variable out, so that there is a value to choose.
    pub(super) fn decides(&self, step: &Step) -> bool {
        let right = step.right.map_or(&[][..], |t| self.scope(t));
        let left = self.scope(step.left);
        let shared = right.iter().filter(|rank| left.binary_search(rank).is_ok());
        left.len() + right.len() - shared.count() > self.scope(step.out).len()
    }

    /// Offset of the entries of a dense tensor that agree with `values` in all but the variables `free`, and the strides of
    /// these; the unit, if there is no tensor, has one entry.
    fn offsets(&self, tensor: Option<u32>, free: &[Rank], values: &[u32]) -> (usize, Vec<usize>) {
        let (mut base, mut stride) = (0, 1);
        let mut strides = vec![0; free.len()];
        for &rank in tensor.map_or(&[][..], |t| self.scope(t)).iter().rev() {
            match free.iter().position(|&f| f == rank) {
                Some(place) => strides[place] = stride,
                None => base += stride * values[rank as usize] as usize,
            }
            stride *= self.cards[rank as usize] as usize;
        }
        (base, strides)
    }

    /// The next assignment of some variables; false after the last.
    pub(super) fn advance(&self, variables: &[Rank], values: &mut [u32]) -> bool {
        for &rank in variables.iter().rev() {
            let value = &mut values[rank as usize];
            *value += 1;
            if *value < self.cards[rank as usize] {
                return true;
            }
            *value = 0;
        }
        false
    }
}
