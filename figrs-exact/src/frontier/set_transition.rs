//! The explored transitions of a step from one set of states to another.

use rustc_hash::FxHashMap;

use super::coded_elements::CodedElements;
use super::plan::PlannedStep;

/// A frontier, as a prefix of a numbered set of states.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrontierPrefix {
    pub(super) set: usize,
    pub(super) states: usize,
}

#[derive(Debug)]
pub(super) struct SetTransition {
    pub(super) layer: usize,
    /// Number of states of the source set from which transitions have been explored.
    pub(super) sources: usize,
    pub(super) to: usize,
    /// For each state of the destination set, `true` if an explored transition leads to it.
    is_reached: Vec<bool>,
    count: usize,
    /// Ascending pairs `(n, m)`: the transitions from the first `n` states of the source set lead to the first `m` states of the destination set.
    ends: Vec<(usize, usize)>,
}

impl SetTransition {
    /// Creates the transitions of a step that leads to all states of the frontier `to`.
    pub(super) fn new(layer: usize, from: FrontierPrefix, to: FrontierPrefix) -> Self {
        Self {
            layer,
            sources: from.states,
            to: to.set,
            is_reached: vec![true; to.states],
            count: to.states,
            ends: vec![(from.states, to.states)],
        }
    }

    /// Adds transitions from further states, up to `sources` states in total. Returns `false` if the transitions do not lead to all states of a
    /// prefix of the destination set.
    pub(super) fn extend(&mut self, targets: &[u32], sources: usize) -> bool {
        for &target in targets {
            let target = target as usize;
            if target >= self.is_reached.len() {
                self.is_reached.resize(target + 1, false);
            }
            self.count += usize::from(!std::mem::replace(&mut self.is_reached[target], true));
        }
        self.sources = sources;
        self.ends.push((sources, self.count));
        self.count == self.is_reached.len()
    }

    /// Returns the number of states to which the first `sources` states lead; `None` if the number is unknown.
    pub(super) fn end(&self, sources: usize) -> Option<usize> {
        let known = |&(from, _): &(usize, usize)| from;
        let at = self.ends.binary_search_by_key(&sources, known).ok()?;
        Some(self.ends[at].1)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.is_reached.len() + size_of_val(&self.ends[..])
    }
}

const MAX_CACHED_SIGNATURES: usize = 1 << 12;

#[derive(Debug, PartialEq, Eq, Hash)]
struct StepContent {
    before: Vec<usize>,
    classes: Vec<usize>,
    reads: Vec<Vec<u32>>,
    after: Vec<u32>,
    reported: Vec<u32>,
}

/// The signature of a step of a sweep: two steps with equal signatures have the same transitions from equal states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct StepSignature {
    number: usize,
    /// `true` if another step may have this signature.
    pub(super) is_shared: bool,
}

#[derive(Debug, Default)]
pub(super) struct StepSignatures {
    known: FxHashMap<StepContent, usize>,
    next: usize,
}

impl StepSignatures {
    pub(super) fn of(&mut self, rules: &CodedElements, planned: &PlannedStep) -> StepSignature {
        let classes = planned.places.iter().map(|&p| rules.classes.of[p]);
        let classes: Vec<usize> = classes.collect();
        let is_shared = classes.iter().all(|&class| rules.classes.shared[class]);
        let new = self.next;
        let number = if is_shared {
            if self.known.len() >= MAX_CACHED_SIGNATURES {
                self.known.clear();
            }
            let content = StepContent {
                before: planned.before.iter().map(|&p| rules.types[p]).collect(),
                classes,
                reads: planned.reads.clone(),
                after: planned.after.clone(),
                reported: planned.reported.clone(),
            };
            *self.known.entry(content).or_insert(new)
        } else {
            new
        };
        self.next += usize::from(number == new);
        StepSignature { number, is_shared }
    }
}
