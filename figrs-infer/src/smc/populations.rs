//! Sums over independent populations of particles, and the computation of the answer from these sums.

use std::time::Duration;

use figrs_core::{AnyElement, SupportBuilder};

use super::population_tally::{KeptParticles, Population, PopulationTally};
use crate::sampling::unseen_worlds::UnseenWorlds;
use crate::sampling::world_sums::{MOST_COPIED, keep_positive};
use figrs_answer::answer::group_error::ROUNDING;
use figrs_answer::quality::diagnostics::few_groups_factor;
use figrs_answer::run::portable_part::{demand, demand_below};
use figrs_answer::{
    Answer, Draws, Error, Estimate, PortableSums, RunStatistics, Sums, TargetDraws, TargetMarginal,
};
use figrs_factor::Stopped;

/// The sums of a run of the particle filter [`SequentialMonteCarlo`](crate::SequentialMonteCarlo). A unit of work of the run consists of populations
/// of particles that are run together. The weight of a population is its estimate of the probability of the evidence.
#[derive(Clone, Debug)]
pub struct PopulationSums {
    algorithm: &'static str,
    numbers: PopulationNumbers,
    unseen: UnseenWorlds,
    keep: KeptParticles,
    targets: Vec<PopulationTarget>,
    /// For each population of particles, the logarithm of the population's estimate of the probability of the evidence.
    log_evidence: Vec<f64>,
    /// The smallest number of density factors in the likelihoods of a population so far. Populations of particles with more density factors than this
    /// smallest number have weight zero.
    densities: usize,
    /// The logarithm of the weight of each retained draw.
    log_weights: Vec<f64>,
    largest: f64,
    resampled: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PopulationNumbers {
    /// The index of the first population of particles that the run computes.
    pub(crate) first: u64,
    pub(crate) particles: u64,
    pub(crate) populations: u64,
    /// Number of populations in each unit of work (part of the run); the last unit may have fewer.
    pub(crate) side_by_side: u64,
}

#[derive(Clone, Debug)]
struct PopulationTarget {
    element: AnyElement,
    support: SupportBuilder,
    /// For each population of particles, the values of the target with their fractions of the population's weight.
    shares: Vec<Vec<(u32, f64)>>,
    indices: Vec<u32>,
}

impl PopulationSums {
    pub(crate) fn new(
        algorithm: &'static str,
        numbers: PopulationNumbers,
        (targets, keep): (&[AnyElement], KeptParticles),
        unseen: UnseenWorlds,
    ) -> Self {
        let target = |element: &AnyElement| PopulationTarget {
            element: element.clone(),
            support: element.no_values(),
            shares: Vec::new(),
            indices: Vec::new(),
        };
        Self {
            algorithm,
            numbers,
            unseen,
            keep,
            targets: targets.iter().map(target).collect(),
            log_evidence: Vec::new(),
            densities: usize::MAX,
            log_weights: Vec::new(),
            largest: f64::NEG_INFINITY,
            resampled: 0,
        }
    }

    pub(crate) fn draws(&self) -> usize {
        self.log_weights.len()
    }

    /// Adds the results of some populations of particles to the sums. Returns `false` if the new populations are ignored, because their likelihoods
    /// have more density factors than those of earlier populations, and are therefore infinitely less probable. If the likelihoods of the new
    /// populations have fewer density factors, the earlier populations are ignored from then on, and their draws are dropped.
    pub(crate) fn add(&mut self, tally: PopulationTally) -> bool {
        let populations = tally.populations;
        self.resampled += populations.iter().map(|one| one.resampled).sum::<u64>();
        let met = !tally.targets.is_empty()
            || populations
                .iter()
                .any(|one| one.log_evidence > f64::NEG_INFINITY);
        if met && tally.densities < self.densities {
            self.densities = tally.densities;
            self.log_evidence.fill(f64::NEG_INFINITY);
            self.log_weights.clear();
            self.largest = f64::NEG_INFINITY;
            for target in &mut self.targets {
                target.support = target.element.no_values();
                target.shares.iter_mut().for_each(Vec::clear);
                target.indices.clear();
            }
        }
        let counts = met && tally.densities == self.densities;
        let log_evidence = populations.iter().map(|one| {
            if counts {
                one.log_evidence
            } else {
                f64::NEG_INFINITY
            }
        });
        self.log_evidence.extend(log_evidence);
        let so_far = self.log_evidence.len();
        if counts {
            let largest = populations.iter().map(|one| one.log_largest);
            self.largest = largest.fold(self.largest, f64::max);
            self.log_weights.extend(tally.log_weights);
            let found = tally.values.iter().zip(tally.targets);
            for (target, (values, found)) in self.targets.iter_mut().zip(found) {
                let codes = target.support.encode(&**values).unwrap_or_default();
                let shares = found.shares.into_iter().map(|mut shares| {
                    for (value, _) in &mut shares {
                        *value = codes[*value as usize];
                    }
                    shares
                });
                target.shares.extend(shares);
                let draws = found.draws.iter();
                target
                    .indices
                    .extend(draws.map(|&value| codes[value as usize]));
            }
        }
        if self.keep != KeptParticles::Trajectories {
            for target in &mut self.targets {
                target.shares.resize_with(so_far, Vec::new);
            }
        }
        counts
    }
}

impl Sums for PopulationSums {
    type Unit = PopulationTally;
    type Answer = Answer;

