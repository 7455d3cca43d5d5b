//! Which particles continue when a population is resampled.

use rand::{Rng, RngExt};

/// How particles are drawn in proportion to their weights.
///
/// Each gives every particle `N·w` continuations on average, so that the estimate of the evidence stays unbiased; they differ
/// in how far the numbers stray from that (Douc, Cappé and Moulines 2005, "Comparison of resampling schemes for particle
/// filtering").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resampling {
    /// One random number, evenly spaced points: the numbers differ from `N·w` by less than one.
    #[default]
    Systematic,
    /// One random point in each of `N` even strata.
    Stratified,
    /// The whole part of `N·w` for certain, the rest independently.
    Residual,
    /// All independently.
    Multinomial,
}

impl Resampling {
    /// The continued particle of each of as many new ones, in ascending order. Some weight is positive.
    pub(crate) fn ancestors<R: Rng + ?Sized>(self, weights: &[f64], rng: &mut R) -> Vec<u32> {
        let n = weights.len();
        match self {
            Self::Systematic => {
                let offset: f64 = rng.random();
                at_points(weights, n, |i| i as f64 + offset)
            }
            Self::Stratified => at_points(weights, n, |i| i as f64 + rng.random::<f64>()),
            Self::Multinomial => multinomial(weights, n, rng),
            Self::Residual => {
                let total: f64 = weights.iter().sum();
                let expected: Vec<f64> = weights.iter().map(|w| w / total * n as f64).collect();
                let mut counts: Vec<usize> = expected.iter().map(|&x| x as usize).collect();
                let certain: usize = counts.iter().sum();
                let rest: Vec<f64> = expected.iter().map(|x| x.fract()).collect();
                if certain < n && rest.iter().any(|&x| x > 0.0) {
                    for continued in multinomial(&rest, n - certain, rng) {
                        counts[continued as usize] += 1;
                    }
                }
                let mut ancestors = Vec::with_capacity(n);
                for (particle, count) in counts.into_iter().enumerate() {
                    ancestors.resize(ancestors.len() + count, particle as u32);
                }
                // Rounding may have left one out.
                let last = ancestors.last().copied().unwrap_or(0);
                ancestors.resize(n, last);
                ancestors
            }
        }
    }
}

/// Independent draws in proportion to weights, in ascending order: the points of a Poisson process (Devroye 1986, V.2).
fn multinomial<R: Rng + ?Sized>(weights: &[f64], count: usize, rng: &mut R) -> Vec<u32> {
    let mut points = Vec::with_capacity(count + 1);
    let mut sum = 0.0;
    for _ in 0..=count {
        sum -= (1.0 - rng.random::<f64>()).ln();
        points.push(sum);
    }
    at_points(weights, count, |i| points[i] / sum * count as f64)
}

/// The particles at ascending points of the line from zero to `count` that the weights part among them.
fn at_points(weights: &[f64], count: usize, mut point: impl FnMut(usize) -> f64) -> Vec<u32> {
    let total: f64 = weights.iter().sum();
    let scale = count as f64 / total;
    // Rounding at the end of the line must not choose a particle without weight.
    let last = weights.iter().rposition(|&w| w > 0.0).unwrap_or(0);
    let (mut particle, mut reached) = (0, weights[0] * scale);
    let mut chosen = Vec::with_capacity(count);
    for i in 0..count {
        let point = point(i);
        while point >= reached && particle < last {
            particle += 1;
            reached += weights[particle] * scale;
        }
        chosen.push(particle as u32);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_core::stream;

    const ALL: [Resampling; 4] = [
        Resampling::Systematic,
        Resampling::Stratified,
        Resampling::Residual,
        Resampling::Multinomial,
    ];

    #[test]
    fn particles_without_weight_end_and_numbers_are_right_on_average() {
        let weights = [0.0, 0.1, 2.5, 0.0, 1.0, 0.4, 0.0];
        let total: f64 = weights.iter().sum();
        let rounds = 20_000;
        for how in ALL {
            let mut rng = stream(3, 0);
            let mut counts = [0.0; 7];
            for _ in 0..rounds {
                let ancestors = how.ancestors(&weights, &mut rng);
                assert!(ancestors.len() == 7 && ancestors.is_sorted());
                for ancestor in ancestors {
                    counts[ancestor as usize] += 1.0;
                }
            }
            for (count, weight) in counts.iter().zip(weights) {
                let expected = weight / total * 7.0;
                // Six standard errors of independent draws, the widest of the schemes: one in 5e8.
                let error = 6.0 * (expected / f64::from(rounds)).sqrt();
                let mean = count / f64::from(rounds);
                assert!(
                    (mean - expected).abs() <= error,
                    "{how:?}: {mean} {expected}"
                );
            }
        }
    }

    #[test]
    fn the_steady_schemes_stay_within_one() {
        let weights = [0.3, 1.7, 2.2, 0.8];
        for seed in 0..200 {
            let ancestors = Resampling::Systematic.ancestors(&weights, &mut stream(seed, 0));
            let residual = Resampling::Residual.ancestors(&weights, &mut stream(seed, 1));
            for (particle, weight) in weights.iter().enumerate() {
                let share = weight / 5.0 * 4.0;
                let count =
                    |list: &[u32]| list.iter().filter(|&&a| a as usize == particle).count() as f64;
                assert!((count(&ancestors) - share).abs() < 1.0);
                assert!(count(&residual) >= share.floor());
            }
        }
    }
}
