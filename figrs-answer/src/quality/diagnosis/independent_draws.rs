//! Comparison of chains with independent draws of their target distribution.
//!
//! Chains that never leave one part of the possible worlds agree with each other. Independent draws, such as draws from the prior
//! that the evidence does not exclude, show the other parts as often as they are probable, whether or not the moves of a chain connect them.

use statrs::distribution::{Binomial, DiscreteCDF};

use crate::answer::chain_error::chain_samples;
use crate::answer::draws::TargetDraws;
use crate::answer::few_hits::independent_draws;
use crate::answer::numeric::NumericColumns;
use figrs_core::AnyColumn;

use super::choice_agreement::FALSE_ALARMS;
use super::finding::Finding;

/// Number of standard errors, and of hits, that the probability of a value may lie above its share in the chains.
const ALLOWANCE: f64 = 3.0;
/// Least effective number of draws of the chains for each of their values, for values that no chain shows to be one class of the comparison.
const DRAWS_PER_VALUE: f64 = 20.0;

/// Independent draws of one target with their weights.
///
/// A weight is the ratio of the distribution of the chains to the distribution of the independent draws, up to a constant factor: for draws
/// from the prior it is the likelihood.
#[derive(Clone, Copy, Debug)]
pub struct IndependentDraws<'a> {
    /// The values of the target.
    pub values: &'a dyn AnyColumn,
    /// The natural logarithm of the weight of each draw.
    pub log_weights: &'a [f64],
    /// The natural logarithms of the weights of worlds of the chains.
    pub chain_log_weights: &'a [f64],
}

/// A value that independent draws have more often than chains that are right would allow.
struct Excess {
    /// Position of the first such draw.
    first: usize,
    hits: usize,
    /// Share of the draws of the chains.
    share: f64,
    /// Probability of at least as many hits.
    chance: f64,
}

/// Tests each value of a target that independent draws show: the finding for the least probable number of hits, if chains that are right
/// show as much with a probability of at most [`FALSE_ALARMS`] over all values of `targets` targets.
///
/// A draw of weight *w* has the value *v* with a probability of `P(v) W / w`, where `1 / W` is the mean of `1 / w` over the
/// distribution of the chains. The mean over chains that have not visited worlds of small weight is too small; the test is then weaker, but not wrong. If the
/// independent draws weigh far less than the worlds of the chains, the test finds nothing.
pub fn missed_values(
    target: &TargetDraws,
    (chains, targets): (usize, usize),
    draws: IndependentDraws<'_>,
) -> Option<Finding> {
    let of = draws.log_weights.len();
    let support = &target.support;
    let columns = NumericColumns::new((0..support.len()).map(|value| support.any(value)));
    let samples = chain_samples(&columns, &target.indices, chains);
    let samples = independent_draws(&target.indices, chains, samples);
    let log_ratio = log_mean_inverse(draws.chain_log_weights)?;
    let mut counts = vec![0_u64; support.len()];
    target.indices.iter().for_each(|&i| counts[i as usize] += 1);
    // One more class for all values that no chain shows.
    let mut shown: Vec<Vec<usize>> = vec![Vec::new(); support.len() + 1];
    for draw in 0..of {
        let value = support.index_of(draws.values.any(draw));
        shown[value.unwrap_or(support.len())].push(draw);
    }
    if samples < DRAWS_PER_VALUE * support.len() as f64 {
        shown.pop();
    }
    let tested = shown.iter().filter(|shown| !shown.is_empty()).count();
    let excess = |(value, shown): (usize, &Vec<usize>)| {
        let first = *shown.first()?;
        let count = counts.get(value).map_or(0.0, |&count| count as f64);
        let share = count / target.indices.len() as f64;
        let most =
            share + ALLOWANCE * (share * (1.0 - share) / samples).sqrt() + ALLOWANCE / samples;
        let lightest = shown.iter().map(|&draw| draws.log_weights[draw]);
        let lightest = lightest.fold(f64::INFINITY, f64::min);
        let probability = most * (-log_ratio - lightest).exp();
        Some(Excess {
            first,
            hits: shown.len(),
            share,
            chance: chance_of_hits(shown.len(), of, probability.min(1.0)),
        })
    };
    let found = shown.iter().enumerate().filter_map(excess);
    let worst = found.min_by(|a, b| a.chance.total_cmp(&b.chance))?;
    let chance = worst.chance * (tested * targets) as f64;
    (chance < FALSE_ALARMS).then(|| Finding::MissedValues {
        element: target.element.label(),
        value: format!("{:?}", draws.values.datum(worst.first)),
        hits: worst.hits,
        of,
        share: worst.share,
        chance,
        threshold: FALSE_ALARMS,
    })
}

