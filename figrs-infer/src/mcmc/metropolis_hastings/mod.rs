//! Single-site Metropolis-Hastings over the random choices of a world.
//!
//! | file | contents |
//! |---|---|
//! | `decisions` | random decisions of a step |
//! | `acceptance` | terms of the acceptance of a proposal, and the result of a step |
//! | `kernel` | the proposals of a chain, their adapted scales, and one step of a chain |
//! | `single_site`, `several_sites` | proposals for one random choice and for several, and random walks of blocks |
//! | `image_moves` | joint moves of a parameter and the offsets that functions combine with it |
//! | `coordinates` | coordinates of random walks |
//! | `random_walk` | random walks with an adapted covariance |
//! | `tempering` | replica exchange |
//! | `starts` | over-dispersed first worlds |
//! | `moves` | moves of the user, composed of draws, sequences and choices |
//! | `proposals` | proposals and blocks of the user, and the scales of random walks |
//! | `settings` | common settings of algorithms that make Metropolis-Hastings steps |
//! | `sites` | thinned values of all choices of a chain |
//! | `choices` | tests whether the chains agree about all choices of their worlds |
//! | `modes` | modes that probes (short test chains) found |
//! | `probes` | draws from the prior, and short chains, that look for other modes |
//! | `chain` | one chain from its first world to its last draw |
//! | `chains_run` | a run of all chains that can be paused, continued and lengthened |
//! | `prior_comparison` | comparison of the chains with draws from the prior |
//! | `chain_sums` | the draws of all chains as an answer |

mod acceptance;
mod chain;
mod chain_sums;
mod chains_run;
mod choices;
mod coordinates;
mod decisions;
mod image_moves;
mod kernel;
mod modes;
mod moves;
mod prior_comparison;
mod probes;
mod proposals;
mod random_walk;
mod settings;
mod several_sites;
mod single_site;
pub(crate) mod sites;
mod starts;
mod tempering;

#[cfg(test)]
mod tests;

pub use acceptance::{AcceptanceTerms, StepOutcome};
pub use chain_sums::MetropolisSums;
pub use decisions::StepDecisions;
pub use kernel::Kernel;
pub use moves::Move;
pub use proposals::Proposals;

pub(crate) use settings::{MetropolisSettings, stepping};

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicU64;

use figrs_core::{AnyElement, Model};

use chain::{ChainLength, MetropolisChain};
use chain_sums::ChainTally;
use chains_run::LiveChain;
use figrs_answer::run::chain_run::{ChainRun, ChainSampler};
use figrs_answer::run::mergeable_sampler::settings_text;
use figrs_answer::run::unit_run::UnitsOfRun;
use figrs_answer::{
    Absorption, Algorithm, Answer, Error, MergeableSampler, Partial, ResumableSampler, RunMonitor,
    RunState, SharedQuestion, TimeShare, Watch, in_order, setters,
};
use figrs_factor::Stopped;
use tempering::TemperatureLadder;

const NAME: &str = "MetropolisHastings";

