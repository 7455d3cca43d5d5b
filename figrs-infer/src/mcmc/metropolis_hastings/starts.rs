//! Over-dispersed first worlds of the Markov chains. If chains agree although their first worlds were far apart, the chains have forgotten their
//! first worlds.
//!
//! The choice of first worlds follows Gelman and Rubin (1992), "Inference from iterative simulation using multiple sequences".

use figrs_core::{AnyElement, Model, Stream, stream};
use figrs_lower::internals::{Site, Trace};

use super::coordinates;
use crate::sampling::settings::SamplerSettings;
use figrs_answer::{Error, RunMonitor};

/// Number of candidates for the first world of each chain, which are drawn from the prior. In a test with 8 candidates for each of 4 chains, at least
/// one chain started in each of the two modes of a mixture, for all of 40 seeds.
const CANDIDATES: usize = 8;
/// Fraction of the time until the deadline that the search for first worlds may take.
const TRIAL_SHARE: f64 = 0.05;

/// Returns the random number stream of the candidate world with the index `number`. The same stream of random numbers always gives the same candidate
/// world.
pub(super) fn candidate(seed: u64, number: u64) -> Stream {
    stream(seed, u64::MAX - number)
}

/// Returns the indices of the candidate worlds that become the first worlds of `chains` chains, selected such that their continuous choices are far
/// apart. Each selected candidate is the one whose distance, in ranks, from the nearest selected candidate is greatest. The result has fewer indices
/// than chains if few candidates satisfy the evidence, and is empty if no choice is continuous.
pub(super) fn dispersed(
    model: &Model,
    targets: &[AnyElement],
    drawing: &SamplerSettings,
    chains: usize,
    run: &RunMonitor<'_>,
) -> Result<Vec<u64>, Error> {
    let mut found: Vec<(u64, Vec<f64>)> = Vec::new();
    if chains < 2 {
        return Ok(Vec::new());
    }
    let mut trace = Trace::new(model, targets, drawing.limits.clone())?;
    let time = run.deadline().map(|deadline| deadline.mul_f64(TRIAL_SHARE));
    let most = chains.saturating_mul(CANDIDATES) as u64;
    for number in 0..most {
        if run.stopped().is_some() || time.is_some_and(|time| run.elapsed() >= time) {
            break;
        }
        if !trace.restart(&mut candidate(drawing.seed, number))? {
            continue;
        }
        let position = position(&mut trace);
        if position.is_empty() {
            break;
        }
        if found
            .first()
            .is_none_or(|(_, first)| first.len() == position.len())
        {
            found.push((number, position));
        }
    }
    Ok(farthest(&found, chains))
}

/// Returns the coordinates of the continuous choices that exist in every world, in one list.
fn position(trace: &mut Trace) -> Vec<f64> {
    let mut sites: Vec<Site> = (0..trace.choices()).map(|i| trace.choice(i)).collect();
    sites.retain(|&site| trace.is_in_every_world(site));
    sites.sort();
    let mut position = Vec::new();
    for site in sites {
        let before = position.len();
        if coordinates::coordinates_of(trace, site, &mut position).is_none() {
            position.truncate(before);
        }
    }
    position
}

fn farthest(found: &[(u64, Vec<f64>)], count: usize) -> Vec<u64> {
    let ranks = ranks(found);
    let distance = |a: &[f64], b: &[f64]| -> f64 {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
        squares.sum()
    };
    let mut nearest = vec![f64::INFINITY; ranks.len()];
    let mut chosen = Vec::new();
    while chosen.len() < count.min(ranks.len()) {
        let farther = |best: usize, i: usize| if nearest[i] > nearest[best] { i } else { best };
        let next = (0..ranks.len()).fold(0, farther);
        chosen.push(found[next].0);
        for (nearest, other) in nearest.iter_mut().zip(&ranks) {
            *nearest = nearest.min(distance(&ranks[next], other));
        }
    }
    chosen
}

/// Returns the coordinates of all candidate worlds, each replaced by its rank among the candidates, because ranks have no outliers.
fn ranks(found: &[(u64, Vec<f64>)]) -> Vec<Vec<f64>> {
    let dimensions = found.first().map_or(0, |(_, first)| first.len());
    let mut ranks = vec![Vec::with_capacity(dimensions); found.len()];
    for coordinate in 0..dimensions {
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|&a, &b| found[a].1[coordinate].total_cmp(&found[b].1[coordinate]));
        for (rank, candidate) in order.into_iter().enumerate() {
            ranks[candidate].push(rank as f64);
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_are_far_apart_in_ranks() {
        let found: Vec<(u64, Vec<f64>)> = [0.0, 1.0, 2.0, 3.0, 1e300, -1e300]
            .into_iter()
            .enumerate()
            .map(|(i, x)| (i as u64, vec![x]))
            .collect();
        // The ranks of the six positions are 1, 2, 3, 4, 5, 0.
        assert_eq!(farthest(&found, 3), [0, 4, 2]);
        assert_eq!(farthest(&found, 1), [0]);
        assert_eq!(farthest(&found[..2], 4).len(), 2);
        assert!(farthest(&[], 4).is_empty());
    }
}
