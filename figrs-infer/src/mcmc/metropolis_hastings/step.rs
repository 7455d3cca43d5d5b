//! One step of a Markov chain over worlds: the pick of a site or a block, and a proposal for it.

use figrs_core::internals::Trace;

use super::acceptance::{Step, Terms};
use super::dice::Dice;
use super::kernel::Kernel;
use crate::error::Error;

impl Kernel {
    /// Makes a step that is accepted with probability `exp(log_acceptance(terms))`, or surely if that exceeds one:
    /// [`Terms::log_acceptance`] for samples of the posterior.
    ///
    /// The trace must hold a world of positive weight.
    ///
    /// **Errors.** Mistakes of the elements that are reached; a proposal of the user's that is not an atomic element.
    pub fn step<D: Dice>(
        &mut self,
        trace: &mut Trace,
        dice: &mut D,
        log_acceptance: impl FnOnce(&Terms) -> f64,
    ) -> Result<Step, Error> {
        if self.adapting {
            self.together.choose(trace, &self.proposals);
        }
        let before = trace.choices();
        let picks = before + self.picks();
        if picks == 0 {
            return Ok(Step::UNCHANGED);
        }
        let pick = dice.below(picks);
        if pick < before {
            let site = trace.choice(pick);
            return self.single(trace, site, dice, log_acceptance);
        }
        self.several(trace, pick - before, dice, log_acceptance)
    }

    /// Makes a step for one choice, by its position in the world, if its values are no continuum.
    pub(super) fn step_if_discrete<D: Dice>(
        &mut self,
        trace: &mut Trace,
        dice: &mut D,
        position: usize,
    ) -> Result<(), Error> {
        let site = trace.choice(position);
        if !trace.is_continuous(site) {
            self.single(trace, site, dice, Terms::log_acceptance)?;
        }
        Ok(())
    }
}
