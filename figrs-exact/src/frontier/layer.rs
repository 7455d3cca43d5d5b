//! The transitions of one step of a sweep: each has an outcome of a random choice, and the values that follow from it.

use super::growth::vector;
use super::packed_integers::PackedIntegers;

/// The transitions from the states of one frontier to the states of the next frontier.
#[derive(Debug)]
pub(super) struct TransitionLayer {
    /// For each state, the index of its first transition; the last number is the number of all transitions.
    starts: Vec<u32>,
    /// For each transition, the state to which it leads.
    pub(super) targets: Vec<u32>,
    /// For each transition, the index of its weight.
    pub(super) weights: PackedIntegers,
    /// For each target whose value the step determines, the code of the value in each transition.
    pub(super) reports: Vec<PackedIntegers>,
}

impl TransitionLayer {
    pub(super) const MAX_TRANSITIONS: usize = u32::MAX as usize / 2;

    /// Creates an empty list of transitions, in which the step determines the values of `reported` targets.
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

    /// Ends the list of transitions from a state; the next transition starts from the next state.
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

    /// Returns the size in bytes, with room for `more` transitions.
    pub(super) fn bytes_with(&self, more: usize) -> usize {
        let reports = self.reports.iter().map(|report| report.bytes_with(more));
        let indices = vector(&self.starts, 1) + vector(&self.targets, more);
        indices + self.weights.bytes_with(more) + reports.sum::<usize>()
    }
}
