//! Computes the mean of a particle filter's estimates of the evidence without sampling error, by enumerating all random choices of the filter: those
//! of the worlds and those of the resampling.

use std::collections::BTreeMap;

use figrs_core::{AnyElement, Datum, Model, ModelError};
use figrs_infer::internals::particle_filter::{Particles, PopulationResult, filter, one_of_each};
use figrs_infer::{Error, Resampling};
use figrs_lower::internals::PopulationWeights;
use figrs_lower::{Choice, Chooser, Observations, Program};

use crate::oracle::{EveryChoice, LogSum};

/// A world that is run from the start for each statement and repeats the choices that it has made before.
#[derive(Clone, Debug, Default)]
struct Particle {
    choices: Vec<Datum>,
    /// The logarithm of the particle's weight, and the value of that logarithm when particles were last replaced.
    log_weight: f64,
    log_replaced: f64,
}

/// Populations of `size` particles each.
struct Populations<'p> {
    program: &'p mut Program,
    particles: Vec<Particle>,
    size: usize,
}

/// A chooser that repeats recorded choices and then makes new ones.
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

impl Particles for Populations<'_> {
    type Random = EveryChoice;

    fn statements(&self) -> usize {
        self.program.statements()
    }

    fn populations(&self) -> usize {
        self.particles.len() / self.size
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

    fn weights(&self) -> PopulationWeights {
        let mut weighed = PopulationWeights {
            weights: Vec::new(),
            log_units: Vec::new(),
        };
        for population in self.particles.chunks(self.size) {
            let log = |particle: &Particle| particle.log_weight - particle.log_replaced;
            let logs = population.iter().map(log);
            let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
            let log_scale = if largest.is_finite() { largest } else { 0.0 };
            let weights = logs.map(|log| (log - log_scale).exp());
            weighed.weights.extend(weights);
            weighed.log_units.push(Some(log_scale));
        }
        weighed
    }

    fn replace(&mut self, ancestors: Vec<u32>, size: usize, replaced: &[bool]) {
        self.size = size;
        let continued = ancestors.into_iter().enumerate().map(|(at, ancestor)| {
            let mut particle = self.particles[ancestor as usize].clone();
            if replaced[at / size] {
                particle.log_replaced = particle.log_weight;
            }
            particle
        });
        self.particles = continued.collect();
    }
}

/// Returns the `count` ancestors that a resampling scheme chooses, for every outcome of the random numbers that the scheme draws. Between two points
/// at which an ancestor changes, all numbers give the same ancestors, so one of them is enumerated.
///
/// # Panics
///
/// Panics if `every` does not return a number when asked for one.
pub fn every_ancestor(
    how: Resampling,
    weights: &[f64],
    count: usize,
    every: &mut EveryChoice,
) -> Vec<u32> {
    let (n, total) = (count as f64, weights.iter().sum::<f64>());
    let sums = |weights: &[f64], end: f64| -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let sums = weights.iter().scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum / total * end)
        });
        sums.collect()
    };
    let mut drawn = 0;
    let mut chosen = vec![0; count];
    how.choose(weights, &mut chosen, || {
        let changes: Vec<f64> = match how {
            Resampling::Systematic => sums(weights, n).iter().map(|x| 1.0 - x.fract()).collect(),
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
    });
    chosen
}

/// The means of the estimates over all runs of a filter, the number of runs, and the number of runs that replaced particles.
#[derive(Clone, Debug, Default)]
pub struct MeanEstimate {
    /// For each population, the logarithm of the mean of its estimates.
    pub log_means: Vec<f64>,
    /// For each population and each value of the target in its drawn particle, the logarithm of the mean over all runs of the estimates of the runs
    /// that draw this value.
    pub log_joint: Vec<BTreeMap<String, f64>>,
    /// Number of runs.
    pub runs: usize,
    /// Number of runs that replaced particles at least once.
    pub replacing: usize,
    /// Number of runs in which populations differ in how often they replaced particles, for example because some died.
    pub mixed: usize,
}

