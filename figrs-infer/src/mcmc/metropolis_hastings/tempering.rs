//! Replica exchange: a chain that samples the posterior exchanges worlds with chains at higher temperatures.
//!
//! Replica exchange is described in Geyer (1991), "Markov chain Monte Carlo maximum likelihood", and Earl and Deem (2005), "Parallel tempering:
//! theory, applications, and new perspectives". The temperatures between the lowest and the highest are adapted as in Vousden, Farr and Mandel
//! (2016), "Dynamic temperature selection for parallel tempering in Markov chain Monte Carlo simulations".

use std::cmp::Ordering;
use std::mem::swap;

use figrs_lower::internals::Trace;

use super::acceptance::{AcceptanceTerms, StepOutcome};
use super::decisions::StepDecisions;
use super::kernel::Kernel;
use figrs_answer::error::Error;
use figrs_factor::Until;

/// Chains at neighbouring temperatures exchange worlds after every n steps: n is the number of random choices of the first world divided by
/// `CHOICES`, clamped to the range `STEPS`. An exchange of worlds takes as long as a step that changes the whole world.
const CHOICES: usize = 4;
const STEPS: (usize, usize) = (2, 1000);

/// A Markov chain that samples the prior times the likelihood raised to a power below one.
struct Replica {
    trace: Trace,
    kernel: Kernel,
}

/// The replicas of a chain: chains at higher temperatures, in ascending order of temperature.
///
/// The replicas use the random numbers of the chain, so that the result does not depend on the number of threads.
pub(super) struct TemperatureLadder {
    hotter: Vec<Replica>,
    exchange_interval: usize,
    left: usize,
    /// `true` if the chain that samples the posterior takes part in the next exchange of worlds. Exchanges alternate between two sets of pairs of
    /// neighbouring temperatures, such that a chain is in at most one pair of each set.
    with_first: bool,
    adapting: bool,
    exchanges: u32,
    /// For each replica, the acceptance probability of its last exchange with the chain at the next lower temperature.
    rates: Vec<f64>,
}

impl TemperatureLadder {
    /// Creates the ladder of temperatures from the replicas `hotter` in their first worlds, in ascending order of temperature.
    pub(super) fn new(hotter: Vec<(Trace, Kernel)>) -> Self {
        let choices = hotter.first().map_or(0, |(trace, _)| trace.choices());
        let every = (choices / CHOICES).clamp(STEPS.0, STEPS.1);
        let rates = vec![0.5; hotter.len()];
        let hotter = hotter.into_iter();
        Self {
            hotter: hotter
                .map(|(trace, kernel)| Replica { trace, kernel })
                .collect(),
            exchange_interval: every,
            left: every,
            with_first: true,
            adapting: false,
            exchanges: 0,
            rates,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hotter.is_empty()
    }

    pub(super) fn set_until(&mut self, until: &Until) {
        for replica in &mut self.hotter {
            replica.trace.set_until(until);
        }
    }

    pub(super) fn adapt(&mut self, adapting: bool) {
        self.adapting = adapting;
        for replica in &mut self.hotter {
            replica.kernel.adapt(adapting);
        }
    }

    /// Makes a step of the chain that samples the posterior, whose world and kernel are given, and a step of each replica at a higher temperature. If
    /// an exchange of worlds is due, neighbouring replicas exchange their worlds after the steps.
    #[inline]
    pub(super) fn step(
        &mut self,
        trace: &mut Trace,
        kernel: &mut Kernel,
        decisions: &mut impl StepDecisions,
    ) -> Result<StepOutcome, Error> {
        let step = kernel.step(trace, decisions, AcceptanceTerms::log_acceptance)?;
        if self.hotter.is_empty() {
            return Ok(step);
        }
        for Replica { trace, kernel } in &mut self.hotter {
            let power = kernel.power();
            kernel.step(trace, decisions, |terms| {
                terms.log_tempered(power) + terms.log_proposals()
            })?;
        }
        self.left -= 1;
        if self.left == 0 {
            self.left = self.exchange_interval;
            self.exchange(trace, decisions);
        }
        Ok(step)
    }

    /// Proposes exchanges of worlds between chains at neighbouring temperatures, for every other pair of neighbours.
    fn exchange(&mut self, trace: &mut Trace, decisions: &mut impl StepDecisions) {
        let first = usize::from(!self.with_first);
        self.with_first = !self.with_first;
        for number in (first..self.hotter.len()).step_by(2) {
            let (colder, hotter) = self.hotter.split_at_mut(number);
            let Some(hotter) = hotter.first_mut() else {
                continue;
            };
            let (colder, power) = match colder.last_mut() {
                Some(colder) => (&mut colder.trace, colder.kernel.power()),
                None => (&mut *trace, 1.0),
            };
            let powers = (power, hotter.kernel.power());
            let log = log_exchange(colder, &hotter.trace, powers);
            self.rates[number] = log.min(0.0).exp();
            if decisions.accepts(log) {
                swap(colder, &mut hotter.trace);
            }
        }
        if self.adapting {
            self.adapt_temperatures();
        }
    }

    /// Adapts each temperature between the lowest and the highest until its replica exchanges worlds equally often with both neighbours.
    fn adapt_temperatures(&mut self) {
        self.exchanges += 1;
        let gain = f64::from(self.exchanges).powf(-0.6);
        let temperatures: Vec<f64> = self
            .hotter
            .iter()
            .map(|r| r.kernel.power().recip())
            .collect();
        let Some((highest, between)) = temperatures.split_last() else {
            return;
        };
        let (mut before, mut moved) = (1.0, 1.0);
        for (number, &temperature) in between.iter().enumerate() {
            let change = gain * (self.rates[number] - self.rates[number + 1]);
            moved += (temperature - before) * change.exp();
            before = temperature;
            self.hotter[number]
                .kernel
                .set_power(moved.min(*highest).recip());
        }
    }
}

/// Returns the logarithm of the acceptance ratio of an exchange of worlds, (p - q) (ln L' - ln L), for the powers p, q and the likelihoods L, L' of
/// two chains. In the acceptance ratio of an exchange, p and L are the power and the likelihood of the colder chain, and q and L' are those of the
/// hotter chain. A world whose likelihood has fewer density factors is infinitely more probable than a world with more density factors.
fn log_exchange(colder: &Trace, hotter: &Trace, (p, q): (f64, f64)) -> f64 {
    match hotter.densities().cmp(&colder.densities()) {
        Ordering::Less => f64::INFINITY,
        Ordering::Greater => f64::NEG_INFINITY,
        Ordering::Equal => (p - q) * (hotter.log_likelihood() - colder.log_likelihood()),
    }
}
