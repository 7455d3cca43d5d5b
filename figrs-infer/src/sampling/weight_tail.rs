//! The largest weights of a run, from which the shape of the tail of the weights is estimated.

use figrs_lower::internals::WeightForm;

use figrs_answer::quality::diagnostics::{pareto_k_of_largest, tail_length};

/// Maximum number of weights that are retained: the size of the tail of a hundred million samples.
pub(super) const MAX_TAIL_SIZE: usize = 30_001;

/// The logarithms of the largest weights of a run. The list has one weight more than the tail of the distribution of the weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeightTail {
    logs: Vec<f64>,
    /// Number of positive weights of the run.
    count: u64,
}

impl WeightTail {
    /// Returns the number of its largest weights that the unit of work `unit` must report, if each unit has `rows` worlds. The number does not depend
    /// on the number of samples, so that a run can be lengthened.
    ///
    /// The number of a unit's weights that belong to the tail of the run is Poisson distributed. The mean of this number is largest if the unit is
    /// the last unit of the run; this number then exceeds the result with a probability of 1e-9.
    pub(crate) fn most_of_unit(rows: u64, unit: u64) -> usize {
        const DEVIATIONS: f64 = 6.0;
        const LEAST: f64 = 16.0;
        let units = unit.saturating_add(1);
        let samples = rows.saturating_mul(units).max(1);
        let tail = MAX_TAIL_SIZE.min(tail_length(samples as usize) + 1);
        let mean = tail as f64 / units as f64;
        let most = (mean + DEVIATIONS * mean.sqrt() + LEAST).ceil();
        MAX_TAIL_SIZE.min(most as usize)
    }

    pub(crate) fn clear(&mut self) {
        self.logs.clear();
        self.count = 0;
    }

    /// Adds the largest weights of a block, in units of `exp(log_scale)`. `count` is the number of positive weights of the block.
    pub(crate) fn add(&mut self, largest: &[f64], log_scale: f64, count: u64) {
        self.count += count;
        // Weights of discrete worlds are often equal to the preceding weight, whose logarithm is then reused.
        let mut last = (1.0, 0.0);
        let logs = largest.iter().map(|&weight| {
            if weight != last.0 {
                last = (weight, weight.ln());
            }
            last.1 + log_scale
        });
        self.logs.extend(logs);
        if self.logs.len() > 4 * MAX_TAIL_SIZE {
            keep_largest(&mut self.logs, MAX_TAIL_SIZE);
        }
    }

    pub(crate) fn pareto_k(mut self) -> f64 {
        let most = MAX_TAIL_SIZE.min(tail_length(self.count as usize) + 1);
        keep_largest(&mut self.logs, most);
        pareto_k_of_largest(&self.logs)
    }
}

/// Returns the `most` largest positive weights of the worlds in `form`.
pub(crate) fn largest(form: &WeightForm, most: usize) -> Vec<f64> {
    let mut weights: Vec<f64> = match form {
        WeightForm::Rows(rows) => rows.iter().copied().filter(|w| *w > 0.0).collect(),
        WeightForm::Classes(classes) => {
            let mut heaviest: Vec<_> = classes.iter().filter(|class| class.1 > 0.0).collect();
            heaviest.sort_by(|a, b| b.1.total_cmp(&a.1));
            let mut weights = Vec::with_capacity(most);
            for (mask, weight) in heaviest {
                let rows: usize = mask.iter().map(|word| word.count_ones() as usize).sum();
                let more = rows.min(most - weights.len());
                weights.extend(std::iter::repeat_n(*weight, more));
            }
            weights
        }
    };
    keep_largest(&mut weights, most);
    weights
}

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
            let mut heaviest = WeightTail::default();
            for (unit, block) in weights.chunks(1000).enumerate() {
                let form = WeightForm::Rows(block.iter().map(|w| w * 8.0).collect());
                let most = WeightTail::most_of_unit(1000, unit as u64);
                let largest = largest(&form, most);
                heaviest.add(&largest, -(8.0_f64.ln()), 1000);
            }
            let (k, all) = (heaviest.pareto_k(), pareto_k(&logs));
            assert!((k - all).abs() < 1e-9, "{k} {all}");
            assert!((k - power).abs() < 0.15, "{k}");
        }
        let most = [0, 1, 15, 1 << 14].map(|unit| WeightTail::most_of_unit(1 << 14, unit));
        assert_eq!(most, [519, 388, 171, 26]);
        assert_eq!(WeightTail::most_of_unit(60, 0), 51);
        // Equal weights have no tail, and k-hat is minus infinity.
        let mut equal = WeightTail::default();
        equal.add(&[0.25; 100], 0.0, 100);
        assert_eq!(equal.pareto_k(), f64::NEG_INFINITY);
    }
}
