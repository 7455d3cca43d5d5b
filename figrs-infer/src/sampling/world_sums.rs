//! Sums of the weights of independent worlds, and the computation of the answer from these sums.

use std::time::Duration;

use figrs_core::{AnyElement, Model};

use super::block_sampling::{BlockSampling, LEAST_BLOCKS, UnitSize};
use super::block_tally::BlockTally;
use super::unseen_worlds::{PriorSupport, UnseenWorlds};
use figrs_answer::quality::diagnostics::WeightTail;
use figrs_answer::run::portable_part::{demand, demand_below};
use figrs_answer::{
    Answer, Draws, Error, Estimate, PortableSums, RunStatistics, Sums, TargetDraws, TargetMarginal,
};
use figrs_exact::tally::{Tally, TallyTarget};
use figrs_factor::Stopped;
use figrs_factor::graph::WorldWeight;

/// The sums of weights that a sampler of independent worlds accumulates. A unit of work (part of the run) is a fixed number of blocks of worlds.
#[derive(Clone, Debug)]
pub struct WorldSums {
    algorithm: &'static str,
    remedy: &'static str,
    samples: Option<u64>,
    size: UnitSize,
    target_ess: Option<f64>,
    log_unit: f64,
    unseen: UnseenWorlds,
    tally: Tally,
    largest: LargestWeight,
    kept: Option<KeptDraws>,
    blocks: u64,
    /// Number of sampled worlds that satisfy the evidence.
    met: u64,
}

/// Maximum number of distinct values and draws of which an answer keeps a copy.
pub(crate) const MOST_COPIED: usize = 1 << 20;

impl WorldSums {
    pub(super) fn new(
        by: &BlockSampling<'_>,
        model: &Model,
        targets: &[AnyElement],
        size: UnitSize,
    ) -> Self {
        Self {
            algorithm: by.algorithm,
            remedy: by.remedy,
            samples: by.settings.samples,
            size,
            target_ess: by.settings.target_ess,
            log_unit: by.log_unit,
            unseen: UnseenWorlds::of(model, targets, by.maximum),
            tally: Tally::new(targets),
            largest: LargestWeight::new(),
            kept: by
                .settings
                .keep_draws
                .then(|| KeptDraws::new(targets.len())),
            blocks: 0,
            met: 0,
        }
    }

    /// Returns how many of the largest weights of its worlds the unit of work `unit` must return.
    fn tail(&self, unit: u64) -> usize {
        WeightTail::most_of_unit(self.size.worlds(), unit)
    }
}

impl Sums for WorldSums {
    type Unit = BlockTally;
    type Answer = Answer;

    fn absorb(&mut self, block: BlockTally) {
        self.blocks += 1;
        self.met += block.met;
        self.largest.update(&block);
        let codes = absorb(&mut self.tally, &block);
        if let (Some(kept), Some(codes)) = (&mut self.kept, codes) {
            kept.append(&block, self.tally.densities, &codes);
        }
    }

    fn is_enough(&self) -> bool {
        let reached = |enough| self.tally.effective_samples() >= enough;
        self.blocks >= LEAST_BLOCKS && self.target_ess.is_some_and(reached)
    }

    fn done(&self) -> u64 {
        self.tally.worlds()
    }

    fn is_small(&self) -> bool {
        let values: usize = self.tally.targets.iter().map(|one| one.values.len()).sum();
        let draws = self.kept.as_ref().map_or(0, |kept| kept.log_weights.len());
        values.saturating_add(draws) <= MOST_COPIED
    }

    fn lengthen(&mut self, longer: Self) -> bool {
        (self.samples, self.target_ess) = (longer.samples, longer.target_ess);
        self.size == longer.size
    }

