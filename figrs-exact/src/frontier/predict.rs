//! Prediction of the number of states of the frontiers for a given order of the elements.

use std::any::TypeId;

use figrs_core::internals::Kind;

use super::element_order::OrderedElement;

/// Base-2 logarithm of the factor by which evidence on a function of a few random choices is predicted to reduce the number of states. The predicted
/// factor is the effect of the exclusion of one value out of nine, such as by the condition that two cells of a Sudoku differ. For a Sudoku, a
/// smaller value of this constant leads to the visiting order by rows; with a larger value, all visiting orders have the same prediction.
const EVIDENCE_REDUCTION_BITS: f64 = 0.17;

/// Maximum number of random choices on which a function may depend if evidence on it is predicted to reduce the number of states.
const MAX_EVIDENCE_CHOICES: usize = 8;

/// Maximum base-2 logarithm of the predicted number of values of a deterministic element.
const MAX_VALUE_BITS: f64 = 16.0;

/// Input of the search for a visiting order: for each element, the elements that it reads, and its approximate number of values.
#[derive(Debug)]
pub(super) struct OrderingInput {
    pub(super) reads: Vec<Vec<usize>>,
    pub(super) readers: Vec<Vec<usize>>,
    /// For each element, the base-2 logarithm of its number of values; zero if evidence fixes its value.
    pub(super) bits: Vec<f64>,
    pub(super) is_random: Vec<bool>,
    /// For each element, `true` if its value is fixed, whatever the values of the elements that it reads.
    pub(super) is_given: Vec<bool>,
    /// For each element, `true` if a visit of the element does not increase the predicted number of states.
    pub(super) is_free: Vec<bool>,
    /// For each element with evidence on a function of few random choices, the list of these random choices.
    decided_by: Vec<Vec<usize>>,
    /// For each random choice, the elements with evidence whose values depend on it.
    decides: Vec<Vec<usize>>,
}

impl OrderingInput {
    /// Creates the input of the search for a visiting order from a list of elements, in which each element comes after all elements that it reads.
    pub(super) fn new(slots: &[OrderedElement]) -> Self {
        let count = slots.len();
        let mut sizes = Self {
            reads: Vec::with_capacity(count),
            readers: vec![Vec::new(); count],
            bits: Vec::with_capacity(count),
            is_random: slots.iter().map(OrderedElement::is_random).collect(),
            is_given: Vec::with_capacity(count),
            is_free: Vec::with_capacity(count),
            decided_by: vec![Vec::new(); count],
            decides: vec![Vec::new(); count],
        };
        for (place, slot) in slots.iter().enumerate() {
            let mut reads = slot.reads.clone();
            reads.sort_unstable();
            reads.dedup();
            for &read in &reads {
                sizes.readers[read].push(place);
            }
            let from_given = reads.iter().all(|&read| sizes.is_given[read]);
            let parents = reads.iter().map(|&read| sizes.bits[read]);
            let bits = if from_given && !slot.is_random() {
                0.0
            } else {
                bits(slot, parents)
            };
            sizes.reads.push(reads);
            sizes.bits.push(bits);
            sizes.is_given.push(from_given && bits == 0.0);
        }
        for (place, slot) in slots.iter().enumerate() {
            let is_told = !slot.evidence.is_empty() && sizes.readers[place].is_empty();
            let is_free = !sizes.is_random[place] || sizes.bits[place] == 0.0 || is_told;
            sizes.is_free.push(is_free);
            if !sizes.is_random[place] && slot.evidence.iter().any(|e| !e.is_soft()) {
                sizes.decided_by[place] = sizes.choices(place);
            }
        }
        for place in 0..count {
            for &choice in &sizes.decided_by[place] {
                sizes.decides[choice].push(place);
            }
        }
        sizes
    }

    /// Returns the random choices with several values on which the value of an element depends; the list is empty if there are many of them.
    fn choices(&self, place: usize) -> Vec<usize> {
        let mut stack = self.reads[place].clone();
        let mut choices = Vec::new();
        while let Some(place) = stack.pop() {
            if !self.is_random[place] {
                stack.extend_from_slice(&self.reads[place]);
            } else if self.bits[place] > 0.0 && !choices.contains(&place) {
                choices.push(place);
            }
            if stack.len() + choices.len() > MAX_EVIDENCE_CHOICES {
                return Vec::new();
            }
        }
        choices
    }
}

/// Returns the base-2 logarithm of the approximate number of values of an element.
fn bits(slot: &OrderedElement, parents: impl Iterator<Item = f64> + Clone) -> f64 {
    if slot.observed().is_some() || slot.fixed.is_some() {
        return 0.0;
    }
    let is_bool = || slot.element.no_values().value_type() == TypeId::of::<bool>();
    match slot.element.kind() {
        Kind::Atomic(op) => match op.outcomes() {
            Ok(Ok(finite)) => {
                let possible = finite.probabilities.iter().filter(|p| **p > 0.0);
                (possible.count().max(1) as f64).log2()
            }
            _ => 0.0,
        },
        Kind::Table(_, op) => (op.values().len().max(1) as f64).log2(),
        Kind::Score(..) => parents.sum(),
        Kind::Apply(..) | Kind::Chain(..) if is_bool() => 1.0,
        Kind::Apply(..) => parents.sum::<f64>().min(MAX_VALUE_BITS),
        Kind::Chain(..) => parents.fold(2.0, f64::max),
    }
}