/// Settings of the populations of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Number of populations, which run side by side.
    pub populations: usize,
    /// Number of particles of each population.
    pub particles: usize,
    /// Ratio of the effective sample size to the number of particles below which particles are replaced.
    pub threshold: f64,
}

/// Returns the mean estimates of the evidence of a filter with a few particles. `estimate` computes the logarithm of an estimate from the result of a
/// population and from the logarithm of the mean of its last weights. Returns `None` if there are more than `limit` runs.
///
/// If there is a `target`, one particle of each population is drawn at the end, and estimates are summed by the value of the target in that particle.
pub fn mean_estimate(
    (model, target): (&Model, Option<&AnyElement>),
    setting: Setting,
    limit: usize,
    mut ancestors: impl FnMut(&[f64], usize, &mut EveryChoice) -> Vec<u32>,
    estimate: impl Fn(PopulationResult, f64) -> f64,
) -> Result<Option<MeanEstimate>, Error> {
    let targets: Vec<AnyElement> = target.into_iter().cloned().collect();
    let mut program = Program::new(model, &targets, 1_000_000)?;
    let mut every = EveryChoice::default();
    let mut result = MeanEstimate::default();
    let mut sums = vec![LogSum::default(); setting.populations];
    let mut joint = vec![BTreeMap::<String, LogSum>::default(); setting.populations];
    let mut choose = |weights: &[f64], chosen: &mut [u32], every: &mut EveryChoice| {
        chosen.copy_from_slice(&ancestors(weights, chosen.len(), every));
    };
    loop {
        if result.runs == limit {
            return Ok(None);
        }
        let mut populations = Populations {
            program: &mut program,
            particles: vec![Particle::default(); setting.populations * setting.particles],
            size: setting.particles,
        };
        let filtered = filter(&mut populations, setting.threshold, &mut every, &mut choose)?;
        let Some(mut filtered) = filtered else {
            return Ok(None);
        };
        result.runs += 1;
        let times = filtered.iter().map(|one| one.replacements);
        result.replacing += usize::from(times.clone().max() > Some(0));
        result.mixed += usize::from(times.clone().max() != times.min());
        let last = populations.weights();
        let mut logs = Vec::with_capacity(filtered.len());
        for one in &filtered {
            let log = one.place.map_or(f64::NEG_INFINITY, |place| {
                let own = &last.weights[place * setting.particles..][..setting.particles];
                let mean = own.iter().sum::<f64>() / setting.particles as f64;
                estimate(*one, mean.ln() + last.log_units[place].unwrap_or(f64::NAN))
            });
            logs.push(log);
        }
        let mut drawn = Vec::new();
        if target.is_some() {
            one_of_each(&mut populations, &mut filtered, &mut every, &mut choose);
            for (number, one) in filtered.iter().enumerate() {
                let Some(place) = one.place else { continue };
                let mut chooser = Repeat {
                    choices: &mut populations.particles[place].choices,
                    next: 0,
                    every: &mut every,
                };
                let program = &mut *populations.program;
                program.run(&mut chooser, Observations::Weigh)?;
                let value = program.value(program.targets()[0]);
                drawn.push((number, format!("{value:?}"), one.log_replaced));
            }
        }
        for (number, value, log) in drawn {
            let sum = joint[number].entry(value).or_default();
            sum.add(every.log_probability() + log);
        }
        for (sum, log) in sums.iter_mut().zip(logs) {
            sum.add(every.log_probability() + log);
        }
        if !every.next_run() {
            result.log_means = sums.iter().map(LogSum::value).collect();
            let values = |joint: BTreeMap<String, LogSum>| {
                let values = joint.into_iter().map(|(value, sum)| (value, sum.value()));
                values.collect()
            };
            result.log_joint = joint.into_iter().map(values).collect();
            return Ok(Some(result));
        }
    }
}
