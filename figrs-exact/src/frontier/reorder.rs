//! Search for a visiting order of the elements that has fewer predicted states than the order of the evidence statements.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::element_order::OrderedElement;
use super::predict::{OrderingInput, StatePredictor, most_bits};

/// No other visiting order is tried if the base-2 logarithm of the number of states predicted for the stated order is at most this constant.
const SMALL_STATE_BITS: f64 = 10.0;

/// Another visiting order is used only if it reduces the predicted base-2 logarithm of the number of states by at least this number, because
/// predictions are rough.
const MARGIN: f64 = 2.0;

/// Maximum total number of candidates that the search tries for the next random choice; after that, the remaining choices keep the stated order.
const MAX_TRIED_CHOICES: usize = 1 << 18;

/// Returns a visiting order that is predicted to have fewer states than the stated order; `None` if no such order is found.
///
/// The function tries two visiting orders: the stated order of the random choices, and a greedy order. In both visiting orders that are tried, an
/// element whose value follows from other elements comes directly after them, together with the evidence on it, and an element with only one possible
/// value comes directly before the first element that reads it. In the first of the two visiting orders that are tried, the random choices keep their
/// stated order. In the second (greedy) visiting order, the next random choice is the one with the fewest predicted states; the candidates are the
/// choices that some element reads together with visited elements.
pub(super) fn better_order(stated: &[OrderedElement]) -> Option<Vec<usize>> {
    let sizes = OrderingInput::new(stated);
    let as_stated: Vec<usize> = (0..stated.len()).collect();
    let mut fewest = most_bits(&sizes, &as_stated);
    let mut best = None;
    if fewest <= SMALL_STATE_BITS {
        return None;
    }
    for next in [NextChoiceRule::Stated, NextChoiceRule::Fewest] {
        let order = OrderBuilder::new(&sizes).order(next);
        let bits = most_bits(&sizes, &order);
        if bits < fewest - MARGIN {
            (fewest, best) = (bits, Some(order));
        }
    }
    best
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NextChoiceRule {
    /// In this variant of the search for a visiting order, the next random choice is the first remaining choice of the stated order.
    Stated,
    /// In the greedy search for a visiting order, the next random choice is the choice after which the predicted number of states is smallest.
    Fewest,
}

struct OrderBuilder<'s> {
    sizes: &'s OrderingInput,
    predicted: StatePredictor<'s>,
    /// For each element, the number of unvisited elements that it reads and that have several values.
    waits: Vec<usize>,
    /// The random choices that may come next in the visiting order, and the subset of these choices that some element reads together with visited
    /// elements.
    ready: BTreeSet<usize>,
    near: BTreeSet<usize>,
    /// For each element, `true` if the elements that it reads have been searched for random choices that may come next.
    is_looked: Vec<bool>,
    tried: usize,
    order: Vec<usize>,
}

impl<'s> OrderBuilder<'s> {
    fn new(sizes: &'s OrderingInput) -> Self {
        let count = sizes.bits.len();
        let waits = |reads: &Vec<usize>| reads.iter().filter(|&&r| !sizes.is_given[r]).count();
        let waits: Vec<usize> = sizes.reads.iter().map(waits).collect();
        let is_ready = |&place: &usize| waits[place] == 0 && !sizes.is_given[place];
        Self {
            sizes,
            predicted: StatePredictor::new(sizes),
            ready: (0..count).filter(is_ready).collect(),
            near: BTreeSet::new(),
            is_looked: vec![false; count],
            waits,
            tried: 0,
            order: Vec::with_capacity(count),
        }
    }

    fn order(mut self, next: NextChoiceRule) -> Vec<usize> {
        while let Some(place) = self.next(next) {
            let met = self.meet(place);
            self.predicted.commit();
            for place in &met {
                self.ready.remove(place);
                self.near.remove(place);
            }
            for &place in &met {
                self.update_ready(place);
            }
            self.order.extend(met);
        }
        let is_given = |&place: &usize| !self.predicted.is_met[place];
        let given: Vec<usize> = (0..self.waits.len()).filter(is_given).collect();
        self.order.extend(given);
        self.order
    }

    fn next(&mut self, next: NextChoiceRule) -> Option<usize> {
        let &first = self.ready.first()?;
        if next == NextChoiceRule::Stated || self.near.is_empty() || self.tried > MAX_TRIED_CHOICES
        {
            return Some(first);
        }
        let near: Vec<usize> = self.near.iter().copied().collect();
        let mut best = (f64::INFINITY, first);
        for place in near {
            let mark = self.predicted.mark();
            for met in self.meet(place) {
                for &reader in &self.sizes.readers[met] {
                    self.waits[reader] += 1;
                }
            }
            // The tolerance prevents rounding errors from deciding between equal numbers of states.
            if self.predicted.bits() < best.0 - 1e-6 {
                best = (self.predicted.bits(), place);
            }
            self.predicted.undo(mark);
            self.tried += 1;
        }
        Some(best.1)
    }

    /// Visits the random choice `choice`, and then all elements that do not increase the number of states.
    fn meet(&mut self, choice: usize) -> Vec<usize> {
        let mut met = Vec::new();
        let mut next = BinaryHeap::from([Reverse(choice)]);
        while let Some(Reverse(place)) = next.pop() {
            self.predicted.meet(place);
            met.push(place);
            for &reader in &self.sizes.readers[place] {
                self.waits[reader] -= 1;
                if self.waits[reader] == 0 && self.sizes.is_free[reader] {
                    next.push(Reverse(reader));
                }
            }
        }
        met
    }

    fn update_ready(&mut self, met: usize) {
        let mut stack = Vec::new();
        for &reader in &self.sizes.readers[met] {
            if !self.predicted.is_met[reader] && self.waits[reader] == 0 {
                self.ready.insert(reader);
                self.near.insert(reader);
            }
            stack.push(reader);
        }
        while let Some(place) = stack.pop() {
            if self.predicted.is_met[place] || std::mem::replace(&mut self.is_looked[place], true) {
                continue;
            }
            if self.ready.contains(&place) {
                self.near.insert(place);
            }
            stack.extend_from_slice(&self.sizes.reads[place]);
        }
    }
}
