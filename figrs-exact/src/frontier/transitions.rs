//! The transitions of one step of a frontier sweep, and their computation. Each transition contains an outcome of a random choice, and the values
//! that follow from this outcome.

use super::coded_elements::CodedElements;
use super::dictionary::{BitField, StateKey, WeightDictionary};
use super::explore::{ExplorationError, ExplorationLimits};
use super::growth::vector;
use super::packed_integers::PackedIntegers;
use super::plan::PlannedStep;
use super::states::StateSet;
use figrs_answer::error::Error;

/// Divisor of the memory limit; the quotient is the memory for memo tables of functions.
const RESULTS: u64 = 4;

/// Number of states that are processed between two checks of the deadline and the interrupt.
const CHECK_INTERVAL: usize = 1 << 12;

/// Computes the transitions of a step from the states `from`, and adds new destination states to `into`. Returns `None` if the code of a value does
/// not fit its bit field.
pub(super) fn transitions<const W: usize>(
    rules: &mut CodedElements,
    planned: &PlannedStep,
    from: &[StateKey<W>],
    into: &mut StateSet<W>,
    (spent, allowance): (u64, ExplorationLimits<'_>),
) -> Result<Option<TransitionLayer>, ExplorationError> {
    let before = fields_before::<W>(rules, planned)?;
    let after = fields_after::<W>(rules, planned)?;
    let mut layer = TransitionLayer::new(planned.reported.len());
    let first = planned.places[0];
    let is_random = rules.linear.slots[first].is_random();
    let base = planned.before.len();
    let mut registers = vec![0u32; base + planned.places.len()];
    let mut reads = Vec::new();
    for (done, state) in from.iter().enumerate() {
        if done % CHECK_INTERVAL == CHECK_INTERVAL - 1 && allowance.run.stopped().is_some() {
            return Err(allowance.run.nothing_done().into());
        }
        for (register, &field) in registers.iter_mut().zip(&before) {
            *register = state.get(field);
        }
        let made = layer.targets.len();
        let row = if is_random {
            gather(&mut reads, &registers, &planned.reads[0]);
            rules.row(first, &reads)?
        } else {
            0..1
        };
        'outcomes: for position in row {
            let mut weight = WeightDictionary::ONE;
            if is_random {
                (registers[base], weight) = rules.outcome(position);
            }
            for i in usize::from(is_random)..planned.places.len() {
                gather(&mut reads, &registers, &planned.reads[i]);
                let Some((code, factor)) = rules.value(planned.places[i], &reads)? else {
                    continue 'outcomes;
                };
                registers[base + i] = code;
                weight = rules.weighing.product(weight, factor);
            }
            let mut key = StateKey::EMPTY;
            for (&register, &field) in planned.after.iter().zip(&after) {
                if !key.write(field, registers[register as usize]) {
                    return Ok(None);
                }
            }
            layer.targets.push(into.number(key));
            layer.weights.push(weight);
            for (codes, &register) in layer.reports.iter_mut().zip(&planned.reported) {
                codes.push(registers[register as usize]);
            }
        }
        allowance.spend(layer.targets.len() - made)?;
        layer.end_state();
        rules.evict_beyond(allowance.memory / RESULTS);
        let more = rules.reserved();
        let found = layer.bytes_with(more) + into.bytes_with(more);
        let bytes = spent + found as u64 + rules.bytes();
        let most = layer.targets.len().max(into.len());
        if bytes > allowance.memory || most > TransitionLayer::MAX_TRANSITIONS {
            let states = into.len().max(from.len());
            return Err(too_large(rules, planned, states, bytes, allowance));
        }
    }
    Ok(Some(layer))
}

/// Returns the error for a step that exceeds the memory or the number of transitions that 32-bit indices permit.
pub(super) fn too_large(
    rules: &CodedElements,
    planned: &PlannedStep,
    states: usize,
    bytes: u64,
    allowance: ExplorationLimits<'_>,
) -> ExplorationError {
    let first = planned.places[0];
    ExplorationError::Error(Error::FrontierTooLarge {
        element: rules.linear.slots[first].element.label(),
        states,
        bytes,
        limit: allowance.memory,
    })
}

