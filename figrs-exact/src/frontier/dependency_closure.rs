//! The elements on which the roots and targets of a model depend, and the order in which a frontier sweep visits them.

use figrs_core::{AnyElement, Datum, ElementId, Model};
use rustc_hash::FxHashMap;

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
    /// Number of elements on which the roots depend; if there are no roots, number of elements on which the targets depend.
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

    /// Returns the index of `root` in this list. A new element gets an index after the elements on which it depends.
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

    /// Returns the order in which a sweep visits the elements. The elements on which the roots depend have the order of `stated`. Each other element
    /// comes directly after the last element that it reads.
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
