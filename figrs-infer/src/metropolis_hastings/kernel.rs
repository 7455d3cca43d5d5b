//! One step of a Markov chain over worlds.

use figrs_core::lower::{Change, Site, Source, Trace};
use figrs_core::{AnyElement, Datum};
use rand::{Rng, RngExt};

use super::proposals::{Proposals, Scales};
use crate::error::Error;

/// Where the decisions of a step come from: random numbers, or a test that makes each of them in every way.
pub trait Dice: Source {
    /// A number below `count`, any as likely as any other.
    fn below(&mut self, count: usize) -> usize;
    /// `true` with this probability.
    fn coin(&mut self, probability: f64) -> bool;
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

    #[inline]
    fn accepts(&mut self, log_probability: f64) -> bool {
        // What is nearer to zero has an exponential of one.
        if log_probability < -f64::EPSILON / 4.0 {
            let random = self.random::<f64>();
            // The probability takes long beside the rest of a step, and exp(x) (1 - x) is at most one.
            random * (1.0 - log_probability) <= 1.0 && random < probability(log_probability)
        } else {
            true
        }
    }
}

/// What decides whether a proposal is accepted; all numbers are natural logarithms, except the counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// What the proposal changes in the world.
    pub change: Change,
    /// The probability of proposing the new values in the old world.
    pub forward: f64,
    /// The probability of proposing the old values in the new world.
    pub backward: f64,
    /// How many sites and blocks there were to pick from in the old world, and how many there are in the new one.
    pub picks: (usize, usize),
}

