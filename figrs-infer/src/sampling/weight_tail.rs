//! The largest weights of a run, from which the shape of the tail of the weights is estimated.

use figrs_lower::internals::WeightForm;

use figrs_answer::quality::diagnostics::{pareto_k_of_largest, tail_length};

/// Maximum number of weights that are retained if the number of samples is not limited: as many as the tail of a hundred million samples has.
pub(super) const MAX_TAIL_SIZE: usize = 30_001;

/// The logarithms of the largest weights of a run. The list has one weight more than the tail of the weights has.
#[derive(Debug)]
pub(crate) struct WeightTail {
    logs: Vec<f64>,
    most: usize,
    samples: Option<u64>,
    /// Number of positive weights of the run.
    count: u64,
}

impl WeightTail {
    /// Creates an empty list of weights; `samples` is the maximum number of samples of the run.
    pub(crate) fn of(samples: Option<u64>) -> Self {
        let tail = samples.map(|samples| tail_length(samples as usize) + 1);
        Self {
            logs: Vec::new(),
            most: tail.map_or(MAX_TAIL_SIZE, |tail| tail.min(MAX_TAIL_SIZE)),
            samples,
            count: 0,
        }
    }

    /// Returns the number of the largest weights that blocks with `rows` worlds together must return.
    ///
    /// All blocks of worlds have the same distribution. The number of tail weights in one block is Poisson distributed, and exceeds the returned
    /// number with probability 1e-9. If the number of samples is not fixed, the whole tail may come from one block.
    pub(crate) fn most_of_block(&self, rows: u64) -> usize {
        const DEVIATIONS: f64 = 6.0;
        const LEAST: f64 = 16.0;
        let samples = self.samples.unwrap_or(rows).max(rows).max(1);
        let tail = tail_length(samples as usize) as f64 + 1.0;
        let mean = tail * rows as f64 / samples as f64;
        let most = (mean + DEVIATIONS * mean.sqrt() + LEAST).ceil();
        self.most.min(most as usize)
    }

    /// Drops all weights that were added.
    pub(crate) fn clear(&mut self) {
        self.logs.clear();
        self.count = 0;
    }

    /// Adds the largest weights of a block, given in units of `exp(log_scale)`, and the number of positive weights of
    /// the block.
    pub(crate) fn add(&mut self, largest: &[f64], log_scale: f64, count: u64) {
        self.count += count;
        let logs = largest.iter().map(|weight| weight.ln() + log_scale);
        self.logs.extend(logs);
        if self.logs.len() > 4 * self.most {
            keep_largest(&mut self.logs, self.most);
        }
    }

    /// Returns the Pareto k-hat of all weights that were added.
    pub(crate) fn pareto_k(mut self) -> f64 {
        let most = self.most.min(tail_length(self.count as usize) + 1);
        keep_largest(&mut self.logs, most);
        pareto_k_of_largest(&self.logs)
    }
}

/// Returns the `most` largest positive weights in `form`.
pub(crate) fn largest(form: &WeightForm, most: usize) -> Vec<f64> {
    let mut weights: Vec<f64> = match form {
        WeightForm::Rows(rows) => rows.iter().copied().filter(|w| *w > 0.0).collect(),
        WeightForm::Classes(classes) => {
            let counted = classes.iter().map(|(mask, weight)| {
                let rows: usize = mask.iter().map(|word| word.count_ones() as usize).sum();
                std::iter::repeat_n(*weight, if *weight > 0.0 { rows.min(most) } else { 0 })
            });
            counted.flatten().collect()
        }
    };
    keep_largest(&mut weights, most);
    weights
}

/// Retains the `most` largest numbers, in any order.
pub(super) fn keep_largest(numbers: &mut Vec<f64>, most: usize) {
    if numbers.len() > most {
        numbers.select_nth_unstable_by(most, |a, b| b.total_cmp(a));
        numbers.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;
    use rand::RngExt;

    use super::*;
    use figrs_answer::quality::diagnostics::pareto_k;

    #[test]
    fn the_largest_weights_tell_the_tail_of_all() {
        for (power, seed) in [(0.3, 1), (0.8, 2), (1.2, 3)] {
            let mut random = stream(seed, 0);
            let weights: Vec<f64> = (0..20_000)
                .map(|_| random.random::<f64>().powf(-power))
                .collect();
            let logs: Vec<f64> = weights.iter().map(|w| w.ln()).collect();
            let mut heaviest = WeightTail::of(Some(20_000));
            for block in weights.chunks(1000) {
                let form = WeightForm::Rows(block.iter().map(|w| w * 8.0).collect());
                let largest = largest(&form, heaviest.most_of_block(1000));
                heaviest.add(&largest, -(8.0_f64.ln()), 1000);
            }
            let (k, all) = (heaviest.pareto_k(), pareto_k(&logs));
            assert!((k - all).abs() < 1e-9, "{k} {all}");
            assert!((k - power).abs() < 0.15, "{k}");
        }
        let most = |samples, rows| WeightTail::of(samples).most_of_block(rows);
        assert_eq!(most(Some(1_000_000_000), 1 << 14), 26);
        assert_eq!(most(Some(60), 60), 13);
        // Equal weights have no tail.
        let mut equal = WeightTail::of(None);
        equal.add(&[0.25; 100], 0.0, 100);
        assert_eq!(equal.pareto_k(), f64::NEG_INFINITY);
    }
}
