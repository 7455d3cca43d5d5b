//! One step of a Markov chain over worlds.

use figrs_core::internals::{Change, Site, Source, Trace};
use figrs_core::{AnyElement, Datum};
use rand::{Rng, RngExt};

use super::block_proposals::BlockProposals;
use super::coordinates;
use super::proposal_success::ProposalSuccess;
use super::proposals::{Proposals, RandomWalkScales};
use crate::error::Error;

/// Source of the decisions of a step: random numbers, or a test that makes each of them in every way.
pub trait Dice: Source {
    /// A number below `count`, any as likely as any other.
    fn below(&mut self, count: usize) -> usize;
    /// `true` with this probability.
    fn coin(&mut self, probability: f64) -> bool;
    /// A number from the standard normal distribution, or from one with its mean and variance that is symmetric too.
    fn normal(&mut self) -> f64;
    /// `true` with the probability of this natural logarithm, or surely if that is positive.
    fn accepts(&mut self, log_probability: f64) -> bool {
        self.coin(probability(log_probability))
    }
}

impl<R: Rng> Dice for R {
    fn below(&mut self, count: usize) -> usize {
        self.random_range(0..count.max(1))
    }

    fn coin(&mut self, probability: f64) -> bool {
        probability >= 1.0 || self.random::<f64>() < probability
    }

    fn normal(&mut self) -> f64 {
        // Box and Muller (1958).
        let radius = (-2.0 * (1.0 - self.random::<f64>()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.random::<f64>()).cos()
    }

    #[inline]
    fn accepts(&mut self, log_probability: f64) -> bool {
        // An exponential of a number nearer to zero is one.
        if log_probability < -f64::EPSILON / 4.0 {
            let random = self.random::<f64>();
            // The exponential takes long beside the rest of a step, and exp(x) (1 - x) is at most one.
            random * (1.0 - log_probability) <= 1.0 && random < probability(log_probability)
        } else {
            true
        }
    }
}

/// Terms of the acceptance ratio; all numbers are natural logarithms, except the counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The change of the world by the proposal.
    pub change: Change,
    /// The probability of proposing the new values in the old world.
    pub forward: f64,
    /// The probability of proposing the old values in the new world.
    pub backward: f64,
    /// Number of sites and blocks to pick from, in the old world and in the new one.
    pub picks: (usize, usize),
}

impl Terms {
    /// The logarithm of the ratio of the probabilities of the two worlds, evidence included. Fewer densities among the
    /// likelihoods make a world infinitely more likely.
    #[inline]
    pub fn log_target(&self) -> f64 {
        self.log_tempered(1.0)
    }

    /// As [`log_target`](Self::log_target), with the likelihood to a power.
    #[inline]
    pub fn log_tempered(&self, power: f64) -> f64 {
        let Change {
            prior,
            likelihood,
            fresh,
            stale,
            densities: (before, after),
            ..
        } = self.change;
        match after.cmp(&before) {
            std::cmp::Ordering::Less => f64::INFINITY,
            std::cmp::Ordering::Equal => prior + power * likelihood + fresh - stale,
            std::cmp::Ordering::Greater => f64::NEG_INFINITY,
        }
    }

    /// The logarithm of the ratio of the probabilities of proposing the way back and the way there: of the pick, of the
    /// values, and of the choices that only one of the worlds has, which are drawn from their priors.
    #[inline]
    pub fn log_proposals(&self) -> f64 {
        let picks = if self.picks.0 == self.picks.1 {
            0.0
        } else {
            (self.picks.0 as f64 / self.picks.1 as f64).ln()
        };
        picks + self.backward - self.forward + self.change.stale - self.change.fresh
    }

    /// The logarithm of the Metropolis-Hastings ratio: the proposal is accepted with its exponential, or surely.
    #[inline]
    pub fn log_acceptance(&self) -> f64 {
        self.log_target() + self.log_proposals()
    }
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// `true` if the proposal was accepted; a proposal to stay is.
    pub accepted: bool,
    /// Change of the logarithm of the world's probability.
    pub log_gain: f64,
}

impl Step {
    pub(super) const UNCHANGED: Self = Self {
        accepted: true,
        log_gain: 0.0,
    };
    pub(super) const REJECTED: Self = Self {
        accepted: false,
        log_gain: 0.0,
    };
}

