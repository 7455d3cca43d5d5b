//! Particle filter: the generic loop, apart from the representation of the particles and the source of random numbers.
//!
//! [`SequentialMonteCarlo`](crate::SequentialMonteCarlo) runs [`filter`] on columns of worlds. The unbiasedness of its
//! estimates of the evidence is tested by running it on worlds for which every choice, including those of the resampling, is
//! made in every way.

use super::resampling::sums;
use figrs_answer::error::Error;

/// Worlds that run side by side and meet statements of evidence one after another: one or more populations of the same size, each of
/// consecutive worlds.
pub trait Particles {
    /// Source of random numbers.
    type Random;

    /// Number of statements that are known.
    fn statements(&self) -> usize;

    /// True if there is a next statement, with this number.
    fn has_statement(
        &mut self,
        statement: usize,
        random: &mut Self::Random,
    ) -> Result<bool, Error> {
        let _ = random;
        Ok(statement < self.statements())
    }

    /// Number of populations.
    fn populations(&self) -> usize;

    /// Draws the elements that a statement needs in each world, and weighs the worlds with it; returns whether to continue.
    fn meet(&mut self, statement: usize, random: &mut Self::Random) -> Result<bool, Error>;

    /// The weights of the particles of each population since its last replacement.
    fn weights(&self) -> ParticleWeights;

    /// Makes particles copies of their ancestors, in populations of equal size: for each remaining population, `replaced` states whether its
    /// particles now have a weight of one; otherwise they keep the weights of their ancestors.
    fn replace(&mut self, ancestors: Vec<u32>, replaced: &[bool]);
}

/// The weights of particles.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleWeights {
    /// A weight for each particle: the weights of a population are adjacent.
    pub weights: Vec<f64>,
    /// For each population the natural logarithm of the unit of its weights; `None` if they cannot be compared yet.
    pub log_scales: Vec<Option<f64>>,
}

/// Result of a population: evidence estimate, replacements, final position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PopulationResult {
    /// The logarithm of the product of the mean weights at all replacements. With the mean of the last weights it is the estimate of
    /// the probability of evidence.
    pub log_replaced: f64,
    /// Number of times particles were replaced.
    pub replacements: u64,
    /// Position among the remaining populations; `None` if this population was removed because all its weights were zero.
    pub place: Option<usize>,
}

/// Moves particles through all statements. After each but the last, the populations whose effective size has fallen below the share
/// `threshold` of their number are replaced by ancestors: `choose` receives the weights of one population and writes down which of its
/// particles, counted from zero, each new one continues. A population whose weights are all zero is removed when others are replaced.
///
/// Returns `None` if [`Particles::meet`] ended the run.
///
/// **Guarantee.** If `choose` gives each particle as many continuations as its share of the weight on average, for each
/// population the product of `exp(log_replaced)` and the mean of the last weights (zero, if it was removed) has the probability of evidence as its
/// mean, for any number of particles.
///
/// **References.** Del Moral (2004), "Feynman-Kac formulae", section 7.4; for replacements by effective size Del Moral, Doucet
/// and Jasra (2012).
///
/// **Errors.** Those of [`Particles::meet`].
pub fn filter<P: Particles>(
    particles: &mut P,
    threshold: f64,
    random: &mut P::Random,
    mut choose: impl FnMut(&[f64], &mut [u32], &mut P::Random),
) -> Result<Option<Vec<PopulationResult>>, Error> {
    let place = |place| PopulationResult {
        place: Some(place),
        ..PopulationResult::default()
    };
    let mut filtered: Vec<PopulationResult> = (0..particles.populations()).map(place).collect();
    let mut next = 0;
    let mut has_statement = particles.has_statement(next, random)?;
    while has_statement {
        if !particles.meet(next, random)? {
            return Ok(None);
        }
        next += 1;
        has_statement = particles.has_statement(next, random)?;
        if !has_statement {
            break;
        }
        let ParticleWeights {
            weights,
            log_scales,
        } = particles.weights();
        let size = weights.len() / log_scales.len();
        let fates = weights.chunks_exact(size).zip(&log_scales);
        let fates: Vec<PopulationFate> = fates
            .map(|(weights, scale)| {
                scale.map_or(PopulationFate::Kept, |scale| {
                    fate(weights, scale, threshold)
                })
            })
            .collect();
        if fates
            .iter()
            .all(|fate| matches!(fate, PopulationFate::Extinct))
        {
            break;
        }
        if !fates
            .iter()
            .any(|fate| matches!(fate, PopulationFate::Replaced(_)))
        {
            continue;
        }
        let mut ancestors = vec![0; weights.len()];
        let mut replaced = Vec::with_capacity(fates.len());
        for population in &mut filtered {
            let Some(place) = population.place else {
                continue;
            };
            let (from, to) = (place * size, replaced.len() * size);
            let new = &mut ancestors[to..to + size];
            match fates[place] {
                PopulationFate::Extinct => {
                    population.place = None;
                    continue;
                }
                PopulationFate::Kept => new.iter_mut().zip(0..).for_each(|(new, own)| *new = own),
                PopulationFate::Replaced(log_mean) => {
                    population.log_replaced += log_mean;
                    population.replacements += 1;
                    choose(&weights[from..from + size], new, random);
                }
            }
            for new in new.iter_mut() {
                *new += from as u32;
            }
            population.place = Some(replaced.len());
            replaced.push(matches!(fates[place], PopulationFate::Replaced(_)));
        }
        ancestors.truncate(replaced.len() * size);
        particles.replace(ancestors, &replaced);
    }
    Ok(Some(filtered))
}