    /// Computes the answer of a run from the sums of its weighted samples. Returns an error with a remedy if all weights are zero.
    fn into_answer(self, stopped: Stopped, elapsed: Duration) -> Result<Answer, Error> {
        let (tally, algorithm) = (self.tally, self.algorithm);
        let done = tally.worlds();
        if done == 0 {
            return Err(Error::NothingDone { algorithm });
        }
        let log_total = tally.log_total();
        if log_total == f64::NEG_INFINITY {
            return Err(Error::NoSampleMetEvidence {
                algorithm,
                tried: done,
                remedy: self.remedy,
            });
        }
        let mut sampling = RunStatistics::new(stopped, done, elapsed);
        sampling.asked = self.samples;
        sampling.acceptance = Some(self.met as f64 / done as f64);
        sampling.largest_share = Some((self.largest.log - log_total).exp());
        let (log_mean, largest) = (tally.log_mean(), self.largest);
        let heaviest = (largest.densities, largest.log);
        let unseen = self.unseen.share(done, log_mean, heaviest);
        sampling.pareto_k = Some(largest.heaviest.pareto_k()).filter(|k| !k.is_nan());
        let mut evidence = self
            .unseen
            .evidence(log_mean, tally.relative_error(), unseen);
        evidence.value += self.log_unit;
        let draws = self.kept.map(|kept| kept.draws(&tally));
        let marginals = sampled_marginals(tally, &self.unseen.possible, unseen);
        let answer = Answer::marginals(algorithm, marginals, evidence).with_sampling(sampling);
        Ok(match draws {
            Some(draws) => answer.with_draws(draws),
            None => answer,
        })
    }
}

impl PortableSums for WorldSums {
    fn targets(&self) -> Vec<AnyElement> {
        self.tally.elements().cloned().collect()
    }

    fn check(&self, number: u64, block: &BlockTally) -> Result<(), String> {
        let rest = self.samples.map_or(u64::MAX, |samples| {
            samples.saturating_sub(number.saturating_mul(self.size.worlds()))
        });
        demand(
            block.rows == self.size.worlds().min(rest),
            "its number of worlds differs from that of the run",
        )?;
        demand(
            block.met <= block.rows,
            "it has fewer worlds than worlds that meet the evidence",
        )?;
        let weights = [block.total, block.squares, block.largest];
        let are_weights = weights.iter().chain(&block.heaviest).all(|&sum| sum >= 0.0);
        demand(
            are_weights && !block.log_scale.is_nan(),
            "its weights are not numbers",
        )?;
        demand(
            block.heaviest.len() <= self.tail(number),
            "it has too many of the largest weights",
        )?;
        let expected = if block.met == 0 {
            0
        } else {
            self.tally.elements().count()
        };
        let are_all = block.values.len() == expected && block.targets.len() == expected;
        demand(
            are_all,
            "its number of targets differs from that of the run",
        )?;
        let draws = self.kept.as_ref().map(|_| block.met as usize);
        let logs = block.log_weights.as_ref().map(Vec::len);
        demand(
            logs == draws,
            "its number of draws differs from that of the run",
        )?;
        for (values, target) in block.values.iter().zip(&block.targets) {
            demand(
                target.sums.len() == values.len(),
                "the number of its values differs from the number of their sums",
            )?;
            let are_weights = target
                .sums
                .iter()
                .all(|&(sum, squares)| sum >= 0.0 && squares >= 0.0);
            demand(are_weights, "its weights are not numbers")?;
            let own = target.draws.as_ref();
            demand(
                own.map(Vec::len) == draws,
                "its number of draws differs from that of the run",
            )?;
            demand_below(own.into_iter().flatten(), values.len())?;
        }
        Ok(())
    }
}

/// The largest weights of the sampled worlds, among the worlds whose likelihoods have the fewest density factors.
#[derive(Clone, Debug)]
struct LargestWeight {
    log: f64,
    densities: usize,
    heaviest: WeightTail,
}

impl LargestWeight {
    fn new() -> Self {
        Self {
            log: f64::NEG_INFINITY,
            densities: usize::MAX,
            heaviest: WeightTail::default(),
        }
    }

    fn update(&mut self, block: &BlockTally) {
        if block.met == 0 || block.densities > self.densities {
            return;
        }
        let log = block.largest.ln() + block.log_scale;
        if block.densities < self.densities {
            self.densities = block.densities;
            self.log = log;
            self.heaviest.clear();
        }
        self.log = self.log.max(log);
        self.heaviest
            .add(&block.heaviest, block.log_scale, block.met);
    }
}

/// Retained draws, of the worlds whose likelihoods have the fewest density factors.
#[derive(Clone, Debug)]
struct KeptDraws {
    /// For each target, the codes (integers) of the drawn values; the tally of the run defines the codes.
    targets: Vec<Vec<u32>>,
    log_weights: Vec<f64>,
    densities: usize,
}

