//! Single-site Metropolis-Hastings over the choices that a world has.
//!
//! | file | what it holds |
//! |---|---|
//! | `kernel` | one step of a chain |
//! | `proposals` | what the user says about proposals, and the scales of random walks |
//! | `chain` | one chain from its first world to its last draw |
//! | `collect` | the draws of all chains as an answer |

mod chain;
mod collect;
mod kernel;
mod proposals;

pub use kernel::{Dice, Kernel, Step, Terms};
pub use proposals::Proposals;

pub(crate) use chain::first_world;

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use figrs_core::lower::Trace;
use figrs_core::{AnyElement, Element, Model, Parents, Value, stream};

use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::error::Error;
use crate::in_order::in_order;
use crate::limits::cores;
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
/// let answer = MetropolisHastings::new(40_000).seed(7).run(&model, &rain)?;
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
    seed: u64,
    max_tries: u64,
    max_elements: usize,
    threads: Option<NonZero<usize>>,
    proposals: Proposals,
    watch: Watch,
}

impl MetropolisHastings {
    /// Keeps this many draws, over all of four chains, with seed 0.
    pub fn new(draws: u64) -> Self {
        Self {
            draws,
            chains: 4,
            burn_in: None,
            thin: 1,
            seed: 0,
            max_tries: 10_000,
            max_elements: 4_000_000,
            threads: None,
            proposals: Proposals::new(),
            watch: Watch::default(),
        }
    }

    /// Divides the draws among this many independent chains (default four), as many to each: their number is rounded up.
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

    /// Takes the random numbers from this seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Lets each chain look for its first world of positive weight among this many (default ten thousand).
    pub fn max_tries(mut self, worlds: u64) -> Self {
        self.max_tries = worlds;
        self
    }

    /// Ends with an error at a world of more than this many elements (default four million).
    pub fn max_elements(mut self, elements: usize) -> Self {
        self.max_elements = elements;
        self
    }

    /// Works on this many threads (default: all cores); the answer is the same.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Proposes values for `element` from the element that `function` gives for its present value, in the place of the
    /// default proposal. It must be atomic, such as `Uniform::new([x - 1, x + 1])`; it need not be symmetric.
    #[track_caller]
    pub fn proposal<T: Value>(
        mut self,
        element: &Element<T>,
        function: impl Fn(&T) -> Element<T> + Send + Sync + 'static,
    ) -> Self {
        self.proposals.set(element, function);
        self
    }

    /// Proposes values for these elements together as well, each from its own proposal if it has one, else from its
    /// prior; the block is picked as often as one of the choices. It does nothing in worlds where one of them is not a free
    /// choice.
    pub fn block(mut self, elements: impl Parents) -> Self {
        self.proposals.add_block(elements);
        self
    }

    watched!();

    fn check(&self) -> Result<Length, Error> {
        let settings = [
            ("draws", self.draws, "keep at least one"),
            ("chains", self.chains as u64, "run at least one"),
            ("thin", self.thin, "keep the world after at least one step"),
            ("max_tries", self.max_tries, "allow at least one"),
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
        let draws = self.draws.div_ceil(self.chains as u64);
        let steps = draws.checked_mul(self.thin);
        let burn_in = self.burn_in.or_else(|| Some(steps? / 2));
        let total = burn_in.zip(steps).and_then(|(b, s)| b.checked_add(s));
        let total = total.and_then(|steps| steps.checked_mul(self.chains as u64));
        match (burn_in, total) {
            (Some(burn_in), Some(total)) => Ok(Length {
                draws,
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
            self.threads.map_or_else(cores, NonZero::get),
            (self.chains as u64, 1),
            || Ok(()),
            |(), chain| {
                let mut trace = Trace::new(model, targets, self.max_elements)?;
                let mut random = stream(self.seed, chain);
                first_world(&mut trace, &mut random, self.max_tries, &run)?;
                let mut chain = Chain::new(trace, self.proposals.clone(), targets);
                chain.run(&length, &mut random, &run, &done)?;
                Ok(chain.finish())
            },
            |chain| {
                chains.push(chain);
                ControlFlow::Continue(())
            },
        )?;
        collect::answer(NAME, chains, targets, &length, &run)
    }
}