    fn absorb(&mut self, unit: PopulationTally) {
        self.add(unit);
    }

    fn done(&self) -> u64 {
        self.log_evidence.len() as u64 * self.numbers.particles
    }

    fn is_small(&self) -> bool {
        let shares = |target: &PopulationTarget| target.shares.iter().map(Vec::len).sum::<usize>();
        let shares: usize = self.targets.iter().map(shares).sum();
        shares.saturating_add(self.log_weights.len()) <= MOST_COPIED
    }

    fn lengthen(&mut self, longer: Self) -> bool {
        let side_by_side = self.numbers.side_by_side;
        self.numbers = longer.numbers;
        self.numbers.side_by_side == side_by_side
    }

    fn into_answer(self, stopped: Stopped, elapsed: Duration) -> Result<Answer, Error> {
        let algorithm = self.algorithm;
        if self.log_evidence.is_empty() {
            return Err(Error::NothingDone { algorithm });
        }
        let done = self.log_evidence.len() as u64 * self.numbers.particles;
        let mut sampling = RunStatistics::new(stopped, done, elapsed);
        let PopulationNumbers {
            particles,
            populations,
            ..
        } = self.numbers;
        sampling.asked = particles.checked_mul(populations);
        let top = self
            .log_evidence
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return Err(Error::NoSampleMetEvidence {
                algorithm,
                tried: done,
                remedy: "use more particles or populations, or for a finite model an exact algorithm such as VariableElimination",
            });
        }
        let relative = |log: &f64| (log - top).exp();
        let relative: Vec<f64> = self.log_evidence.iter().map(relative).collect();
        let total: f64 = relative.iter().sum();
        let log_mean = top + (total / relative.len() as f64).ln();
        let heaviest = (self.densities, self.largest);
        let unseen = self.unseen.share(done, log_mean, heaviest);
        let spread = relative_error(&relative);
        let evidence = self.unseen.evidence(log_mean, spread, unseen);
        let dead = (self.numbers.first..).zip(&self.log_evidence);
        let dead = dead.filter(|(_, log)| **log == f64::NEG_INFINITY);
        sampling.died = Some(dead.map(|(number, _)| number).collect());
        sampling.chains = self.log_evidence.len();
        sampling.resampled = Some(self.resampled);
        sampling.largest_share = Some((self.largest - top).exp() / total);
        let log_weights = self.log_weights;
        let draw_shares: Vec<f64> = match self.keep {
            KeptParticles::Trajectories => log_weights
                .iter()
                .map(|log| (log - top).exp() / total)
                .collect(),
            KeptParticles::Sums | KeptParticles::Particles => Vec::new(),
        };
        let (mut marginals, mut kept) = (Vec::new(), Vec::new());
        let possible = self.unseen.possible.iter();
        for (mut target, possible) in self.targets.into_iter().zip(possible) {
            let drawn = target.support.len();
            if let Some(possible) = possible {
                possible.add_undrawn(&mut target.support, done, unseen.is_finite());
            }
            let support = target.support.build();
            let mut probabilities = vec![0.0; support.len()];
            let estimate = if self.keep == KeptParticles::Trajectories {
                let mut squares = vec![0.0; support.len()];
                for (&value, share) in target.indices.iter().zip(&draw_shares) {
                    probabilities[value as usize] += share;
                    squares[value as usize] += share * share;
                }
                Estimate::Weighted { squares, unseen }
            } else {
                let mut groups = target.shares;
                for (group, z) in groups.iter_mut().zip(&relative) {
                    for (value, share) in group {
                        *share *= z / total;
                        probabilities[*value as usize] += *share;
                    }
                }
                Estimate::Groups { groups, unseen }
            };
            keep_positive(&mut probabilities[..drawn]);
            if self.keep != KeptParticles::Sums {
                kept.push(TargetDraws {
                    element: target.element.clone(),
                    support: support.clone(),
                    indices: target.indices.into(),
                });
            }
            marginals.push(TargetMarginal {
                element: target.element,
                support,
                probabilities,
                estimate,
            });
        }
        let answer = Answer::marginals(algorithm, marginals, evidence).with_sampling(sampling);
        Ok(if self.keep == KeptParticles::Sums {
            answer
        } else {
            answer.with_draws(Draws {
                chains: 1,
                length: log_weights.len(),
                targets: kept,
                log_weights: Some(log_weights),
            })
        })
    }
}

