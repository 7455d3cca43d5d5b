//! A search for the most probable world by simulated annealing.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use figrs_core::{AnyElement, Datum, Model, Stream};
use figrs_lower::internals::Trace;

use super::metropolis_hastings::{AcceptanceTerms, Kernel, MetropolisSettings, stepping};
use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::answer::run_statistics::RunStatistics;
use figrs_answer::error::Error;
use figrs_answer::run::run_state::{RunState, Turn, TurnLength};
use figrs_answer::run::time_share::TimeShare;
use figrs_answer::run::unit_run::SharedQuestion;
use figrs_answer::run::watch::Watch;
use figrs_answer::run::work_queue::in_order;
use figrs_answer::setters;
use figrs_factor::bounds::Improvement;
use figrs_factor::{Stopped, Until};

const NAME: &str = "SimulatedAnnealing";

/// Maximum number of steps between two progress reports.
const BLOCK: u64 = 256;

/// Searches for the most probable world by Metropolis-Hastings steps at a decreasing temperature.
///
/// The steps of simulated annealing are those of [`MetropolisHastings`](crate::MetropolisHastings). At each temperature, the steps sample the
/// probability of a world and its evidence, raised to the power of one over the temperature. The temperature falls geometrically, or as a
/// [function](Self::schedule) of the step says. The answer is the best world that any of the chains visited. The probability of the best world covers the targets and the evidence, as for
/// [`MpeVariableElimination`](figrs_exact::MpeVariableElimination); elements of branches that are not taken have no weight. The density of a
/// continuous element takes the place of its probability.
///
/// **Guarantee.** The world has positive probability; its probability is recomputed at the end. The world is never proven to be the most
/// probable one: [`Answer::upper_bound`] is infinite. The same seed gives the same answer on any number of threads.
///
/// A run that was [started](figrs_answer::Run::start) gives the best world so far at any time. `extend(more)` adds `more` steps to each chain, at the
/// coldest temperature or at those of the function.
///
/// **Complexity.** A step takes time in proportion to the number of elements whose inputs change. A step that finds a new best world also copies the
/// world.
///
/// **Errors.** The errors of [`MetropolisHastings`](crate::MetropolisHastings).
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

/// The temperatures of the steps of a chain.
#[derive(Clone)]
enum Schedule {
    /// Temperatures that fall geometrically over a number of steps; the number is that of the run unless the run was lengthened.
    Geometric {
        hottest: f64,
        coldest: f64,
        steps: Option<u64>,
    },
    /// A function that returns the temperature of a step.
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
    /// Makes this many steps in each of four chains, while the temperature falls from 2 to 0.02; the seed is 0.
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

    /// Sets the number of chains, each of which starts from a world drawn from the prior (default four).
    pub fn chains(mut self, chains: usize) -> Self {
        self.chains = chains;
        self
    }

    /// Sets the temperatures, which fall geometrically from `hottest` to `coldest`.
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
        let invalid = |setting, value: String, remedy| Error::InvalidSetting {
            algorithm: NAME,
            setting,
            value,
            remedy,
        };
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

    /// Returns the temperature of a step.
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
                Err(Error::InvalidSetting {
                    algorithm: NAME,
                    setting: "schedule",
                    value: format!("{temperature} at step {step}"),
                    remedy: "let it return finite, positive temperatures",
                })
            }
        }
    }

    /// Starts one chain of the search in its first world; `None` if the run was stopped before the world was found.
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

    /// Returns the answer of the best of several chains, which took `elapsed` in total.
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
        sampling.asked = self.asked();
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

    fn asked(&self) -> Option<u64> {
        Some(self.steps.saturating_mul(self.chains as u64))
    }
}

/// A chain of the search in its present world.
struct AnnealingChain {
    trace: Trace,
    kernel: Kernel,
    random: Stream,
    result: AnnealingResult,
    /// True if the chain can be continued; false after a step that was interrupted.
    is_whole: bool,
}

