//! Standard errors and effective sample sizes of Markov chains (chains of dependent draws).

use super::marginal::NumericColumns;
use crate::quality::diagnostics::{few_groups_factor, mcse_mean, mean_ess, measure};

/// Minimum fraction of the draws in which a value must occur; the effective sample size ignores the indicators of less frequent values.
pub(crate) const MIN_FREQUENT_SHARE: f64 = 0.05;

/// Returns the standard error of the mean of a function over the draws of Markov chains; `numbers[i]` is the function's result for the
/// value with index `i`. The error is zero if the function has the same value for all draws.
///
/// If the Markov chains have fewer than four draws each, each chain counts as one draw: its mean. A single chain of fewer than four draws has an
/// infinite standard error.
pub(crate) fn chain_error(numbers: &[f64], indices: &[u32], chains: usize) -> f64 {
    let Some(&first) = indices.first() else {
        return f64::INFINITY;
    };
    let first = numbers[first as usize];
    if indices.iter().all(|&i| numbers[i as usize] == first) {
        return 0.0;
    }
    let draws = ConcatenatedChains::new(numbers, indices, chains);
    if draws.length() < 4 {
        return draws.error_of_chain_means();
    }
    mcse_mean(&draws.chains())
}

/// Returns the effective sample size of Markov chains: the smallest size over several functions of the values. The effective sample size is the
/// smallest over the components of the values (if the values are numbers or vectors) and the indicators of values that at least one draw in twenty
/// has. If the values are not numbers, the effective sample size is also over the indicators of four fixed subsets, each about half of the set of
/// values.
///
/// The effective sample size ignores functions that are constant over all draws. If all functions of the values are constant, or if the Markov chains
/// have fewer than four draws, the effective sample size counts each chain as one draw.
pub(crate) fn chain_samples(columns: &NumericColumns, indices: &[u32], chains: usize) -> f64 {
    let values = columns.values();
    let bulk = |numbers: &[f64]| measure(numbers, indices, chains).bulk;
    let mut known: Vec<f64> = columns.iter().map(bulk).collect();
    if columns.is_empty() {
        let mut frequent = frequent(indices, values);
        if values == 2 {
            // The indicators of two complementary values have the same effective sample size.
            frequent.truncate(1);
        }
        known.extend(
            frequent
                .into_iter()
                .map(|value| bulk(&indicator(value, values))),
        );
    }
    least_samples(known.into_iter(), columns, indices, chains)
}

/// Returns the smallest effective sample size over several functions of the values, as [`chain_samples`] does. `known` contains effective sample
/// sizes that were already computed: for numeric values, those of the components; for other values, those of the indicators of frequent values.
pub(crate) fn least_samples(
    known: impl Iterator<Item = f64>,
    columns: &NumericColumns,
    indices: &[u32],
    chains: usize,
) -> f64 {
    let ess =
        |numbers: &[f64]| mean_ess(&ConcatenatedChains::new(numbers, indices, chains).chains());
    let values = columns.values();
    let frequent = frequent(indices, values);
    let is_one_of_two = values == 2 && !frequent.is_empty();
    let all_known = !columns.is_empty() || frequent.len() == values || is_one_of_two;
    let halves = halves(values, all_known).map(|half| ess(&half));
    let indicators = frequent.iter().filter(|_| !columns.is_empty());
    let indicators = indicators.map(|&value| ess(&indicator(value, values)));
    let least = known
        .chain(indicators)
        .chain(halves)
        .fold(f64::NAN, f64::min);
    let worst_case = chains.min(indices.len()) as f64;
    if least.is_nan() { worst_case } else { least }
}

/// Returns the number of stays of the Markov chains in values that pass the test `passes`. A stay is a maximal sequence of consecutive
/// draws of one chain that all pass the test.
pub(crate) fn stays(indices: &[u32], chains: usize, passes: impl Fn(u32) -> bool) -> u64 {
    let length = (indices.len() / chains.max(1)).max(1);
    let of_chain = |chain: &[u32]| {
        let mut stays = 0;
        let mut was = false;
        for &value in chain {
            let is = passes(value);
            stays += u64::from(is && !was);
            was = is;
        }
        stays
    };
    indices.chunks(length).map(of_chain).sum()
}

