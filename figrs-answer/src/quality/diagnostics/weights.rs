//! Effective sample size of weighted draws, and the fraction of the total weight that the heaviest draw has.

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

#[cfg(test)]
mod tests {
    use super::*;

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