impl AnnealingChain {
    /// Makes the steps of the chain before step `goal`, or as many steps as the time allows.
    fn run(
        &mut self,
        by: &SimulatedAnnealing,
        (number, goal): (u64, u64),
        turn: &TimeShare<'_>,
    ) -> Result<(), Error> {
        let search = &mut self.result;
        search.stopped = None;
        while search.steps < by.steps.min(goal) {
            if let Some(why) = turn.stopped() {
                search.stopped = Some(why);
                break;
            }
            if search.steps.is_multiple_of(BLOCK) || turn.is_report_due() {
                turn.run().report(number * by.steps + search.steps);
            }
            let temperature = by.temperature(search.steps)?;
            let accept =
                |terms: &AcceptanceTerms| terms.log_target() / temperature + terms.log_proposals();
            let step = self.kernel.step(&mut self.trace, &mut self.random, accept);
            let step = match step {
                Err(error) if error.is_stopped() => {
                    search.stopped = turn.run().stopped().or(Some(Stopped::Deadline));
                    self.is_whole = false;
                    break;
                }
                step => step?,
            };
            search.steps += 1;
            search.accepted += u64::from(step.accepted);
            if step.log_gain.is_finite() {
                search.log += step.log_gain;
            } else {
                search.log = self.trace.log_weight();
            }
            search.update_best(&self.trace);
        }
        Ok(())
    }
}

/// Result of a chain: its best world, the sequence of improvements, and counts of steps.
#[derive(Default)]
struct AnnealingResult {
    steps: u64,
    accepted: u64,
    /// The log-probability of the present world, up to rounding errors.
    log: f64,
    best: Option<BestWorld>,
    improvements: Vec<Improvement>,
    stopped: Option<Stopped>,
}

struct BestWorld {
    world: Vec<(AnyElement, Datum)>,
    log: f64,
    densities: usize,
}

impl BestWorld {
    /// True if the world is more probable than another world. A world with fewer densities among its likelihoods is infinitely more probable than one
    /// with more.
    fn is_better_than(&self, other: &Self) -> bool {
        (other.densities, self.log) > (self.densities, other.log)
    }
}

impl AnnealingResult {
    /// Stores the present world if it is more probable than all worlds before.
    fn update_best(&mut self, trace: &Trace) {
        let new = BestWorld {
            world: Vec::new(),
            log: self.log,
            densities: trace.densities(),
        };
        if self
            .best
            .as_ref()
            .is_some_and(|best| !new.is_better_than(best))
        {
            return;
        }
        self.log = trace.log_weight();
        // The comparison is repeated with the recomputed log-probability, because the world may have seemed better only by rounding errors.
        let new = BestWorld {
            log: self.log,
            ..new
        };
        if self
            .best
            .as_ref()
            .is_some_and(|best| !new.is_better_than(best))
        {
            return;
        }
        let world = trace.world().map(|(e, v)| (e.clone(), v));
        self.best = Some(BestWorld {
            world: world.collect(),
            ..new
        });
        self.improvements.push(Improvement {
            work: self.steps,
            log_probability: self.log,
            upper_bound: f64::INFINITY,
        });
    }
}

impl Algorithm for SimulatedAnnealing {
    fn name(&self) -> &'static str {
        NAME
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.check()?;
        let run = self.watch.start(NAME, self.asked());
        let mut search = self.clone();
        search.settings.drawing = self.settings.drawing.of_run(&run, self.chains);
        let threads = self.settings.drawing.threads();
        let mut results = Vec::new();
        in_order(
            threads,
            (0..self.chains as u64, 1),
            || Ok(()),
            |(), number| {
                let turn = TimeShare::new(&run, number, self.chains, threads);
                // A chain without a world is no error, because another chain may have a world.
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
            chains: (0..self.chains).map(|_| Mutex::new(None)).collect(),
            annealing: self.clone(),
            question: Arc::new((model.clone(), targets.to_vec())),
            of_turn: TurnLength::default(),
            elapsed: Duration::ZERO,
        }))
    }
}

