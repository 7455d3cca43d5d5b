//! Elements of a model as functions of codes, which are the indices of values in dictionaries. Classes of equivalent elements share memo tables of
//! results.

use std::ops::Range;

use figrs_core::{AnyElement, ElementId};
use rustc_hash::FxHashMap;

use super::dictionary::{ValueDictionaries, WeightDictionary};
use super::element_order::ElementOrder;
use super::equivalence_class::{ClassMemo, Classes};
use super::explore::ExplorationError;
use super::growth::vector;
use super::packed_integers::PackedIntegers;
use super::transitions::TransitionLayer;

/// A value and its weight: the code of the value, and the index of the weight.
pub(super) type WeightedValue = (u32, u32);

#[derive(Debug)]
pub(super) struct CodedElements {
    pub(super) linear: ElementOrder,
    pub(super) classes: Classes,
    /// For each element, the index of the type of its values.
    pub(super) types: Vec<usize>,
    pub(super) codes: ValueDictionaries,
    pub(super) weighing: WeightDictionary,
    /// For each class of equivalent elements that are not random choices, the memo table of their values; a stored `None` means that evidence
    /// excludes the value.
    pub(super) values: Vec<ClassMemo<Option<WeightedValue>>>,
    /// For each class of equivalent random choices, the memo table of their outcomes; each entry is a range of indices in the list `outcomes`.
    pub(super) rows: Vec<ClassMemo<Range<usize>>>,
    pub(super) outcomes: Vec<WeightedValue>,
    /// The size of all memo tables together, in bytes.
    pub(super) remembered: usize,
    /// Number of further values, function results and outcomes of random choices for which the next measurement of the memory reserves room.
    pub(super) reserved: usize,
    /// `true` if some outcome of a `Chain` represents several worlds.
    pub(super) merged: bool,
    /// For each class of equivalent observed `Chain` elements, `true` if their likelihoods are densities.
    pub(super) densities: FxHashMap<usize, bool>,
    is_renumberable: Vec<bool>,
    /// Maps each element of kind `Kind::Atomic` that is a branch of exactly one known `Chain` to this `Chain`. A frontier sweep does not visit a
    /// branch of exactly one known `Chain`, unless it finds another element that reads the branch.
    pub(super) owners: FxHashMap<ElementId, (AnyElement, usize)>,
    pub(super) memory: u64,
}

impl CodedElements {
    /// Creates the elements of the visiting order `linear`, with dictionaries that number their values. One world of a branch of a `Chain` may take
    /// up to `memory` bytes.
    pub(super) fn new(linear: ElementOrder, memory: u64) -> Self {
        let mut rules = Self {
            memory,
            types: Vec::with_capacity(linear.slots.len()),
            is_renumberable: Vec::new(),
            linear,
            codes: ValueDictionaries::default(),
            weighing: WeightDictionary::new(),
            values: Vec::new(),
            rows: Vec::new(),
            outcomes: Vec::new(),
            remembered: 0,
            reserved: Self::RESERVED,
            merged: false,
            densities: FxHashMap::default(),
            owners: FxHashMap::default(),
            classes: Classes::default(),
        };
        rules.classify_from(0);
        for target in rules.linear.targets.clone() {
            rules.is_renumberable[rules.types[target]] = false;
        }
        rules
    }

    /// Adds `branches`, branches of a `Chain` that exist outside the `Chain`, to the elements that the `Chain` reads. If an element of `branches` was
    /// a branch of another `Chain`, the other `Chain` reads the element from now on as well. Returns pairs of a changed `Chain` and the index of an
    /// element that the `Chain` now reads in addition.
    pub(super) fn capture(
        &mut self,
        chain: usize,
        branches: &[AnyElement],
    ) -> Result<Vec<(usize, usize)>, ExplorationError> {
        let mut found = Vec::new();
        let mut reading = vec![(chain, branches.to_vec())];
        while let Some((chain, branches)) = reading.pop() {
            self.evict_unshared(chain);
            let new = self.linear.slots.len();
            let captured = self.linear.capture(chain, &branches)?;
            found.extend(captured.into_iter().map(|place| (chain, place)));
            self.classify_from(new);
            self.classify(chain);
            for slot in &self.linear.slots[new..] {
                if let Some((element, owner)) = self.owners.remove(&slot.element.id()) {
                    reading.push((owner, vec![element]));
                }
            }
        }
        Ok(found)
    }

