//! The elements on which the roots and targets of a model depend, and the order in which a frontier sweep visits them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::reorder::better_order;
use figrs_answer::error::Error;
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, ElementId, Evidence, Fault, Model};

/// One element of a model, with the elements that it reads, which are given by their indices in the list of all elements.
#[derive(Debug)]
pub(super) struct OrderedElement {
    pub(super) element: AnyElement,
    /// The indices of the element's parents, followed by the indices of the branches of a `Chain` that exist outside the `Chain`.
    pub(super) reads: Vec<usize>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) fixed: Option<Datum>,
    /// `true` if only some worlds contain the element, because only a branch of a `Chain` depends on it.
    pub(super) optional: bool,
}

impl OrderedElement {
    /// True if the element may have several outcomes for given values of the elements that it reads.
    pub(super) fn is_random(&self) -> bool {
        self.fixed.is_none()
            && matches!(
                self.element.kind(),
                Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..)
            )
    }

    pub(super) fn observed(&self) -> Option<&Datum> {
        self.evidence.iter().find_map(Evidence::observed)
    }

    pub(super) fn parents(&self) -> usize {
        match self.fixed {
            Some(_) => 0,
            None => self.element.parents().len(),
        }
    }

    /// True if the element is a `Chain` that may have branches that exist outside the `Chain`.
    pub(super) fn may_capture(&self) -> bool {
        self.fixed.is_none()
            && matches!(self.element.kind(), Kind::Chain(_, op) if op.family().is_none())
    }
}

#[derive(Debug)]
pub(super) struct ElementOrder {
    pub(super) slots: Vec<OrderedElement>,
    /// The indices of the targets in the list of elements.
    pub(super) targets: Vec<usize>,
    pub(super) interventions: Model,
    /// The indices of the elements, in the order in which the sweep visits them. The list does not contain the elements on which only branches of a
    /// `Chain` depend; the sweep visits each of these elements before the first element that reads it.
    pub(super) order: Vec<usize>,
    needs: NeededElements,
    /// Evidence on elements on which no root of the sweep (usually an element with evidence) depends.
    unneeded_evidence: FxHashMap<ElementId, Vec<Evidence>>,
}

impl ElementOrder {
    /// Orders the elements by the evidence statements: the elements on which a statement depends come before the element of the statement. A target,
    /// or an element on which only targets depend, comes as soon as all elements that it reads have come; if it reads no elements, it comes last.
    pub(super) fn new(model: &Model, targets: &[AnyElement]) -> Self {
        let stated = model.evidence().iter().map(|(element, _)| element);
        Self::along(model, stated, targets)
    }