pub(super) fn fields_before<const W: usize>(
    rules: &CodedElements,
    planned: &PlannedStep,
) -> Result<Vec<BitField>, ExplorationError> {
    let types: Vec<usize> = planned.before.iter().map(|&p| rules.types[p]).collect();
    rules.codes.fields(&types, W).ok_or(ExplorationError::Wider)
}

pub(super) fn types_after(rules: &CodedElements, planned: &PlannedStep) -> Vec<usize> {
    let after = planned.after.iter();
    after.map(|&r| rules.types[planned.place(r)]).collect()
}

pub(super) fn fields_after<const W: usize>(
    rules: &CodedElements,
    planned: &PlannedStep,
) -> Result<Vec<BitField>, ExplorationError> {
    let types = types_after(rules, planned);
    rules.codes.fields(&types, W).ok_or(ExplorationError::Wider)
}

#[inline]
fn gather(reads: &mut Vec<u32>, registers: &[u32], from: &[u32]) {
    reads.clear();
    reads.extend(from.iter().map(|&register| registers[register as usize]));
}

/// The transitions from the states of one frontier to the states of the next frontier.
#[derive(Debug)]
pub(super) struct TransitionLayer {
    /// For each state, the index of its first transition; the last number is the number of all transitions.
    starts: Vec<u32>,
    /// For each transition, the state to which it leads.
    pub(super) targets: Vec<u32>,
    /// For each transition, the index of its weight.
    pub(super) weights: PackedIntegers,
    /// For each target whose value is determined in this step of the sweep, the code of the value in each transition.
    pub(super) reports: Vec<PackedIntegers>,
}

impl TransitionLayer {
    pub(super) const MAX_TRANSITIONS: usize = u32::MAX as usize / 2;

    /// Creates an empty list of transitions, for a step that determines the values of `reported` targets.
    pub(super) fn new(reported: usize) -> Self {
        Self {
            starts: vec![0],
            targets: Vec::new(),
            weights: PackedIntegers::default(),
            reports: (0..reported).map(|_| PackedIntegers::default()).collect(),
        }
    }

    /// Returns the index range of the transitions from the state `state`.
    #[inline]
    pub(super) fn from(&self, state: usize) -> std::ops::Range<usize> {
        self.starts[state] as usize..self.starts[state + 1] as usize
    }

    /// Ends the list of transitions from one state; the next added transition starts from the next state.
    #[inline]
    pub(super) fn end_state(&mut self) {
        self.starts.push(self.targets.len() as u32);
    }

    /// Appends the transitions `further`, which start from later states; returns `false` if there would be too many transitions.
    pub(super) fn append(&mut self, further: &Self) -> bool {
        if self.targets.len() + further.targets.len() > Self::MAX_TRANSITIONS {
            return false;
        }
        let before = self.targets.len() as u32;
        self.starts
            .extend(further.starts[1..].iter().map(|&start| before + start));
        self.targets.extend_from_slice(&further.targets);
        self.weights.append(&further.weights);
        for (report, further) in self.reports.iter_mut().zip(&further.reports) {
            report.append(further);
        }
        true
    }

    pub(super) fn shrink(&mut self) {
        self.starts.shrink_to_fit();
        self.targets.shrink_to_fit();
        self.weights.shrink();
        self.reports.iter_mut().for_each(PackedIntegers::shrink);
    }

    pub(super) fn bytes(&self) -> usize {
        let reports: usize = self.reports.iter().map(PackedIntegers::bytes).sum();
        4 * (self.starts.len() + self.targets.len()) + self.weights.bytes() + reports
    }

    /// Returns the size of the transitions in bytes, with room for `more` further transitions.
    pub(super) fn bytes_with(&self, more: usize) -> usize {
        let reports = self.reports.iter().map(|report| report.bytes_with(more));
        let indices = vector(&self.starts, 1) + vector(&self.targets, more);
        indices + self.weights.bytes_with(more) + reports.sum::<usize>()
    }
}
