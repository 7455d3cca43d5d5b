//! Measures of weighted draws: the effective sample size, the share of the heaviest draw, and the shape of the tail of the weights.

/// Returns the effective sample size `(Σw)² / Σw²` of independent weighted draws, given the logarithms of their weights (Kong 1992).
/// Returns NaN if all weights are zero.
pub fn weight_ess(log_weights: &[f64]) -> f64 {
    let weights = scaled(log_weights);
    let total: f64 = weights.iter().sum();
    total * total / weights.iter().map(|w| w * w).sum::<f64>()
}

/// Returns the fraction of the total weight that the heaviest draw has; NaN if all weights are zero.
pub fn largest_share(log_weights: &[f64]) -> f64 {
    let weights = scaled(log_weights);
    weights.iter().copied().fold(f64::NAN, f64::max) / weights.iter().sum::<f64>()
}

/// Returns the weights as fractions of the largest weight.
pub(super) fn scaled(log_weights: &[f64]) -> Vec<f64> {
    let largest = log_weights.iter().copied().fold(f64::NAN, f64::max);
    log_weights
        .iter()
        .map(|log| (log - largest).exp())
        .collect()
}

/// Minimum number of weights in a tail whose shape is estimated.
const MIN_TAIL_SIZE: usize = 5;

/// Returns the Pareto k-hat of importance weights that are given by their logarithms. The k-hat is the shape parameter of a generalised Pareto
/// distribution fitted to the tail of the weights. The tail consists of the differences between the largest `min(S / 5, 3 √S)` weights and the next
/// smaller weight (Vehtari et al. 2024, section 3 and appendix G). The generalised Pareto distribution is fitted by the method of Zhang and Stephens
/// (2009).
///
/// If the k-hat is `k`, moments of the weights of order above `1 / k` do not exist. If the k-hat is at least 0.5, the weights have no variance, and
/// standard errors are misleading. If the k-hat is at least 0.7, the mean converges too slowly to be useful. The k-hat is minus infinity if the
/// largest weights are equal, because the weights are then known to be bounded. The k-hat is NaN if the tail has fewer than five weights that exceed
/// the largest weight below the tail.
pub fn pareto_k(log_weights: &[f64]) -> f64 {
    let mut logs = log_weights.to_vec();
    if logs.iter().any(|log| log.is_nan()) {
        return f64::NAN;
    }
    logs.sort_by(f64::total_cmp);
    let largest = tail_length(logs.len()) + 1;
    pareto_k_of_largest(&logs[logs.len().saturating_sub(largest)..])
}

/// Returns the number of weights in the tail of a sample of `count` weights.
fn tail_length(count: usize) -> usize {
    let count = count as f64;
    (count / 5.0).min(3.0 * count.sqrt()).ceil() as usize
}

/// Returns the k-hat as [`pareto_k`] does, given the logarithms of the weights of the tail and of the largest weight below the tail.
fn pareto_k_of_largest(log_weights: &[f64]) -> f64 {
    let mut weights = scaled(log_weights);
    if weights.iter().any(|w| w.is_nan()) {
        return f64::NAN;
    }
    weights.sort_by(f64::total_cmp);
    let Some((threshold, largest)) = weights.split_first() else {
        return f64::NAN;
    };
    if largest.len() < MIN_TAIL_SIZE {
        return f64::NAN;
    }
    let excess = largest.iter().map(|w| w - threshold);
    let excess: Vec<f64> = excess.filter(|&x| x > 0.0).collect();
    if excess.first() == excess.last() {
        return f64::NEG_INFINITY;
    }
    if excess.len() < MIN_TAIL_SIZE {
        return f64::NAN;
    }
    fit(&excess)
}