    /// Orders the elements as [`new`](Self::new) does, but by `roots` instead of the evidence statements. Ignores evidence on elements on which no
    /// root depends.
    pub(super) fn along<'r>(
        model: &Model,
        roots: impl IntoIterator<Item = &'r AnyElement>,
        targets: &[AnyElement],
    ) -> Self {
        let mut unmet = FxHashMap::<ElementId, Vec<Evidence>>::default();
        for (element, statement) in model.evidence() {
            let all = unmet.entry(element.id()).or_default();
            all.push(statement.clone());
        }
        let mut needs = NeededElements::new(model, roots, targets);
        let targets = targets
            .iter()
            .map(|target| needs.number_of(target))
            .collect();
        let mut linear = Self {
            slots: Vec::with_capacity(needs.met.len()),
            targets,
            interventions: model.filtered(|_| false),
            order: needs.order(0..needs.stated),
            needs,
            unneeded_evidence: unmet,
        };
        linear.add_slots(false);
        linear
    }

    /// Changes the order of the elements if another order is predicted to have fewer states; returns `true` in this case.
    pub(super) fn reorder(&mut self) -> bool {
        let Some(better) = better_order(&self.slots[..self.needs.stated]) else {
            return false;
        };
        self.order = self.needs.order(better);
        true
    }

    /// True if some `Chain` may have branches that exist outside the `Chain`.
    pub(super) fn may_capture(&self) -> bool {
        self.slots.iter().any(OrderedElement::may_capture)
    }

    /// True if the visiting order contains the element, if the element has evidence, or if an intervention of the model sets its value.
    pub(super) fn knows(&self, element: &AnyElement) -> bool {
        self.needs.contains(element) || self.unneeded_evidence.contains_key(&element.id())
    }

    /// Adds branches of a `Chain` that exist outside the `Chain` to the elements that the `Chain` reads. Returns the indices of the elements that the
    /// `Chain` did not read before.
    ///
    /// **Errors.** [`Error::SharedScore`] if only some branches depend on a `Score`; [`Fault::Cyclic`] if a branch depends on the `Chain`.
    pub(super) fn capture(
        &mut self,
        chain: usize,
        branches: &[AnyElement],
    ) -> Result<Vec<usize>, Error> {
        let mut captured: Vec<usize> = branches.iter().map(|e| self.needs.number_of(e)).collect();
        let slot = &mut self.slots[chain];
        let parents = slot.parents();
        captured.retain(|place| !slot.reads[parents..].contains(place));
        slot.reads.extend_from_slice(&captured);
        let new = self.slots.len();
        self.add_slots(true);
        let scored = |slot: &&OrderedElement| {
            slot.optional && matches!(slot.element.kind(), Kind::Score(..))
        };
        match self.slots[new..].iter().find(scored) {
            Some(slot) => Err(Error::SharedScore {
                element: slot.element.label(),
            }),
            None if self.depend_on(&captured, chain) => {
                let element = &self.slots[chain].element;
                Err(element.fault(Fault::Cyclic).into())
            }
            None => Ok(captured),
        }
    }

    /// True if one of `elements` is the element with the index `of`, or depends on it.
    fn depend_on(&self, elements: &[usize], of: usize) -> bool {
        let mut open = elements.to_vec();
        let mut met: FxHashSet<usize> = open.iter().copied().collect();
        while let Some(place) = open.pop() {
            if place == of {
                return true;
            }
            let reads = self.slots[place].reads.iter().copied();
            open.extend(reads.filter(|&read| met.insert(read)));
        }
        false
    }

    /// Adds the elements that were found since the last call of this method to the list of all elements. An element on which only a branch of a
    /// `Chain` depends is nevertheless in every world if it has evidence or is a parent of an element with evidence.
    fn add_slots(&mut self, optional: bool) {
        let new = self.slots.len();
        for met in &self.needs.met[new..] {
            let NeededElement {
                element,
                reads,
                fixed,
            } = met;
            let evidence = self
                .unneeded_evidence
                .remove(&element.id())
                .unwrap_or_default();
            self.slots.push(OrderedElement {
                element: element.clone(),
                reads: reads.clone(),
                optional: optional && evidence.is_empty(),
                evidence,
                fixed: fixed.clone(),
            });
        }
        for place in (new..self.slots.len()).rev() {
            if !self.slots[place].optional {
                for read in self.slots[place].reads.clone() {
                    self.slots[read].optional = false;
                }
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct NeededElement {
    pub(super) element: AnyElement,
    pub(super) reads: Vec<usize>,
    pub(super) fixed: Option<Datum>,
}

/// All elements on which roots and targets depend; each element comes after the elements that it reads. The elements on which the roots depend come
/// before all other elements.
#[derive(Debug)]
pub(super) struct NeededElements {
    pub(super) met: Vec<NeededElement>,
    numbers: FxHashMap<ElementId, usize>,
    fixed: FxHashMap<ElementId, Datum>,
    /// Number of elements on which the roots (usually the elements with evidence) depend; if there are no roots, number of elements on which the
    /// targets depend.
    pub(super) stated: usize,
}

impl NeededElements {
    pub(super) fn new<'r>(
        model: &Model,
        roots: impl IntoIterator<Item = &'r AnyElement>,
        targets: &[AnyElement],
    ) -> Self {
        let fixed = model.interventions().iter();
        let mut needs = Self {
            met: Vec::new(),
            numbers: FxHashMap::default(),
            fixed: fixed.map(|(e, value)| (e.id(), value.clone())).collect(),
            stated: 0,
        };
        for root in roots {
            needs.number_of(root);
        }
        let stated = needs.met.len();
        for root in targets {
            needs.number_of(root);
        }
        needs.stated = if stated > 0 { stated } else { needs.met.len() };
        needs
    }

    /// True if an element with evidence or a target depends on the element, or the model sets the element by an intervention.
    pub(super) fn contains(&self, element: &AnyElement) -> bool {
        let id = element.id();
        self.numbers.contains_key(&id) || self.fixed.contains_key(&id)
    }

    /// Returns the index of `root` in this list of needed elements. An element that is not yet in the list of needed elements gets an index after the
    /// elements on which it depends.
    pub(super) fn number_of(&mut self, root: &AnyElement) -> usize {
        let mut stack: Vec<(AnyElement, bool)> = vec![(root.clone(), false)];
        while let Some((element, ready)) = stack.pop() {
            let id = element.id();
            if self.numbers.contains_key(&id) {
                continue;
            }
            let fixed = self.fixed.get(&id).cloned();
            if fixed.is_none() && !ready {
                let parents = element.parents().to_vec();
                stack.push((element, true));
                stack.extend(parents.into_iter().rev().map(|e| (e, false)));
                continue;
            }
            let reads = if fixed.is_some() {
                Vec::new()
            } else {
                let parents = element.parents().iter();
                parents.map(|e| self.numbers[&e.id()]).collect()
            };
            self.numbers.insert(id, self.met.len());
            self.met.push(NeededElement {
                element,
                reads,
                fixed,
            });
        }
        self.numbers[&root.id()]
    }

    /// Returns the order in which a frontier sweep visits the elements of a model. The sweep visits the elements on which the roots depend in the
    /// order of the list `stated`. The sweep visits an element on which no root depends directly after the last element that it reads.
    pub(super) fn order(&self, stated: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let numbers = 0..self.met.len();
        let mut places = vec![0; self.stated];
        for (place, number) in stated.into_iter().enumerate() {
            places[number] = place;
        }
        // For each element on which no root depends, the position of the last element that it reads. An element that reads none comes directly before
        // the first element that reads it, or at the end if no element reads it.
        let mut after: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
        for number in numbers.clone() {
            let reads = &self.met[number].reads;
            after.push(if number < self.stated {
                Some(places[number])
            } else {
                reads.iter().filter_map(|&read| after[read]).max()
            });
        }
        let free: Vec<bool> = after.iter().map(Option::is_none).collect();
        for number in numbers.clone().rev() {
            for &read in &self.met[number].reads {
                if let (true, Some(place)) = (free[read], after[number]) {
                    after[read] = Some(after[read].map_or(place, |other| other.min(place)));
                }
            }
        }
        let mut order: Vec<usize> = numbers.collect();
        order.sort_by_key(|&number| (after[number].unwrap_or(usize::MAX), number));
        order
    }
}
