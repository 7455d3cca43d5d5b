//! The list of new values and log-probabilities of nodes for a proposal that is weighed before the trace is changed.

use super::register::ValueRegister;

#[derive(Debug, Default)]
pub(super) struct TentativeState {
    pub(super) number: u32,
    /// The new value of a node; empty if the value does not change.
    pub(super) value: ValueRegister,
    pub(super) log: f64,
    pub(super) weight: f64,
}

/// New values and log-probabilities of the nodes after a proposal, which have not been applied to the trace yet.
#[derive(Debug, Default)]
pub(super) struct ProposalLookAhead {
    /// `true` if the list of new values belongs to the last proposal.
    pub(super) is_current: bool,
    /// The new values of nodes, followed by unused entries for later proposals. Entries of the list are filled in place, because moving a number that
    /// was just written is slow.
    nodes: Vec<TentativeState>,
    count: usize,
    /// Random choices that keep their values, each with its log-probability in the new world.
    pub(super) weighed: Vec<(u32, f64)>,
    /// Priority queue of the children of changed nodes, as pairs of topological height and index; the pair with the lowest height is last.
    queue: Vec<(u32, u32)>,
    /// A `Chain` whose result changes to another element, and the index of this element.
    pub(super) switch: Option<(u32, u32)>,
    /// A parameter node whose children were weighed together, and the new value of the parameter.
    pub(super) parameter: Option<(u32, f64)>,
    pub(super) readers: WeighedReaders,
    /// The proposal of the other truth value of a Boolean choice, if no list of new values is needed.
    pub(super) flip: Option<FlipProposal>,
    pub(super) prior: f64,
    pub(super) likelihood: f64,
    /// `true` if a random choice or a statement of evidence in the new world has weight zero. The list of new values is completed even if the
    /// proposed world has weight zero. The general path of a proposal draws random numbers; whether a proposal takes this path must therefore not
    /// depend on the weight of the new world.
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

    #[inline]
    pub(super) fn enqueue(&mut self, height: u32, number: u32) {
        let lower = self.queue.iter().rev();
        let lower = lower.take_while(|(other, _)| *other < height).count();
        let at = self.queue.len() - lower;
        self.queue.insert(at, (height, number));
    }

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

    /// Returns the log-probability of the proposed value of the choice `site`, if the list of new values belongs to a proposal for this choice.
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

/// The reason why the computation of the list of new values for a proposal ends early.
pub(super) enum LookAheadEnd {
    Impossible,
    /// The list of new values cannot represent the changes, so that the proposal must be evaluated by the general path (change propagation).
    GeneralPath,
}

/// Buffers for the values and log-probabilities of random choices whose log-probabilities are computed together.
#[derive(Debug, Default)]
pub(super) struct WeighedReaders {
    /// The values of those choices whose log-probabilities are computed together and that no observation determines.
    pub(super) values: Vec<f64>,
    pub(super) logs: Vec<f64>,
}

/// The proposal of the other truth value for a Boolean choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlipProposal {
    pub(super) site: u32,
    pub(super) truth: bool,
    pub(super) log: f64,
    pub(super) chain: u32,
    /// The element that the `Chain` selects for the proposed truth value.
    pub(super) result: u32,
}
