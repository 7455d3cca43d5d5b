//! Which particles continue when a population is resampled.

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
    /// The continued particle of each of as many new ones, in ascending order, from numbers of the unit interval. Some weight
    /// is positive.
    pub fn ancestors(self, weights: &[f64], mut uniform: impl FnMut() -> f64) -> Vec<u32> {
        let n = weights.len();
        match self {
            Self::Systematic => {
                let offset = uniform();
                one_in_each(weights, n, |_| offset)
            }
            Self::Stratified => {
                let offsets: Vec<f64> = (0..n).map(|_| uniform()).collect();
                one_in_each(weights, n, |i| offsets[i])
            }
            Self::Multinomial => multinomial(weights, n, uniform),
            Self::Residual => {
                let total: f64 = weights.iter().sum();
                let expected: Vec<f64> = weights.iter().map(|w| w / total * n as f64).collect();
                let mut counts: Vec<usize> = expected.iter().map(|&x| x as usize).collect();
                let certain: usize = counts.iter().sum();
                let rest: Vec<f64> = expected.iter().map(|x| x.fract()).collect();
                if certain < n && rest.iter().any(|&x| x > 0.0) {
                    for continued in multinomial(&rest, n - certain, uniform) {
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

/// Independent draws in proportion to weights, in ascending order.
fn multinomial(weights: &[f64], count: usize, mut uniform: impl FnMut() -> f64) -> Vec<u32> {
    let mut points: Vec<f64> = (0..count).map(|_| uniform() * count as f64).collect();
    points.sort_unstable_by(f64::total_cmp);
    let mut passed = 0;
    starting_at(weights, count, |end| {
        while passed < count && points[passed] < end {
            passed += 1;
        }
        passed
    })
}

/// The particles at one point in each unit of the line, at these offsets.
fn one_in_each(weights: &[f64], count: usize, offset: impl Fn(usize) -> f64) -> Vec<u32> {
    starting_at(weights, count, |end| {
        // Short numbers are converted faster than long ones.
        let unit = end as u32;
        let at = unit as usize;
        if at >= count {
            return count;
        }
        at + usize::from(offset(at) < end - f64::from(unit))
    })
}

/// The particles at ascending points of the line from zero to `count` that the weights part among them; `below` says how many
/// points are below an end of a particle's part.
///
/// Without a branch that depends on the numbers: which particles continue is as good as random, and a processor that
/// guesses it wrong loses more time than all the rest takes.
fn starting_at(weights: &[f64], count: usize, mut below: impl FnMut(f64) -> usize) -> Vec<u32> {
    let total: f64 = weights.iter().sum();
    let scale = count as f64 / total;
    // Rounding at the end of the line must not choose a particle without weight.
    let last = weights.iter().rposition(|&w| w > 0.0).unwrap_or(0);
    let mut chosen = vec![0u32; count + 1];
    let mut end = 0.0;
    for (particle, weight) in (1..).zip(&weights[..last]) {
        end += weight * scale;
        // The last particle that starts at a point is the one it chooses: those before have ended there too.
        chosen[below(end)] = particle;
    }
    chosen.truncate(count);
    let mut latest = 0;
    for particle in &mut chosen {
        latest = latest.max(*particle);
        *particle = latest;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_core::stream;
    use rand::RngExt;

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
                let ancestors = how.ancestors(&weights, || rng.random());
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
            let mut rng = stream(seed, 0);
            let ancestors = Resampling::Systematic.ancestors(&weights, || rng.random());
            let residual = Resampling::Residual.ancestors(&weights, || rng.random());
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
