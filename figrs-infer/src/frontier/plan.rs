//! The order divided into steps of one random choice each.

use rustc_hash::FxHashMap;

use super::linear::Linear;

/// The places of one step, and what is read of them.
#[derive(Debug)]
pub(super) struct Planned {
    /// Places met in this step: a random choice may be the first of them, the others follow from what is known.
    pub(super) places: std::ops::Range<usize>,
    /// Places of the frontier before the step, which have the first registers.
    pub(super) before: Vec<usize>,
    /// For each place of the step the registers that it reads.
    pub(super) reads: Vec<Vec<u32>>,
    /// The registers of the frontier after the step.
    pub(super) after: Vec<u32>,
    /// The registers that are reported.
    pub(super) reported: Vec<u32>,
    /// The targets that are reported.
    pub(super) targets: Vec<usize>,
}

impl Planned {
    /// The place that has a register.
    pub(super) fn place(&self, register: u32) -> usize {
        let register = register as usize;
        let earlier = self.before.get(register).copied();
        earlier.unwrap_or_else(|| self.places.start + (register - self.before.len()))
    }
}

/// Divides the order into steps of one random choice each.
pub(super) fn plan(linear: &Linear) -> Vec<Planned> {
    let slots = &linear.slots;
    let mut reported: FxHashMap<usize, usize> = FxHashMap::default();
    for (target, &place) in linear.targets.iter().enumerate() {
        reported.entry(place).or_insert(target);
    }
    let mut planned = Vec::new();
    let mut frontier: Vec<usize> = Vec::new();
    let mut start = 0;
    while start < slots.len() {
        let mut end = start + 1;
        while end < slots.len() && !slots[end].is_random() {
            end += 1;
        }
        let places = start..end;
        let registers: FxHashMap<usize, u32> = frontier
            .iter()
            .copied()
            .chain(places.clone())
            .zip(0..)
            .collect();
        let read = |place: usize| slots[place].reads.iter().map(|r| registers[r]).collect();
        let after: Vec<usize> = frontier
            .iter()
            .copied()
            .chain(places.clone())
            .filter(|&place| slots[place].last_use >= end)
            .collect();
        let told: Vec<usize> = places
            .clone()
            .filter(|p| reported.contains_key(p))
            .collect();
        planned.push(Planned {
            reads: places.clone().map(read).collect(),
            after: after.iter().map(|place| registers[place]).collect(),
            reported: told.iter().map(|place| registers[place]).collect(),
            targets: told.iter().map(|place| reported[place]).collect(),
            before: std::mem::replace(&mut frontier, after),
            places,
        });
        start = end;
    }
    planned
}
