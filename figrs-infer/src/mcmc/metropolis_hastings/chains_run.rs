//! A Metropolis-Hastings run whose chains and probes (short chains that look for other modes) are continued in turns.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use figrs_core::{AnyElement, Stream};

use super::chain::MetropolisChain;
use super::chain_sums::{ChainTally, MetropolisSums};
use super::{MetropolisHastings, probes, starts};
use figrs_answer::run::chain_run::{ChainSampler, PausedChain, PausedChains};
use figrs_answer::{Absorption, Error, Partial, RunMonitor, SharedQuestion, in_order};
use figrs_factor::{Stopped, Until};

/// A Metropolis-Hastings chain that can be continued, with its random numbers.
pub(super) struct LiveChain {
    pub(super) chain: MetropolisChain,
    pub(super) random: Stream,
}

impl LiveChain {
    pub(super) fn tally(&self, targets: &[AnyElement]) -> ChainTally {
        ChainTally::chain(targets, self.chain.record())
    }
}

impl PausedChain for LiveChain {
    fn steps(&self) -> u64 {
        self.chain.steps()
    }

    fn is_whole(&self) -> bool {
        self.chain.is_whole()
    }
}

/// The chains of a run of [`MetropolisHastings`](crate::MetropolisHastings), and the probes (short chains that look for other modes), which run after
/// the chains.
#[derive(Debug)]
pub struct ChainsAndProbes {
    /// The indices of the candidate worlds that become the first worlds of the chains; `None` before the first turn (time slice) of the run.
    starts: Option<Vec<u64>>,
    pub(super) chains: PausedChains<LiveChain>,
    /// The results of the probes (short chains that look for other modes), which run after all chains.
    probes: Option<Vec<ChainTally>>,
}

impl ChainSampler for MetropolisHastings {
    type Chains = ChainsAndProbes;

    fn chains(&self) -> ChainsAndProbes {
        ChainsAndProbes {
            starts: None,
            chains: PausedChains::new(self.chains),
            probes: None,
        }
    }

    fn least_steps(run: &ChainsAndProbes) -> u64 {
        run.chains.least_steps()
    }

    fn saved_steps(&self, sums: &MetropolisSums) -> Result<u64, Error> {
        Ok(sums.least_steps(&self.check()?))
    }

    fn draws(
        &self,
        run: &ChainsAndProbes,
        question: &SharedQuestion,
    ) -> Result<Partial<MetropolisSums>, Error> {
        let (_, targets) = &**question;
        let sums = MetropolisSums::new(targets, self.check()?, self.chains as u64);
        let mut partial = Partial::new(sums, 0, Absorption::Later);
        for chain in run.chains.each() {
            partial.push(match &*chain {
                Some(chain) => chain.tally(targets),
                None => ChainTally::not_begun(Stopped::Interrupted),
            });
        }
        for probe in run.probes.iter().flatten() {
            partial.push(probe.clone());
        }
        Ok(partial)
    }

    fn advance(
        &self,
        of_run: &mut ChainsAndProbes,
        question: &SharedQuestion,
        run: &RunMonitor<'_>,
        goal: u64,
    ) -> Result<bool, Error> {
        let length = self.check()?;
        let sampler = self.of_run(run);
        let (model, targets) = &**question;
        let drawing = &sampler.settings.drawing;
        let starts = if let Some(starts) = &of_run.starts {
            starts
        } else {
            let starts = starts::dispersed(model, targets, drawing, sampler.chains, run);
            if run.stopped().is_some() {
                return Ok(false);
            }
            of_run.starts.insert(starts?)
        };
        let done = AtomicU64::new(of_run.chains.steps().sum());
        let finished = of_run.chains.advance(
            (run, drawing.threads()),
            |number, share| {
                let start = (number, starts.get(number as usize).copied());
                sampler.begin_chain((model, targets), start, share)
            },
            |LiveChain { chain, random }, _, share| {
                // During a turn, an interrupt may stop the chain only between two steps; otherwise the chain could not be continued.
                chain.set_until(&Until::default());
                chain.run((&length, goal), random, share, &done)
            },
        )?;
        if !finished || of_run.probes.is_some() {
            return Ok(finished);
        }
        let count = probes::probes(&sampler.settings, length.burn_in, model, targets);
        let mut found = Vec::new();
        let probe = |(): &mut (), number| {
            let by = (&sampler.settings, length.burn_in);
            let (record, values) = probes::probe(by, (model, targets), number, run);
            Ok(ChainTally::probe(record, values))
        };
        in_order(
            drawing.threads(),
            (0..count, 1),
            || Ok(()),
            probe,
            |probe| {
                found.push(probe);
                ControlFlow::Continue(())
            },
        )?;
        // If the run was stopped, the results of the probes are dropped, and the probes run again later.
        if run.stopped().is_some() {
            return Ok(false);
        }
        of_run.probes = Some(found);
        Ok(true)
    }
}
