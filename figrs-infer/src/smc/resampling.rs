//! Resampling of particles: draws the indices of ancestors in proportion to weights.

/// Number of partial sums that vector instructions compute in parallel.
const LANES: usize = 8;

/// Resampling schemes: methods of drawing ancestors in proportion to their weights.
///
/// With each scheme, a particle of normalised weight `w` has `N·w` copies on average among `N` new particles; the estimate of the probability of the
/// evidence is therefore unbiased. The schemes differ in the variance of the numbers of copies (Douc, Cappé and Moulines 2005, "Comparison of
/// resampling schemes for particle filtering").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resampling {
    /// In systematic resampling, one random number shifts `N` evenly spaced points. In systematic resampling, the number of copies of a particle of
    /// normalised weight `w` differs from its mean `N·w` by less than one.
    #[default]
    Systematic,
    /// In stratified resampling, one random point is drawn in each of `N` intervals of equal length.
    Stratified,
    /// In residual resampling, a particle of normalised weight `w` has as many copies as the integer part of `N·w`, and the remaining copies are
    /// drawn independently.
    Residual,
    /// In multinomial resampling, all `N` ancestors are drawn independently.
    Multinomial,
}

impl Resampling {
    /// Draws an ancestor for each new particle; the indices of the ancestors are in ascending order. The number of new particles equals the number of
    /// weights. The function `uniform` returns random numbers between zero and one. At least one weight must be positive.
    pub fn ancestors(self, weights: &[f64], uniform: impl FnMut() -> f64) -> Vec<u32> {
        let mut chosen = vec![0; weights.len()];
        self.choose(weights, &mut chosen, uniform);
        chosen
    }

    /// Draws an ancestor for each entry of `chosen`, in ascending order, as [`ancestors`](Self::ancestors) does. The mean number of copies of an old
    /// particle is proportional to its weight.
    pub fn choose(self, weights: &[f64], chosen: &mut [u32], mut uniform: impl FnMut() -> f64) {
        let n = chosen.len();
        match self {
            Self::Systematic => {
                let offset = uniform();
                // The number of points below the upper end `end` of an interval is the integer part of `end + offset`. Numbers are converted to
                // 32-bit integers, because this conversion is faster than the conversion to 64-bit integers.
                starting_at(weights, chosen, |end| (end + offset) as u32 as usize);
            }
            Self::Stratified => {
                let offsets: Vec<f64> = (0..n).map(|_| uniform()).collect();
                starting_at(weights, chosen, |end| {
                    let unit = end as u32;
                    let at = unit as usize;
                    let within = offsets
                        .get(at)
                        .is_some_and(|&offset| offset < end - f64::from(unit));
                    at + usize::from(within)
                });
            }
            Self::Multinomial => multinomial(weights, chosen, uniform),
            Self::Residual => {
                let (total, _) = sums(weights);
                let expected: Vec<f64> = weights.iter().map(|w| w / total * n as f64).collect();
                let mut counts: Vec<usize> = expected.iter().map(|&x| x as usize).collect();
                let certain: usize = counts.iter().sum();
                let rest: Vec<f64> = expected.iter().map(|x| x.fract()).collect();
                if certain < n && rest.iter().any(|&x| x > 0.0) {
                    let mut others = vec![0; n - certain];
                    multinomial(&rest, &mut others, uniform);
                    for continued in others {
                        counts[continued as usize] += 1;
                    }
                }
                let counts = counts.into_iter().zip(0..);
                let all = counts.flat_map(|(count, particle)| std::iter::repeat_n(particle, count));
                // Rounding may have omitted a new particle; the ancestor of this particle is then the last particle of positive weight.
                let last = weights.iter().rposition(|&w| w > 0.0).unwrap_or(0) as u32;
                let all = all.chain(std::iter::repeat(last));
                chosen
                    .iter_mut()
                    .zip(all)
                    .for_each(|(place, one)| *place = one);
            }
        }
    }
}

/// Returns the sum of `numbers` and the sum of their squares. Several partial sums are computed in parallel, so that an addition need not wait for
/// the previous addition.
pub(crate) fn sums(numbers: &[f64]) -> (f64, f64) {
    let mut lanes = [(0.0, 0.0); LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let add = |(lane, x): (&mut (f64, f64), &f64)| {
        lane.0 += x;
        lane.1 += x * x;
    };
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(add);
    }
    lanes.iter_mut().zip(rest).for_each(add);
    let add = |(sum, squares), lane: (f64, f64)| (sum + lane.0, squares + lane.1);
    lanes.into_iter().fold((0.0, 0.0), add)
}

/// Draws ancestors independently, in proportion to the weights. The drawn indices of ancestors are in ascending order.
fn multinomial(weights: &[f64], chosen: &mut [u32], mut uniform: impl FnMut() -> f64) {
    let count = chosen.len();
    let mut points: Vec<f64> = (0..count).map(|_| uniform() * count as f64).collect();
    points.sort_unstable_by(f64::total_cmp);
    let mut passed = 0;
    starting_at(weights, chosen, |end| {
        while passed < count && points[passed] < end {
            passed += 1;
        }
        passed
    });
}

/// Writes the ancestors. Each old particle has an interval of the cumulative weights, scaled to the number of ancestors. The ancestors are the
/// particles into whose intervals the points of the resampling scheme fall, in ascending order. The function `below` returns the number of points of
/// the scheme below the upper end of an interval.
///
/// The resampling code has no branch that depends on the weights, because mispredicted branches would take more time than all other work.
#[inline]
fn starting_at(weights: &[f64], chosen: &mut [u32], mut below: impl FnMut(f64) -> usize) {
    const SOME: usize = 4;
    let (total, _) = sums(weights);
    let scale = chosen.len() as f64 / total;
    // The last interval has no upper end; otherwise rounding could choose a particle of weight zero.
    let last = weights.iter().rposition(|&w| w > 0.0).unwrap_or(0);
    chosen.fill(0);
    let mut start = |end: f64, particle: usize| {
        // If the intervals of several particles start at the same point, the last of these particles is the ancestor, because the intervals of the
        // other particles contain no point.
        if let Some(place) = chosen.get_mut(below(end)) {
            *place = particle as u32;
        }
    };
    let mut end = 0.0;
    let (chunks, rest) = weights[..last].as_chunks::<SOME>();
    // The four sums of a chunk do not depend on the sums of the preceding chunk, and can therefore be computed in parallel.
    for (chunk, first) in chunks.iter().zip((1..).step_by(SOME)) {
        let one = chunk[0] * scale;
        let two = one + chunk[1] * scale;
        let three = two + chunk[2] * scale;
        let four = three + chunk[3] * scale;
        start(end + one, first);
        start(end + two, first + 1);
        start(end + three, first + 2);
        end += four;
        start(end, first + 3);
    }
    for (weight, particle) in rest.iter().zip(chunks.len() * SOME + 1..) {
        end += weight * scale;
        start(end, particle);
    }
    let mut latest = 0;
    for particle in chosen {
        latest = latest.max(*particle);
        *particle = latest;
    }
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
                // The tolerance is six standard errors of independent draws, which have the largest variance of all schemes. A correct scheme exceeds
                // it with a probability of one in 5e8.
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
    fn sums_are_those_of_numbers_and_squares() {
        for n in 0..40_u32 {
            let numbers: Vec<f64> = (1..=n).map(f64::from).collect();
            let (sum, squares) = (n * (n + 1) / 2, n * (n + 1) * (2 * n + 1) / 6);
            assert_eq!(sums(&numbers), (f64::from(sum), f64::from(squares)));
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
