//! Independent worlds drawn in blocks, on all cores.

use std::ops::ControlFlow;

use figrs_core::internals::Block;
use figrs_core::lower::{Observations, Roots};
use figrs_core::{AnyElement, Model, Stream, stream};

use super::block_tally::BlockTally;
use super::prior_support::PriorSupport;
use super::settings::SamplerSettings;
use super::shared_memory::SharedMemory;
use super::tally::Tally;
use super::weight_bound::WeightBound;
use super::weight_tail::WeightTail;
use crate::answer::draws::{Draws, TargetDraws};
use crate::answer::estimate::unseen_share;
use crate::answer::run_statistics::Sampling;
use crate::answer::{Answer, LogEvidence};
use crate::error::Error;
use crate::run::watch::{Stopped, Watch};
use crate::run::work_queue::in_order;

/// Maximum number of rows of a block: their columns stay in the cache.
const MOST_ROWS: u64 = 1 << 14;
/// Target number of cells, the values of all columns, of a block.
const CELLS: u64 = 1 << 18;
/// Rows that a block of larger worlds has nevertheless, as long as it has no more than this many cells: each element costs
/// about as much as a hundred of its values.
const WORTHWHILE_ROWS: u64 = 1 << 8;
const MOST_CELLS: u64 = 1 << 22;
/// These rows take one part in so many of the memory at most: blocks of several threads are held at once.
const SHARE: u64 = 16;
/// Rows of the pilot block, which measures the size of a world; its draws are not used.
const PILOT: usize = 8;
/// Least number of blocks of a run, as far as they have this many rows each.
const LEAST_BLOCKS: u64 = 16;
const LEAST_ROWS: u64 = 64;
/// Maximum number of blocks in a batch, after which a thread hands their sums on.
const BATCH: u64 = 32;

/// The settings of a sampler of independent worlds.
#[derive(Debug)]
pub(crate) struct BlockSampling<'a> {
    pub(crate) algorithm: &'static str,
    pub(crate) samples: Option<u64>,
    /// Ends the run after the block that reaches this effective sample size, but not before some blocks have been seen.
    pub(crate) enough: Option<f64>,
    pub(crate) drawing: &'a SamplerSettings,
    pub(crate) observations: Observations,
    /// A bound of the weights of worlds, where one is known.
    pub(crate) maximum: Option<WeightBound>,
    pub(crate) keep_draws: bool,
    pub(crate) watch: &'a Watch,
}

/// Result of a run of independent worlds.
pub(crate) struct BlockSamplingResult {
    /// `true` if the model has no evidence, so that samples of one weight leave no doubt of it.
    certain: bool,
    possible: Vec<Option<PriorSupport>>,
    /// The logarithm of the largest weight that a world may have, if it is known.
    log_maximum: Option<f64>,
    pub(crate) tally: Tally,
    pub(crate) draws: Option<Draws>,
    pub(crate) sampling: Sampling,
}

impl BlockSampling<'_> {
    fn block(&self, model: &Model, targets: &[AnyElement]) -> Result<Block, Error> {
        let order = Roots::ObservationsFirst;
        let block = Block::new(model, targets, self.observations, order, self.drawing.limit);
        Ok(block?)
    }

    /// Number of rows in the blocks of this model.
    fn width(&self, model: &Model, targets: &[AnyElement]) -> Result<usize, Error> {
        let mut block = self.block(model, targets)?;
        block.run(PILOT, &mut stream(self.drawing.seed, u64::MAX))?;
        let cells = (block.cells() as u64 / PILOT as u64).max(1);
        let bytes = (block.bytes_of_first_run() / PILOT as u64).max(1);
        let worthwhile = (MOST_CELLS / cells).min(self.drawing.limit.bytes / SHARE / bytes);
        let worthwhile = worthwhile.clamp(PILOT as u64, WORTHWHILE_ROWS);
        let most = (CELLS / cells).clamp(worthwhile, MOST_ROWS);
        let share = self
            .samples
            .map_or(MOST_ROWS, |samples| samples / LEAST_BLOCKS);
        let rows = most.min(share.max(LEAST_ROWS));
        Ok(if rows >= LEAST_ROWS {
            rows / 64 * 64
        } else {
            rows
        } as usize)
    }

    /// Draws the samples; `finish` may change the weights of a block before it is counted.
    pub(crate) fn run(
        &self,
        model: &Model,
        targets: &[AnyElement],
        finish: impl Fn(&mut Block, usize, &mut Stream) -> Result<(), Error> + Sync,
    ) -> Result<BlockSamplingResult, Error> {
        let run = self.watch.start(self.algorithm, self.samples);
        if run.stopped().is_some() {
            return Err(run.nothing_done());
        }
        let width = self.width(model, targets)? as u64;
        let mut tally = Tally::new(targets);
        let mut kept = self.keep_draws.then(|| KeptDraws::new(targets));
        let (mut met, mut largest) = (0, LargestWeight::of(self.samples));
        let tail = largest.heaviest.most();
        let mut stopped = Stopped::Finished;
        let mut blocks_done = 0;
        let threads = self.drawing.threads();
        let memory = SharedMemory::new(self.drawing.limit.bytes, threads);
        let blocks = self
            .samples
            .map_or(u64::MAX, |samples| samples.div_ceil(width));
        in_order(
            threads,
            (blocks, BATCH),
            || Ok(memory.admit(self.block(model, targets)?)),
            |block, number| {
                let rest = self
                    .samples
                    .map_or(width, |samples| samples - number * width);
                let rows = width.min(rest) as usize;
                memory.run(block, |block| {
                    let mut rng = stream(self.drawing.seed, number);
                    block.start(rows);
                    for root in 0..block.roots() {
                        if run.stopped().is_some() {
                            return Ok(None);
                        }
                        block.run_root(root, &mut rng)?;
                    }
                    finish(block, rows, &mut rng)?;
                    let keep = (tail, self.keep_draws);
                    Ok(Some(BlockTally::new(block, targets, rows, keep)))
                })
            },
            |block| {
                let Some(block) = block else {
                    stopped = run.stopped().unwrap_or(Stopped::Interrupted);
                    return ControlFlow::Break(());
                };
                blocks_done += 1;
                met += block.met;
                largest.see(&block);
                if let Some(kept) = &mut kept {
                    kept.take(&block);
                }
                tally.absorb(&block);
                run.report(tally.worlds());
                let enough = self
                    .enough
                    .is_some_and(|enough| tally.effective_samples() >= enough);
                if enough && blocks_done >= LEAST_BLOCKS {
                    return ControlFlow::Break(());
                }
                match run.stopped() {
                    Some(why) => {
                        stopped = why;
                        ControlFlow::Break(())
                    }
                    None => ControlFlow::Continue(()),
                }
            },
        )?;
        let done = tally.worlds();
        if done == 0 {
            return Err(run.nothing_done());
        }
        if self.samples == Some(done) {
            stopped = Stopped::Finished;
        }
        let mut sampling = Sampling::new(stopped, done, run.elapsed());
        sampling.asked = self.samples;
        sampling.acceptance = Some(met as f64 / done as f64);
        sampling.largest_share = Some((largest.log - tally.log_total()).exp());
        let (densities, log) = (largest.densities, largest.log);
        let log_maximum = self
            .maximum
            .and_then(|maximum| maximum.for_worlds(densities, log));
        sampling.pareto_k = Some(largest.heaviest.pareto_k()).filter(|k| !k.is_nan());
        let possible = targets.iter().map(|target| PriorSupport::of(model, target));
        Ok(BlockSamplingResult {
            certain: model.evidence().is_empty(),
            possible: possible.collect(),
            log_maximum,
            tally,
            draws: kept.map(KeptDraws::draws),
            sampling,
        })
    }
}