/// The logarithm of the mean of the inverse weights; `None` without weights.
fn log_mean_inverse(log_weights: &[f64]) -> Option<f64> {
    let least = log_weights.iter().copied().reduce(f64::min)?;
    let sum: f64 = log_weights.iter().map(|log| (least - log).exp()).sum();
    Some((sum / log_weights.len() as f64).ln() - least)
}

/// Probability of at least `hits` successes in `of` trials.
fn chance_of_hits(hits: usize, of: usize, probability: f64) -> f64 {
    let Ok(law) = Binomial::new(probability, of as u64) else {
        return 1.0;
    };
    (hits as u64)
        .checked_sub(1)
        .map_or(1.0, |fewer| law.sf(fewer))
}

#[cfg(test)]
mod tests {
    use figrs_core::{Uniform, stream};
    use rand::distr::Distribution;
    use rand::distr::weighted::WeightedIndex;

    use super::*;

    /// Shares of the values 0 to 3 in the worlds of a model, and the weight of a world with each value.
    const SHARES: [f64; 4] = [0.5, 0.3, 0.195, 0.005];
    const WEIGHTS: [f64; 4] = [1.0, 0.4, 0.1, 1.0];

    /// The finding about 2 000 independent draws as four chains that visit only `values`, and 60 draws from the prior.
    fn finding(seed: u64, values: usize) -> Option<Finding> {
        let mut random = stream(seed, 0);
        let element = Uniform::new(0..4_u8);
        let mut support = element.erased().no_values();
        let law = WeightedIndex::new(&SHARES[..values]).unwrap();
        let drawn: Vec<usize> = (0..2000).map(|_| law.sample(&mut random)).collect();
        let index = |&value: &usize| support.insert(&(value as u8)).map(|i| i as u32);
        let indices = drawn.iter().filter_map(index).collect();
        let target = TargetDraws {
            element: element.erased().clone(),
            support: support.build(),
            indices,
        };
        let prior = WeightedIndex::new((0..4).map(|i| SHARES[i] / WEIGHTS[i])).unwrap();
        let prior: Vec<usize> = (0..60).map(|_| prior.sample(&mut random)).collect();
        let log = |&value: &usize| WEIGHTS[value].ln();
        let draws = IndependentDraws {
            values: &prior.iter().map(|&value| value as u8).collect::<Vec<u8>>(),
            log_weights: &prior.iter().map(log).collect::<Vec<f64>>(),
            chain_log_weights: &drawn.iter().map(log).collect::<Vec<f64>>(),
        };
        missed_values(&target, (4, 1), draws)
    }

    #[test]
    fn chains_that_miss_a_value_are_found_and_no_others() {
        let found = |values: usize| {
            (0..150)
                .filter(|&seed| finding(seed, values).is_some())
                .count()
        };
        // At most one false alarm in a hundred; 7 has a probability below .002 if there is one in a hundred.
        let false_alarms = found(4);
        assert!(false_alarms < 7, "{false_alarms}");
        // The prior has value 2 with a probability of .61.
        assert_eq!(found(2), 150);
        // It has value 3 with a probability of .0016, less than 60 draws can show.
        let rare = found(3);
        assert!(rare < 7, "{rare}");
    }
}
