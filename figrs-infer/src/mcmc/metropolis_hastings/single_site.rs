//! Proposals that change one random choice: flips, draws from conditional distributions or from the prior, random walks, and custom proposals.

use figrs_core::{AnyElement, Datum};
use figrs_lower::internals::{Site, Trace};

use super::acceptance::{AcceptanceTerms, StepOutcome, accept_or_reject};
use super::coordinates;
use super::decisions::{StepDecisions, probability};
use super::kernel::Kernel;
use super::proposals::Proposals;
use figrs_answer::error::Error;

enum ProposalKind {
    /// A symmetric proposal: the probability of the proposal is equal to that of the reverse proposal.
    Symmetric,
    Prior,
    /// A draw from the conditional distribution of the random choice given all other choices, with the likelihood raised to the power that the
    /// variant contains.
    Conditional(f64),
    /// A draw from the element that the user's function returned for the old value of the random choice.
    Custom,
    /// A step of a random walk with an adapted scale. The two numbers in the variant are the log-densities of the random walk step and of the reverse
    /// step, up to a common constant.
    Drift(f64, f64),
}

impl Kernel {
    /// Makes a proposal for one random choice, and accepts or rejects it.
    pub(super) fn propose_single_site<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        site: Site,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        let mut custom = None;
        if self.proposals.has_custom()
            && let Some(old) = trace.value(site)
        {
            let element = self.proposals.custom(trace.element(site), &old)?;
            custom = element.map(|element| (element, old));
        }
        let (value, way) = if let Some((custom, _)) = &custom {
            (Proposals::draw(custom, decisions)?, ProposalKind::Custom)
        } else if let Some(truth) = trace.truth(site) {
            (Datum::new(!truth), ProposalKind::Symmetric)
        } else if let Some((value, way)) = self.conditional(trace, site, decisions)? {
            (value, way)
        } else if can_walk(trace, site) && decisions.bernoulli(0.5) {
            match self.random_walk_value(trace, site, decisions)? {
                Some(drift) => drift,
                None => return Ok(StepOutcome::REJECTED),
            }
        } else {
            match trace.draw(site, decisions)? {
                Some(value) => (value, ProposalKind::Prior),
                None => return Ok(StepOutcome::REJECTED),
            }
        };
        if trace.holds(site, &value) {
            return Ok(StepOutcome::UNCHANGED);
        }
        let old_log = trace.log_prob(site);
        if !trace.propose(site, &value, decisions)? {
            trace.undo();
            self.adapt_to_result(trace, site, &way, 0.0);
            self.learn_whether_stuck(trace, site, Some(&value))?;
            return Ok(StepOutcome::REJECTED);
        }
        self.learn_whether_stuck(trace, site, None)?;
        let (forward, backward) = match way {
            ProposalKind::Symmetric => (0.0, 0.0),
            ProposalKind::Drift(forward, backward) => (forward, backward),
            ProposalKind::Conditional(power) => {
                let change = trace.change();
                (change.prior + power * change.likelihood, 0.0)
            }
            ProposalKind::Prior => (trace.log_prob(site), old_log),
            ProposalKind::Custom => self.custom_terms(trace, site, custom.as_ref(), &value)?,
        };
        let terms = self.terms(trace, forward, backward);
        let (gain, log) = (terms.log_target(), log_acceptance(&terms));
        if self.adapting {
            self.adapt_to_result(trace, site, &way, probability(log));
        }
        Ok(accept_or_reject(trace, decisions, gain, log))
    }

    /// Draws a value from the conditional distribution of the random choice `site`; `None` if its family of distributions defines no draw from the
    /// conditional.
    fn conditional<D: StepDecisions>(
        &self,
        trace: &mut Trace,
        site: Site,
        decisions: &mut D,
    ) -> Result<Option<(Datum, ProposalKind)>, Error> {
        let Some(power) = self.power else {
            return Ok(None);
        };
        let drawn = trace.draw_conditional(site, power, decisions)?;
        Ok(drawn.map(|value| (value, ProposalKind::Conditional(power))))
    }

    /// Returns the value after a step of the random walk: the present value plus the difference of two draws from the prior, times the scale.
    fn random_walk_value<D: StepDecisions>(
        &self,
        trace: &mut Trace,
        site: Site,
        decisions: &mut D,
    ) -> Result<Option<(Datum, ProposalKind)>, Error> {
        let scale = self.scales.scale(site);
        if let Some(from) = trace.number(site) {
            let mut real = || -> Result<f64, Error> {
                let value = trace.draw(site, decisions)?;
                Ok(value.and_then(|v| v.get().copied()).unwrap_or(f64::NAN))
            };
            let to = from + scale * (real()? - real()?);
            let symmetric = ProposalKind::Drift(0.0, 0.0);
            return Ok(to.is_finite().then(|| (Datum::new(to), symmetric)));
        }
        let (Some(one), Some(other)) = (trace.draw(site, decisions)?, trace.draw(site, decisions)?)
        else {
            return Ok(None);
        };
        let Some(present) = trace.value(site) else {
            return Ok(None);
        };
        if let (Some(one), Some(other)) = (one.integer(), other.integer()) {
            let by = (scale * one.saturating_sub(other) as f64).round() as i128;
            let by = match by {
                0 if decisions.bernoulli(0.5) => 1,
                0 => -1,
                by => by,
            };
            let symmetric = ProposalKind::Drift(0.0, 0.0);
            return Ok(present.stepped(by).map(|value| (value, symmetric)));
        }
        let space = trace.space(site);
        let [mut from, mut up, mut down] = [const { Vec::new() }; 3];
        let Some((dimensions, volume)) = coordinates::push(space, &present, &mut from) else {
            return Ok(None);
        };
        let counts = [(&one, &mut up), (&other, &mut down)]
            .map(|(drawn, into)| coordinates::push(space, drawn, into).map(|(count, _)| count));
        if counts != [Some(dimensions); 2] {
            return Ok(None);
        }
        for ((from, up), down) in from.iter_mut().zip(up).zip(down) {
            *from += scale * (up - down);
        }
        let moved = coordinates::value(space, &present, &from);
        Ok(moved.map(|(value, there)| (value, ProposalKind::Drift(-there, -volume))))
    }

    /// Returns the log-probabilities of a custom proposal from the old value of a random choice to the new value, and from the new value to the old
    /// value.
    fn custom_terms(
        &self,
        trace: &Trace,
        site: Site,
        custom: Option<&(AnyElement, Datum)>,
        new: &Datum,
    ) -> Result<(f64, f64), Error> {
        let Some((forth, old)) = custom else {
            return Ok((0.0, f64::NEG_INFINITY));
        };
        let back = self.proposals.custom(trace.element(site), new)?;
        let back = back.map_or(Ok(f64::NEG_INFINITY), |back| {
            Proposals::log_prob(&back, old)
        })?;
        Ok((Proposals::log_prob(forth, new)?, back))
    }

    fn adapt_to_result(&mut self, trace: &Trace, site: Site, way: &ProposalKind, accepted: f64) {
        if self.adapting && matches!(way, ProposalKind::Drift(..)) && trace.is_in_every_world(site)
        {
            self.scales.adapt(site, accepted);
        }
    }

    /// Counts a proposal for the random choice `site`, and records whether the proposal led to a possible world. A proposal that led to no possible
    /// world is counted only if the proposed value has positive prior probability.
    fn learn_whether_stuck(
        &mut self,
        trace: &Trace,
        site: Site,
        failed: Option<&Datum>,
    ) -> Result<(), Error> {
        if !self.adapting || !trace.is_in_every_world(site) {
            return Ok(());
        }
        let own = match failed {
            Some(value) => trace.log_prior(site, value)?,
            None => Some(0.0),
        };
        if own.is_some_and(|log| log > f64::NEG_INFINITY) {
            self.stuck.record(site, failed.is_none());
        }
        Ok(())
    }
}

/// True if the values of the random choice are numbers or lists of numbers that the prior spreads over so wide a range that a draw is seldom close to
/// the present value.
#[inline]
fn can_walk(trace: &mut Trace, site: Site) -> bool {
    trace.is_continuous(site) || trace.is_wide(site)
}