impl PortableSums for PopulationSums {
    fn targets(&self) -> Vec<AnyElement> {
        self.targets.iter().map(|t| t.element.clone()).collect()
    }

    fn check(&self, number: u64, unit: &PopulationTally) -> Result<(), String> {
        let before = number.saturating_mul(self.numbers.side_by_side);
        let rest = self.numbers.populations.saturating_sub(before);
        let populations = unit.populations.len();
        let are_all = populations as u64 == rest.min(self.numbers.side_by_side);
        demand(
            are_all,
            "its number of populations differs from that of the run",
        )?;
        let are_numbers =
            |one: &Population| !one.log_evidence.is_nan() && !one.log_largest.is_nan();
        let are_numbers = unit.populations.iter().all(are_numbers);
        demand(are_numbers, "its estimates of the evidence are not numbers")?;
        let has_none = unit.targets.is_empty() && unit.values.is_empty();
        let has_all =
            unit.targets.len() == self.targets.len() && unit.values.len() == self.targets.len();
        demand(
            has_none || has_all,
            "its number of targets differs from that of the run",
        )?;
        let most = match self.keep {
            KeptParticles::Sums => 0,
            KeptParticles::Particles => (populations as u64).saturating_mul(self.numbers.particles),
            KeptParticles::Trajectories => populations as u64,
        };
        let draws = unit.log_weights.len();
        demand(draws as u64 <= most, "it has too many draws")?;
        let is_alive = |one: &Population| one.log_evidence > f64::NEG_INFINITY;
        let has_draws = unit.populations.iter().any(is_alive) && most > 0;
        demand(
            has_draws == (draws > 0),
            "its number of draws differs from that of the run",
        )?;
        let shared = match self.keep {
            KeptParticles::Trajectories => 0,
            KeptParticles::Sums | KeptParticles::Particles => populations,
        };
        for (values, target) in unit.values.iter().zip(&unit.targets) {
            demand(
                target.draws.len() == draws,
                "its number of draws differs from that of the run",
            )?;
            demand_below(&target.draws, values.len())?;
            demand(
                target.shares.len() == shared,
                "the number of populations of its values differs from that of the run",
            )?;
            let shares = || target.shares.iter().flatten();
            demand_below(shares().map(|(value, _)| value), values.len())?;
            demand(
                shares().all(|&(_, share)| share >= 0.0),
                "its shares are not numbers",
            )?;
        }
        Ok(())
    }
}

/// Returns the standard error of the mean of independent numbers, divided by the mean and multiplied by the factor of Student's t. The standard error
/// is infinite for a single number, and zero if the numbers are equal up to rounding.
fn relative_error(numbers: &[f64]) -> f64 {
    let k = numbers.len() as f64;
    if k < 2.0 {
        return f64::INFINITY;
    }
    let mean = numbers.iter().sum::<f64>() / k;
    let spread: f64 = numbers.iter().map(|z| (z - mean).powi(2)).sum();
    let error = (spread / (k - 1.0) / k).sqrt() / mean * few_groups_factor(k - 1.0);
    if error > ROUNDING { error } else { 0.0 }
}
