//! Sums of the weights of particles in a block of populations, for each value of each target.

use figrs_core::{AnyColumn, AnyElement};
use figrs_lower::internals::{Block, PopulationWeights};
use serde::{Deserialize, Serialize};

use super::particle_filter::PopulationResult;
use super::resampling::sums;
use figrs_answer::run::portable_part::PortableUnit;

/// The part of the particles that a run retains after the last statement of evidence: all, one of each population, or only sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptParticles {
    /// The run retains only the sums of the weights of each population.
    Sums,
    /// The run retains the sums of the weights of each population, and all particles.
    Particles,
    /// The run retains one particle of each population, drawn in proportion to the weights.
    Trajectories,
}

/// The results of particle populations that were run together, after all statements of evidence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PopulationTally {
    pub(crate) populations: Vec<Population>,
    /// Number of density factors in the likelihood of each particle.
    pub(crate) densities: usize,
    /// For each target (queried variable), its distinct values in the order of first occurrence.
    #[serde(skip)]
    pub(crate) values: Vec<Box<dyn AnyColumn>>,
    pub(crate) targets: Vec<PopulationTargetTally>,
    /// If particles are retained, the natural logarithm of the weight of each particle that satisfies the evidence.
    pub(crate) log_weights: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Population {
    /// The natural logarithm of the population's estimate of the probability of the evidence.
    pub(crate) log_evidence: f64,
    /// The natural logarithm of the fraction of the population's weight that its heaviest particle has.
    pub(crate) log_largest: f64,
    pub(crate) resampled: u64,
}

/// For one target, the fraction of a population's weight that each value has, and the retained draws of the target.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PopulationTargetTally {
    /// For each population, the indices of the values that its particles have, each with the fraction of the population's weight for this value.
    pub(crate) shares: Vec<Vec<(u32, f64)>>,
    /// If particles are retained, the index of the value of each particle that satisfies the evidence.
    pub(crate) draws: Vec<u32>,
}

impl PortableUnit for PopulationTally {
    fn values(&mut self) -> &mut Vec<Box<dyn AnyColumn>> {
        &mut self.values
    }
}

impl PopulationTally {
    /// Computes the sums of weights for a block of worlds in which all targets and evidence have been evaluated. The block of worlds consists of
    /// populations of `size` particles each.
    pub(crate) fn new(
        block: &mut Block,
        targets: &[AnyElement],
        (size, keep): (usize, KeptParticles),
        filtered: &[PopulationResult],
    ) -> Self {
        let densities = block.keep_fewest_densities() as usize;
        let PopulationWeights { weights, log_units } = block.weights().of_populations(size);
        // Every remaining population has a unit of its weights, because populations with more density factors than others have been removed.
        let unit = |place: usize| log_units[place].unwrap_or(0.0);
        let weigh = |one: &PopulationResult| {
            let (sum, largest) = one.place.map_or((0.0, 0.0), |place| {
                let weights = &weights[place * size..(place + 1) * size];
                (sums(weights).0, weights.iter().copied().fold(0.0, f64::max))
            });
            let log = |sum: f64| match one.place {
                Some(place) => one.log_replaced + unit(place) + (sum / size as f64).ln(),
                None => f64::NEG_INFINITY,
            };
            Population {
                log_evidence: log(sum),
                log_largest: log(largest),
                resampled: one.replacements,
            }
        };
        let mut tally = Self {
            populations: filtered.iter().map(weigh).collect(),
            densities,
            values: Vec::new(),
            targets: Vec::new(),
            log_weights: Vec::new(),
        };
        if block.weights().survivors() == 0 {
            return tally;
        }
        if keep != KeptParticles::Sums {
            let mut replaced = vec![0.0; log_units.len()];
            for one in filtered {
                if let Some(place) = one.place {
                    replaced[place] = one.log_replaced + unit(place);
                }
            }
            block.weights().for_each_survivor(|row| {
                tally
                    .log_weights
                    .push(weights[row].ln() + replaced[row / size]);
            });
        }
        for i in 0..targets.len() {
            let column = block.target(i);
            let (values, codes) = column.coded();
            let count = values.len();
            tally.values.push(values);
            let shares = if keep == KeptParticles::Trajectories {
                Vec::new()
            } else {
                let by_place = shares(&codes, (column.rows(), &weights), size, count);
                let own = filtered.iter().map(|one| one.place);
                own.map(|place| place.map_or_else(Vec::new, |place| by_place[place].clone()))
                    .collect()
            };
            tally.targets.push(PopulationTargetTally {
                shares,
                draws: if keep == KeptParticles::Sums {
                    Vec::new()
                } else {
                    codes
                },
            });
        }
        tally
    }
}

/// Returns, for each population, the indices (below `count`) of the values that its particles have, each with the fraction of the population's weight
/// for this value.
fn shares(
    codes: &[u32],
    (rows, weights): (&[u32], &[f64]),
    size: usize,
    count: usize,
) -> Vec<Vec<(u32, f64)>> {
    let mut sums = vec![0.0; count];
    let mut met = vec![false; count];
    let mut next = 0;
    let shares = |(start, weights): (usize, &[f64])| {
        let end = next + rows[next..].partition_point(|&row| (row as usize) < start + size);
        let mut values = Vec::new();
        let mut total = 0.0;
        for (&row, &code) in rows[next..end].iter().zip(&codes[next..end]) {
            let weight = weights[row as usize - start];
            if !met[code as usize] {
                met[code as usize] = true;
                values.push(code);
            }
            sums[code as usize] += weight;
            total += weight;
        }
        next = end;
        let share = |code: u32| {
            met[code as usize] = false;
            (code, std::mem::take(&mut sums[code as usize]) / total)
        };
        values.into_iter().map(share).collect()
    };
    let starts = (0..weights.len()).step_by(size);
    starts.zip(weights.chunks(size)).map(shares).collect()
}
