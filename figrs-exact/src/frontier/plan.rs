//! Plan of a frontier sweep: the order of the elements, divided into steps with one random choice each.

use rustc_hash::FxHashMap;

use super::element_order::ElementOrder;
use figrs_answer::error::Error;

/// A planned step of a frontier sweep: the elements that the step visits, and the registers (stored codes of values) that these elements read. A
/// register holds the code of the value of one element.
#[derive(Debug)]
pub(super) struct PlannedStep {
    /// The indices of the elements that the step of the frontier sweep visits. Only the first element of a step may be a random choice; the values of
    /// all other elements of the step follow from known values.
    pub(super) places: Vec<usize>,
    /// The indices of the elements on the frontier before the step; the first registers hold the values of these elements.
    pub(super) before: Vec<usize>,
    /// For each element of the step, the registers that it reads.
    pub(super) reads: Vec<Vec<u32>>,
    /// The registers of the elements on the frontier after the step.
    pub(super) after: Vec<u32>,
    /// The registers of the targets whose values the step determines.
    pub(super) reported: Vec<u32>,
    pub(super) targets: Vec<usize>,
}

impl PlannedStep {
    pub(super) fn place(&self, register: u32) -> usize {
        let register = register as usize;
        let earlier = self.before.get(register).copied();
        earlier.unwrap_or_else(|| self.places[register - self.before.len()])
    }
}

#[derive(Debug)]
pub(super) struct StepPlanner {
    /// The indices of the elements to visit, as a stack; visited elements are skipped.
    ahead: Vec<usize>,
    met: Vec<bool>,
    /// For each element, the number of unvisited elements that read it.
    readers: Vec<usize>,
    frontier: Vec<usize>,
    /// For each element that is a target, its first index in the list of targets.
    reported: FxHashMap<usize, usize>,
}

impl StepPlanner {
    pub(super) fn new(linear: &ElementOrder) -> Self {
        let mut planner = Self {
            ahead: linear.order.iter().rev().copied().collect(),
            met: Vec::new(),
            readers: Vec::new(),
            frontier: Vec::new(),
            reported: FxHashMap::default(),
        };
        for (target, &place) in linear.targets.iter().enumerate() {
            planner.reported.entry(place).or_insert(target);
        }
        planner.add_from(linear, 0);
        planner
    }

    /// Extends the plan of the frontier sweep by the elements with the index `new` or a higher index.
    fn add_from(&mut self, linear: &ElementOrder, new: usize) {
        self.met.resize(linear.slots.len(), false);
        self.readers.resize(linear.slots.len(), 0);
        for slot in &linear.slots[new..] {
            for &read in &slot.reads {
                self.readers[read] += 1;
            }
        }
    }

    /// Adds to the plan of the sweep the elements that a `Chain` was found to read, with the elements on which they depend. Returns the indices of
    /// the added elements that the sweep has visited and that have left the frontier.
    pub(super) fn capture(
        &mut self,
        linear: &ElementOrder,
        captured: &[(usize, usize)],
    ) -> Vec<usize> {
        let new = self.met.len();
        self.add_from(linear, new);
        for &(reader, place) in captured {
            // A reader that has already been visited is not counted here; it is counted when its step is undone.
            self.readers[place] += usize::from(!self.met[reader]);
        }
        let reads = linear.slots[new..].iter().flat_map(|slot| &slot.reads);
        let captured = captured.iter().map(|(_, place)| place);
        let mut again: Vec<usize> = reads.chain(captured).copied().collect();
        again.sort_unstable();
        again.dedup();
        again.retain(|&place| self.has_left_frontier(place));
        again
    }

    /// True if the element `place` has not been visited, and reads other elements or may be found to read other elements.
    pub(super) fn is_unmet_reader(&self, linear: &ElementOrder, place: usize) -> bool {
        let slot = &linear.slots[place];
        !self.met[place] && (!slot.reads.is_empty() || slot.may_capture())
    }

