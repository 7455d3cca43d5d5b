//! One step of a Markov chain over worlds: selects a random choice or a joint proposal, and proposes new values.

use figrs_lower::internals::Trace;

use super::acceptance::{AcceptanceTerms, StepOutcome};
use super::decisions::StepDecisions;
use super::kernel::Kernel;
use figrs_answer::error::Error;

impl Kernel {
    /// Makes a step of the chain. The proposal of the step is accepted with probability `exp(log_acceptance(terms))`, or always if this number
    /// exceeds one. The posterior is sampled with [`AcceptanceTerms::log_acceptance`] as `log_acceptance`.
    ///
    /// Before the step, `trace` must hold a world of positive weight.
    ///
    /// **Errors.** The errors of the elements that the step evaluates; an error if the element of a custom proposal has parents.
    pub fn step<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        if self.adapting {
            self.block_proposals.choose(trace, &self.proposals);
            if self.power.is_some() {
                self.image_moves.choose(trace, &self.proposals);
            }
        }
        let before = trace.choices();
        let picks = before + self.picks();
        if picks == 0 {
            return Ok(StepOutcome::UNCHANGED);
        }
        let pick = decisions.uniform_index(picks);
        if pick < before {
            let site = trace.choice(pick);
            return self.propose_single_site(trace, site, decisions, log_acceptance);
        }
        self.propose_several_sites(trace, pick - before, decisions, log_acceptance)
    }

    /// Makes a step that changes the random choice with the index `position` in the world. If the values of this choice are continuous, nothing
    /// happens.
    pub(super) fn step_if_discrete<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        decisions: &mut D,
        position: usize,
    ) -> Result<(), Error> {
        let site = trace.choice(position);
        if !trace.is_continuous(site) {
            self.propose_single_site(trace, site, decisions, AcceptanceTerms::log_acceptance)?;
        }
        Ok(())
    }
}
