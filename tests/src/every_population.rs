//! The mean of a particle filter's estimate of the evidence, by making every choice of the filter in every way: those of the worlds,
//! and those of the resampling.

use figrs_core::lower::{Choice, Chooser, Observations, Program};
use figrs_core::{AnyElement, Datum, Model, ModelError};
use figrs_infer::particle_filter::{Filtered, Particles, Weighed, filter};
use figrs_infer::{Error, Resampling};

use crate::oracle::{EveryChoice, LogSum};

/// A world that is run anew for each statement, with the choices that it has made before.
#[derive(Clone, Debug, Default)]
struct Particle {
    choices: Vec<Datum>,
    /// The logarithm of its weight, and what it was when particles were last replaced.
    log_weight: f64,
    log_replaced: f64,
}

struct Population<'p> {
    program: &'p mut Program,
    particles: Vec<Particle>,
}

/// Repeats choices, then makes new ones.
struct Repeat<'a> {
    choices: &'a mut Vec<Datum>,
    next: usize,
    every: &'a mut EveryChoice,
}

impl Chooser for Repeat<'_> {
    fn choose(&mut self, element: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError> {
        if self.next == self.choices.len() {
            self.choices.push(self.every.choose(element, choice)?);
        }
        self.next += 1;
        Ok(self.choices[self.next - 1].clone())
    }
}

impl Particles for Population<'_> {
    type Random = EveryChoice;

    fn statements(&self) -> usize {
        self.program.statements()
    }

    fn meet(&mut self, statement: usize, every: &mut EveryChoice) -> Result<bool, Error> {
        for particle in &mut self.particles {
            if particle.log_weight == f64::NEG_INFINITY {
                continue;
            }
            let mut chooser = Repeat {
                choices: &mut particle.choices,
                next: 0,
                every,
            };
            let observations = Observations::Weigh;
            let weight = self
                .program
                .run_first(statement + 1, &mut chooser, observations)?;
            particle.log_weight = weight.log;
            if weight.is_zero() {
                particle.log_weight = f64::NEG_INFINITY;
            }
        }
        Ok(true)
    }

    fn weights(&self) -> Option<Weighed> {
        let log = |particle: &Particle| particle.log_weight - particle.log_replaced;
        let logs = self.particles.iter().map(log);
        let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
        let log_scale = if largest.is_finite() { largest } else { 0.0 };
        Some(Weighed {
            weights: logs.map(|log| (log - log_scale).exp()).collect(),
            log_scale,
        })
    }

    fn replace(&mut self, ancestors: Vec<u32>) {
        let continued = ancestors.into_iter().map(|ancestor| {
            let ancestor = &self.particles[ancestor as usize];
            Particle {
                log_replaced: ancestor.log_weight,
                ..ancestor.clone()
            }
        });
        self.particles = continued.collect();
    }
}

/// The ancestors that a scheme of resampling chooses, for every outcome of the numbers that it draws: between the points where
/// an ancestor changes, any number stands for all.
///
/// # Panics
///
/// If `every` does not put the number there that it is asked for.
pub fn every_ancestor(how: Resampling, weights: &[f64], every: &mut EveryChoice) -> Vec<u32> {
    let (n, total) = (weights.len() as f64, weights.iter().sum::<f64>());
    let sums = |weights: &[f64], end: f64| -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let sums = weights.iter().scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum / total * end)
        });
        sums.collect()
    };
    let mut drawn = 0;
    how.ancestors(weights, || {
        let changes: Vec<f64> = match how {
            Resampling::Systematic => sums(weights, n).iter().map(|x| x.fract()).collect(),
            Resampling::Stratified => {
                let stratum = f64::from(drawn);
                sums(weights, n).iter().map(|x| x - stratum).collect()
            }
            Resampling::Residual => {
                let rest: Vec<f64> = weights.iter().map(|w| (w / total * n).fract()).collect();
                sums(&rest, 1.0)
            }
            _ => sums(weights, 1.0),
        };
        drawn += 1;
        let number = every.decide(|| {
            let inner = changes.into_iter().filter(|x| *x > 0.0 && *x < 1.0);
            let mut ends: Vec<f64> = inner.chain([0.0, 1.0]).collect();
            ends.sort_by(f64::total_cmp);
            let between = ends.windows(2).filter(|ends| ends[0] < ends[1]);
            let outcome = |ends: &[f64]| {
                let middle = f64::midpoint(ends[0], ends[1]);
                (Datum::new(middle), (ends[1] - ends[0]).ln())
            };
            between.map(outcome).collect()
        });
        *number.get().expect("a number was put there")
    })
}

/// The mean of the estimate over all runs of a filter, and how many there are, of which how many replaced particles.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanEstimate {
    /// The logarithm of the mean.
    pub log_mean: f64,
    /// Runs.
    pub runs: usize,
    /// Runs that replaced particles at least once.
    pub replacing: usize,
}

/// The mean estimate of the evidence of a filter of a few particles, whose logarithm `estimate` makes from the way of the population
/// and the logarithm of the mean of its last weights. Nothing if there are more than `limit` runs.
pub fn mean_estimate(
    model: &Model,
    particles: usize,
    threshold: f64,
    limit: usize,
    mut ancestors: impl FnMut(&[f64], &mut EveryChoice) -> Vec<u32>,
    estimate: impl Fn(Filtered, f64) -> f64,
) -> Result<Option<MeanEstimate>, Error> {
    let mut program = Program::new(model, &[], 1_000_000)?;
    let mut every = EveryChoice::default();
    let mut result = MeanEstimate::default();
    let mut sum = LogSum::default();
    loop {
        if result.runs == limit {
            return Ok(None);
        }
        let mut population = Population {
            program: &mut program,
            particles: vec![Particle::default(); particles],
        };
        let filtered = filter(&mut population, threshold, &mut every, &mut ancestors)?;
        let (Some(filtered), Some(last)) = (filtered, population.weights()) else {
            return Ok(None);
        };
        let mean = last.weights.iter().sum::<f64>() / particles as f64;
        let log = mean.ln() + last.log_scale;
        sum.add(every.log_probability() + estimate(filtered, log));
        result.runs += 1;
        result.replacing += usize::from(filtered.replacements > 0);
        if !every.next_run() {
            result.log_mean = sum.value();
            return Ok(Some(result));
        }
    }
}
