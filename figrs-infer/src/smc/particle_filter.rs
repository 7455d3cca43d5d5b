//! The particle filter as a generic loop, independent of the representation of particles and of the source of random numbers.
//!
//! [`SequentialMonteCarlo`](crate::SequentialMonteCarlo) runs the loop [`filter`] on worlds that are evaluated together. A test runs the loop
//! [`filter`] for all outcomes of all random choices, including the choices of the resampling. The test of the generic particle filter verifies that
//! the estimates of the probability of the evidence are unbiased.

use super::resampling::sums;
use figrs_answer::error::Error;
use figrs_lower::internals::PopulationWeights;

/// Particles: worlds that are evaluated at the same time. The weights of the particles are multiplied by one statement of evidence after another.
///
/// The particles form one or more populations of the same size, and the particles of a population are consecutive.
pub trait Particles {
    /// The type of the source of random numbers.
    type Random;

    /// Returns the number of statements of evidence that are known so far.
    fn statements(&self) -> usize;

    /// True if there is a statement of evidence with the index `statement`.
    fn has_statement(
        &mut self,
        statement: usize,
        random: &mut Self::Random,
    ) -> Result<bool, Error> {
        let _ = random;
        Ok(statement < self.statements())
    }

    /// Returns the number of populations of particles.
    fn populations(&self) -> usize;

    /// In each world, draws the elements that the statement of evidence needs, and multiplies the weight of the world by the probability of the
    /// statement. Returns `false` if the run of the particle filter must end.
    fn meet(&mut self, statement: usize, random: &mut Self::Random) -> Result<bool, Error>;

    /// Returns the current weights of the particles in each population. The weight of a particle covers the statements of evidence since the last
    /// replacement of the particles.
    fn weights(&self) -> PopulationWeights;

    /// Replaces the particles by copies of the particles with the indices `ancestors`, in populations of `size` particles. For each remaining
    /// population, `replaced` states whether its new particles get weight one; otherwise the new particles get the weights of their ancestors.
    fn replace(&mut self, ancestors: Vec<u32>, size: usize, replaced: &[bool]);
}

/// Result of a population of particles: its estimate of the probability of the evidence, the number of replacements, and the population's index at
/// the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PopulationResult {
    /// The logarithm of the product of the population's mean weights before each replacement of particles. The product of the mean weights,
    /// multiplied by the mean of the last weights, is the estimate of the probability of the evidence.
    pub log_replaced: f64,
    /// Number of times that the particles of the population were replaced.
    pub replacements: u64,
    /// Index of the population among the populations that remain; `None` if the population was removed because all its weights were zero.
    pub place: Option<usize>,
}

/// Runs a particle filter over all statements of evidence. After each statement of evidence except the last, a population whose effective size is
/// below the fraction `threshold` of its particles is replaced by copies of ancestors. The function `choose` receives the weights of a population,
/// and writes the index of the ancestor of each new particle. Populations whose weights are all zero are removed when other populations are replaced.
///
/// The result is `None` if [`Particles::meet`] ended the run.
///
/// **Guarantee.** The caller must ensure that `choose` gives each particle a mean number of copies in proportion to its weight. If `choose` gives
/// each particle a mean number of copies in proportion to its weight, the product of `exp(log_replaced)` and the mean of a population's last weights
/// is an unbiased estimate of the evidence's probability, for any number of particles. A population that was removed because all its weights were
/// zero counts as an estimate of zero.
///
/// **References.** Del Moral (2004), "Feynman-Kac formulae", section 7.4; for replacements by effective size Del Moral, Doucet and Jasra (2012).
///
/// **Errors.** The errors of [`Particles::meet`].
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
        let PopulationWeights { weights, log_units } = particles.weights();
        let size = weights.len() / log_units.len();
        let fates = weights.chunks_exact(size).zip(&log_units);
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
        particles.replace(ancestors, size, &replaced);
    }
    Ok(Some(filtered))
}

/// Keeps one particle of each population, which `choose` draws in proportion to the weights. The kept particle represents its whole population, whose
/// estimate of the probability of the evidence is `exp(log_replaced)` after the draw. Populations whose weights are all zero are removed.
///
/// **Guarantee.** If the function `choose` satisfies the condition of [`filter`], the mean of the product of `exp(log_replaced)` and any function of
/// the kept particle is the posterior mean of the function, times the probability of the evidence. For a population that was removed, the product of
/// `exp(log_replaced)` and the function counts as zero.
///
/// **References.** Andrieu, Doucet and Holenstein (2010), "Particle Markov chain Monte Carlo methods", section 4.1.
pub fn one_of_each<P: Particles>(
    particles: &mut P,
    filtered: &mut [PopulationResult],
    random: &mut P::Random,
    mut choose: impl FnMut(&[f64], &mut [u32], &mut P::Random),
) {
    let PopulationWeights { weights, log_units } = particles.weights();
    let mut chosen = Vec::with_capacity(log_units.len());
    for population in filtered {
        let Some(place) = population.place.take() else {
            continue;
        };
        let size = weights.len() / log_units.len();
        let own = &weights[place * size..(place + 1) * size];
        let (sum, _) = sums(own);
        if let Some(log_scale) = log_units[place]
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
    particles.replace(chosen, 1, &replaced);
}

/// State of a population of particles after a statement of evidence has weighed the particles.
enum PopulationFate {
    Kept,
    /// The particles of the population are replaced; the variant contains the logarithm of their mean weight before the replacement.
    Replaced(f64),
    /// All weights of the population are zero.
    Extinct,
}

fn fate(weights: &[f64], log_scale: f64, threshold: f64) -> PopulationFate {
    let (sum, squares) = sums(weights);
    let n = weights.len() as f64;
    // Equal weights are never resampled, even if rounding errors make them look unequal.
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
