//! Comparison of the draws of Markov chains with independent draws from the target distribution of the chains.
//!
//! Markov chains that never leave a subset of the possible worlds may agree with each other. Independent draws visit each subset of the
//! worlds according to its probability, even if the steps of a chain do not connect the subsets. Draws from the prior that satisfy the
//! evidence are independent draws.

use statrs::distribution::{Binomial, DiscreteCDF};

use crate::answer::chain_error::chain_samples;
use crate::answer::few_hits::independent_draws;
use crate::answer::marginal::NumericColumns;
use figrs_core::{AnyColumn, Label, Support};

use super::choice_agreement::FALSE_ALARMS;
use super::finding::Finding;

/// The probability of a value may exceed its frequency in the draws of the chains by this number of standard errors plus this number of draws.
const ALLOWANCE: f64 = 3.0;
/// Minimum effective number of draws of the Markov chains for each of their distinct values. If the Markov chains have fewer effective draws than the
/// minimum, values that occur in no chain are not tested.
const DRAWS_PER_VALUE: f64 = 20.0;

/// The draws of one target, or of one random choice, from Markov chains of equal length.
#[derive(Clone, Copy, Debug)]
pub struct ChainDraws<'a> {
    /// The distinct values that were drawn.
    pub support: &'a Support,
    /// For each draw, the index of its value in `support`; the draws of a chain are adjacent.
    pub indices: &'a [u32],
    /// Number of chains.
    pub chains: usize,
}

/// Independent draws of one target, or of one random choice, with their weights.
///
/// The weight of an independent draw is, up to a constant, the density of the chains' distribution at the draw, divided by the density of the
/// distribution from which the draw comes. The weight of a draw from the prior is its likelihood.
#[derive(Clone, Copy, Debug)]
pub struct IndependentValues<'a> {
    /// The values of the target or random choice in the independent draws.
    pub values: &'a dyn AnyColumn,
    /// For each independent draw, the natural logarithm of its weight.
    pub log_weights: &'a [f64],
    /// The natural logarithms of the weights of the worlds that the chains visited.
    pub chain_log_weights: &'a [f64],
}

/// A value that occurs in the independent draws more often than is plausible, if the distribution of the chains is right.
struct Excess {
    /// Index of the first independent draw with the value.
    first: usize,
    hits: usize,
    /// Fraction of the Markov chains' draws that have the value.
    share: f64,
    /// Probability that at least as many independent draws have the value, if the distribution of the chains is right.
    chance: f64,
}

/// Tests each value of a target or a random choice that occurs in the independent draws. Returns the finding about the least plausible value, if the
/// probability that such a finding is a false alarm is at most [`FALSE_ALARMS`]. The probability of a false alarm covers all values of all `tests`
/// targets and random choices together.
///
/// An independent draw of weight *w* has the value *v* with probability `P(v) W / w`, where `1 / W` is the mean of `1 / w` over the distribution of
/// the chains. If the chains have not visited worlds of small weight, the mean of `1 / w` over their draws is too small; the test is then less
/// powerful, but still valid. If the weights of the independent draws are far smaller than those of the chains' worlds, the test finds nothing.
pub fn missed_values(
    (label, chains): (&Label, ChainDraws<'_>),
    draws: IndependentValues<'_>,
    tests: usize,
) -> Option<Finding> {
    let ChainDraws {
        support,
        indices,
        chains,
    } = chains;
    let of = draws.log_weights.len();
    let columns = NumericColumns::new((0..support.len()).map(|value| support.any(value)));
    let samples = chain_samples(&columns, indices, chains);
    let samples = independent_draws(indices, chains, samples);
    let log_ratio = log_mean_inverse(draws.chain_log_weights)?;
    let mut counts = vec![0_u64; support.len()];
    for &value in indices {
        counts[value as usize] += 1;
    }
    // All values that occur in no chain are combined in one additional class.
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
        let share = count / indices.len() as f64;
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
    let chance = worst.chance * (tested * tests) as f64;
    (chance < FALSE_ALARMS).then(|| Finding::MissedValues {
        element: label.clone(),
        value: format!("{:?}", draws.values.datum(worst.first)),
        hits: worst.hits,
        of,
        share: worst.share,
        chance,
        threshold: FALSE_ALARMS,
    })
}

/// Returns the logarithm of the mean of the inverse weights; `None` if there are no weights.
fn log_mean_inverse(log_weights: &[f64]) -> Option<f64> {
    let least = log_weights.iter().copied().reduce(f64::min)?;
    let sum: f64 = log_weights.iter().map(|log| (least - log).exp()).sum();
    Some((sum / log_weights.len() as f64).ln() - least)
}

/// Returns the probability of at least `hits` successes in `of` independent trials.
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

    /// Probabilities of the values 0 to 3 in a test model; `WEIGHTS` contains the weight of a world with each of the values.
    const SHARES: [f64; 4] = [0.5, 0.3, 0.195, 0.005];
    const WEIGHTS: [f64; 4] = [1.0, 0.4, 0.1, 1.0];

    /// Returns the finding for four chains with 2 000 draws in total, whose draws have only the first `values` values, and for 60 draws from the
    /// prior.
    fn finding(seed: u64, values: usize) -> Option<Finding> {
        let mut random = stream(seed, 0);
        let element = Uniform::new(0..4_u8);
        let mut support = element.erased().no_values();
        let law = WeightedIndex::new(&SHARES[..values]).unwrap();
        let drawn: Vec<usize> = (0..2000).map(|_| law.sample(&mut random)).collect();
        let index = |&value: &usize| support.insert(&(value as u8)).map(|i| i as u32);
        let indices = drawn.iter().filter_map(index);
        let indices: Vec<u32> = indices.collect();
        let chains = ChainDraws {
            support: &support.build(),
            indices: &indices,
            chains: 4,
        };
        let prior = WeightedIndex::new((0..4).map(|i| SHARES[i] / WEIGHTS[i])).unwrap();
        let prior: Vec<usize> = (0..60).map(|_| prior.sample(&mut random)).collect();
        let log = |&value: &usize| WEIGHTS[value].ln();
        let draws = IndependentValues {
            values: &prior.iter().map(|&value| value as u8).collect::<Vec<u8>>(),
            log_weights: &prior.iter().map(log).collect::<Vec<f64>>(),
            chain_log_weights: &drawn.iter().map(log).collect::<Vec<f64>>(),
        };
        missed_values((&element.erased().label(), chains), draws, 1)
    }

    #[test]
    fn chains_that_miss_a_value_are_found_and_no_others() {
        let found = |values: usize| {
            (0..150)
                .filter(|&seed| finding(seed, values).is_some())
                .count()
        };
        // The probability of a false alarm is at most .01; seven false alarms or more then have a probability below .002.
        let false_alarms = found(4);
        assert!(false_alarms < 7, "{false_alarms}");
        // The value 2 has a prior probability of .61.
        assert_eq!(found(2), 150);
        // The value 3 has a prior probability of .0016, which is too small to be detected with 60 draws.
        let rare = found(3);
        assert!(rare < 7, "{rare}");
    }
}
