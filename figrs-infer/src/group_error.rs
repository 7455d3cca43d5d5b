//! Standard errors from independent groups of dependent samples.

/// The standard error of the mean of a function whose value at position `i` is `numbers[i]`: the groups' shares of the
/// weight stand for weighted samples; infinite if there is a single group, whose error nothing tells.
pub(crate) fn group_error(groups: &[Vec<(u32, f64)>], numbers: &[f64], mean: f64) -> f64 {
    if groups.len() < 2 {
        return f64::INFINITY;
    }
    let deviation = |group: &Vec<(u32, f64)>| -> f64 {
        let terms = group.iter();
        terms
            .map(|&(value, share)| share * (numbers[value as usize] - mean))
            .sum()
    };
    let squares: f64 = groups.iter().map(|group| deviation(group).powi(2)).sum();
    let k = groups.len() as f64;
    (squares * k / (k - 1.0)).sqrt()
}

/// How many independent samples would estimate the most likely value's probability as well.
pub(crate) fn group_samples(groups: &[Vec<(u32, f64)>], probabilities: &[f64]) -> f64 {
    let mut best: Option<(usize, f64)> = None;
    for (value, &p) in probabilities.iter().enumerate() {
        if best.is_none_or(|(_, most)| p > most) {
            best = Some((value, p));
        }
    }
    let Some((value, p)) = best else { return 0.0 };
    let mut indicator = vec![0.0; probabilities.len()];
    indicator[value] = 1.0;
    let error = group_error(groups, &indicator, p);
    if error > 0.0 {
        p * (1.0 - p) / (error * error)
    } else {
        groups.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_equal_weight_are_samples_of_their_means() {
        let groups = vec![
            vec![(0, 0.25)],
            vec![(1, 0.25)],
            vec![(0, 0.125), (1, 0.125)],
            vec![(1, 0.25)],
        ];
        let means: [f64; 4] = [0.0, 1.0, 0.5, 1.0];
        let mean = means.iter().sum::<f64>() / 4.0;
        let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / 3.0;
        let error = group_error(&groups, &[0.0, 1.0], mean);
        assert!((error - (variance / 4.0).sqrt()).abs() < 1e-15);
    }
}