/// One change of a predicted number of states, which can be undone.
#[derive(Debug)]
enum PredictionUndo {
    Met(usize),
    Left(usize),
    Died(usize),
    Lost(usize),
    Decided(usize),
    Undecided(usize),
}

/// A prediction of the number of states of the frontier, updated at each visit of an element.
#[derive(Debug)]
pub(super) struct StatePredictor<'s> {
    pub(super) sizes: &'s OrderingInput,
    pub(super) is_met: Vec<bool>,
    is_alive: Vec<bool>,
    left: Vec<usize>,
    /// For each element, the number of elements that it reads and that have left the frontier.
    lost: Vec<usize>,
    is_decided: Vec<bool>,
    bits: f64,
    changes: Vec<PredictionUndo>,
}

impl<'s> StatePredictor<'s> {
    pub(super) fn new(sizes: &'s OrderingInput) -> Self {
        let count = sizes.bits.len();
        Self {
            sizes,
            is_met: vec![false; count],
            is_alive: vec![false; count],
            left: sizes.readers.iter().map(Vec::len).collect(),
            lost: vec![0; count],
            is_decided: vec![false; count],
            bits: 0.0,
            changes: Vec::new(),
        }
    }

    /// Returns the base-2 logarithm of the predicted number of states of the current frontier.
    pub(super) fn bits(&self) -> f64 {
        self.bits
    }

    /// Returns the number of changes of the prediction, which [`undo`](Self::undo) takes as the point to return to.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Makes all changes of the prediction permanent, by clearing the log of changes.
    pub(super) fn commit(&mut self) {
        self.changes.clear();
    }

    pub(super) fn meet(&mut self, place: usize) {
        let sizes = self.sizes;
        self.change(PredictionUndo::Met(place));
        let decided_by = &sizes.decided_by[place];
        if !decided_by.is_empty() && decided_by.iter().all(|&choice| self.is_alive[choice]) {
            self.change(PredictionUndo::Decided(place));
        }
        for &read in &sizes.reads[place] {
            self.change(PredictionUndo::Left(read));
            if self.left[read] == 0 && self.is_alive[read] {
                self.leave_frontier(read);
            }
        }
        if self.left[place] == 0 {
            self.leave_frontier(place);
        }
    }

    /// Removes an element from the predicted frontier, because no further element reads it.
    fn leave_frontier(&mut self, place: usize) {
        let sizes = self.sizes;
        self.change(PredictionUndo::Died(place));
        if sizes.bits[place] > 0.0 {
            for &reader in &sizes.readers[place] {
                self.change(PredictionUndo::Lost(reader));
            }
        }
        for &evidence in &sizes.decides[place] {
            if self.is_decided[evidence] {
                self.change(PredictionUndo::Undecided(evidence));
            }
        }
    }

    /// Returns the summand of an element in the base-2 logarithm of the number of states; zero if the element's value follows from elements on the
    /// frontier.
    fn contribution(&self, place: usize) -> f64 {
        if self.sizes.is_random[place] || self.lost[place] > 0 {
            self.sizes.bits[place]
        } else {
            0.0
        }
    }

    fn change(&mut self, change: PredictionUndo) {
        self.apply_change(&change, true);
        self.changes.push(change);
    }

    pub(super) fn undo(&mut self, mark: usize) {
        while self.changes.len() > mark {
            if let Some(change) = self.changes.pop() {
                self.apply_change(&change, false);
            }
        }
    }

    fn apply_change(&mut self, change: &PredictionUndo, forward: bool) {
        let sign = if forward { 1.0 } else { -1.0 };
        match *change {
            PredictionUndo::Met(place) => {
                self.is_met[place] = forward;
                self.is_alive[place] = forward;
                self.bits += sign * self.contribution(place);
            }
            PredictionUndo::Left(place) if forward => self.left[place] -= 1,
            PredictionUndo::Left(place) => self.left[place] += 1,
            PredictionUndo::Died(place) => {
                self.bits -= sign * self.contribution(place);
                self.is_alive[place] = !forward;
            }
            PredictionUndo::Lost(place) => {
                let before = self.contribution(place);
                if forward {
                    self.lost[place] += 1;
                } else {
                    self.lost[place] -= 1;
                }
                if self.is_alive[place] {
                    self.bits += self.contribution(place) - before;
                }
            }
            PredictionUndo::Decided(place) => {
                self.is_decided[place] = forward;
                self.bits -= sign * EVIDENCE_REDUCTION_BITS;
            }
            PredictionUndo::Undecided(place) => {
                self.is_decided[place] = !forward;
                self.bits += sign * EVIDENCE_REDUCTION_BITS;
            }
        }
    }
}

/// Returns the base-2 logarithm of the largest predicted number of states, over all frontiers of a visiting order. An element with one value is
/// visited directly before the first element that reads it.
pub(super) fn most_bits(sizes: &OrderingInput, order: &[usize]) -> f64 {
    let mut predicted = StatePredictor::new(sizes);
    let mut most: f64 = 0.0;
    for (at, &place) in order.iter().enumerate() {
        predicted.meet(place);
        predicted.commit();
        let next = order.get(at + 1);
        if next.is_none_or(|&next| sizes.is_random[next]) {
            most = most.max(predicted.bits());
        }
    }
    most
}