/// The state of a run of [`SimulatedAnnealing`]. In each turn all chains make the same number of steps.
struct AnnealingRun {
    annealing: SimulatedAnnealing,
    question: SharedQuestion,
    /// The chains; `None` for a chain that has not begun.
    chains: Vec<Mutex<Option<AnnealingChain>>>,
    of_turn: TurnLength,
    elapsed: Duration,
}

impl fmt::Debug for AnnealingRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnnealingRun")
            .field("annealing", &self.annealing)
            .finish_non_exhaustive()
    }
}

fn locked(chain: &Mutex<Option<AnnealingChain>>) -> MutexGuard<'_, Option<AnnealingChain>> {
    chain.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AnnealingRun {
    /// Returns the number of steps of the shortest chain.
    fn least_steps(&self) -> u64 {
        let steps = |chain| locked(chain).as_ref().map_or(0, |chain| chain.result.steps);
        self.chains.iter().map(steps).min().unwrap_or(0)
    }

    /// Makes the steps of a turn.
    fn advance_chains(&mut self, turn: &Turn<'_>) -> Result<(), Error> {
        let mut search = self.annealing.clone();
        search.settings.drawing = search
            .settings
            .drawing
            .of_run(turn.run(), self.chains.len());
        let (model, targets) = &*self.question;
        let goal = if turn.is_short() {
            self.of_turn.goal(self.least_steps())
        } else {
            u64::MAX
        };
        in_order(
            search.settings.drawing.threads(),
            (0..self.chains.len() as u64, 1),
            || Ok(()),
            |(), number| {
                let share = TimeShare::undivided(turn.run());
                let mut slot = locked(&self.chains[number as usize]);
                let chain = match slot.take().filter(|chain| chain.is_whole) {
                    Some(chain) => Some(chain),
                    None => search.begin_chain(model, targets, number, &share)?,
                };
                let Some(mut chain) = chain else {
                    return Ok(());
                };
                // An interrupt may end a turn only between two steps, or the chain could not be continued.
                chain.trace.set_until(&Until::default());
                chain.run(&search, (number, goal), &share)?;
                *slot = Some(chain);
                Ok(())
            },
            ControlFlow::Continue,
        )
    }
}

impl RunState for AnnealingRun {
    fn algorithm(&self) -> &'static str {
        NAME
    }

    fn asked(&self) -> Option<u64> {
        self.annealing.asked()
    }

    fn watch(&self) -> &Watch {
        &self.annealing.watch
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        let began = Instant::now();
        let advanced = self.advance_chains(turn);
        self.elapsed += began.elapsed();
        self.of_turn.adapt(began.elapsed());
        match advanced {
            Err(error) if error.is_stopped() => Ok(false),
            advanced => advanced.map(|()| self.least_steps() >= self.annealing.steps),
        }
    }

    fn answer(&self, stopped: Stopped) -> Result<Answer, Error> {
        let chains: Vec<_> = self.chains.iter().map(locked).collect();
        let results = chains.iter().filter_map(|chain| chain.as_ref());
        let results = results.map(|chain| &chain.result);
        let answer = self.annealing.best_of(results, self.elapsed)?;
        Ok(answer
            .ended(stopped)
            .with_question(Arc::clone(&self.question)))
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        let annealing = &mut self.annealing;
        let longer = annealing.steps.checked_add(more);
        let longer = longer.ok_or_else(|| Error::InvalidSetting {
            algorithm: NAME,
            setting: "extend",
            value: more.to_string(),
            remedy: "ask for fewer: the sum exceeds 64 bits",
        })?;
        if let Schedule::Geometric { steps, .. } = &mut annealing.schedule {
            steps.get_or_insert(annealing.steps);
        }
        annealing.steps = longer;
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