/// The single-site Metropolis-Hastings kernel: picks a free choice or a block of them, proposes other values, and accepts
/// or rejects.
///
/// The state is the [`Trace`]; the kernel holds the proposals and their adapted scales, which change while it
/// [adapts](Self::adapt) only.
#[derive(Debug)]
pub struct Kernel {
    pub(super) proposals: Proposals,
    scales: RandomWalkScales,
    pub(super) adapting: bool,
    /// The power of the likelihood in the distribution that is sampled; `None` for a search, which has no such
    /// distribution.
    power: Option<f64>,
    pub(super) stuck: ProposalSuccess,
    pub(super) together: BlockProposals,
}

/// Source of a site's new value.
enum ProposalKind {
    /// A symmetric proposal: as likely forth as back.
    Symmetric,
    /// The site's prior.
    Prior,
    /// The site's conditional given all other choices.
    Conditional(f64),
    /// The element that the user's function gave for the old value.
    Custom,
    /// A random walk, to be adapted: the logarithms of its densities forth and back, up to a common constant.
    Drift(f64, f64),
}

impl Kernel {
    /// A kernel with these proposals, which does not adapt.
    pub fn new(proposals: Proposals) -> Self {
        Self {
            proposals,
            scales: RandomWalkScales::default(),
            adapting: false,
            power: Some(1.0),
            stuck: ProposalSuccess::default(),
            together: BlockProposals::default(),
        }
    }

    /// A kernel for the prior times the likelihood to this power: steps are then to be accepted by [`Terms::log_tempered`].
    #[must_use]
    pub fn tempered(mut self, power: f64) -> Self {
        self.set_power(power);
        self
    }

    pub(super) fn set_power(&mut self, power: f64) {
        self.power = Some(power);
    }

    /// A kernel for a search, whose acceptance changes from step to step: no draws from conditionals, which are as wide as
    /// those of the posterior.
    #[must_use]
    pub fn searching(mut self) -> Self {
        self.power = None;
        self
    }

    /// The power of the likelihood.
    pub(super) fn power(&self) -> f64 {
        self.power.unwrap_or(1.0)
    }

    /// Starts or ends the adaptation of the proposals; once it has ended the kernel leaves the posterior invariant.
    pub fn adapt(&mut self, adapting: bool) {
        if self.adapting && !adapting {
            self.together.settle();
        }
        self.adapting = adapting;
    }

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

    /// Number of proposals for several sites to pick from.
    pub(super) fn picks(&self) -> usize {
        self.proposals.blocks().len() + self.together.walks() + self.stuck.picks()
    }

    /// Proposes for one site.
    fn single<D: Dice>(
        &mut self,
        trace: &mut Trace,
        site: Site,
        dice: &mut D,
        log_acceptance: impl FnOnce(&Terms) -> f64,
    ) -> Result<Step, Error> {
        let mut custom = None;
        if self.proposals.has_custom()
            && let Some(old) = trace.value(site)
        {
            let element = self.proposals.custom(trace.element(site), &old)?;
            custom = element.map(|element| (element, old));
        }
        let (value, way) = if let Some((custom, _)) = &custom {
            (Proposals::draw(custom, dice)?, ProposalKind::Custom)
        } else if let Some(truth) = trace.truth(site) {
            (Datum::new(!truth), ProposalKind::Symmetric)
        } else if let Some((value, way)) = self.conditional(trace, site, dice)? {
            (value, way)
        } else if can_walk(trace, site) && dice.coin(0.5) {
            match self.drift(trace, site, dice)? {
                Some(drift) => drift,
                None => return Ok(Step::REJECTED),
            }
        } else {
            match trace.draw(site, dice)? {
                Some(value) => (value, ProposalKind::Prior),
                None => return Ok(Step::REJECTED),
            }
        };
        if trace.holds(site, &value) {
            return Ok(Step::UNCHANGED);
        }
        let old_log = trace.log_prob(site);
        if !trace.propose(site, &value, dice)? {
            trace.undo();
            self.learn(trace, site, &way, 0.0);
            self.learn_whether_stuck(trace, site, Some(&value))?;
            return Ok(Step::REJECTED);
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
            self.learn(trace, site, &way, probability(log));
        }
        Ok(conclude(trace, dice, gain, log))
    }

