//! Standard errors that are computed from independent groups of dependent samples.

use super::chain_error::{MIN_FREQUENT_SHARE, halves};
use super::marginal::NumericColumns;

/// Relative difference up to which numbers count as equal, because of rounding errors.
pub const ROUNDING: f64 = 1e-13;

/// Minimum effective number of groups for which a standard error is known. If the effective number of groups is smaller, there is only one group, or
/// one group has more than four fifths of the weight.
const MIN_EFFECTIVE_GROUPS: f64 = 1.5;

/// Returns the standard error of the mean of a function over weighted groups; `numbers[i]` is the function's result for the value with index `i`. In
/// the standard error of the mean, each group of samples counts as one sample whose weight is the group's fraction of the total weight. The standard
/// error is infinite if the effective number of groups is too small.
pub(crate) fn group_error(groups: &[Vec<(u32, f64)>], numbers: &[f64], mean: f64) -> f64 {
    let k = effective_groups(groups);
    if k < MIN_EFFECTIVE_GROUPS {
        return f64::INFINITY;
    }
    let deviation = |group: &Vec<(u32, f64)>| -> f64 {
        let terms = group.iter();
        terms
            .map(|&(value, share)| share * (numbers[value as usize] - mean))
            .sum()
    };
    let squares: f64 = groups.iter().map(|group| deviation(group).powi(2)).sum();
    let error = (squares * k / (k - 1.0)).sqrt();
    let drawn = groups.iter().flatten();
    let farthest = drawn.map(|&(value, _)| (numbers[value as usize] - mean).abs());
    if error > ROUNDING * farthest.fold(0.0, f64::max) {
        error
    } else {
        0.0
    }
}

/// Returns, for each value, the standard error of its probability, as [`group_error`] computes it from the value's indicator. The time is linear in
/// the number of entries of the groups.
pub(crate) fn value_errors(groups: &[Vec<(u32, f64)>], probabilities: &[f64]) -> Vec<f64> {
    let k = effective_groups(groups);
    if k < MIN_EFFECTIVE_GROUPS {
        return vec![f64::INFINITY; probabilities.len()];
    }
    let weights: Vec<f64> = groups.iter().map(|group| weight(group)).collect();
    let all: f64 = weights.iter().map(|weight| weight.powi(2)).sum();
    // For each value, over the groups in which it occurs: the number of groups, the sum of their squared weights, and the sum of their squared
    // deviations.
    let mut having = vec![(0, 0.0, 0.0); probabilities.len()];
    for (group, weight) in groups.iter().zip(&weights) {
        for &(value, share) in group {
            let (count, squares, deviations) = &mut having[value as usize];
            *count += 1;
            *squares += weight.powi(2);
            *deviations += (share - weight * probabilities[value as usize]).powi(2);
        }
    }
    let error = |(&(count, squares, deviations), p): (&(usize, f64, f64), &f64)| {
        // If the value occurs in all groups, the term of the other groups is exactly zero; computing it would leave a rounding error.
        let others = if count < groups.len() {
            p * p * (all - squares).max(0.0)
        } else {
            0.0
        };
        let error = ((deviations + others) * k / (k - 1.0)).sqrt();
        if error > ROUNDING * p.max(1.0 - p) {
            error
        } else {
            0.0
        }
    };
    having.iter().zip(probabilities).map(error).collect()
}

/// Returns the effective sample size of draws that come in groups: the smallest of the effective sample sizes of several functions of the values. The
/// effective sample size is the smallest over the components of the values (if the values are numbers or vectors) and the indicators of values that
/// have at least a twentieth of the weight. If the values are not numbers, the effective sample size is also over the indicators of four fixed
/// subsets, each about half of the set of values. If no function of the values has a finite and positive effective sample size, the result is the
/// effective number of groups.
pub(crate) fn group_samples(
    groups: &[Vec<(u32, f64)>],
    probabilities: &[f64],
    columns: &NumericColumns,
) -> f64 {
    let samples = |numbers: &[f64]| {
        let weighted = || probabilities.iter().zip(numbers).filter(|(p, _)| **p > 0.0);
        let mean: f64 = weighted().map(|(p, x)| p * x).sum();
        let variance: f64 = weighted().map(|(p, x)| p * (x - mean).powi(2)).sum();
        variance / group_error(groups, numbers, mean).powi(2)
    };
    let values = probabilities.len();
    let frequent: Vec<usize> = (0..values)
        .filter(|&value| probabilities[value] >= MIN_FREQUENT_SHARE)
        .collect();
    let indicators = frequent.iter().map(|&value| {
        let mut indicator = vec![0.0; values];
        indicator[value] = 1.0;
        samples(&indicator)
    });
    let all_known = !columns.is_empty() || frequent.len() == values;
    let numeric = columns.iter().map(samples);
    let halves = halves(values, all_known).map(|half| samples(&half));
    // If all groups have the same mean of a function, the size computed from this function is 0 / 0 or zero; the function is then ignored.
    let known = numeric.chain(indicators).chain(halves);
    let known = known.filter(|&n| n.is_finite() && n > 0.0);
    let least = known.fold(f64::NAN, f64::min);
    if least.is_nan() {
        effective_groups(groups)
    } else {
        least
    }
}

