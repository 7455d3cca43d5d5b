//! A search for the most probable world by simulated annealing.

mod chain;
mod run;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use figrs_core::{AnyElement, Model};

use super::metropolis_hastings::{MetropolisSettings, stepping};
use chain::{AnnealingChain, AnnealingResult, BestWorld};
use figrs_answer::run::chain_run::PausedChains;
use figrs_answer::run::run_state::TurnLength;
use figrs_answer::run::time_share::TimeShare;
use figrs_answer::run::watch::{RunMonitor, Watch};
use figrs_answer::{Algorithm, Answer, Error, RunState, RunStatistics, in_order, setters};
use figrs_factor::Stopped;
use figrs_factor::bounds::Improvement;
use run::AnnealingRun;

const NAME: &str = "SimulatedAnnealing";

/// Searches for the most probable world by Metropolis-Hastings steps at a decreasing temperature.
///
/// The steps of simulated annealing are those of the sampler [`MetropolisHastings`](crate::MetropolisHastings). At each temperature, the steps sample
/// worlds in proportion to the joint probability of the world and the evidence, raised to the power of one over the temperature. The temperature
/// falls geometrically, or follows a [function](Self::schedule) of the step number. The answer is the best world that any of the chains visited. The
/// probability of the best world covers the targets and the evidence, as for [`MpeVariableElimination`](figrs_exact::MpeVariableElimination); random
/// variables in branches of the model that the world does not take are left out. For a continuous random variable, its density takes the place of its
/// probability.
///
/// **Guarantee.** The returned world has positive probability, which is recomputed at the end. The returned world is never proven to be the most
/// probable one: [`Answer::upper_bound`] is infinite. The same seed gives the same answer on any number of threads.
///
/// A run of simulated annealing that was [started](figrs_answer::Run::start) in steps gives the best world so far at any time. The method
/// `extend(more)` adds `more` steps to each chain, at the coldest temperature or at the temperatures that the schedule function returns.
///
/// **Complexity.** A step takes time in proportion to the number of random variables whose inputs change. A step that finds a new best world also
/// copies the world.
///
/// **Errors.** The same errors as those of [`MetropolisHastings`](crate::MetropolisHastings).
///
/// **References.** Kirkpatrick, Gelatt and Vecchi (1983), "Optimization by simulated annealing".
///
/// ```
/// # use figrs_core::{Constant, Flip, If, Model, Uniform};
/// # use figrs_infer::{Run, SimulatedAnnealing};
/// let a = Flip::new(0.6);
/// let c = If::new(&a, Uniform::new(1..=10), Constant::new(0));
/// let world = SimulatedAnnealing::new(4_000).run(&Model::new(), (&a, &c))?;
/// assert_eq!((world.most_likely_value(&a)?, world.most_likely_value(&c)?), (false, 0));
/// assert!(!world.is_proven()?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SimulatedAnnealing {
    steps: u64,
    chains: usize,
    schedule: Schedule,
    settings: MetropolisSettings,
    watch: Watch,
}

#[derive(Clone)]
enum Schedule {
    /// Temperatures that fall geometrically over a number of steps, which is the length of the run without any extension.
    Geometric {
        hottest: f64,
        coldest: f64,
        steps: Option<u64>,
    },
    Function(Arc<dyn Fn(u64) -> f64 + Send + Sync>),
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Geometric {
                hottest, coldest, ..
            } => write!(f, "{hottest} to {coldest}"),
            Self::Function(_) => f.write_str("a function"),
        }
    }
}

impl SimulatedAnnealing {
    /// Creates a search of four chains with `steps` steps each, while the temperature falls from 2 to 0.02; the seed is 0.
    pub fn new(steps: u64) -> Self {
        Self {
            steps,
            chains: 4,
            schedule: Schedule::Geometric {
                hottest: 2.0,
                coldest: 0.02,
                steps: None,
            },
            settings: MetropolisSettings::default(),
            watch: Watch::default(),
        }
    }

    /// Sets the number of Markov chains, each of which starts from a world drawn from the prior (default four).
    pub fn chains(mut self, chains: usize) -> Self {
        self.chains = chains;
        self
    }

    /// Makes the temperatures fall geometrically from `hottest` to `coldest`.
    pub fn cooling(mut self, hottest: f64, coldest: f64) -> Self {
        self.schedule = Schedule::Geometric {
            hottest,
            coldest,
            steps: None,
        };
        self
    }

