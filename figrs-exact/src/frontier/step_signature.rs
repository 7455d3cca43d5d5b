//! Signatures of the steps of a sweep: two steps with equal signatures have the same transitions from equal states.

use rustc_hash::FxHashMap;

use super::coded_elements::CodedElements;
use super::plan::PlannedStep;

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
