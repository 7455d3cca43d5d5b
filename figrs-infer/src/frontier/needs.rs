//! What roots and targets need, and when a frontier meets it.

use figrs_core::{AnyElement, Datum, ElementId, Model};
use rustc_hash::FxHashMap;

use super::linear::Captured;

/// An element that is met.
#[derive(Debug)]
pub(super) struct Met {
    pub(super) element: AnyElement,
    /// The numbers of its parents, and after them of the elements that branches were found to be.
    pub(super) reads: Vec<usize>,
    /// The value that an intervention sets.
    pub(super) fixed: Option<Datum>,
}

/// All elements that roots and targets need, numbered so that each comes after what it reads; those that the roots
/// need come first.
#[derive(Debug)]
pub(super) struct Needs {
    pub(super) met: Vec<Met>,
    pub(super) numbers: FxHashMap<ElementId, usize>,
    /// How many the roots need.
    stated: usize,
}

impl Needs {
    pub(super) fn new<'r>(
        model: &Model,
        roots: impl IntoIterator<Item = &'r AnyElement>,
        targets: &[AnyElement],
        captured: &Captured,
    ) -> Self {
        let fixed: FxHashMap<ElementId, &Datum> = model
            .interventions()
            .iter()
            .map(|(element, value)| (element.id(), value))
            .collect();
        let mut needs = Self {
            met: Vec::new(),
            numbers: FxHashMap::default(),
            stated: 0,
        };
        for root in roots {
            needs.meet(root, &fixed, captured);
        }
        needs.stated = needs.met.len();
        for root in targets {
            needs.meet(root, &fixed, captured);
        }
        needs
    }

    /// Numbers what an element needs, and then the element.
    fn meet(
        &mut self,
        root: &AnyElement,
        fixed: &FxHashMap<ElementId, &Datum>,
        captured: &Captured,
    ) {
        let mut stack: Vec<(AnyElement, bool)> = vec![(root.clone(), false)];
        while let Some((element, ready)) = stack.pop() {
            let id = element.id();
            if self.numbers.contains_key(&id) {
                continue;
            }
            let fixed = fixed.get(&id).map(|&value| value.clone());
            let others = captured.get(&id).map_or(&[][..], Vec::as_slice);
            let reads = || element.parents().iter().chain(others);
            if fixed.is_none() && !ready {
                let below: Vec<_> = reads().rev().map(|e| (e.clone(), false)).collect();
                stack.push((element, true));
                stack.extend(below);
                continue;
            }
            let reads = if fixed.is_some() {
                Vec::new()
            } else {
                reads().map(|e| self.numbers[&e.id()]).collect()
            };
            self.numbers.insert(id, self.met.len());
            self.met.push(Met {
                element,
                reads,
                fixed,
            });
        }
    }

    /// The order of a frontier: what the roots need as it is numbered, and the rest as early as what it reads of that allows.
    pub(super) fn order(&self) -> Vec<usize> {
        let numbers = 0..self.met.len();
        // The last number below `stated` that is needed; what needs none comes with the first that needs it, or else at the end.
        let mut after: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
        for number in numbers.clone() {
            let reads = &self.met[number].reads;
            after.push(if number < self.stated {
                Some(number)
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
