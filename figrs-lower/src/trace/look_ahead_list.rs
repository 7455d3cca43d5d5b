//! The list of new node states of a proposal that is weighed before the trace is changed.

use super::register::ValueRegister;

/// New state of a node of a trace.
#[derive(Debug, Default)]
pub(super) struct TentativeState {
    pub(super) number: u32,
    /// The new value; empty if the value does not change.
    pub(super) value: ValueRegister,
    pub(super) log: f64,
    pub(super) weight: f64,
}

/// The look-ahead of a proposal: new states of nodes that have not been applied to the trace yet.
#[derive(Debug, Default)]
pub(super) struct ProposalLookAhead {
    /// `true` if the list of new node states belongs to the last proposal.
    pub(super) is_current: bool,
    /// The new states; spare entries are kept for later proposals. Entries are filled in place, because moving a number that was just
    /// written is slow.
    nodes: Vec<TentativeState>,
    count: usize,
    /// Random choices that keep their values, each with its new log-probability.
    pub(super) weighed: Vec<(u32, f64)>,
    /// Priority queue of the readers of changed nodes, as pairs of height and index; the lowest pair is last.
    queue: Vec<(u32, u32)>,
    /// A Chain that switches to another result, and the index of this result.
    pub(super) switch: Option<(u32, u32)>,
    /// A parameter node whose readers were all weighed together, and its new value.
    pub(super) parameter: Option<(u32, f64)>,
    pub(super) readers: WeighedReaders,
    /// The proposal of another truth value, if it needs no list of new states.
    pub(super) flip: Option<FlipProposal>,
    pub(super) prior: f64,
    pub(super) likelihood: f64,
    /// `true` if some choice or some evidence in the new world has weight zero. The list is completed even for an impossible world,
    /// because whether the general path runs, which draws random numbers, must not depend on the weight.
    pub(super) is_impossible: bool,
}

impl ProposalLookAhead {
    #[inline]
    pub(super) fn clear(&mut self) {
        self.is_current = false;
        self.count = 0;
        self.queue.clear();
        self.switch = None;
        (self.parameter, self.flip) = (None, None);
        self.weighed.clear();
        (self.prior, self.likelihood, self.is_impossible) = (0.0, 0.0, false);
    }

    #[inline]
    pub(super) fn push_state(&mut self, number: u32, value: &ValueRegister, log: f64, weight: f64) {
        if self.nodes.len() == self.count {
            self.nodes.push(TentativeState::default());
        }
        let place = &mut self.nodes[self.count];
        place.number = number;
        place.value.copy(value);
        (place.log, place.weight) = (log, weight);
        self.count += 1;
    }

    /// Queues a reader of a changed node.
    #[inline]
    pub(super) fn enqueue(&mut self, height: u32, number: u32) {
        let lower = self.queue.iter().rev();
        let lower = lower.take_while(|(other, _)| *other < height).count();
        let at = self.queue.len() - lower;
        self.queue.insert(at, (height, number));
    }

    /// Takes the node of the least topological height from the queue.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u32> {
        self.queue.pop().map(|(_, number)| number)
    }

    #[inline]
    pub(super) fn is_queue_empty(&self) -> bool {
        self.queue.is_empty()
    }

    #[inline]
    pub(super) fn states(&self) -> &[TentativeState] {
        &self.nodes[..self.count]
    }

    /// Returns the log-probability of the proposed value of the choice `site`.
    #[inline]
    pub(super) fn log_of(&self, site: u32) -> Option<f64> {
        if !self.is_current {
            return None;
        }
        if let Some(flip) = &self.flip {
            return (flip.site == site).then_some(flip.log);
        }
        let first = self.states().first();
        first
            .filter(|first| first.number == site)
            .map(|first| first.log)
    }
}

/// Reason why a list of new node states is ended early.
pub(super) enum LookAheadEnd {
    /// The new world has weight zero.
    Impossible,
    /// The list cannot represent the effects of the proposal, which must be evaluated by the general path.
    GeneralPath,
}

/// Buffers for the values and the log-probabilities of readers that are weighed together.
#[derive(Debug, Default)]
pub(super) struct WeighedReaders {
    /// Values of those readers that are free choices.
    pub(super) values: Vec<f64>,
    pub(super) logs: Vec<f64>,
}

/// A proposal of the other truth value for a Boolean choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlipProposal {
    pub(super) site: u32,
    pub(super) truth: bool,
    /// The log-probability of the proposed value.
    pub(super) log: f64,
    pub(super) chain: u32,
    /// The result that the Chain has for the proposed truth value.
    pub(super) result: u32,
}
