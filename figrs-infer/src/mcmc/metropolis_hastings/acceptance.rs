//! Acceptance of a proposal: the terms of the acceptance ratio, and the result of a step.

use figrs_lower::internals::{Change, Trace};

use super::decisions::StepDecisions;

/// The terms of the acceptance ratio of a proposal. All terms of the acceptance ratio are natural logarithms, except the numbers of choices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcceptanceTerms {
    /// The change of the world's log-probability that the proposal makes.
    pub change: Change,
    /// The log-probability of proposing the new values in the old world.
    pub forward: f64,
    /// The log-probability of proposing the old values in the new world.
    pub backward: f64,
    /// Number of random choices and joint proposals from which a step selects one, in the old world and in the new world.
    pub picks: (usize, usize),
}

impl AcceptanceTerms {
    /// Returns the logarithm of the ratio of the probabilities of the new and the old world, including the evidence. A world whose likelihood has
    /// fewer density factors is infinitely more probable than a world with more density factors.
    #[inline]
    pub fn log_target(&self) -> f64 {
        self.log_tempered(1.0)
    }

    /// Returns the logarithm of the ratio of the probabilities of the new and the old world, with the likelihood raised to the power `power`.
    #[inline]
    pub fn log_tempered(&self, power: f64) -> f64 {
        let Change {
            prior,
            likelihood,
            added: fresh,
            removed: stale,
            densities: (before, after),
            ..
        } = self.change;
        match after.cmp(&before) {
            std::cmp::Ordering::Less => f64::INFINITY,
            std::cmp::Ordering::Equal => prior + power * likelihood + fresh - stale,
            std::cmp::Ordering::Greater => f64::NEG_INFINITY,
        }
    }

    /// Returns the log-probability of proposing the old world from the new world, minus the log-probability of proposing the new world from the old
    /// world. The log-probability covers the selection of the changed random choice, the proposed values, and the choices that exist in only one of
    /// the two worlds.
    #[inline]
    pub fn log_proposals(&self) -> f64 {
        let picks = if self.picks.0 == self.picks.1 {
            0.0
        } else {
            (self.picks.0 as f64 / self.picks.1 as f64).ln()
        };
        picks + self.backward - self.forward + self.change.removed - self.change.added
    }

    /// Returns the logarithm of the Metropolis-Hastings ratio: the proposal is accepted with probability `min(1, exp(log_acceptance))`.
    #[inline]
    pub fn log_acceptance(&self) -> f64 {
        self.log_target() + self.log_proposals()
    }
}

/// The result of a Metropolis-Hastings step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOutcome {
    /// `true` if the proposal was accepted. Proposing the present value counts as accepted.
    pub accepted: bool,
    /// Change of the log-probability of the world in a Metropolis-Hastings step.
    pub log_gain: f64,
}

impl StepOutcome {
    pub(super) const UNCHANGED: Self = Self {
        accepted: true,
        log_gain: 0.0,
    };
    pub(super) const REJECTED: Self = Self {
        accepted: false,
        log_gain: 0.0,
    };
}

/// Accepts or rejects a proposed world of positive weight; after a rejection, the old world is restored.
pub(super) fn accept_or_reject<D: StepDecisions>(
    trace: &mut Trace,
    decisions: &mut D,
    log_gain: f64,
    log_acceptance: f64,
) -> StepOutcome {
    if decisions.accepts(log_acceptance) {
        trace.keep();
        StepOutcome {
            accepted: true,
            log_gain,
        }
    } else {
        trace.undo();
        StepOutcome::REJECTED
    }
}
