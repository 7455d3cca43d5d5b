//! Independent populations of particles put together.

use figrs_core::{AnyElement, SupportBuilder};

use crate::answer::{Answer, LogEvidence, TargetMarginal};
use crate::draws::{Draws, TargetDraws};
use crate::error::Error;
use crate::estimate::Estimate;
use crate::sampling::Sampling;
use crate::sequential_monte_carlo::Population;

/// The populations so far, each weighed with its estimate of the evidence.
#[derive(Debug)]
pub(crate) struct Populations {
    particles: usize,
    targets: Vec<Target>,
    /// For each population the logarithm of its estimate of the evidence.
    log_evidence: Vec<f64>,
    /// The fewest densities of a population: those with more weigh nothing.
    densities: usize,
    /// For each kept draw the logarithm of its weight.
    log_weights: Vec<f64>,
    largest: f64,
    resampled: u64,
}

#[derive(Debug)]
struct Target {
    element: AnyElement,
    support: SupportBuilder,
    /// For each population its values and their shares of its weight.
    shares: Vec<Vec<(u32, f64)>>,
    indices: Vec<u32>,
}

impl Populations {
    pub(crate) fn new(targets: &[AnyElement], particles: usize) -> Self {
        let target = |element: &AnyElement| Target {
            element: element.clone(),
            support: element.no_values(),
            shares: Vec::new(),
            indices: Vec::new(),
        };
        Self {
            particles,
            targets: targets.iter().map(target).collect(),
            log_evidence: Vec::new(),
            densities: usize::MAX,
            log_weights: Vec::new(),
            largest: f64::NEG_INFINITY,
            resampled: 0,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.log_evidence.len() as u64
    }

    pub(crate) fn take(&mut self, population: Population) {
        let Population {
            tally,
            log_evidence,
            resampled,
        } = population;
        self.resampled += resampled;
        if tally.met > 0 && tally.densities < self.densities {
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
        if tally.met == 0 || tally.densities > self.densities {
            self.log_evidence.push(f64::NEG_INFINITY);
            self.targets
                .iter_mut()
                .for_each(|target| target.shares.push(Vec::new()));
            return;
        }
        let unit = log_evidence + tally.log_scale - (self.particles as f64).ln();
        self.log_evidence.push(tally.total.ln() + unit);
        self.largest = self.largest.max(tally.largest.ln() + unit);
        let logs = tally.log_weights.iter().flatten();
        self.log_weights.extend(logs.map(|log| log + log_evidence));
        for (target, found) in self.targets.iter_mut().zip(&tally.targets) {
            let codes = target.support.encode(&*found.values).unwrap_or_default();
            let sums = found.sums.iter().map(|(sum, _)| sum / tally.total);
            target.shares.push(codes.into_iter().zip(sums).collect());
            let draws = found.draws.as_ref();
            let indices = draws.and_then(|draws| target.support.encode(&**draws));
            target.indices.extend(indices.unwrap_or_default());
        }
    }

    /// The answer of all populations.
    pub(crate) fn answer(
        self,
        algorithm: &'static str,
        mut sampling: Sampling,
        (certain, keep_draws): (bool, bool),
    ) -> Result<Answer, Error> {
        let top = self
            .log_evidence
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return Err(Error::NoSampleMetEvidence {
                tried: sampling.done,
            });
        }
        let k = self.log_evidence.len() as f64;
        let relative: Vec<f64> = self
            .log_evidence
            .iter()
            .map(|log| (log - top).exp())
            .collect();
        let total: f64 = relative.iter().sum();
        let mean = total / k;
        let spread: f64 = relative.iter().map(|z| (z - mean).powi(2)).sum();
        let evidence = LogEvidence {
            value: top + mean.ln(),
            standard_error: if k > 1.0 {
                // Populations that agree wholly have met nothing that tells them apart: that is no certainty.
                let floor = 1.0 / (sampling.done as f64 + 2.0);
                let error = (spread / (k - 1.0) / k).sqrt() / mean;
                if certain { error } else { error.max(floor) }
            } else {
                f64::INFINITY
            },
        };
        sampling.chains = self.log_evidence.len();
        sampling.resampled = Some(self.resampled);
        sampling.largest_share = Some((self.largest - top).exp() / total);
        let log_weights = self.log_weights;
        let (mut marginals, mut kept) = (Vec::new(), Vec::new());
        for target in self.targets {
            let mut groups = target.shares;
            let mut probabilities = vec![0.0; target.support.len()];
            for (group, z) in groups.iter_mut().zip(&relative) {
                for (value, share) in group {
                    *share *= z / total;
                    probabilities[*value as usize] += *share;
                }
            }
            let support = target.support.build();
            kept.push(TargetDraws {
                element: target.element.clone(),
                support: support.clone(),
                indices: target.indices.into(),
            });
            marginals.push(TargetMarginal {
                element: target.element,
                support,
                probabilities,
                estimate: Estimate::Groups(groups),
            });
        }
        let answer = Answer::marginals(algorithm, marginals, evidence).with_sampling(sampling);
        Ok(if keep_draws {
            answer.with_draws(Draws {
                chains: 1,
                length: log_weights.len(),
                targets: kept,
                log_weights: Some(log_weights),
            })
        } else {
            answer
        })
    }
}
