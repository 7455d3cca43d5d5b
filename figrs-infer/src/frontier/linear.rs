//! The elements of a model at their places in the order in which a frontier meets them.

use figrs_core::node::Kind;
use figrs_core::{AnyElement, Datum, ElementId, Evidence, Model};
use rustc_hash::FxHashMap;

use super::needs::{Met, Needs};
use crate::error::Error;

/// One element, at its place in the order.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) element: AnyElement,
    /// The places of its parents, and after them of the elements that branches were found to be.
    pub(super) reads: Vec<usize>,
    pub(super) evidence: Vec<Evidence>,
    /// The value that an intervention sets.
    pub(super) fixed: Option<Datum>,
    /// The last place that reads the value; its own if none does.
    pub(super) last_use: usize,
    /// Whether only a branch needs it, so that it is not part of every world.
    pub(super) optional: bool,
}

impl Slot {
    /// Whether several outcomes are possible for one assignment of what it reads.
    pub(super) fn is_random(&self) -> bool {
        self.fixed.is_none()
            && matches!(
                self.element.kind(),
                Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..)
            )
    }

    /// The value that the element is observed to have.
    pub(super) fn observed(&self) -> Option<&Datum> {
        self.evidence.iter().find_map(Evidence::observed)
    }
}

/// Elements that Chains were found to have as branches although they are not their own.
pub(super) type Captured = FxHashMap<ElementId, Vec<AnyElement>>;

/// All elements that the roots need, each after what it reads.
#[derive(Debug)]
pub(super) struct Linear {
    pub(super) slots: Vec<Slot>,
    /// The places of the targets.
    pub(super) targets: Vec<usize>,
    /// The model without its evidence.
    pub(super) interventions: Model,
}

impl Linear {
    /// The order of the evidence as it is stated, before each statement what it needs; targets, and what only they need, come
    /// as soon as all they read of these has been met, and last if they read nothing of them.
    ///
    /// An error if a Score is only reached by some branches.
    pub(super) fn new(
        model: &Model,
        targets: &[AnyElement],
        captured: &Captured,
    ) -> Result<Self, Error> {
        let stated = model.evidence().iter().map(|(element, _)| element);
        Self::along(model, stated, targets, captured)
    }

    /// The same with the order of some roots in place of the evidence; evidence on elements that are not needed is left out.
    pub(super) fn along<'r>(
        model: &Model,
        roots: impl IntoIterator<Item = &'r AnyElement>,
        targets: &[AnyElement],
        captured: &Captured,
    ) -> Result<Self, Error> {
        let mut evidence = FxHashMap::<ElementId, Vec<Evidence>>::default();
        for (element, statement) in model.evidence() {
            let all = evidence.entry(element.id()).or_default();
            all.push(statement.clone());
        }
        let needs = Needs::new(model, roots, targets, captured);
        let mut linear = Self {
            slots: Vec::with_capacity(needs.met.len()),
            targets: Vec::new(),
            interventions: model.filtered(|_| false),
        };
        let mut places = vec![0; needs.met.len()];
        for number in needs.order() {
            let Met {
                element,
                reads,
                fixed,
            } = &needs.met[number];
            let place = linear.slots.len();
            places[number] = place;
            let reads: Vec<usize> = reads.iter().map(|&read| places[read]).collect();
            for &earlier in &reads {
                linear.slots[earlier].last_use = place;
            }
            linear.slots.push(Slot {
                reads,
                evidence: evidence.remove(&element.id()).unwrap_or_default(),
                fixed: fixed.clone(),
                last_use: place,
                optional: true,
                element: element.clone(),
            });
        }
        let place = |element: &AnyElement| places[needs.numbers[&element.id()]];
        linear.targets = targets.iter().map(place).collect();
        linear.mark_optional();
        let scored = |slot: &&Slot| slot.optional && matches!(slot.element.kind(), Kind::Score(..));
        match linear.slots.iter().find(scored) {
            Some(slot) => Err(Error::SharedScore {
                element: slot.element.label(),
            }),
            None => Ok(linear),
        }
    }

    /// Finds out what the roots need by parents alone: the rest is optional.
    fn mark_optional(&mut self) {
        let mut stack: Vec<usize> = self.targets.clone();
        let stated = |slot: &Slot| !slot.evidence.is_empty();
        stack.extend((0..self.slots.len()).filter(|&place| stated(&self.slots[place])));
        while let Some(place) = stack.pop() {
            if std::mem::replace(&mut self.slots[place].optional, false) {
                let slot = &self.slots[place];
                let parents = if slot.fixed.is_some() {
                    0
                } else {
                    slot.element.parents().len()
                };
                stack.extend_from_slice(&slot.reads[..parents]);
            }
        }
    }

    /// The error where more elements are on the frontier than keys hold.
    pub(super) fn too_wide(&self) -> Error {
        let mut ends = vec![0; self.slots.len() + 1];
        for slot in &self.slots {
            ends[slot.last_use] += 1;
        }
        let (mut open, mut widest) = (0, (0, 0));
        for (place, ended) in ends.iter().take(self.slots.len()).enumerate() {
            open += 1;
            widest = widest.max((open, place));
            open -= ended;
        }
        let (elements, place) = widest;
        Error::FrontierTooWide {
            element: self.slots[place].element.label(),
            elements,
        }
    }
}