/// Keeps one particle of each population, drawn by `choose` in proportion to the weights; it represents the whole weight, so that
/// `exp(log_replaced)` is the estimate of the evidence. Populations whose weights are all zero are removed.
///
/// **Guarantee.** Under the condition of [`filter`], the mean of `exp(log_replaced)` times any function of the particle, zero for populations
/// that were removed, is the mean of the function over worlds that meet the evidence times its probability.
///
/// **References.** Andrieu, Doucet and Holenstein (2010), "Particle Markov chain Monte Carlo methods", section 4.1.
pub fn one_of_each<P: Particles>(
    particles: &mut P,
    filtered: &mut [PopulationResult],
    random: &mut P::Random,
    mut choose: impl FnMut(&[f64], &mut [u32], &mut P::Random),
) {
    let ParticleWeights {
        weights,
        log_scales,
    } = particles.weights();
    let mut chosen = Vec::with_capacity(log_scales.len());
    for population in filtered {
        let Some(place) = population.place.take() else {
            continue;
        };
        let size = weights.len() / log_scales.len();
        let own = &weights[place * size..(place + 1) * size];
        let (sum, _) = sums(own);
        if let Some(log_scale) = log_scales[place]
            && sum > 0.0
        {
            population.log_replaced += (sum / size as f64).ln() + log_scale;
            population.place = Some(chosen.len());
            let mut one = [0];
            choose(own, &mut one, random);
            chosen.push((place * size) as u32 + one[0]);
        }
    }
    let replaced = vec![true; chosen.len()];
    particles.replace(chosen, &replaced);
}

/// Fate of a population after a statement.
enum PopulationFate {
    Kept,
    /// The population is replaced; holds the logarithm of its mean weight.
    Replaced(f64),
    /// All its weights are zero.
    Extinct,
}

fn fate(weights: &[f64], log_scale: f64, threshold: f64) -> PopulationFate {
    let (sum, squares) = sums(weights);
    let n = weights.len() as f64;
    // Equal weights are never a reason to resample, whatever the rounding.
    let uneven = sum * sum < squares * n * (1.0 - 1e-12);
    if sum == 0.0 {
        PopulationFate::Extinct
    } else if uneven && sum * sum < squares * n * threshold {
        PopulationFate::Replaced((sum / n).ln() + log_scale)
    } else {
        PopulationFate::Kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_are_kept_whatever_rounding_says() {
        let mut rounded = 0;
        for n in 1..300 {
            let weights = vec![0.1; n];
            assert!(
                matches!(fate(&weights, 0.0, 1.0), PopulationFate::Kept),
                "{n}"
            );
            let (sum, squares) = sums(&weights);
            rounded += usize::from(sum * sum < squares * n as f64);
        }
        assert!(rounded > 10, "only {rounded} sums were rounded down");
        assert!(matches!(
            fate(&[0.1, 0.2], 0.0, 1.0),
            PopulationFate::Replaced(_)
        ));
        assert!(matches!(
            fate(&[0.0, 0.0], 0.0, 1.0),
            PopulationFate::Extinct
        ));
    }
}