impl Terms {
    /// The logarithm of the ratio of the probabilities of the two worlds, evidence included. Fewer densities among the
    /// likelihoods make a world infinitely more likely.
    #[inline]
    pub fn log_target(&self) -> f64 {
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
            std::cmp::Ordering::Equal => prior + likelihood + fresh - stale,
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

    /// The logarithm of the ratio of Metropolis and Hastings: the proposal is accepted with its exponential, or surely.
    #[inline]
    pub fn log_acceptance(&self) -> f64 {
        self.log_target() + self.log_proposals()
    }
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Whether the proposal was accepted; a proposal to stay is.
    pub accepted: bool,
    /// By how much the logarithm of the world's probability changed.
    pub log_gain: f64,
}

impl Step {
    const STAYED: Self = Self {
        accepted: true,
        log_gain: 0.0,
    };
    const REJECTED: Self = Self {
        accepted: false,
        log_gain: 0.0,
    };
}

/// The single-site Metropolis-Hastings kernel: picks a free choice or a block of them, proposes other values, and accepts
/// or rejects.
///
/// The state is the [`Trace`]; the kernel holds the proposals and their scales, which change while it
/// [adapts](Self::adapt) only.
#[derive(Debug)]
pub struct Kernel {
    proposals: Proposals,
    scales: Scales,
    adapting: bool,
    /// The sites of the step with their old values, and what is proposed.
    sites: Vec<(Site, Datum, Option<AnyElement>)>,
    values: Vec<(Site, Datum)>,
}

/// What a site's new value came from.
enum Way {
    /// Known to be as likely forth as back.
    Symmetric,
    /// The site's prior.
    Prior,
    /// The element that the user's function gave for the old value.
    Custom,
    /// A random walk, to be adapted.
    Drift,
}

impl Kernel {
    /// A kernel with these proposals, which does not adapt.
    pub fn new(proposals: Proposals) -> Self {
        Self {
            proposals,
            scales: Scales::default(),
            adapting: false,
            sites: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Starts or ends the adaptation of the scales; once it has ended the kernel leaves the posterior invariant.
    pub fn adapt(&mut self, adapting: bool) {
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
        let blocks = self.proposals.blocks().len();
        let before = trace.choices();
        if before + blocks == 0 {
            return Ok(Step::STAYED);
        }
        let pick = dice.below(before + blocks);
        if pick < before {
            let site = trace.choice(pick);
            return self.single(trace, site, dice, log_acceptance);
        }
        self.block(trace, pick - before, dice, log_acceptance)
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
            (Proposals::draw(custom, dice)?, Way::Custom)
        } else if let Some(truth) = trace.truth(site) {
            (Datum::new(!truth), Way::Symmetric)
        } else if let Some(from) = trace.number(site)
            && trace.is_continuous(site)
            && dice.coin(0.5)
        {
            let mut real = || -> Result<f64, Error> {
                let value = trace.draw(site, dice)?;
                Ok(value.and_then(|v| v.get().copied()).unwrap_or(f64::NAN))
            };
            let to = from + self.scales.scale(site) * (real()? - real()?);
            if !to.is_finite() {
                return Ok(Step::REJECTED);
            }
            (Datum::new(to), Way::Drift)
        } else {
            match trace.draw(site, dice)? {
                Some(value) => (value, Way::Prior),
                None => return Ok(Step::REJECTED),
            }
        };
        if trace.holds(site, &value) {
            return Ok(Step::STAYED);
        }
        let old_log = trace.log_prob(site);
        if !trace.propose(site, &value, dice)? {
            trace.undo();
            self.learn(trace, site, &way, 0.0);
            return Ok(Step::REJECTED);
        }
        let (forward, backward) = match way {
            Way::Symmetric | Way::Drift => (0.0, 0.0),
            Way::Prior => (trace.log_prob(site), old_log),
            Way::Custom => self.custom_terms(trace, site, custom.as_ref(), &value)?,
        };
        let terms = self.terms(trace, forward, backward);
        let (gain, log) = (terms.log_target(), log_acceptance(&terms));
        if self.adapting {
            self.learn(trace, site, &way, probability(log));
        }
        Ok(conclude(trace, dice, gain, log))
    }

    /// Proposes for all sites of a block, each as the world is now.
    fn block<D: Dice>(
        &mut self,
        trace: &mut Trace,
        block: usize,
        dice: &mut D,
        log_acceptance: impl FnOnce(&Terms) -> f64,
    ) -> Result<Step, Error> {
        self.sites.clear();
        self.values.clear();
        let mut forward = 0.0;
        for element in &self.proposals.blocks()[block] {
            let Some(site) = trace.site(element) else {
                return Ok(Step::REJECTED);
            };
            let Some(old) = trace.value(site) else {
                return Ok(Step::REJECTED);
            };
            let custom = self.proposals.custom(element, &old)?;
            let value = match &custom {
                Some(custom) => Some(Proposals::draw(custom, dice)?),
                None => trace.draw(site, dice)?,
            };
            let Some(value) = value else {
                return Ok(Step::REJECTED);
            };
            forward += match &custom {
                Some(custom) => Proposals::log_prob(custom, &value)?,
                None => trace.log_prior(site, &value)?.unwrap_or(f64::NEG_INFINITY),
            };
            self.sites.push((site, old, custom));
            self.values.push((site, value));
        }
        if !trace.propose_together(&self.values, dice)? {
            trace.undo();
            return Ok(Step::REJECTED);
        }
        let mut backward = 0.0;
        for ((site, old, custom), (_, new)) in self.sites.iter().zip(&self.values) {
            backward += if custom.is_some() {
                let back = self.proposals.custom(trace.element(*site), new)?;
                back.map_or(Ok(f64::NEG_INFINITY), |back| {
                    Proposals::log_prob(&back, old)
                })?
            } else {
                trace.log_prior(*site, old)?.unwrap_or(f64::NEG_INFINITY)
            };
        }
        let terms = self.terms(trace, forward, backward);
        let (gain, log) = (terms.log_target(), log_acceptance(&terms));
        Ok(conclude(trace, dice, gain, log))
    }

    #[inline]
    fn terms(&self, trace: &Trace, forward: f64, backward: f64) -> Terms {
        let change = *trace.change();
        let blocks = self.proposals.blocks().len();
        let (before, after) = change.choices;
        Terms {
            change,
            forward,
            backward,
            picks: (before + blocks, after + blocks),
        }
    }

    /// How likely a custom proposal is forth, which came from an element for the old value, and back.
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

    fn learn(&mut self, trace: &Trace, site: Site, way: &Way, accepted: f64) {
        if self.adapting && matches!(way, Way::Drift) && trace.is_lasting(site) {
            self.scales.learn(site, accepted);
        }
    }
}

/// Inlined it would be computed whether it is asked for or not.
#[inline(never)]
fn probability(log_acceptance: f64) -> f64 {
    if log_acceptance < 0.0 {
        log_acceptance.exp()
    } else {
        1.0
    }
}

/// Keeps or undoes a proposal of positive weight.
fn conclude<D: Dice>(trace: &mut Trace, dice: &mut D, log_gain: f64, log_acceptance: f64) -> Step {
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