/// Metropolis-Hastings: a Markov chain over worlds (assignments of values to all elements) that changes one random choice at a time.
///
/// A step of the chain selects one of the free choices of the present world, all with the same probability. A step proposes another value of the
/// choice, re-evaluates everything that depends on it, and accepts or rejects the new world. The proposal distribution depends on the kind of random
/// choice:
///
/// - A step flips the value of a Boolean choice.
/// - If the prior is conjugate to all elements that read the choice, as a [`Beta`](figrs_core::Beta) is to Flips and a
///   [`Dirichlet`](figrs_core::Dirichlet) to `Select::by`, the choice is drawn exactly from its conditional distribution: see
///   [`Family::sample_conditional`](figrs_core::Family::sample_conditional).
/// - A continuous number, a list of continuous numbers, or an integer of wide support is either drawn from its prior or moved by a random walk, each
///   with probability one half. A random walk moves by the difference of two draws from the prior, times a scale; lists on the
///   [simplex](figrs_core::Space::Simplex) move in their log-ratios. For random choices outside of `Chain` elements, the scale of the random walk is
///   adapted during burn-in towards an acceptance rate of 44 %, and is fixed after burn-in.
/// - A random choice of any other kind is drawn from its prior.
///
/// The continuous choices that exist in every world also make joint random walks of up to 24 dimensions, with a covariance that is learned during
/// burn-in. A joint random walk of several choices continues after burn-in only if a strong correlation was found, or if a choice is a list of
/// numbers. A parameter of a hierarchy moves jointly with the offsets of its groups, such that the group effects, such as `mean + spread * offset`,
/// do not change. The joint move requires that each group effect is an affine function of its offset, and that no other elements read the offset. If
/// evidence connects choices so closely that changes of single choices hardly ever led to a possible world during burn-in, these choices change in
/// pairs. The first worlds of the chains are draws from the prior, selected such that their continuous choices are far apart. If a `Chain` (a random
/// variable whose argument selects its distribution) takes another branch, the choices of the new branch are drawn from their priors, and the choices
/// of the old branch are dropped. An observed element is not a choice: the probability of its value is a factor of the weight of the world. An
/// observation of a `Chain`, a `Score`, a tuple or a Boolean function is passed on to the elements that determine its value.
///
/// Chains that change single choices and pairs of choices may not reach every world. If three random variables can only change together, declare them
/// as a [`block`](Self::block), or state how they change as a [`Move`]. If the posterior has modes that are far apart, use
/// [`tempered`](Self::tempered).
///
/// **Guarantee.** After burn-in every step leaves the posterior exactly invariant, even if the number of choices changes. A chain is not guaranteed
/// to reach every world; a [`block`](Self::block) of variables that change together can help. Standard errors are computed from the draws of all
/// chains, and take autocorrelation into account. The same seed gives the same answer on any number of threads.
///
/// **Complexity.** A step takes constant time, plus time in proportion to the number of elements whose inputs change. The memory is the size of one
/// world for each chain and for each temperature of the chain, plus four bytes for each draw of a target. For [`Answer::extend`], which continues a
/// run, an answer keeps a second copy of the draws, and the worlds of its chains if these worlds are small.
///
/// **Errors.** [`Error::NoSampleMetEvidence`] if none of [`max_tries`](Self::max_tries) worlds drawn from the prior for each chain satisfies the
/// evidence. The method `log_evidence` of the answer returns [`Error::NotInAnswer`], because a chain does not estimate the probability of the
/// evidence.
///
/// **References.** Wingate, Stuhlmüller and Goodman (2011), "Lightweight implementations of probabilistic programming languages via
/// transformational compilation", with the count of choices in the acceptance ratio; Green (1995), "Reversible jump Markov
/// chain Monte Carlo computation"; Roberts and Rosenthal (2001), "Optimal scaling for various Metropolis-Hastings algorithms"; Haario,
/// Saksman and Tamminen (2001), "An adaptive Metropolis algorithm"; Aitchison (1982), "The statistical analysis of compositional data";
/// Yu and Meng (2011), "To center or not to center: that is not the question".
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
    temperatures: Vec<f64>,
    settings: MetropolisSettings,
    watch: Watch,
}

impl MetropolisHastings {
    /// Creates a sampler with four chains, each of which retains `draws` draws, one after each step. The burn-in of a chain has half as many steps as
    /// its draws take; the seed is 0.
    pub fn new(draws: u64) -> Self {
        Self {
            draws,
            chains: 4,
            burn_in: None,
            thin: 1,
            temperatures: Vec::new(),
            settings: MetropolisSettings::default(),
            watch: Watch::default(),
        }
    }

    figrs_factor::field_setters! {
        /// Sets the number of independent chains (default four). Each chain has its own random numbers and its own first world.
        chains: usize => chains;
        /// Makes each chain take `burn_in` steps before its first draw (default: half the number of the steps that follow the burn-in).
        burn_in: u64 => burn_in;
        /// Sets the number of steps from one retained draw to the next (default one).
        thin: u64 => thin;
    }

