//! R-hat and effective sample sizes of draws that are given as indices of distinct values. Only the distinct values are sorted, not the draws.

use statrs::distribution::{ContinuousCDF, Normal};

use super::effective_samples::effective_samples;
use super::r_hat::ratio;
use super::split_chains::SplitChains;

/// The values of [`r_hat`](super::r_hat), [`bulk_ess`](super::bulk_ess) and [`tail_ess`](super::tail_ess) for the same draws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConvergenceMeasures {
    pub(crate) r_hat: f64,
    pub(crate) bulk: f64,
    pub(crate) tail: f64,
}

/// Returns the convergence measures of chains of equal length, whose draws are stored one chain after another. The number of draw
/// `i` is `numbers[indices[i]]`.
pub(crate) fn measure(numbers: &[f64], indices: &[u32], chains: usize) -> ConvergenceMeasures {
    let unknown = ConvergenceMeasures {
        r_hat: f64::NAN,
        bulk: f64::NAN,
        tail: f64::NAN,
    };
    let Some(draws) = CountedSplitChains::new(numbers.len(), indices, chains) else {
        return unknown;
    };
    let Some(sorted) = draws.sorted(numbers) else {
        return unknown;
    };
    let bulk = draws.halves(&draws.scores(numbers, &sorted));
    let middle = draws.at(&sorted, draws.count / 2 - 1);
    let median = numbers[middle].midpoint(numbers[draws.at(&sorted, draws.count / 2)]);
    let folded: Vec<f64> = numbers.iter().map(|x| (x - median).abs()).collect();
    let spread = draws.sorted(&folded).map_or(f64::NAN, |sorted| {
        ratio(&draws.halves(&draws.scores(&folded, &sorted)))
    });
    let tail = [0.05, 0.95].map(|share| {
        let rank = (share * draws.count as f64 - 1e-9).ceil() - 1.0;
        let quantile = numbers[draws.at(&sorted, rank.max(0.0) as usize)];
        let below: Vec<f64> = numbers
            .iter()
            .map(|&x| f64::from(u8::from(x <= quantile)))
            .collect();
        effective_samples(&draws.halves(&below))
    });
    ConvergenceMeasures {
        r_hat: ratio(&bulk).max(spread),
        bulk: effective_samples(&bulk),
        // `min` ignores a NaN if the other argument is a number.
        tail: tail[0].min(tail[1]),
    }
}

/// The halves of chains of value indices, and the number of draws with each value index.
struct CountedSplitChains<'a> {
    halves: Vec<&'a [u32]>,
    counts: Vec<usize>,
    count: usize,
}

impl<'a> CountedSplitChains<'a> {
    /// Splits each chain into halves; returns `None` if the chains have fewer than four draws.
    fn new(values: usize, indices: &'a [u32], chains: usize) -> Option<Self> {
        let length = indices.len() / chains.max(1);
        let half = length / 2;
        if half < 2 {
            return None;
        }
        let chains = indices.chunks_exact(length);
        let halves: Vec<&[u32]> = chains
            .flat_map(|chain| [&chain[..half], &chain[length - half..]])
            .collect();
        let mut counts = vec![0; values];
        for &value in halves.iter().copied().flatten() {
            counts[value as usize] += 1;
        }
        Some(Self {
            count: halves.len() * half,
            halves,
            counts,
        })
    }

    /// Returns the value indices that were drawn, in ascending order of their numbers; `None` if a number is NaN.
    fn sorted(&self, numbers: &[f64]) -> Option<Vec<usize>> {
        let drawn = (0..numbers.len()).filter(|&value| self.counts[value] > 0);
        let mut sorted: Vec<usize> = drawn.collect();
        if sorted.iter().any(|&value| numbers[value].is_nan()) {
            return None;
        }
        sorted.sort_unstable_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        Some(sorted)
    }

    /// Returns the value index of the draw whose rank, counted from zero, is `before`.
    fn at(&self, sorted: &[usize], before: usize) -> usize {
        let mut seen = 0;
        let mut found = sorted.iter().copied().skip_while(|&value| {
            seen += self.counts[value];
            seen <= before
        });
        found.next().or(sorted.last().copied()).unwrap_or(0)
    }

    /// Returns, for each value index, the normal score of the rank that its number has among all draws.
    fn scores(&self, numbers: &[f64], sorted: &[usize]) -> Vec<f64> {
        let normal = Normal::standard();
        let mut scores = vec![0.0; numbers.len()];
        let mut below = 0;
        for equal in sorted.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
            let count: usize = equal.iter().map(|&value| self.counts[value]).sum();
            let rank = below as f64 + 1.0_f64.midpoint(count as f64);
            let score = normal.inverse_cdf((rank - 0.375) / (self.count as f64 + 0.25));
            for &value in equal {
                scores[value] = score;
            }
            below += count;
        }
        scores
    }

    /// Returns the halves of the chains, with each value index replaced by its number.
    fn halves(&self, numbers: &[f64]) -> SplitChains {
        let half = |half: &&[u32]| half.iter().map(|&value| numbers[value as usize]).collect();
        SplitChains(self.halves.iter().map(half).collect())
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;
    use rand::RngExt;

    use super::*;
    use crate::quality::diagnostics::{bulk_ess, r_hat, tail_ess};

    #[test]
    fn measures_of_positions_are_those_of_numbers() {
        for (seed, values, length) in [
            (1, 5, 400),
            (2, 300, 401),
            (3, 2, 100),
            (4, 1, 50),
            (5, 9, 3),
        ] {
            let mut random = stream(seed, 0);
            // Some values are equal, and some value indices never occur.
            let numbers: Vec<f64> = (0..2 * values)
                .map(|_| (random.random::<f64>() * 40.0).round())
                .collect();
            let mut value = 0;
            let indices: Vec<u32> = (0..3 * length)
                .map(|_| {
                    if random.random::<f64>() < 0.5 {
                        value = random.random_range(0..values);
                    }
                    value
                })
                .collect();
            let draws: Vec<f64> = indices.iter().map(|&i| numbers[i as usize]).collect();
            let chains: Vec<&[f64]> = draws.chunks_exact(length).collect();
            let found = measure(&numbers, &indices, 3);
            for (found, expected) in [
                (found.r_hat, r_hat(&chains)),
                (found.bulk, bulk_ess(&chains)),
                (found.tail, tail_ess(&chains)),
            ] {
                let is_same = (found - expected).abs() < 1e-9 * expected;
                assert!(
                    is_same || found.is_nan() && expected.is_nan(),
                    "{seed}: {found} {expected}"
                );
            }
        }
    }
}