impl BlockSamplingResult {
    /// The answer of weighted samples; an error with a remedy if all weigh zero.
    pub(crate) fn weighted(
        self,
        algorithm: &'static str,
        remedy: &'static str,
    ) -> Result<Answer, Error> {
        let (tally, done) = (self.tally, self.sampling.done);
        let (possible, log_maximum) = (&self.possible, self.log_maximum);
        let log_total = tally.log_total();
        if log_total == f64::NEG_INFINITY {
            return Err(Error::NoSampleMetEvidence {
                algorithm,
                tried: done,
                remedy,
            });
        }
        let relative_error = tally.relative_error();
        let evidence = LogEvidence {
            value: tally.log_mean(),
            // Weights that are all the same say nothing of worlds that were not drawn.
            standard_error: if self.certain || relative_error > 0.0 {
                relative_error
            } else {
                unseen_share(done, log_maximum, tally.log_mean())
            },
        };
        let marginals = tally.sampled_marginals(possible, log_maximum);
        let answer = Answer::marginals(algorithm, marginals, evidence);
        let answer = answer.with_sampling(self.sampling);
        Ok(match self.draws {
            Some(draws) => answer.with_draws(draws),
            None => answer,
        })
    }
}

/// The largest weight of the worlds that count.
struct LargestWeight {
    log: f64,
    densities: usize,
    heaviest: WeightTail,
}

impl LargestWeight {
    fn of(samples: Option<u64>) -> Self {
        Self {
            log: f64::NEG_INFINITY,
            densities: usize::MAX,
            heaviest: WeightTail::of(samples),
        }
    }

    fn see(&mut self, block: &BlockTally) {
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
            .take(&block.heaviest, block.log_scale, block.met);
    }
}

/// The draws of the blocks so far.
struct KeptDraws {
    targets: Vec<(AnyElement, figrs_core::SupportBuilder, Vec<u32>)>,
    log_weights: Vec<f64>,
    densities: usize,
}

impl KeptDraws {
    fn new(targets: &[AnyElement]) -> Self {
        let empty = |element: &AnyElement| (element.clone(), element.no_values(), Vec::new());
        Self {
            targets: targets.iter().map(empty).collect(),
            log_weights: Vec::new(),
            densities: usize::MAX,
        }
    }

    fn take(&mut self, block: &BlockTally) {
        if block.met == 0 || block.densities > self.densities {
            return;
        }
        if block.densities < self.densities {
            self.densities = block.densities;
            self.log_weights.clear();
            for (element, support, indices) in &mut self.targets {
                *support = element.no_values();
                indices.clear();
            }
        }
        self.log_weights.extend(block.log_weights.iter().flatten());
        for ((_, support, indices), target) in self.targets.iter_mut().zip(&block.targets) {
            let codes = target
                .draws
                .as_ref()
                .and_then(|draws| support.encode(&**draws));
            indices.extend(codes.unwrap_or_default());
        }
    }

    fn draws(self) -> Draws {
        Draws {
            chains: 1,
            length: self.log_weights.len(),
            targets: self
                .targets
                .into_iter()
                .map(|(element, support, indices)| TargetDraws {
                    element,
                    support: support.build(),
                    indices: indices.into(),
                })
                .collect(),
            log_weights: Some(self.log_weights),
        }
    }
}
