//! A search for the most probable world by simulated annealing.

use std::ops::ControlFlow;

use figrs_core::{AnyElement, Datum, Model};
use figrs_lower::internals::Trace;

use super::metropolis_hastings::{AcceptanceTerms, MetropolisSettings, stepping};
use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::answer::run_statistics::RunStatistics;
use figrs_answer::error::Error;
use figrs_answer::run::time_share::TimeShare;
use figrs_answer::run::watch::Watch;
use figrs_answer::run::work_queue::in_order;
use figrs_answer::setters;
use figrs_factor::Stopped;
use figrs_factor::bounds::Improvement;

const NAME: &str = "SimulatedAnnealing";

/// Maximum number of steps between two progress reports.
const BLOCK: u64 = 256;

/// Searches for the most probable world by Metropolis-Hastings steps at a decreasing temperature.
///
/// The steps of simulated annealing are those of [`MetropolisHastings`](crate::MetropolisHastings). At each temperature, the steps sample worlds in
/// proportion to the probability of the world and its evidence, raised to the power of one over the temperature. The temperature falls geometrically.
/// The answer is the best world that any of the chains visited. The probability of this world covers the targets and the evidence, as for
/// [`MpeVariableElimination`](figrs_exact::MpeVariableElimination); elements of branches that are not taken have no weight. The density of a
/// continuous element takes the place of its probability.
///
/// **Guarantee.** The returned world has positive probability, which is recomputed at the end. The world is never proven to be the most probable one:
/// [`Answer::upper_bound`] is infinite. The same seed gives the same answer on any number of threads.
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
    hottest: f64,
    coldest: f64,
    settings: MetropolisSettings,
    watch: Watch,
}

impl SimulatedAnnealing {
    /// Creates a search of four chains with `steps` steps each, while the temperature falls from 2 to 0.02; the seed is 0.
    pub fn new(steps: u64) -> Self {
        Self {
            steps,
            chains: 4,
            hottest: 2.0,
            coldest: 0.02,
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
        (self.hottest, self.coldest) = (hottest, coldest);
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
        if !(self.coldest > 0.0 && self.hottest >= self.coldest && self.hottest.is_finite()) {
            let value = format!("{} to {}", self.hottest, self.coldest);
            let remedy = "let finite, positive temperatures fall";
            return Err(invalid("cooling", value, remedy));
        }
        Ok(())
    }

    /// Runs one chain of the search.
    fn search(
        &self,
        model: &Model,
        targets: &[AnyElement],
        chain: u64,
        turn: &TimeShare<'_>,
    ) -> Result<AnnealingResult, Error> {
        let start = self.settings.start(model, targets, (chain, None), turn);
        // A chain without a world is no error, because another chain may have a world.
        let (mut trace, mut kernel, mut random) = match start {
            Err(Error::NothingDone { .. }) => {
                return Ok(AnnealingResult {
                    stopped: turn.stopped(),
                    ..AnnealingResult::default()
                });
            }
            start => start?,
        };
        kernel = kernel.searching();
        kernel.adapt(true);
        let mut search = AnnealingResult {
            log: trace.log_weight(),
            ..AnnealingResult::default()
        };
        search.update_best(&trace);
        let cooling = (self.coldest / self.hottest).ln() / self.steps as f64;
        while search.steps < self.steps {
            if let Some(why) = turn.stopped() {
                search.stopped = Some(why);
                break;
            }
            if search.steps.is_multiple_of(BLOCK) || turn.is_report_due() {
                turn.run().report(chain * self.steps + search.steps);
            }
            let temperature = self.hottest * (cooling * search.steps as f64).exp();
            let step = kernel.step(&mut trace, &mut random, |terms: &AcceptanceTerms| {
                terms.log_target() / temperature + terms.log_proposals()
            });
            let step = match step {
                Err(error) if error.is_stopped() => {
                    search.stopped = turn.run().stopped().or(Some(Stopped::Deadline));
                    break;
                }
                step => step?,
            };
            search.steps += 1;
            search.accepted += u64::from(step.accepted);
            if step.log_gain.is_finite() {
                search.log += step.log_gain;
            } else {
                search.log = trace.log_weight();
            }
            search.update_best(&trace);
        }
        Ok(search)
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
    /// True if the world is more probable than `other`. A world with fewer densities among its likelihoods is infinitely more probable than one with
    /// more densities.
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
        let asked = self.steps.saturating_mul(self.chains as u64);
        let run = self.watch.start(NAME, Some(asked));
        let mut search = self.clone();
        search.settings.drawing = self.settings.drawing.of_run(&run, self.chains);
        let mut best = AnnealingResult::default();
        let (mut done, mut accepted, mut stopped) = (0, 0, Stopped::Finished);
        in_order(
            self.settings.drawing.threads(),
            (0..self.chains as u64, 1),
            || Ok(()),
            |(), chain| {
                let threads = self.settings.drawing.threads();
                let turn = TimeShare::new(&run, chain, self.chains, threads);
                search.search(model, targets, chain, &turn)
            },
            |search| {
                done += search.steps;
                accepted += search.accepted;
                stopped = search.stopped.unwrap_or(stopped);
                let beaten = match (&search.best, &best.best) {
                    (Some(new), Some(old)) => new.is_better_than(old),
                    (new, _) => new.is_some(),
                };
                if beaten {
                    best = search;
                }
                ControlFlow::Continue(())
            },
        )?;
        let Some(found) = best.best else {
            return Err(run.nothing_done());
        };
        let mut sampling = RunStatistics::new(stopped, done, run.elapsed());
        sampling.asked = Some(asked);
        sampling.chains = self.chains;
        sampling.acceptance = (done > 0).then(|| accepted as f64 / done as f64);
        let mut improvements = best.improvements;
        improvements.push(Improvement {
            work: done,
            log_probability: found.log,
            upper_bound: f64::INFINITY,
        });
        let answer = Answer::searched_world(NAME, found.world, found.log, improvements);
        Ok(answer.with_sampling(sampling))
    }
}
