//! The draws of all chains as an answer.

use figrs_core::AnyElement;

use super::chain::{ChainLength, ChainResult, TargetValues};
use super::sites::SiteRecord;
use crate::answer::draws::{Draws, TargetDraws};
use crate::answer::estimate::Estimate;
use crate::answer::run_statistics::Sampling;
use crate::answer::{Answer, TargetMarginal};
use crate::error::Error;
use crate::quality::diagnosis::choice_agreement::ChoiceAgreement;
use crate::run::watch::{RunMonitor, Stopped};

/// The last draws of the chains, as many of each as the shortest one has. Chains that stayed in worlds with more
/// densities than others are left out: these worlds are infinitely less likely; and so are chains that the end of a run
/// left no time for a draw.
pub(super) fn answer(
    algorithm: &'static str,
    (mut chains, probes): (Vec<ChainResult>, &[SiteRecord]),
    targets: &[AnyElement],
    length: &ChainLength,
    run: &RunMonitor<'_>,
) -> Result<Answer, Error> {
    let made: u64 = chains.iter().map(|chain| chain.steps).sum();
    let accepted: u64 = chains.iter().map(|chain| chain.accepted).sum();
    let stopped = chains.iter().map(|chain| chain.stopped);
    let stopped = stopped.fold(Stopped::Finished, |all, one| match all {
        Stopped::Finished => one,
        _ => all,
    });
    let steps = length.draws * length.thin;
    let asked = length.total / (length.burn_in + steps);
    let stopped = match run.stopped() {
        Some(why) if (chains.len() as u64) < asked => why,
        _ => stopped,
    };
    chains.retain(|chain| chain.draws > 0);
    let fewest = chains.iter().map(|chain| chain.densities).min();
    chains.retain(|chain| Some(chain.densities) == fewest);
    let kept = chains.iter().map(|chain| chain.draws).min().unwrap_or(0);
    if kept == 0 {
        return Err(run.nothing_done());
    }
    let draws: Vec<TargetDraws> = targets
        .iter()
        .enumerate()
        .map(|(position, element)| {
            let chains = chains.iter().map(|chain| &chain.targets[position]);
            merge_chains(element, chains, kept as usize)
        })
        .collect();
    let marginals = draws.iter().map(|target| {
        let mut counts = vec![0_u64; target.support.len()];
        for &index in target.indices.iter() {
            counts[index as usize] += 1;
        }
        let all = target.indices.len() as f64;
        TargetMarginal {
            element: target.element.clone(),
            support: target.support.clone(),
            probabilities: counts.iter().map(|&count| count as f64 / all).collect(),
            estimate: Estimate::Chains {
                indices: target.indices.clone(),
                chains: chains.len(),
            },
        }
    });
    let mut sampling = Sampling::new(stopped, made, run.elapsed());
    sampling.asked = Some(steps * asked);
    sampling.chains = chains.len();
    sampling.acceptance = Some(accepted as f64 / made as f64);
    let records: Vec<_> = chains.iter().map(|chain| &chain.sites).collect();
    let answer = Answer::marginals(algorithm, marginals.collect(), None);
    let answer = answer.with_choices(ChoiceAgreement::of(&records, probes));
    Ok(answer.with_sampling(sampling).with_draws(Draws {
        chains: chains.len(),
        length: kept as usize,
        targets: draws,
        log_weights: None,
    }))
}

/// The last draws of one target in each chain, numbered in the order of their first occurrence.
fn merge_chains<'a>(
    element: &AnyElement,
    chains: impl Iterator<Item = &'a TargetValues>,
    kept: usize,
) -> TargetDraws {
    let mut values = element.no_values();
    let mut indices = Vec::new();
    for chain in chains {
        let support = &chain.values;
        let mut numbers: Vec<Option<u32>> = vec![None; support.len()];
        let last = chain.indices.len().saturating_sub(kept);
        for &index in &chain.indices[last..] {
            let number = numbers[index as usize].or_else(|| {
                let value = support.any(index as usize);
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
