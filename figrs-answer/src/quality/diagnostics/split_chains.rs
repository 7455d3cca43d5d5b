//! Markov chains split into halves, with the variances within and between the halves.

/// The halves of Markov chains: sequences of equal length, which are compared with each other.
#[derive(Clone, Debug)]
pub(super) struct SplitChains(pub(super) Vec<Vec<f64>>);

impl SplitChains {
    /// Returns the halves of the chains; `None` if the chains have fewer than four draws each.
    pub(super) fn of(chains: &[&[f64]]) -> Option<Self> {
        let length = chains.iter().map(|chain| chain.len()).min()?;
        let half = length / 2;
        if half < 2 {
            return None;
        }
        let halves = chains.iter().flat_map(|chain| {
            let second = &chain[length - half..length];
            [chain[..half].to_vec(), second.to_vec()]
        });
        Some(Self(halves.collect()))
    }

    pub(super) fn map(mut self, function: impl Fn(f64) -> f64) -> Self {
        for number in self.0.iter_mut().flatten() {
            *number = function(*number);
        }
        self
    }

    pub(super) fn length(&self) -> usize {
        self.0.first().map_or(0, Vec::len)
    }

    pub(super) fn draws(&self) -> Vec<f64> {
        self.0.concat()
    }

    pub(super) fn spread(&self) -> VarianceEstimate {
        let n = self.length() as f64;
        let means: Vec<f64> = self.0.iter().map(|half| mean(half)).collect();
        let variances = self.0.iter().zip(&means).map(|(half, &m)| {
            let squares: f64 = half.iter().map(|x| (x - m).powi(2)).sum();
            squares / (n - 1.0)
        });
        let within = variances.sum::<f64>() / self.0.len() as f64;
        VarianceEstimate {
            within,
            total: within * (n - 1.0) / n + variance(&means),
        }
    }
}

/// The variances of several sequences, in the notation of equations (1) to (3) of the paper by Vehtari and others (2021).
#[derive(Clone, Copy, Debug)]
pub(super) struct VarianceEstimate {
    /// `W`, the mean of the variances within the sequences.
    pub(super) within: f64,
    /// The variance `var⁺ = (N − 1) / N · W + B / N`, where `B / N` is the variance of the means of the sequences and `N` is their length.
    pub(super) total: f64,
}

pub(super) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Returns the variance of `numbers` with the divisor `n − 1`; NaN if there are fewer than two numbers.
pub(super) fn variance(numbers: &[f64]) -> f64 {
    let mean = mean(numbers);
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    squares / (numbers.len() as f64 - 1.0)
}

/// True if all numbers are finite and not all of them are equal.
pub(super) fn varies(numbers: &[f64]) -> bool {
    let finite = numbers.iter().all(|x| x.is_finite());
    finite && numbers.iter().any(|&x| x != numbers[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_chains_lose_their_middle() {
        let halves = SplitChains::of(&[&[1.0, 2.0, 9.0, 3.0, 4.0]]).unwrap();
        assert_eq!(halves.0, [[1.0, 2.0], [3.0, 4.0]]);
        assert!(SplitChains::of(&[&[1.0, 2.0, 3.0]]).is_none());
        assert!(SplitChains::of(&[]).is_none());
    }

    #[test]
    fn the_spread_is_within_and_between() {
        let spread = SplitChains(vec![vec![0.0, 2.0], vec![4.0, 6.0]]).spread();
        assert_eq!(spread.within, 2.0);
        assert_eq!(spread.total, 0.5 * 2.0 + 8.0);
    }
}