    /// Returns the number of the latest steps (at most three) whose values only the element `place` reads, and that read no values from before these
    /// steps.
    pub(super) fn last_steps_for<'p>(
        &self,
        linear: &ElementOrder,
        place: usize,
        latest: impl Iterator<Item = &'p PlannedStep>,
    ) -> usize {
        const FEW: usize = 3;
        let mut own = vec![place];
        let mut found = 0;
        for (number, step) in latest.take(FEW).enumerate() {
            let read = &linear.slots[place].reads;
            let times = |place: usize| read.iter().filter(|&&read| read == place).count();
            if step.places.iter().any(|&p| self.readers[p] > times(p)) {
                break;
            }
            own.extend_from_slice(&step.places);
            let reads = own[1..].iter().flat_map(|&own| &linear.slots[own].reads);
            if reads.copied().all(|read| own.contains(&read)) {
                found = number + 1;
            }
        }
        found
    }

    /// Moves the elements `places` before all other unvisited elements.
    pub(super) fn prioritise(&mut self, places: &[usize]) {
        self.ahead.extend(places.iter().rev());
    }

    pub(super) fn is_met(&self, place: usize) -> bool {
        self.met[place]
    }

    /// True if the element `place` has been visited and has left the frontier.
    pub(super) fn has_left_frontier(&self, place: usize) -> bool {
        self.met[place] && !self.frontier.contains(&place)
    }

    fn next_place(&mut self, linear: &ElementOrder) -> Option<usize> {
        loop {
            let &place = self.ahead.last()?;
            if self.met[place] {
                self.ahead.pop();
                continue;
            }
            let reads = linear.slots[place].reads.iter().rev();
            let before = self.ahead.len();
            let met = &self.met;
            self.ahead.extend(reads.filter(|&&read| !met[read]));
            if self.ahead.len() == before {
                return Some(place);
            }
        }
    }

    pub(super) fn next(&mut self, linear: &ElementOrder) -> Option<PlannedStep> {
        let mut places = Vec::new();
        while let Some(place) = self.next_place(linear) {
            if !places.is_empty() && linear.slots[place].is_random() {
                break;
            }
            self.ahead.pop();
            self.met[place] = true;
            places.push(place);
        }
        if places.is_empty() {
            return None;
        }
        let numbered = || self.frontier.iter().chain(&places).copied();
        let registers: FxHashMap<usize, u32> = numbered().zip(0..).collect();
        let mut reads = Vec::with_capacity(places.len());
        for &place in &places {
            let slot = &linear.slots[place];
            reads.push(slot.reads.iter().map(|r| registers[r]).collect());
            for &read in &slot.reads {
                self.readers[read] -= 1;
            }
        }
        let after: Vec<usize> = numbered().filter(|&p| self.readers[p] > 0).collect();
        let reported = places.iter().filter(|&p| self.reported.contains_key(p));
        let reported: Vec<usize> = reported.copied().collect();
        Some(PlannedStep {
            reads,
            after: after.iter().map(|place| registers[place]).collect(),
            reported: reported.iter().map(|place| registers[place]).collect(),
            targets: reported.iter().map(|place| self.reported[place]).collect(),
            before: std::mem::replace(&mut self.frontier, after),
            places,
        })
    }

    pub(super) fn undo(&mut self, linear: &ElementOrder, planned: &PlannedStep) {
        for &place in &planned.places {
            self.met[place] = false;
            for &read in &linear.slots[place].reads {
                self.readers[read] += 1;
            }
        }
        self.ahead.extend(planned.places.iter().rev());
        self.frontier.clone_from(&planned.before);
    }
}

/// Returns the error for a frontier with more elements than a packed key can hold.
pub(super) fn too_wide(linear: &ElementOrder) -> Error {
    let mut planner = StepPlanner::new(linear);
    let mut order = Vec::with_capacity(linear.slots.len());
    while let Some(planned) = planner.next(linear) {
        order.extend(planned.places);
    }
    let mut last_use = vec![0; linear.slots.len()];
    for (at, &place) in order.iter().enumerate() {
        last_use[place] = at;
        for &read in &linear.slots[place].reads {
            last_use[read] = at;
        }
    }
    let mut ends = vec![0; order.len()];
    for at in last_use {
        ends[at] += 1;
    }
    let (mut open, mut widest) = (0, (0, 0));
    for (place, ended) in order.into_iter().zip(ends) {
        open += 1;
        widest = widest.max((open, place));
        open -= ended;
    }
    let (elements, place) = widest;
    Error::FrontierTooWide {
        element: linear.slots[place].element.label(),
        elements,
    }
}