    /// A draw from the conditional of a site, if its distribution states how.
    fn conditional<D: Dice>(
        &self,
        trace: &mut Trace,
        site: Site,
        dice: &mut D,
    ) -> Result<Option<(Datum, ProposalKind)>, Error> {
        let Some(power) = self.power else {
            return Ok(None);
        };
        let drawn = trace.draw_conditional(site, power, dice)?;
        Ok(drawn.map(|value| (value, ProposalKind::Conditional(power))))
    }

    /// A random walk: the difference of two draws from the prior, times the scale.
    fn drift<D: Dice>(
        &self,
        trace: &mut Trace,
        site: Site,
        dice: &mut D,
    ) -> Result<Option<(Datum, ProposalKind)>, Error> {
        let scale = self.scales.scale(site);
        if let Some(from) = trace.number(site) {
            let mut real = || -> Result<f64, Error> {
                let value = trace.draw(site, dice)?;
                Ok(value.and_then(|v| v.get().copied()).unwrap_or(f64::NAN))
            };
            let to = from + scale * (real()? - real()?);
            let symmetric = ProposalKind::Drift(0.0, 0.0);
            return Ok(to.is_finite().then(|| (Datum::new(to), symmetric)));
        }
        let (Some(one), Some(other)) = (trace.draw(site, dice)?, trace.draw(site, dice)?) else {
            return Ok(None);
        };
        let Some(present) = trace.value(site) else {
            return Ok(None);
        };
        if let (Some(one), Some(other)) = (one.integer(), other.integer()) {
            let by = (scale * one.saturating_sub(other) as f64).round() as i128;
            let by = match by {
                0 if dice.coin(0.5) => 1,
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

    #[inline]
    pub(super) fn terms(&self, trace: &Trace, forward: f64, backward: f64) -> Terms {
        let change = *trace.change();
        let several = self.picks();
        let (before, after) = change.choices;
        Terms {
            change,
            forward,
            backward,
            picks: (before + several, after + several),
        }
    }

    /// Log-probabilities of a custom proposal forth, from the element for the old value, and back.
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

    fn learn(&mut self, trace: &Trace, site: Site, way: &ProposalKind, accepted: f64) {
        if self.adapting && matches!(way, ProposalKind::Drift(..)) && trace.is_lasting(site) {
            self.scales.learn(site, accepted);
        }
    }

    /// Counts a proposal that led to a possible world, or one of a value that did not although the site may have it.
    fn learn_whether_stuck(
        &mut self,
        trace: &Trace,
        site: Site,
        failed: Option<&Datum>,
    ) -> Result<(), Error> {
        if !self.adapting || !trace.is_lasting(site) {
            return Ok(());
        }
        let own = match failed {
            Some(value) => trace.log_prior(site, value)?,
            None => Some(0.0),
        };
        if own.is_some_and(|log| log > f64::NEG_INFINITY) {
            self.stuck.learn(site, failed.is_none());
        }
        Ok(())
    }
}

/// True if the values of a site are numbers, or lists of them, for which a draw from the prior is seldom near.
#[inline]
fn can_walk(trace: &mut Trace, site: Site) -> bool {
    trace.is_continuous(site) || trace.is_wide(site)
}

/// Never inlined: inlined it would be computed whether it is asked for or not.
#[inline(never)]
pub(super) fn probability(log_acceptance: f64) -> f64 {
    if log_acceptance < 0.0 {
        log_acceptance.exp()
    } else {
        1.0
    }
}

/// Keeps or undoes a proposal of positive weight.
pub(super) fn conclude<D: Dice>(
    trace: &mut Trace,
    dice: &mut D,
    log_gain: f64,
    log_acceptance: f64,
) -> Step {
    if dice.accepts(log_acceptance) {
        trace.keep();
        Step {
            accepted: true,
            log_gain,
        }
    } else {
        trace.undo();
        Step::REJECTED
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;

    use super::*;

    #[test]
    fn few_exponentials_decide_as_all_would() {
        let near = f64::EPSILON / 4.0;
        for log in [
            f64::NEG_INFINITY,
            -40.0,
            -3.0,
            -0.1,
            -1e-9,
            -1.5 * near,
            -near,
            0.0,
            2.0,
        ] {
            let (mut random, mut again) = (stream(1, 0), stream(1, 0));
            for _ in 0..2000 {
                let accepted = random.accepts(log);
                assert_eq!(accepted, again.coin(probability(log)), "{log}");
            }
            assert_eq!(random, again);
        }
    }
}
