//! The results of all chains and probes of a run, and the computation of the answer from these results.

use std::time::Duration;

use figrs_core::{AnyColumn, AnyElement, SupportBuilder};
use serde::{Deserialize, Serialize};

use super::NAME;
use super::chain::{ChainLength, ChainRecord};
use super::choices::agreement_of;
use super::prior_comparison::missed;
use super::probes::ProbeRecord;
use super::sites::SiteRecord;
use figrs_answer::run::portable_part::{demand, demand_below};
use figrs_answer::{
    Answer, Draws, Error, PortableSums, PortableUnit, RunStatistics, Sums, TargetDraws,
    TargetMarginal,
};
use figrs_factor::Stopped;

/// The results of a run of [`MetropolisHastings`](crate::MetropolisHastings). One chain or one probe (a short chain that looks for other modes) is a
/// unit of work of the run. The numbers of the probes (short chains that look for other modes) follow those of the main chains.
#[derive(Clone, Debug)]
pub struct MetropolisSums {
    targets: Vec<AnyElement>,
    length: ChainLength,
    /// Number of main chains of the run, without the probes (short chains that look for other modes).
    asked: u64,
    chains: Vec<(Vec<Box<dyn AnyColumn>>, ChainRecord)>,
    /// For each chain that could not begin, the reason: an interrupt or the deadline.
    not_begun: Vec<Stopped>,
    /// The records of the probes (short chains that look for other modes), each with the values of the targets in the worlds that the probe drew from
    /// the prior.
    probes: Vec<(Vec<Box<dyn AnyColumn>>, ProbeRecord)>,
}

/// The result of one unit of work: a chain, or a probe (a short chain that looks for other modes).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChainTally {
    /// For each target, the distinct values that the chain drew; for a probe, the value in each of its draws from the prior.
    #[serde(skip)]
    values: Vec<Box<dyn AnyColumn>>,
    work: ChainWork,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum ChainWork {
    Chain(Box<ChainRecord>),
    /// A chain that was stopped before its first world was found.
    NotBegun(Stopped),
    Probe(Box<ProbeRecord>),
}

impl ChainTally {
    pub(super) fn chain(
        targets: &[AnyElement],
        (values, record): (&[SupportBuilder], &ChainRecord),
    ) -> Self {
        let column = |(element, values): (&AnyElement, &SupportBuilder)| {
            let mut column = element.no_column();
            for position in 0..values.len() {
                column.push(values.any(position));
            }
            column
        };
        Self {
            values: targets.iter().zip(values).map(column).collect(),
            work: ChainWork::Chain(Box::new(record.clone())),
        }
    }

    pub(super) fn not_begun(stopped: Stopped) -> Self {
        Self {
            values: Vec::new(),
            work: ChainWork::NotBegun(stopped),
        }
    }

    pub(super) fn probe(record: ProbeRecord, values: Vec<Box<dyn AnyColumn>>) -> Self {
        Self {
            values,
            work: ChainWork::Probe(Box::new(record)),
        }
    }
}

impl PortableUnit for ChainTally {
    fn values(&mut self) -> &mut Vec<Box<dyn AnyColumn>> {
        &mut self.values
    }
}

impl MetropolisSums {
    /// Creates the record of a run without results; `asked` is the number of chains of the run.
    pub(super) fn new(targets: &[AnyElement], length: ChainLength, asked: u64) -> Self {
        Self {
            targets: targets.to_vec(),
            length,
            asked,
            chains: Vec::new(),
            not_begun: Vec::new(),
            probes: Vec::new(),
        }
    }
}

impl MetropolisSums {
    /// Returns the number of steps that the shortest of the added chains has made, including burn-in.
    pub(super) fn least_steps(&self, length: &ChainLength) -> u64 {
        let steps = self.chains.iter().map(|(_, chain)| chain.steps);
        steps.min().map_or(0, |steps| steps + length.burn_in)
    }
}

impl Sums for MetropolisSums {
    type Unit = ChainTally;
    type Answer = Answer;

    fn absorb(&mut self, unit: ChainTally) {
        match unit.work {
            ChainWork::Chain(record) => self.chains.push((unit.values, *record)),
            ChainWork::NotBegun(stopped) => self.not_begun.push(stopped),
            ChainWork::Probe(record) => self.probes.push((unit.values, *record)),
        }
    }

