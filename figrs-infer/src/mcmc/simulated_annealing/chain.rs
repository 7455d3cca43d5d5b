//! Markov chains of simulated annealing, and their best worlds.

use figrs_core::{AnyElement, Datum, Stream};
use figrs_lower::internals::Trace;

use super::SimulatedAnnealing;
use crate::mcmc::metropolis_hastings::{AcceptanceTerms, Kernel};
use figrs_answer::run::chain_run::PausedChain;
use figrs_answer::{Error, TimeShare};
use figrs_factor::Stopped;
use figrs_factor::bounds::Improvement;

/// Maximum number of steps between two progress reports.
const BLOCK: u64 = 256;

/// A Markov chain of the annealing search that can be continued.
pub(super) struct AnnealingChain {
    pub(super) trace: Trace,
    pub(super) kernel: Kernel,
    pub(super) random: Stream,
    pub(super) result: AnnealingResult,
    /// True if the chain can be continued; false after an interrupt in the middle of a step.
    pub(super) is_whole: bool,
}

impl PausedChain for AnnealingChain {
    fn steps(&self) -> u64 {
        self.result.steps
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }
}

impl AnnealingChain {
    /// Makes the steps of the chain up to step `goal`, or as many steps as the time allows.
    pub(super) fn run(
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

#[derive(Default)]
pub(super) struct AnnealingResult {
    pub(super) steps: u64,
    pub(super) accepted: u64,
    /// The log-probability of the present world, up to rounding errors.
    pub(super) log: f64,
    pub(super) best: Option<BestWorld>,
    pub(super) improvements: Vec<Improvement>,
    pub(super) stopped: Option<Stopped>,
}

pub(super) struct BestWorld {
    pub(super) world: Vec<(AnyElement, Datum)>,
    pub(super) log: f64,
    pub(super) densities: usize,
}

impl BestWorld {
    /// True if the present world is more probable than `other`. A world whose likelihood has fewer density factors is infinitely more probable than a
    /// world with more density factors.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        (other.densities, self.log) > (self.densities, other.log)
    }
}

impl AnnealingResult {
    pub(super) fn update_best(&mut self, trace: &Trace) {
        let new = BestWorld {
            world: Vec::new(),
            log: self.log,
            densities: trace.densities(),
        };
        let is_worse = |new: &BestWorld, best: &Option<BestWorld>| {
            best.as_ref().is_some_and(|best| !new.is_better_than(best))
        };
        if is_worse(&new, &self.best) {
            return;
        }
        self.log = trace.log_weight();
        // The comparison is repeated with the recomputed log-probability, because rounding errors alone may have made the world seem better.
        let new = BestWorld {
            log: self.log,
            ..new
        };
        if is_worse(&new, &self.best) {
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
