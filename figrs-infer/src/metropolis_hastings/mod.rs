//! Single-site Metropolis-Hastings over the choices that a world has.
//!
//! | file | what it holds |
//! |---|---|
//! | `kernel` | one step of a chain |
//! | `proposals` | what the user says about proposals, and the scales of random walks |
//! | `settings` | what any algorithm that makes these steps is told |
//! | `sites` | thinned values of all choices of a chain |
//! | `probes` | short chains that look for other modes |
//! | `chain` | one chain from its first world to its last draw |
//! | `collect` | the draws of all chains as an answer |

mod chain;
mod collect;
mod kernel;
mod probes;
mod proposals;
mod settings;
mod sites;

pub use kernel::{Dice, Kernel, Step, Terms};
pub use proposals::Proposals;
pub(crate) use sites::{Key, Series, SiteRecord};

pub(crate) use settings::{Settings, stepping};

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use figrs_core::{AnyElement, Model};

use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::error::Error;
use crate::in_order::in_order;
use crate::watch::{Watch, watched};
use chain::{Chain, Length};

const NAME: &str = "MetropolisHastings";

/// Metropolis-Hastings: walks from world to world, changing one random choice at a time.
///
/// A step picks one of the free choices of the present world, any as likely as any other, proposes another value, re-evaluates
/// what depends on it, and accepts or rejects. A Boolean is flipped; a continuous number is drawn anew from its prior or
/// moved by a random walk, half the time each; anything else is drawn anew from its prior. The random walk moves by the
/// difference of two draws from the prior, times a scale that is adapted for each element outside of Chains during
/// burn-in, towards 44 % accepted walks, and fixed after it. Where a Chain takes another branch, choices that only the
/// new world has are drawn from their priors, and those that only the old one has are dropped. An observed element is no
/// choice: its probability weighs the world, also through Chains, Scores, tuples and Boolean functions down to the elements that
/// decide.
///
/// Single steps cannot cross worlds of probability zero: where two elements must change at once, make them a
/// [`block`](Self::block).
///
/// **Guarantee.** After burn-in every step leaves the posterior invariant, exactly, also where the number of choices
/// changes. That the chain reaches every world cannot be promised: see `block`. Errors come from the draws of all chains,
/// autocorrelation taken into account. The same seed gives the same answer on any number of threads.
///
/// **Complexity.** A step takes time in proportion to the elements whose inputs change, and a constant; memory is
/// the size of a world for each chain, and four bytes for each draw of a target.
///
/// **Errors.** [`Error::NoSampleMetEvidence`] if no chain finds a first world among
/// [`max_tries`](Self::max_tries) worlds drawn from the prior. `log_evidence` of the answer is
/// [`Error::NotInAnswer`]: a chain does not know the probability of the evidence.
///
/// **References.** Wingate, Stuhlmüller and Goodman (2011), "Lightweight implementations of probabilistic programming languages via
/// transformational compilation", with the count of choices in the acceptance ratio; Green (1995), "Reversible jump Markov
/// chain Monte Carlo computation"; Roberts and Rosenthal (2001), "Optimal scaling for various Metropolis-Hastings algorithms".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{MetropolisHastings, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = MetropolisHastings::new(10_000).seed(7).run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 0.05);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MetropolisHastings {
    draws: u64,
    chains: usize,
    burn_in: Option<u64>,
    thin: u64,
    settings: Settings,
    watch: Watch,
}

impl MetropolisHastings {
    /// Keeps this many draws of each of four chains, one a step, after half as many steps of burn-in, with seed 0.
    pub fn new(draws: u64) -> Self {
        Self {
            draws,
            chains: 4,
            burn_in: None,
            thin: 1,
            settings: Settings::default(),
            watch: Watch::default(),
        }
    }

    /// Runs this many independent chains (default four), each with random numbers and a first world of its own.
    pub fn chains(mut self, chains: usize) -> Self {
        self.chains = chains;
        self
    }

    /// Lets each chain make this many steps before its first draw (default: half as many as after it).
    pub fn burn_in(mut self, steps: u64) -> Self {
        self.burn_in = Some(steps);
        self
    }

    /// Keeps the world after every so many steps (default one).
    pub fn thin(mut self, steps: u64) -> Self {
        self.thin = steps;
        self
    }

    stepping!();
    crate::drawing::keeping_anyway!();
    watched!();

    fn check(&self) -> Result<Length, Error> {
        let settings = [
            ("draws", self.draws, "keep at least one"),
            ("chains", self.chains as u64, "run at least one"),
            ("thin", self.thin, "keep the world after at least one step"),
            ("max_tries", self.settings.max_tries, "allow at least one"),
        ];
        for (setting, value, remedy) in settings {
            if value == 0 {
                return Err(Error::InvalidSetting {
                    algorithm: NAME,
                    setting,
                    value: "0".into(),
                    remedy,
                });
            }
        }
        let steps = self.draws.checked_mul(self.thin);
        let burn_in = self.burn_in.or_else(|| Some(steps? / 2));
        let total = burn_in.zip(steps).and_then(|(b, s)| b.checked_add(s));
        let total = total.and_then(|steps| steps.checked_mul(self.chains as u64));
        match (burn_in, total) {
            (Some(burn_in), Some(total)) => Ok(Length {
                draws: self.draws,
                burn_in,
                thin: self.thin,
                total,
            }),
            _ => Err(Error::InvalidSetting {
                algorithm: NAME,
                setting: "thin",
                value: self.thin.to_string(),
                remedy: "make fewer steps: their number exceeds 64 bits",
            }),
        }
    }
}

impl Algorithm for MetropolisHastings {
    fn name(&self) -> &'static str {
        NAME
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let length = self.check()?;
        let run = self.watch.start(NAME, Some(length.total));
        let done = AtomicU64::new(0);
        let mut chains = Vec::new();
        in_order(
            self.settings.drawing.threads(),
            (self.chains as u64, 1),
            || Ok(()),
            |(), chain| {
                let (trace, kernel, mut random) =
                    self.settings.start(model, targets, chain, &run)?;
                let mut chain = Chain::new(trace, kernel, targets);
                chain.run(&length, &mut random, &run, &done)?;
                Ok(chain.finish())
            },
            |chain| {
                chains.push(chain);
                ControlFlow::Continue(())
            },
        )?;
        let choices = chains.iter().map(|chain| chain.sites.choices).max();
        let asked = (&self.settings, length.burn_in, choices.unwrap_or(0));
        let probes = probes::probe(asked, model, targets, &run)?;
        collect::answer(NAME, (chains, &probes), targets, &length, &run)
    }
}