    /// For each chain, runs an additional chain at each of the temperatures `temperatures`, which must be at least 1. The chain at temperature `T`
    /// samples the prior times the likelihood to the power `1 / T`. At intervals, chains at neighbouring temperatures exchange their worlds.
    ///
    /// Markov chains at high temperatures cross from one mode of the posterior to another; exchanges pass their worlds on to the Markov chain that
    /// samples the posterior. Use higher temperatures if the components of a mixture are interchangeable, or if single steps do not lead from one
    /// explanation of the evidence to another. Each temperature, such as one of `[2.0, 4.0, 8.0, 16.0]`, takes as much time as the chain itself;
    /// draws are retained only at temperature 1. Choose the highest temperature so high that the chain at this temperature would accept worlds drawn
    /// from the prior. All temperatures below the highest are adapted during burn-in until all neighbouring temperatures exchange worlds equally
    /// often. The more temperatures there are, the more frequent are exchanges of worlds.
    ///
    /// **References.** Geyer (1991), "Markov chain Monte Carlo maximum likelihood".
    ///
    /// ```
    /// # use figrs_core::{Model, Normal, StandardDeviation};
    /// # use figrs_infer::{MetropolisHastings, Run};
    /// let x = Normal::new(0.0, StandardDeviation(10.0));
    /// // Two modes, at -5 and 5.
    /// let seen = Normal::new(x.map(|x| x.abs()), StandardDeviation(0.2));
    /// let model = Model::new().observe(&seen, 5.0);
    /// let sampler = MetropolisHastings::new(4_000).tempered([4.0, 16.0, 64.0, 256.0]);
    /// let answer = sampler.run(&model, &x)?;
    /// assert!((answer.probability_that(&x, |x| *x > 0.0)? - 0.5).abs() < 0.2);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn tempered(mut self, temperatures: impl IntoIterator<Item = f64>) -> Self {
        self.temperatures = temperatures.into_iter().collect();
        self.temperatures.sort_by(f64::total_cmp);
        self
    }

    stepping!();
    setters!(kept_draws);
    setters!(watch: watch);

    fn check(&self) -> Result<ChainLength, Error> {
        let settings = [
            ("draws", self.draws, "keep at least one"),
            ("chains", self.chains as u64, "run at least one"),
            ("thin", self.thin, "keep the world after at least one step"),
            ("max_tries", self.settings.max_tries, "allow at least one"),
        ];
        for (setting, value, remedy) in settings {
            if value == 0 {
                return Err(Error::invalid_setting(NAME, setting, "0", remedy));
            }
        }
        let wrong = |t: &&f64| !(t.is_finite() && **t >= 1.0);
        if let Some(temperature) = self.temperatures.iter().find(wrong) {
            let remedy = "give finite temperatures of one or more";
            return Err(Error::invalid_setting(
                NAME,
                "tempered",
                temperature,
                remedy,
            ));
        }
        let steps = self.draws.checked_mul(self.thin);
        let burn_in = self.burn_in.or_else(|| Some(steps? / 2));
        let total = burn_in.zip(steps).and_then(|(b, s)| b.checked_add(s));
        let total = total.and_then(|steps| steps.checked_mul(self.chains as u64));
        match (burn_in, total) {
            (Some(burn_in), Some(total)) => Ok(ChainLength {
                draws: self.draws,
                burn_in,
                thin: self.thin,
                total,
            }),
            _ => Err(Error::invalid_setting(
                NAME,
                "thin",
                self.thin,
                "make fewer steps: their number exceeds 64 bits",
            )),
        }
    }
}

impl MetropolisHastings {
    /// Starts a Markov chain in its first world; `start` is the index of the candidate world to be used, if there is one. The argument `turn` is the
    /// time that the chain may take. Returns `None` if the run was stopped before the first world of the chain was found.
    fn begin_chain(
        &self,
        (model, targets): (&Model, &[AnyElement]),
        (number, start): (u64, Option<u64>),
        turn: &TimeShare<'_>,
    ) -> Result<Option<LiveChain>, Error> {
        let start = self.settings.start(model, targets, (number, start), turn);
        let (trace, kernel, mut random) = match start {
            Err(Error::NothingDone { .. }) => return Ok(None),
            start => start?,
        };
        let mut hotter = Vec::new();
        for temperature in &self.temperatures {
            let replica = self.settings.replica(model, targets, &mut random, turn);
            let (trace, kernel) = match replica {
                Err(Error::NothingDone { .. }) => return Ok(None),
                replica => replica?,
            };
            hotter.push((trace, kernel.tempered(temperature.recip())));
        }
        let chain = MetropolisChain::new(trace, kernel, TemperatureLadder::new(hotter), targets);
        Ok(Some(LiveChain { chain, random }))
    }

    /// Returns the same sampler with the limits of the run `run`: each world may take an equal share of the memory limit.
    fn of_run(&self, run: &RunMonitor<'_>) -> Self {
        let mut sampler = self.clone();
        let worlds = self.chains * (1 + self.temperatures.len());
        sampler.settings.drawing = self.settings.drawing.of_run(run, worlds);
        sampler
    }