    /// Computes the answer of a Metropolis-Hastings run from the last draws of each chain. All chains contribute as many draws as the shortest chain
    /// has. A chain is left out of the answer if its worlds have more density factors in their likelihoods than the worlds of another chain, because
    /// such worlds are infinitely less likely. A chain that was stopped before its first draw is left out of the answer.
    fn into_answer(self, _: Stopped, elapsed: Duration) -> Result<Answer, Error> {
        let mut chains = self.chains;
        let made: u64 = chains.iter().map(|(_, chain)| chain.steps).sum();
        let accepted: u64 = chains.iter().map(|(_, chain)| chain.accepted).sum();
        let stopped = chains.iter().map(|(_, chain)| chain.stopped);
        let stopped = Stopped::first_reason(stopped.chain(self.not_begun));
        chains.retain(|(_, chain)| chain.draws > 0);
        let fewest = chains.iter().map(|(_, chain)| chain.densities).min();
        chains.retain(|(_, chain)| Some(chain.densities) == fewest);
        let kept = chains.iter().map(|(_, chain)| chain.draws).min();
        let kept = kept.ok_or(Error::NothingDone { algorithm: NAME })? as usize;
        let of_target = |(position, element): (usize, &AnyElement)| {
            let own = chains.iter().map(|(values, chain)| {
                let values = &*values[position];
                (values, &chain.indices[position][..])
            });
            merge_chains(element, own, kept)
        };
        let draws = Draws {
            chains: chains.len(),
            length: kept,
            targets: self.targets.iter().enumerate().map(of_target).collect(),
            log_weights: None,
        };
        let mut sampling = RunStatistics::new(stopped, made, elapsed);
        sampling.asked = Some(self.length.draws * self.length.thin * self.asked);
        sampling.chains = chains.len();
        sampling.acceptance = Some(accepted as f64 / made as f64);
        let records: Vec<_> = chains.iter().map(|(_, chain)| &chain.sites).collect();
        let answer = Answer::marginals(NAME, TargetMarginal::frequencies(&draws), None);
        let probed = self.probes.iter();
        let probed: Vec<_> = probed
            .filter_map(|(_, probe)| probe.sites.as_ref())
            .collect();
        let mut choices = agreement_of(&records, &probed);
        choices.missed = missed(&draws, (&records, fewest.unwrap_or(0)), &self.probes);
        let answer = answer.with_choices(choices);
        Ok(answer.with_sampling(sampling).with_draws(draws))
    }
}

impl PortableSums for MetropolisSums {
    fn targets(&self) -> Vec<AnyElement> {
        self.targets.clone()
    }

    fn check(&self, number: u64, unit: &ChainTally) -> Result<(), String> {
        let is_chain = !matches!(unit.work, ChainWork::Probe(_));
        demand(
            is_chain == (number < self.asked),
            "it is a Markov chain, but the run has a probe there, or the reverse",
        )?;
        let chain = match &unit.work {
            ChainWork::Chain(chain) => chain,
            ChainWork::NotBegun(_) => {
                return demand(unit.values.is_empty(), "it has values but no draws");
            }
            ChainWork::Probe(record) => {
                let draws = record.prior.worlds.sweeps as usize;
                let are_all = record.prior.densities.len() == draws
                    && unit.values.len() == self.targets.len()
                    && unit.values.iter().all(|values| values.len() == draws);
                demand(
                    are_all,
                    "the number of values of its draws from the prior differs from that of the run",
                )?;
                record.prior.worlds.check()?;
                return record.sites.as_ref().map_or(Ok(()), SiteRecord::check);
            }
        };
        chain.sites.check()?;
        let steps = self.length.draws * self.length.thin;
        let are_fit = chain.draws <= self.length.draws
            && chain.steps <= steps
            && chain.accepted <= chain.steps;
        demand(
            are_fit,
            "it has more draws or steps than a chain of the run",
        )?;
        let targets = self.targets.len();
        let are_all = unit.values.len() == targets && chain.indices.len() == targets;
        demand(
            are_all,
            "its number of targets differs from that of the run",
        )?;
        for (values, indices) in unit.values.iter().zip(&chain.indices) {
            demand(
                indices.len() as u64 == chain.draws,
                "its number of draws differs from that of the run",
            )?;
            demand_below(indices, values.len())?;
        }
        Ok(())
    }
}

/// Returns the last `kept` draws of one target in each chain, as indices into the list of the target's distinct values. The distinct values of the
/// target are in the order of first occurrence.
fn merge_chains<'a>(
    element: &AnyElement,
    chains: impl Iterator<Item = (&'a dyn AnyColumn, &'a [u32])>,
    kept: usize,
) -> TargetDraws {
    let mut values = element.no_values();
    let mut indices = Vec::new();
    for (own, indices_of_chain) in chains {
        let mut numbers: Vec<Option<u32>> = vec![None; own.len()];
        let last = indices_of_chain.len().saturating_sub(kept);
        for &index in &indices_of_chain[last..] {
            let number = numbers[index as usize].or_else(|| {
                let value = own.any(index as usize);
                values.insert(value).map(|number| number as u32)
            });
            numbers[index as usize] = number;
            indices.extend(number);
        }
    }
    TargetDraws {
        element: element.clone(),
        support: values.build(),
        indices: indices.into(),
    }
}