/// Returns the shape `k` of the generalised Pareto distribution of sorted positive numbers. The estimate of the shape `k` of a generalised Pareto
/// distribution is the mean of the shapes for a grid of values of `b = k / σ`, weighted by the profile likelihood. The estimate of the shape of a
/// Pareto distribution is slightly shrunk towards 0.5, as if ten more numbers had been observed.
fn fit(sorted: &[f64]) -> f64 {
    const PRIOR: f64 = 10.0;
    let n = sorted.len() as f64;
    let points = 30 + n.sqrt() as usize;
    let quartile = sorted[((n / 4.0 + 0.5).floor() as usize).max(1) - 1];
    let largest = sorted[sorted.len() - 1];
    let grid: Vec<f64> = (1..=points)
        .map(|i| {
            let step = 1.0 - (points as f64 / (i as f64 - 0.5)).sqrt();
            1.0 / largest + step / (3.0 * quartile)
        })
        .collect();
    let shape = |b: f64| sorted.iter().map(|x| (-b * x).ln_1p()).sum::<f64>() / n;
    let likelihoods: Vec<f64> = grid
        .iter()
        .map(|&b| {
            let k = shape(b);
            n * ((-b / k).ln() - k - 1.0)
        })
        .collect();
    let weights = scaled(&likelihoods);
    let total: f64 = weights.iter().sum();
    let b = grid.iter().zip(&weights).map(|(b, w)| b * w).sum::<f64>() / total;
    (shape(b) * n + 0.5 * PRIOR) / (n + PRIOR)
}

/// Maximum number of weights that are retained: the size of the tail of a hundred million samples.
pub const MAX_TAIL_SIZE: usize = 30_001;

/// The logarithms of the largest weights of a run. The list of the largest weights has one weight more than the tail of the distribution of the
/// weights.
#[derive(Clone, Debug, Default)]
pub struct WeightTail {
    logs: Vec<f64>,
    /// Number of positive weights of the run.
    count: u64,
}

impl WeightTail {
    /// Returns how many of its largest weights the unit of work (group of samples) `unit` must report, if each unit has `rows` worlds. The number of
    /// reported weights does not depend on the number of samples of the run, so that a run can be lengthened.
    ///
    /// The number of weights of one unit of work that belong to the tail of the run is Poisson distributed. The mean number of tail weights of a unit
    /// is largest if the unit is the last unit of the run. The last unit of work has more tail weights than the returned number with a probability of
    /// 1e-9.
    pub fn most_of_unit(rows: u64, unit: u64) -> usize {
        const DEVIATIONS: f64 = 6.0;
        const LEAST: f64 = 16.0;
        let units = unit.saturating_add(1);
        let samples = rows.saturating_mul(units).max(1);
        let tail = MAX_TAIL_SIZE.min(tail_length(samples as usize) + 1);
        let mean = tail as f64 / units as f64;
        let most = (mean + DEVIATIONS * mean.sqrt() + LEAST).ceil();
        MAX_TAIL_SIZE.min(most as usize)
    }

    /// Removes all weights.
    pub fn clear(&mut self) {
        self.logs.clear();
        self.count = 0;
    }

    /// Adds the largest weights of a block of samples, as multiples of `exp(log_scale)`. `count` is the number of positive weights of the block of
    /// samples.
    pub fn add(&mut self, largest: &[f64], log_scale: f64, count: u64) {
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

    /// Returns the Pareto k-hat of the weights of the run, as [`pareto_k`] does.
    pub fn pareto_k(mut self) -> f64 {
        let most = MAX_TAIL_SIZE.min(tail_length(self.count as usize) + 1);
        keep_largest(&mut self.logs, most);
        pareto_k_of_largest(&self.logs)
    }
}

/// Keeps only the `most` largest numbers.
pub fn keep_largest(numbers: &mut Vec<f64>, most: usize) {
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
                let mut largest: Vec<f64> = block.iter().map(|w| w * 8.0).collect();
                keep_largest(&mut largest, WeightTail::most_of_unit(1000, unit as u64));
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

    #[test]
    fn equal_weights_all_count_and_one_giant_alone() {
        let same = [-1000.0; 50];
        assert!((weight_ess(&same) - 50.0).abs() < 1e-12);
        assert!((largest_share(&same) - 0.02).abs() < 1e-15);
        let giant = [0.0, -800.0, f64::NEG_INFINITY];
        assert_eq!((weight_ess(&giant), largest_share(&giant)), (1.0, 1.0));
        let two = [0.0, 3.0_f64.ln()];
        assert!((weight_ess(&two) - 1.6).abs() < 1e-12);
        assert!(weight_ess(&[f64::NEG_INFINITY; 3]).is_nan() && largest_share(&[]).is_nan());
    }
}