    /// Runs the chains and probes (short chains that look for other modes) with the given numbers. Each chain is passed to the function `keep` after
    /// its last step.
    fn run_chains(
        &self,
        (model, targets): (&Model, &[AnyElement]),
        units: Range<u64>,
        absorption: Absorption,
        keep: impl Fn(u64, LiveChain) + Sync,
    ) -> Result<Partial<MetropolisSums>, Error> {
        let length = self.check()?;
        let run = self.watch.start(NAME, Some(length.total));
        let done = AtomicU64::new(0);
        let sampler = self.of_run(&run);
        let (drawing, chains) = (&sampler.settings.drawing, self.chains as u64);
        let own = units.start..units.end.min(chains);
        let starts = if own.is_empty() {
            Vec::new()
        } else {
            let found = starts::dispersed(model, targets, drawing, self.chains, &run);
            found.map_err(|error| run.error_of(error))?
        };
        let end = if units.end > chains {
            sampler.units(model, targets)?.min(units.end)
        } else {
            units.end
        };
        let sums = MetropolisSums::new(targets, length, chains);
        let mut partial = Partial::new(sums, units.start, absorption);
        let threads = drawing.threads();
        let unit = |(): &mut (), number: u64| {
            if number >= chains {
                let by = (&sampler.settings, length.burn_in);
                let (record, values) = probes::probe(by, (model, targets), number - chains, &run);
                return Ok(ChainTally::probe(record, values));
            }
            let turns = (own.end - own.start) as usize;
            let turn = TimeShare::new(&run, number - own.start, turns, threads);
            let start = (number, starts.get(number as usize).copied());
            let Some(mut live) = sampler.begin_chain((model, targets), start, &turn)? else {
                // If this chain has no draws, another chain may have draws; this is therefore no error.
                let stopped = run.stopped().or_else(|| turn.stopped());
                return Ok(ChainTally::not_begun(
                    stopped.unwrap_or(Stopped::Interrupted),
                ));
            };
            let LiveChain { chain, random } = &mut live;
            chain.run((&length, u64::MAX), random, &turn, &done)?;
            let tally = live.tally(targets);
            keep(number, live);
            Ok(tally)
        };
        in_order(
            threads,
            (units.start..end, 1),
            || Ok(()),
            unit,
            |unit| {
                partial.push(unit);
                ControlFlow::Continue(())
            },
        )?;
        Ok(partial.of_run(&run))
    }
}

impl MergeableSampler for MetropolisHastings {
    type Sums = MetropolisSums;

    fn settings(&self) -> String {
        let settings = settings_text!(
            self,
            settings.drawing.limits.threads,
            settings.proposals,
            watch
        );
        format!("{settings}, {}", self.settings.proposals.description())
    }

    fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
        let length = self.check()?;
        let probes = probes::probes(&self.settings, length.burn_in, model, targets);
        Ok(self.chains as u64 + probes)
    }

    fn run_units(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<MetropolisSums>, Error> {
        self.run_chains((model, targets), units, absorption, |_, _| ())
    }
}

impl ResumableSampler for MetropolisHastings {
    fn watch(&self) -> &Watch {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// A run that continues a shorter run keeps the burn-in of the shorter run.
    fn lengthened(&self, more: u64) -> Option<Self> {
        let length = self.check().ok()?;
        let longer = Self {
            draws: self.draws.checked_add(more)?,
            burn_in: Some(length.burn_in),
            ..self.clone()
        };
        longer.check().ok()?;
        Some(longer)
    }

    fn asked(&self) -> Option<u64> {
        self.check().ok().map(|length| length.total)
    }

    fn portable_state(&self, question: SharedQuestion) -> Box<dyn RunState> {
        Box::new(ChainRun::new(self, question))
    }

    fn units_of(&self, state: &dyn RunState) -> Result<UnitsOfRun<Self>, Error> {
        ChainRun::units_of(self, state)
    }

    fn loaded_state(&self, units: UnitsOfRun<Self>) -> Result<Box<dyn RunState>, Error> {
        ChainRun::loaded(units)
    }

    fn repeats_units(&self) -> bool {
        true
    }
}

figrs_answer::run::replicate::replicated!(MetropolisHastings, settings.drawing.seed);

impl Algorithm for MetropolisHastings {
    fn name(&self) -> &'static str {
        NAME
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let (question, run) = ((model, targets), self.chains());
        let keep = |number, chain: LiveChain| {
            if chain.chain.is_small() {
                *run.chains.chain(number) = Some(chain);
            }
        };
        let done = self.run_chains(question, 0..u64::MAX, Absorption::AtOnce, keep)?;
        ChainRun::answer_of(self, question, run, done)
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        Ok(ChainRun::begin(self, model, targets))
    }

    fn own_watch(&self) -> Option<&Watch> {
        Some(&self.watch)
    }
}
