//! The draws of all chains of a Gibbs sampler, and the answer computed from them.

use std::time::Duration;

use figrs_core::{AnyColumn, AnyElement, Support};
use serde::{Deserialize, Serialize};

use super::chains::Schedule;
use super::kernel::GibbsKernel;
use figrs_answer::run::portable_part::{demand, demand_below};
use figrs_answer::{
    Answer, Draws, Error, PortableSums, PortableUnit, RunStatistics, Sums, TargetDraws,
    TargetMarginal,
};
use figrs_factor::Stopped;

/// The draws of all chains of [`Gibbs`](crate::Gibbs); if several processes share the run, each process computes whole chains.
#[derive(Clone, Debug)]
pub struct GibbsSums {
    pub(super) schedule: Schedule,
    /// The queried variables (targets) with their possible values.
    pub(super) targets: Vec<(AnyElement, Support)>,
    cut_groups: u64,
    summed_out: u64,
    chains: Vec<GibbsChainTally>,
}

/// The draws of the targets in one chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GibbsChainTally {
    pub(super) sweeps: u64,
    /// Number of draws that the Gibbs chain retains.
    pub(super) kept: usize,
    /// The indices of the values of the targets in the chain, draw after draw.
    pub(super) draws: Vec<u32>,
    pub(super) stopped: Stopped,
    /// A list that is always empty, because each draw is stored as the index of a possible value, and this index is the same in every process.
    #[serde(skip)]
    values: Vec<Box<dyn AnyColumn>>,
}

impl GibbsChainTally {
    /// Creates the record of a Gibbs chain, without draws.
    pub(super) fn new() -> Self {
        Self {
            sweeps: 0,
            kept: 0,
            draws: Vec::new(),
            stopped: Stopped::Finished,
            values: Vec::new(),
        }
    }
}

impl PortableUnit for GibbsChainTally {
    fn values(&mut self) -> &mut Vec<Box<dyn AnyColumn>> {
        &mut self.values
    }
}

impl GibbsSums {
    /// Creates the result of a Gibbs sampling run before any chain is added.
    pub(super) fn new(
        schedule: Schedule,
        targets: Vec<(AnyElement, Support)>,
        kernel: &GibbsKernel,
    ) -> Self {
        Self {
            schedule,
            targets,
            cut_groups: kernel.cut_groups(),
            summed_out: kernel.summed_out(),
            chains: Vec::new(),
        }
    }
}

impl GibbsSums {
    /// Returns the number of sweeps that the shortest of the added chains has made.
    pub(super) fn least_sweeps(&self) -> u64 {
        let sweeps = self.chains.iter().map(|chain| chain.sweeps);
        sweeps.min().unwrap_or(0)
    }
}

impl Sums for GibbsSums {
    type Unit = GibbsChainTally;
    type Answer = Answer;

    fn absorb(&mut self, chain: GibbsChainTally) {
        self.chains.push(chain);
    }

    /// Returns the answer computed from the draws of all chains. Each chain contributes as many draws as the shortest chain has.
    fn into_answer(self, _: Stopped, elapsed: Duration) -> Result<Answer, Error> {
        const NAME: &str = "Gibbs";
        let Self {
            schedule, chains, ..
        } = self;
        let length = chains.iter().map(|chain| chain.kept).min().unwrap_or(0);
        if length == 0 {
            return Err(Error::NothingDone { algorithm: NAME });
        }
        let stopped = chains.iter().map(|chain| chain.stopped);
        let stopped = Stopped::first_reason(stopped);
        let sweeps = chains.iter().map(|chain| chain.sweeps).sum();
        let width = self.targets.len();
        let targets = self.targets.into_iter().enumerate();
        let targets = targets.map(|(i, (element, support))| {
            let values = |chain: &GibbsChainTally| {
                (0..length)
                    .map(|d| chain.draws[d * width + i])
                    .collect::<Vec<u32>>()
            };
            TargetDraws {
                element,
                support,
                indices: chains.iter().flat_map(values).collect(),
            }
        });
        let draws = Draws {
            chains: chains.len(),
            length,
            targets: targets.collect(),
            log_weights: None,
        };
        let mut sampling = RunStatistics::new(stopped, sweeps, elapsed);
        sampling.asked = Some(schedule.sweeps().saturating_mul(schedule.chains as u64));
        sampling.chains = chains.len();
        sampling.cut_groups = Some(self.cut_groups);
        sampling.integrated_out = Some(self.summed_out);
        let answer = Answer::marginals(NAME, TargetMarginal::frequencies(&draws), None);
        Ok(answer.with_sampling(sampling).with_draws(draws))
    }
}

impl PortableSums for GibbsSums {
    fn targets(&self) -> Vec<AnyElement> {
        let targets = self.targets.iter();
        targets.map(|(element, _)| element.clone()).collect()
    }

    fn check(&self, number: u64, chain: &GibbsChainTally) -> Result<(), String> {
        let is_one = number < self.schedule.chains as u64;
        demand(is_one, "the run has fewer chains than it states")?;
        let are_fit =
            chain.sweeps <= self.schedule.sweeps() && chain.kept as u64 <= self.schedule.draws;
        demand(
            are_fit,
            "it has more sweeps or draws than a chain of the run",
        )?;
        demand(
            chain.values.is_empty(),
            "it contains values, but should contain their positions in the support",
        )?;
        let width = self.targets.len();
        let are_all = chain.kept.checked_mul(width) == Some(chain.draws.len());
        demand(
            are_all,
            "the number of values of its draws differs from that of the run",
        )?;
        for (i, (_, support)) in self.targets.iter().enumerate() {
            demand_below(chain.draws.iter().skip(i).step_by(width), support.len())?;
        }
        Ok(())
    }
}