/// Returns the fraction of the total weight that belongs to the group of samples.
fn weight(group: &[(u32, f64)]) -> f64 {
    group.iter().map(|&(_, share)| share).sum()
}

/// Returns the effective number of groups: `(Σw)² / Σw²` for their weights `w`.
pub(crate) fn effective_groups(groups: &[Vec<(u32, f64)>]) -> f64 {
    let total: f64 = groups.iter().map(|group| weight(group)).sum();
    let squares: f64 = groups.iter().map(|group| weight(group).powi(2)).sum();
    if squares > 0.0 {
        total * total / squares
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use std::any::Any;

    use figrs_core::stream;
    use rand::RngExt;

    use super::*;

    fn words(count: usize) -> NumericColumns {
        NumericColumns::new((0..count).map(|_| &"word" as &dyn Any))
    }

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
        let samples = group_samples(&groups, &[1.0 - mean, mean], &words(2));
        assert!((samples - mean * (1.0 - mean) * 4.0 / variance).abs() < 1e-12);
    }

    #[test]
    fn a_group_that_outweighs_all_others_hides_the_error() {
        let groups = vec![vec![(0, 0.999)], vec![(1, 0.0005)], vec![(1, 0.0005)]];
        assert_eq!(group_error(&groups, &[0.0, 1.0], 0.001), f64::INFINITY);
        let samples = group_samples(&groups, &[0.999, 0.001], &words(2));
        assert!((1.0..1.01).contains(&samples), "{samples}");
        let single = [vec![(0, 0.5), (1, 0.5)]];
        assert_eq!(group_samples(&single, &[0.5, 0.5], &words(2)), 1.0);
        assert_eq!(group_samples(&[], &[], &words(0)), 0.0);
    }

    #[test]
    fn groups_that_agree_are_worth_themselves() {
        let groups = vec![vec![(0, 0.5)], vec![(0, 0.5)]];
        assert_eq!(group_error(&groups, &[3.0], 3.0), 0.0);
        assert_eq!(group_samples(&groups, &[1.0], &words(1)), 2.0);
    }

    /// If all draws of the groups differ, the effective sample size is estimated from the numbers or, for values that are not numbers, from subsets
    /// of the set of values.
    #[test]
    fn values_that_never_return_are_worth_their_draws() {
        const GROUPS: u32 = 400;
        const SIZE: u32 = 50;
        let share = 1.0 / f64::from(GROUPS * SIZE);
        let group = |g| (0..SIZE).map(move |i| (g * SIZE + i, share)).collect();
        let groups: Vec<Vec<(u32, f64)>> = (0..GROUPS).map(group).collect();
        let mut random = stream(3, 0);
        let apart: Vec<f64> = (0..GROUPS * SIZE).map(|_| random.random()).collect();
        let alike: Vec<f64> = (0..GROUPS)
            .flat_map(|_| vec![random.random::<f64>(); SIZE as usize])
            .collect();
        let probabilities = vec![share; apart.len()];
        let columns = |numbers: &[f64]| NumericColumns::new(numbers.iter().map(|x| x as &dyn Any));
        // The variance of the means of 400 groups has a relative standard error of √(2 / 399), which is 0.07.
        let samples = group_samples(&groups, &probabilities, &columns(&apart));
        assert!((samples / 20_000.0 - 1.0).abs() < 0.3, "{samples}");
        let samples = group_samples(&groups, &probabilities, &columns(&alike));
        assert!((samples / 400.0 - 1.0).abs() < 0.05, "{samples}");
        // If the values are not numbers, the result is the smallest of four such estimates.
        let samples = group_samples(&groups, &probabilities, &words(apart.len()));
        assert!((0.65..1.2).contains(&(samples / 20_000.0)), "{samples}");
    }
}
