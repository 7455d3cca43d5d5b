//! A Kruskal-Wallis test that compares the halves of chains by the means of batches of draws.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::r_hat::mean_ranks;

/// Number of batches of draws of each chain, eight for each half.
///
/// If each half of a chain had more batches of draws, each batch would be shorter, and the means of neighbouring batches would be correlated. In a
/// chain with a hundred effective samples and eight batches for each half, a batch has the length of six correlation times, and the means of
/// neighbouring batches have a correlation of .04.
pub const BATCHES: usize = 16;

/// A number from a draw of a Markov chain, with the indices of its chain and its batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchedNumber {
    pub number: f64,
    pub chain: usize,
    /// Index of the batch, below [`BATCHES`].
    pub batch: usize,
}

/// Returns the probability that the halves of Markov chains with equal distributions differ at least as much as the halves in `shown`. The batches
/// are assumed to be so long that their means are independent. The returned probability is small if the chains disagree, if they drift, or if they
/// move so slowly that successive batches are correlated.
///
/// The numbers are replaced by their ranks, which makes the test independent of their distribution. In the test, the ranks of the numbers of a batch
/// are replaced by their mean. The test statistic is the fraction of the variance of the batch means that the halves explain, times the number of
/// batches minus one. If the halves have equal distributions, the test statistic has a χ² distribution; the number of degrees of freedom is the
/// number of halves minus one (Kruskal and Wallis 1952). If there are few batches, the test is conservative. The probability that the test returns is
/// one if no comparison is possible: with fewer than two halves, with fewer than two batches for each half, or if all numbers are equal.
pub fn chance_of_agreement(shown: &[BatchedNumber]) -> f64 {
    let numbers: Vec<f64> = shown.iter().map(|shown| shown.number).collect();
    let Some(ranks) = mean_ranks(&numbers) else {
        return 1.0;
    };
    let chains = shown.iter().map(|shown| shown.chain + 1).max().unwrap_or(0);
    let mut batches = vec![(0.0, 0.0); chains * BATCHES];
    for (shown, rank) in shown.iter().zip(ranks) {
        let (sum, count) = &mut batches[shown.chain * BATCHES + shown.batch];
        *sum += rank;
        *count += 1.0;
    }
    // For each half, the number of its batches and the sum of their means.
    let mut halves = Vec::with_capacity(2 * chains);
    let (mut all, mut total, mut squares) = (0.0, 0.0, 0.0);
    // The middle rank is subtracted from all ranks, which reduces rounding errors.
    let middle = 1.0_f64.midpoint(shown.len() as f64);
    for half in batches.chunks(BATCHES / 2) {
        let means = half.iter().filter(|(_, count)| *count > 0.0);
        let (mut count, mut sum) = (0.0, 0.0);
        for mean in means.map(|(sum, count)| sum / count - middle) {
            count += 1.0;
            sum += mean;
            squares += mean * mean;
        }
        if count > 0.0 {
            halves.push((count, sum));
            all += count;
            total += sum;
        }
    }
    if halves.len() < 2 || all < 2.0 * halves.len() as f64 {
        return 1.0;
    }
    let within_all = squares - total * total / all;
    let explained: f64 = halves.iter().map(|(count, sum)| sum * sum / count).sum();
    let explained = explained - total * total / all;
    if within_all <= 1e-9 * squares {
        return 1.0;
    }
    let statistic = (all - 1.0) * (explained / within_all).clamp(0.0, 1.0);
    let freedom = halves.len() as f64 - 1.0;
    ChiSquared::new(freedom).map_or(1.0, |chi| chi.sf(statistic))
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;
    use rand::RngExt;

    use super::*;

    /// Returns four chains of 128 numbers of the autoregression `x ← stay x + noise`.
    fn chains(stay: f64, seed: u64, map: impl Fn(f64) -> f64) -> Vec<BatchedNumber> {
        let mut random = stream(seed, 0);
        let mut shown = Vec::new();
        for chain in 0..4 {
            let mut x = 0.0;
            for step in 0..228 {
                let noise: f64 = (0..12).map(|_| random.random::<f64>() - 0.5).sum();
                x = stay * x + (1.0 - stay * stay).sqrt() * noise;
                if let Some(at) = usize::checked_sub(step, 100) {
                    shown.push(BatchedNumber {
                        number: map(x),
                        chain,
                        batch: at * BATCHES / 128,
                    });
                }
            }
        }
        shown
    }

    /// Returns the number of tests with a result below 0.01, of four hundred tests.
    fn alarms(stay: f64, map: impl Fn(f64) -> f64 + Copy) -> usize {
        let runs = (0..400).map(|seed| chance_of_agreement(&chains(stay, seed, map)));
        runs.filter(|&chance| chance < 0.01).count()
    }

    #[test]
    fn chains_that_mix_give_false_alarms_at_the_stated_rate() {
        // The expected number of alarms is four; 12 or more have a probability of 0.001.
        assert!(alarms(0.0, |x| x) < 12);
        // The numbers of the first test have heavy tails; the numbers of the second test are an indicator that is one for a tenth of the draws.
        assert!(alarms(0.0, |x| x.powi(-3)) < 12);
        assert!(alarms(0.0, |x| f64::from(u8::from(x > 1.28))) < 12);
    }

    #[test]
    fn slow_chains_and_chains_apart_are_found() {
        // The correlation time is as long as a chain.
        assert!(alarms(0.99, |x| x) > 390);
        let mut apart = chains(0.0, 1, |x| x);
        for shown in &mut apart {
            shown.number += f64::from(u8::from(shown.chain == 2));
        }
        assert!(chance_of_agreement(&apart) < 1e-5);
        // Each chain has constant numbers, which differ from those of the other chains.
        for shown in &mut apart {
            shown.number = shown.chain as f64;
        }
        assert!(chance_of_agreement(&apart) < 1e-9);
        for shown in &mut apart {
            shown.number = 3.0;
        }
        assert_eq!(chance_of_agreement(&apart), 1.0);
        assert_eq!(chance_of_agreement(&[]), 1.0);
    }
}
