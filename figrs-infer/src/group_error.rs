//! Standard errors from independent groups of dependent samples.

/// The share of the weight from which a value's own indicator is looked at.
const FREQUENT: f64 = 0.05;

/// Groups that are worth fewer than this do not tell their error: one, or one of two with four fifths of the weight.
const TELLING: f64 = 1.5;

/// The standard error of the mean of a function whose value at position `i` is `numbers[i]`: the groups' shares of the
/// weight stand for weighted samples, as many as they are worth; infinite if they are worth too few to tell.
pub(crate) fn group_error(groups: &[Vec<(u32, f64)>], numbers: &[f64], mean: f64) -> f64 {
    let k = effective_groups(groups);
    if k < TELLING {
        return f64::INFINITY;
    }
    let deviation = |group: &Vec<(u32, f64)>| -> f64 {
        let terms = group.iter();
        terms
            .map(|&(value, share)| share * (numbers[value as usize] - mean))
            .sum()
    };
    let squares: f64 = groups.iter().map(|group| deviation(group).powi(2)).sum();
    (squares * k / (k - 1.0)).sqrt()
}

/// How many independent samples would estimate as well the probability of any value that has a twentieth of the weight;
/// the number of groups, as their weights have it, if nothing but that is known.
pub(crate) fn group_samples(groups: &[Vec<(u32, f64)>], probabilities: &[f64]) -> f64 {
    let frequent = probabilities
        .iter()
        .enumerate()
        .filter(|&(_, &p)| p >= FREQUENT);
    let samples = frequent.map(|(value, &p)| {
        let mut indicator = vec![0.0; probabilities.len()];
        indicator[value] = 1.0;
        let error = group_error(groups, &indicator, p);
        p * (1.0 - p) / (error * error)
    });
    // Where groups agree exactly, or nothing is known, 0 / 0 or a zero says nothing.
    let known = samples.filter(|&n| n.is_finite() && n > 0.0);
    let least = known.fold(f64::NAN, f64::min);
    if least.is_nan() {
        effective_groups(groups)
    } else {
        least
    }
}

/// `(Σw)² / Σw²` of the weights of the groups.
fn effective_groups(groups: &[Vec<(u32, f64)>]) -> f64 {
    let weight = |group: &Vec<(u32, f64)>| group.iter().map(|&(_, share)| share).sum::<f64>();
    let total: f64 = groups.iter().map(weight).sum();
    let squares: f64 = groups.iter().map(|group| weight(group).powi(2)).sum();
    if squares > 0.0 {
        total * total / squares
    } else {
        0.0
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
        let samples = group_samples(&groups, &[1.0 - mean, mean]);
        assert!((samples - mean * (1.0 - mean) * 4.0 / variance).abs() < 1e-12);
    }

    #[test]
    fn a_group_that_outweighs_all_others_hides_the_error() {
        let groups = vec![vec![(0, 0.999)], vec![(1, 0.0005)], vec![(1, 0.0005)]];
        assert_eq!(group_error(&groups, &[0.0, 1.0], 0.001), f64::INFINITY);
        let samples = group_samples(&groups, &[0.999, 0.001]);
        assert!((1.0..1.01).contains(&samples), "{samples}");
        assert_eq!(group_samples(&[vec![(0, 0.5), (1, 0.5)]], &[0.5, 0.5]), 1.0);
        assert_eq!(group_samples(&[], &[]), 0.0);
    }

    #[test]
    fn groups_that_agree_are_worth_themselves() {
        let groups = vec![vec![(0, 0.5)], vec![(0, 0.5)]];
        assert_eq!(group_error(&groups, &[3.0], 3.0), 0.0);
        assert_eq!(group_samples(&groups, &[1.0]), 2.0);
    }
}
