//! Traceback through a contraction tree, from the roots to the leaves: each step chooses values of the variables that it summed out.

use crate::algebra::Semiring;
use crate::graph::Assignments;

use super::beliefs::Beliefs;
use super::contraction_tree::{ContractionStep, ContractionTree};
use super::tensor::Rank;

/// The alternatives of one contraction step in a traceback, given the values of the variables of the step's result.
#[derive(Debug)]
pub(super) struct Alternatives<V> {
    /// The variables that the contraction step sums out.
    pub(super) summed: Vec<Rank>,
    /// For each alternative, the values of the variables `summed`, one alternative after another.
    pub(super) values: Vec<u32>,
    /// The contribution of each alternative to the sum that the step computes.
    pub(super) weights: Vec<V>,
}

impl<V> Alternatives<V> {
    /// Writes the values of `alternative` into `values`, an assignment indexed by the rank of each variable.
    pub(super) fn assign(&self, alternative: usize, values: &mut [u32]) {
        let n = self.summed.len();
        for (&rank, &value) in self.summed.iter().zip(&self.values[alternative * n..]) {
            values[rank as usize] = value;
        }
    }
}

impl<S: Semiring> Beliefs<S> {
    /// Returns the alternatives of `step` with a positive weight, in the order of their values. `values` contains the values of the variables of the
    /// step's result.
    pub(super) fn alternatives(
        &self,
        tree: &ContractionTree,
        step: &ContractionStep,
        values: &mut [u32],
    ) -> Alternatives<S::Value> {
        let mut found = Alternatives {
            summed: tree.summed_variables(step),
            values: Vec::new(),
            weights: Vec::new(),
        };
        if let Some(products) = &step.products {
            let Some(out) = tree.entry(step.out, values) else {
                return found;
            };
            for product in step.products_of(products, out) {
                let met = || step.inputs.iter().zip(product);
                let weights = met().map(|(&t, &i)| &self.entries(tree, t)[i as usize]);
                let weight = weights.fold(S::one(), |product, x| S::mul(&product, x));
                if S::is_zero(&weight) {
                    continue;
                }
                for (&t, &i) in met() {
                    tree.decode(t, i as usize, values);
                }
                found
                    .values
                    .extend(found.summed.iter().map(|&rank| values[rank as usize]));
                found.weights.push(weight);
            }
            return found;
        }
        let unit = [S::one()];
        let [x, y] = [0, 1].map(|i| {
            let tensor = step.inputs.get(i);
            tensor.map_or(&unit[..], |&t| self.entries(tree, t))
        });
        let [(mut at_x, x_strides), (mut at_y, y_strides)] =
            [0, 1].map(|i| tree.offsets(step.inputs.get(i).copied(), &found.summed, values));
        let cards = found
            .summed
            .iter()
            .map(|&r| tree.cards[r as usize] as usize);
        let all = Assignments::rows(cards);
        let changes = [x_strides, y_strides].map(|strides| all.offset_changes(strides));
        let mut digits = vec![0u32; found.summed.len()];
        loop {
            let weight = S::mul(&x[at_x], &y[at_y]);
            if !S::is_zero(&weight) {
                found.values.extend_from_slice(&digits);
                found.weights.push(weight);
            }
            let Some(raised) = all.advance(&mut digits) else {
                return found;
            };
            at_x = at_x.wrapping_add(changes[0][raised]);
            at_y = at_y.wrapping_add(changes[1][raised]);
        }
    }

    /// Chooses a value for every variable: at each step, from the roots to the leaves, `choose` selects one alternative by the weights. Returns
    /// `None` if a step has no alternative; no assignment then has a positive weight.
    pub(super) fn trace(
        &self,
        tree: &ContractionTree,
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

impl ContractionTree {
    pub(super) fn decides(&self, step: &ContractionStep) -> bool {
        let out = self.scope(step.out);
        let mut ranks = step.inputs.iter().flat_map(|&t| self.scope(t));
        ranks.any(|rank| out.binary_search(rank).is_err())
    }

    /// Returns the offset in a dense tensor of the entry with the values `values` and the first value of each variable of `free`, and the strides of
    /// the variables `free`. If `tensor` is `None`, the offset and all strides are zero.
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
}