pub(crate) fn indicator(value: usize, values: usize) -> Vec<f64> {
    let mut indicator = vec![0.0; values];
    indicator[value] = 1.0;
    indicator
}

/// Returns the indices of the values that at least one draw in twenty has.
pub(crate) fn frequent(indices: &[u32], values: usize) -> Vec<usize> {
    let mut counts = vec![0_u64; values];
    for &value in indices {
        counts[value as usize] += 1;
    }
    let least = MIN_FREQUENT_SHARE * indices.len() as f64;
    (0..values)
        .filter(|&value| counts[value] as f64 >= least)
        .collect()
}

/// Returns the indicators of four fixed pseudorandom subsets, each about half of a set of `values` values; returns no indicators if `all_known` is
/// true.
pub(crate) fn halves(values: usize, all_known: bool) -> impl Iterator<Item = Vec<f64>> {
    let halves = if all_known { 0..0 } else { 0..4 };
    halves.map(move |bit| {
        let half = (0..values).map(|v| f64::from(scatter(v) >> bit & 1));
        half.collect()
    })
}

/// Returns pseudorandom bits for the index `position`. The bits for consecutive indices are unrelated, because they are computed by the finaliser of
/// the hash function `MurmurHash3`.
fn scatter(position: usize) -> u8 {
    let mut bits = (position as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (bits >> 60) as u8
}

/// The draws of several Markov chains as numbers, one chain after another.
#[derive(Debug)]
pub struct ConcatenatedChains {
    draws: Vec<f64>,
    chains: usize,
}

impl ConcatenatedChains {
    /// Stores the numbers of the draws, one chain after another: the number of draw `i` is `numbers[indices[i]]`.
    pub fn new(numbers: &[f64], indices: &[u32], chains: usize) -> Self {
        Self {
            draws: indices.iter().map(|&i| numbers[i as usize]).collect(),
            chains: chains.max(1),
        }
    }

    fn length(&self) -> usize {
        self.draws.len() / self.chains
    }

    /// Returns one slice of numbers for each chain.
    pub fn chains(&self) -> Vec<&[f64]> {
        self.draws.chunks_exact(self.length().max(1)).collect()
    }

    /// Returns the standard error of the mean of all draws, computed from the variance of the chains' means and Student's t distribution.
    fn error_of_chain_means(&self) -> f64 {
        let means = self
            .chains()
            .into_iter()
            .map(|chain| chain.iter().sum::<f64>() / chain.len() as f64);
        let means: Vec<f64> = means.collect();
        if means.len() < 2 {
            return f64::INFINITY;
        }
        let k = means.len() as f64;
        let mean = means.iter().sum::<f64>() / k;
        let squares: f64 = means.iter().map(|m| (m - mean).powi(2)).sum();
        (squares / (k - 1.0) / k).sqrt() * few_groups_factor(k - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;
    use rand::RngExt;

    use super::*;

    fn numeric(values: &[f64]) -> NumericColumns {
        NumericColumns::new(values.iter().map(|value| value as &dyn std::any::Any))
    }

    fn words(count: usize) -> NumericColumns {
        NumericColumns::new((0..count).map(|_| &"word" as &dyn std::any::Any))
    }

    /// Returns draws of `chains` Markov chains with two values: each step keeps the value with probability `stay`, and otherwise draws one
    /// of the two values.
    fn sticky(chains: u64, length: usize, stay: f64, seed: u64) -> Vec<u32> {
        let chain = |part| {
            let mut random = stream(seed, part);
            let mut state = u32::from(random.random::<bool>());
            let step = move |_| {
                if random.random::<f64>() >= stay {
                    state = u32::from(random.random::<bool>());
                }
                state
            };
            (0..length).map(step).collect::<Vec<u32>>()
        };
        (0..chains).flat_map(chain).collect()
    }

    #[test]
    fn autocorrelation_enters_the_error() {
        // The autocorrelation at lag t is `stay^t`; the correlation time is therefore (1 + stay) / (1 - stay).
        let draws = sticky(4, 10_000, 0.9, 1);
        let error = chain_error(&[0.0, 1.0], &draws, 4);
        let expected = (0.25 * 19.0 / 40_000.0_f64).sqrt();
        assert!(
            (error / expected - 1.0).abs() < 0.15,
            "{error} for {expected}"
        );
        let samples = chain_samples(&words(2), &draws, 4);
        assert!((samples * 19.0 / 40_000.0 - 1.0).abs() < 0.3, "{samples}");
    }

    #[test]
    fn the_stated_error_is_the_spread_of_repeated_runs() {
        let runs = (0..200).map(|seed| {
            let draws = sticky(2, 1000, 0.8, seed);
            let mean = draws.iter().map(|&d| f64::from(d)).sum::<f64>() / 2000.0;
            ((mean - 0.5) / chain_error(&[0.0, 1.0], &draws, 2)).powi(2)
        });
        let ratio = runs.sum::<f64>() / 200.0;
        // The mean of the squares of 200 standard normal numbers has a standard deviation of 0.1.
        assert!((0.6..1.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn chains_stuck_in_different_places_are_worth_one_draw_each() {
        let draws: Vec<u32> = (0..4)
            .flat_map(|chain| vec![u32::from(chain > 1); 5000])
            .collect();
        let error = chain_error(&[0.0, 1.0], &draws, 4);
        assert!((0.2..0.3).contains(&error), "{error}");
        assert!((3.0..5.0).contains(&chain_samples(&words(2), &draws, 4)));
    }

    #[test]
    fn a_chain_that_never_moved_is_worth_one_draw() {
        let draws = vec![0; 4000];
        assert_eq!(chain_error(&[7.0], &draws, 4), 0.0);
        assert_eq!(chain_samples(&numeric(&[7.0]), &draws, 4), 4.0);
        assert_eq!(chain_samples(&words(1), &draws, 1), 1.0);
    }

    #[test]
    fn short_chains_are_told_by_their_means() {
        // The means of the two chains are 2/3 and 1; the variance of their mean is 1/36, and Student's t has one degree of freedom.
        let error = chain_error(&[0.0, 1.0], &[0, 1, 1, 1, 1, 1], 2);
        assert!(
            (error - few_groups_factor(1.0) / 6.0).abs() < 1e-12,
            "{error}"
        );
        assert_eq!(chain_samples(&words(2), &[0, 1, 1, 1, 1, 1], 2), 2.0);
        assert_eq!(chain_error(&[0.0, 1.0], &[0, 1, 1], 1), f64::INFINITY);
        assert_eq!(chain_error(&[0.0, 1.0], &[], 4), f64::INFINITY);
        assert_eq!(chain_samples(&words(0), &[], 4), 0.0);
    }

    #[test]
    fn walks_over_values_that_never_return_are_seen_by_their_numbers() {
        let mut random = stream(5, 0);
        let mut place = 0.0;
        let walk: Vec<f64> = (0..4000)
            .map(|_| {
                place = 0.99 * place + random.random::<f64>() - 0.5;
                place
            })
            .collect();
        let positions: Vec<u32> = (0..4000).collect();
        let samples = chain_samples(&numeric(&walk), &positions, 1);
        assert!(samples < 100.0, "{samples}");
        // `chain_samples` also finds the correlation of repeated draws if the values are not numbers.
        let repeated: Vec<u32> = (0..4000).map(|i| i / 100).collect();
        let samples = chain_samples(&words(40), &repeated, 1);
        assert!(samples < 60.0, "{samples}");
    }
}