impl KeptDraws {
    fn new(targets: usize) -> Self {
        Self {
            targets: vec![Vec::new(); targets],
            log_weights: Vec::new(),
            densities: usize::MAX,
        }
    }

    /// Adds the draws of a block of worlds; `codes` contains the codes (integers) of the block's values in the tally. The argument `densities` is the
    /// number of density factors in the likelihoods of the tally's worlds.
    fn append(&mut self, block: &BlockTally, densities: usize, codes: &[Vec<u32>]) {
        if densities < self.densities {
            self.densities = densities;
            self.log_weights.clear();
            self.targets.iter_mut().for_each(Vec::clear);
        }
        self.log_weights.extend(block.log_weights.iter().flatten());
        let found = codes.iter().zip(&block.targets);
        for (indices, (codes, target)) in self.targets.iter_mut().zip(found) {
            let draws = target.draws.iter().flatten();
            indices.extend(draws.map(|&position| codes[position as usize]));
        }
    }

    fn draws(self, tally: &Tally) -> Draws {
        let targets = tally.targets.iter().zip(self.targets);
        let targets = targets.map(|(target, indices)| TargetDraws {
            element: target.element.clone(),
            support: target.values.clone().build(),
            indices: indices.into(),
        });
        Draws {
            chains: 1,
            length: self.log_weights.len(),
            targets: targets.collect(),
            log_weights: Some(self.log_weights),
        }
    }
}

/// Adds the sums of a block of worlds to the tally `tally`. Returns for each target the codes of the block's values in the tally, or `None` if the
/// block is ignored because its worlds are infinitely less probable.
pub(super) fn absorb(tally: &mut Tally, block: &BlockTally) -> Option<Vec<Vec<u32>>> {
    tally.worlds += block.rows;
    if block.met == 0 || block.densities > tally.densities {
        return None;
    }
    if block.densities < tally.densities {
        tally.reset(block.densities);
    }
    let unit = tally.in_units(WorldWeight {
        linear: block.log_scale.exp(),
        log: block.log_scale,
    });
    tally.total += unit * block.total;
    tally.squares += unit * unit * block.squares;
    let found = block.values.iter().zip(&block.targets);
    let codes = (tally.targets.iter_mut().zip(found)).map(|(target, (values, found))| {
        let codes = target.values.encode(&**values).unwrap_or_default();
        target.sums.resize(target.values.len(), (0.0, 0.0));
        for (&code, sums) in codes.iter().zip(&found.sums) {
            let sum = &mut target.sums[code as usize];
            sum.0 += unit * sums.0;
            sum.1 += unit * unit * sums.1;
        }
        codes
    });
    Some(codes.collect())
}

/// Returns the marginals of the targets, computed from the sums of sampled worlds. The marginals include possible values that were not sampled;
/// `unseen` is an upper bound of the probability of these values (see [`unseen_share`](figrs_answer::unseen_share)).
pub(super) fn sampled_marginals(
    tally: Tally,
    possible: &[Option<PriorSupport>],
    unseen: f64,
) -> Vec<TargetMarginal> {
    let (total, worlds) = (tally.total, tally.worlds);
    let marginal = |(mut target, possible): (TallyTarget, &Option<PriorSupport>)| {
        let drawn = target.values.len();
        if let Some(possible) = possible {
            possible.add_undrawn(&mut target.values, worlds, unseen.is_finite());
            target.sums.resize(target.values.len(), (0.0, 0.0));
        }
        let squares = target.sums.iter().map(|s| s.1 / (total * total));
        let mut probabilities: Vec<f64> = target.sums.iter().map(|s| s.0 / total).collect();
        keep_positive(&mut probabilities[..drawn]);
        TargetMarginal {
            element: target.element,
            support: target.values.build(),
            probabilities,
            estimate: Estimate::Weighted {
                squares: squares.collect(),
                unseen,
            },
        }
    };
    tally
        .targets
        .into_iter()
        .zip(possible)
        .map(marginal)
        .collect()
}

/// Replaces estimated probabilities of zero by small positive numbers for drawn values, because a probability of zero marks a value that was not
/// drawn.
pub(crate) fn keep_positive(drawn: &mut [f64]) {
    for share in drawn {
        *share = share.max(f64::MIN_POSITIVE);
    }
}