    /// True if an element of kind `Kind::Atomic` may be treated as part of the `Chain` `chain`: no other element is known to read the element, and it
    /// is not part of another `Chain`.
    pub(super) fn may_own(&self, chain: usize, element: &AnyElement) -> bool {
        let owner = self.owners.get(&element.id());
        !self.classes.shared[self.classes.of[chain]]
            && !self.linear.knows(element)
            && owner.is_none_or(|(_, owner)| *owner == chain)
    }

    fn classify_from(&mut self, new: usize) {
        for place in new..self.linear.slots.len() {
            let of = self.codes.type_of(&self.linear.slots[place].element);
            self.types.push(of);
        }
        for place in new..self.linear.slots.len() {
            self.classify(place);
        }
    }

    fn classify(&mut self, place: usize) {
        (self.classes).classify(&self.linear, place, &mut self.codes);
        self.is_renumberable.resize(self.codes.values.len(), true);
        let class = self.classes.of[place];
        let shared = self.classes.shared[class];
        let slot = &self.linear.slots[place];
        if class == self.values.len() {
            self.values.push(ClassMemo::new(slot.reads.len(), shared));
            self.rows.push(ClassMemo::new(slot.reads.len(), shared));
        }
        if shared {
            self.is_renumberable[self.types[place]] = false;
            for &read in &slot.reads {
                self.is_renumberable[self.types[read]] = false;
            }
        }
    }

    #[inline]
    pub(super) fn outcome(&self, position: usize) -> WeightedValue {
        self.outcomes[position]
    }

    /// Initial number of further values, results and outcomes for which a measurement of the memory reserves room.
    const RESERVED: usize = 16;

    /// Returns the number of transitions from one state for which a measurement of the memory reserves room: twice the largest number found so far.
    pub(super) fn reserved(&self) -> usize {
        self.reserved
    }

    /// Returns the approximate size in bytes of all values, weights, outcomes and memo tables, with room for the transitions from one more state.
    pub(super) fn bytes(&self) -> u64 {
        let values = self.codes.values.iter();
        let values: usize = values.map(|values| values.bytes_with(self.reserved)).sum();
        (values + self.weighing.bytes() + self.remembered_bytes()) as u64
    }

    fn remembered_bytes(&self) -> usize {
        self.remembered + vector(&self.outcomes, self.reserved)
    }

    /// True if some target has values of type `of`, so that transitions between states contain codes of these values.
    pub(super) fn is_reported(&self, of: usize) -> bool {
        let mut targets = self.linear.targets.iter();
        targets.any(|&target| self.types[target] == of)
    }

    /// True if values of type `of` may get new codes, because only the states of frontiers contain codes of this type.
    pub(super) fn is_renumberable(&self, of: usize) -> bool {
        self.is_renumberable[of]
    }

    /// Returns the first element of `targets` that is true in some transition of a step of the frontier sweep.
    pub(super) fn first_true(&self, layer: &TransitionLayer, targets: &[usize]) -> Option<usize> {
        let can_be = |(numbers, target): (&PackedIntegers, &usize)| {
            let of = self.types[self.linear.targets[*target]];
            let code = self.codes.values[of].index_of(&true)? as u32;
            numbers.contains(code).then_some(*target)
        };
        layer.reports.iter().zip(targets).filter_map(can_be).min()
    }

    /// Drops the memo table of an equivalence class to which only one element belongs.
    pub(super) fn evict_unshared(&mut self, place: usize) {
        let class = self.classes.of[place];
        if !self.classes.shared[class] {
            self.evict_class(class, self.linear.slots[place].reads.len());
        }
    }

    fn evict_class(&mut self, class: usize, reads: usize) {
        self.remembered -= self.values[class].bytes + self.rows[class].bytes;
        let shared = self.classes.shared[class];
        self.values[class] = ClassMemo::new(reads, shared);
        self.rows[class] = ClassMemo::new(reads, shared);
    }

    /// Clears all memo tables and all outcomes, to which only the memo tables refer.
    pub(super) fn clear_memos(&mut self) {
        for place in 0..self.linear.slots.len() {
            let class = self.classes.of[place];
            self.evict_class(class, self.linear.slots[place].reads.len());
        }
        self.outcomes = Vec::new();
    }

    pub(super) fn evict_beyond(&mut self, most: u64) {
        if self.remembered_bytes() as u64 > most {
            self.clear_memos();
        }
    }

    pub(super) fn remember_value(
        &mut self,
        class: usize,
        reads: &[u32],
        value: Option<WeightedValue>,
    ) {
        let grown = self.values[class].insert(reads, value, self.reserved);
        self.remembered = self.remembered.saturating_add_signed(grown);
    }
}