    /// Sets the temperature of each step of a chain to the number that `temperature` returns; the first step is step 0.
    ///
    /// A logarithmic schedule `c / ln(2 + step)` with a large enough `c` finds a most probable world of a finite model with a probability that
    /// converges to one (Hajek 1988). Temperatures may also rise again, which lets a chain leave a world that is better than all its neighbours.
    ///
    /// **Errors.** [`Error::InvalidSetting`] at the first step whose temperature is not finite and positive.
    ///
    /// **References.** Hajek (1988), "Cooling schedules for optimal annealing".
    ///
    /// ```
    /// # use figrs_core::{Model, Uniform};
    /// # use figrs_infer::{Run, SimulatedAnnealing};
    /// let x = Uniform::new(0..100);
    /// let model = Model::new().weigh(&x, |&x| if x == 70 { 3.0 } else { f64::from(x % 50) / 25.0 });
    /// let annealing = SimulatedAnnealing::new(2_000).schedule(|step| 3.0 / (2.0 + step as f64).ln());
    /// assert_eq!(annealing.run(&model, &x)?.most_likely_value(&x)?, 70);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn schedule(mut self, temperature: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Self {
        self.schedule = Schedule::Function(Arc::new(temperature));
        self
    }

    stepping!();
    setters!(watch: watch);

    fn check(&self) -> Result<(), Error> {
        let invalid =
            |setting, value: String, remedy| Error::invalid_setting(NAME, setting, value, remedy);
        let counts = [
            ("steps", self.steps),
            ("chains", self.chains as u64),
            ("max_tries", self.settings.max_tries),
        ];
        if let Some((setting, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(invalid(setting, "0".into(), "allow at least one"));
        }
        if let Schedule::Geometric {
            hottest, coldest, ..
        } = self.schedule
            && !(coldest > 0.0 && hottest >= coldest && hottest.is_finite())
        {
            let value = format!("{hottest} to {coldest}");
            let remedy = "let finite, positive temperatures fall";
            return Err(invalid("cooling", value, remedy));
        }
        Ok(())
    }

    #[inline]
    fn temperature(&self, step: u64) -> Result<f64, Error> {
        match &self.schedule {
            Schedule::Geometric {
                hottest,
                coldest,
                steps,
            } => {
                let steps = steps.unwrap_or(self.steps);
                let cooling = (coldest / hottest).ln() / steps as f64;
                Ok(hottest * (cooling * step.min(steps) as f64).exp())
            }
            Schedule::Function(temperature) => {
                let temperature = temperature(step);
                if temperature > 0.0 && temperature.is_finite() {
                    return Ok(temperature);
                }
                Err(Error::invalid_setting(
                    NAME,
                    "schedule",
                    format!("{temperature} at step {step}"),
                    "let it return finite, positive temperatures",
                ))
            }
        }
    }

    /// Starts one Markov chain of the search in its first world; `None` if the run was stopped before a first world was found.
    fn begin_chain(
        &self,
        model: &Model,
        targets: &[AnyElement],
        chain: u64,
        turn: &TimeShare<'_>,
    ) -> Result<Option<AnnealingChain>, Error> {
        let start = self.settings.start(model, targets, (chain, None), turn);
        let (trace, kernel, random) = match start {
            Err(Error::NothingDone { .. }) => return Ok(None),
            start => start?,
        };
        let mut kernel = kernel.searching();
        kernel.adapt(true);
        let mut result = AnnealingResult {
            log: trace.log_weight(),
            ..AnnealingResult::default()
        };
        result.update_best(&trace);
        Ok(Some(AnnealingChain {
            trace,
            kernel,
            random,
            result,
            is_whole: true,
        }))
    }

    /// Returns the answer with the best world of several chains, which took the time `elapsed` in total.
    fn best_of<'r>(
        &self,
        chains: impl Iterator<Item = &'r AnnealingResult>,
        elapsed: Duration,
    ) -> Result<Answer, Error> {
        let mut best: Option<(&BestWorld, &AnnealingResult)> = None;
        let (mut done, mut accepted, mut stopped) = (0, 0, Stopped::Finished);
        for chain in chains {
            done += chain.steps;
            accepted += chain.accepted;
            stopped = chain.stopped.unwrap_or(stopped);
            if let Some(new) = &chain.best
                && best.is_none_or(|(old, _)| new.is_better_than(old))
            {
                best = Some((new, chain));
            }
        }
        let (found, chain) = best.ok_or(Error::NothingDone { algorithm: NAME })?;
        let mut sampling = RunStatistics::new(stopped, done, elapsed);
        sampling.asked = Some(self.asked());
        sampling.chains = self.chains;
        sampling.acceptance = (done > 0).then(|| accepted as f64 / done as f64);
        let mut improvements = chain.improvements.clone();
        improvements.push(Improvement {
            work: done,
            log_probability: found.log,
            upper_bound: f64::INFINITY,
        });
        let world = found.world.iter().cloned();
        let answer = Answer::searched_world(NAME, world, found.log, improvements);
        Ok(answer.with_sampling(sampling))
    }

    /// Returns the same search with the memory limit of the run `run`: each chain's world may take an equal share of the limit.
    fn of_run(&self, run: &RunMonitor<'_>) -> Self {
        let mut search = self.clone();
        search.settings.drawing = self.settings.drawing.of_run(run, self.chains);
        search
    }

    fn asked(&self) -> u64 {
        self.steps.saturating_mul(self.chains as u64)
    }
}

impl Algorithm for SimulatedAnnealing {
    fn name(&self) -> &'static str {
        NAME
    }

    fn finds_world(&self) -> bool {
        true
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.check()?;
        let run = self.watch.start(NAME, Some(self.asked()));
        let search = self.of_run(&run);
        let threads = self.settings.drawing.threads();
        let mut results = Vec::new();
        in_order(
            threads,
            (0..self.chains as u64, 1),
            || Ok(()),
            |(), number| {
                let turn = TimeShare::new(&run, number, self.chains, threads);
                // If this chain has no world, another chain may have one; this is therefore no error.
                let Some(mut chain) = search.begin_chain(model, targets, number, &turn)? else {
                    return Ok(AnnealingResult {
                        stopped: turn.stopped(),
                        ..AnnealingResult::default()
                    });
                };
                chain.run(&search, (number, u64::MAX), &turn)?;
                Ok(chain.result)
            },
            |result| {
                results.push(result);
                ControlFlow::Continue(())
            },
        )?;
        self.best_of(results.iter(), run.elapsed())
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        self.check()?;
        Ok(Box::new(AnnealingRun {
            chains: PausedChains::new(self.chains),
            annealing: self.clone(),
            question: Arc::new((model.clone(), targets.to_vec())),
            of_turn: TurnLength::default(),
            elapsed: Duration::ZERO,
        }))
    }
}
