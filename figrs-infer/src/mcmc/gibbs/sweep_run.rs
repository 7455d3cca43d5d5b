//! A run of all chains of a Gibbs sampler.

use figrs_core::{AnyElement, Support};

use super::Gibbs;
use super::chain_sums::GibbsSums;
use super::chains::{self, GibbsChain, Schedule, TargetReader};
use figrs_answer::algorithm::Algorithm;
use figrs_answer::error::Error;
use figrs_answer::run::chain_run::ChainSampler;
use figrs_answer::run::partial::{Absorption, Partial};
use figrs_answer::run::unit_run::SharedQuestion;
use figrs_answer::run::watch::RunMonitor;

/// The blocks of variables of a model, and the chains that draw them.
#[derive(Debug)]
pub struct PreparedChains {
    /// The targets with their possible values.
    pub(super) targets: Vec<(AnyElement, Support)>,
    pub(super) reader: TargetReader,
    pub(super) chains: Vec<GibbsChain>,
}

impl PreparedChains {
    /// Returns the draws so far as units of work.
    pub(super) fn partial(
        &self,
        schedule: Schedule,
        first: u64,
        absorption: Absorption,
    ) -> Partial<GibbsSums> {
        let sums = GibbsSums::new(schedule, self.targets.clone(), self.reader.kernel());
        let mut partial = Partial::new(sums, first, absorption);
        for chain in &self.chains {
            partial.push(chain.tally.clone());
        }
        partial
    }
}

impl ChainSampler for Gibbs {
    /// The chains; `None` before the first turn.
    type Chains = Option<PreparedChains>;

    fn chains(&self) -> Self::Chains {
        None
    }

    fn least_steps(chains: &Self::Chains) -> u64 {
        let sweeps = chains.iter().flat_map(|run| &run.chains);
        let sweeps = sweeps.map(|chain| chain.tally.sweeps);
        sweeps.min().unwrap_or(0)
    }

    fn saved_steps(&self, sums: &GibbsSums) -> Result<u64, Error> {
        Ok(sums.least_sweeps())
    }

    fn draws(
        &self,
        chains: &Self::Chains,
        _: &SharedQuestion,
    ) -> Result<Partial<GibbsSums>, Error> {
        let nothing = || Error::NothingDone {
            algorithm: self.name(),
        };
        let run = chains.as_ref().ok_or_else(nothing)?;
        Ok(run.partial(self.schedule, 0, Absorption::Later))
    }

    fn advance(
        &self,
        chains: &mut Self::Chains,
        question: &SharedQuestion,
        watching: &RunMonitor<'_>,
        goal: u64,
    ) -> Result<bool, Error> {
        self.check()?;
        let question = (&question.0, &question.1[..]);
        let run = if let Some(run) = &mut *chains {
            run
        } else {
            let mut run = self.prepare(question, watching)?;
            let numbers = 0..self.schedule.chains as u64;
            run.chains = self.begin_chains(question, &run.reader, numbers, watching)?;
            chains.insert(run)
        };
        let (by, threads) = ((self.schedule, goal), self.limits.thread_count());
        chains::run(&mut run.chains, &run.reader, by, threads, watching)?;
        Ok(Self::least_steps(chains) >= self.schedule.sweeps())
    }
}
