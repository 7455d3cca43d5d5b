//! Sums over lists of numbers, for the computation of sufficient statistics.

/// Number of partial sums that are computed in parallel, so that no addition waits for the previous one.
const LANES: usize = 8;

#[inline]
pub(super) fn sum_of<T>(values: &[T], term: impl Fn(&T) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += term(value);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += term(value);
    }
    lanes.iter().sum()
}

/// Returns the sufficient statistics of `values`: their number, their mean, and the sum of their squared deviations from the mean.
pub(super) fn moments(values: &[f64]) -> [f64; 3] {
    let count = values.len() as f64;
    if values.is_empty() {
        return [0.0; 3];
    }
    let mean = sum_of(values, |x| *x) / count;
    // The rounding error of the mean is corrected: Chan, Golub and LeVeque (1983).
    let left = sum_of(values, |x| x - mean);
    let squares = sum_of(values, |x| (x - mean) * (x - mean));
    [count, mean, (squares - left * left / count).max(0.0)]
}

/// Returns `count * log`; the result is zero if `count` is zero and `log` is the logarithm of zero.
#[inline]
pub(super) fn times(count: f64, log: f64) -> f64 {
    if count == 0.0 { 0.0 } else { count * log }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_far_from_zero_keep_their_digits() {
        let values: Vec<f64> = (0..21).map(|i| 1e8 + f64::from(i)).collect();
        assert_eq!(moments(&values), [21.0, 1e8 + 10.0, 770.0]);
        assert_eq!(moments(&[]), [0.0; 3]);
        assert_eq!(times(0.0, f64::NEG_INFINITY), 0.0);
    }
}
