//! The loop of a particle filter, apart from the particles that it moves and from where random numbers come.
//!
//! [`SequentialMonteCarlo`](crate::SequentialMonteCarlo) runs [`filter`] on columns of worlds. That its estimate of the evidence is
//! unbiased is tested by running it on worlds whose every choice, those of the resampling included, is made in every way.

use crate::error::Error;

/// Worlds side by side that meet statements of evidence one after another.
pub trait Particles {
    /// Where random numbers come from.
    type Random;

    /// How many statements there are.
    fn statements(&self) -> usize;

    /// Draws what a statement needs in each world, and weighs the worlds with it; says whether to go on.
    fn meet(&mut self, statement: usize, random: &mut Self::Random) -> Result<bool, Error>;

    /// The weights since the last replacement, in units of `exp(log_scale)`; nothing if they cannot be compared yet.
    fn weights(&self) -> Option<Weighed>;

    /// Each particle becomes a copy of its ancestor, with a weight of one.
    fn replace(&mut self, ancestors: Vec<u32>);
}

/// The weights of particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// A weight for each particle.
    pub weights: Vec<f64>,
    /// The natural logarithm of their unit.
    pub log_scale: f64,
}

/// How a population went through the statements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filtered {
    /// The logarithm of the product of the mean weights at all replacements. With the mean of the last weights it is the estimate of
    /// the probability of evidence.
    pub log_replaced: f64,
    /// How many times particles were replaced.
    pub replacements: u64,
}

/// Leads particles through all statements. After each but the last, if the effective size has fallen below the share
/// `threshold` of their number, they are replaced by the `ancestors` chosen for their weights.
///
/// Returns nothing if the particles did not want to go on.
///
/// **Guarantee.** Where `ancestors` gives each particle as many continuations as its share of the weight on average, the
/// product of `exp(log_replaced)` and the mean of the last weights has the probability of evidence as its mean, for any number of
/// particles.
///
/// **References.** Del Moral (2004), "Feynman-Kac formulae", section 7.4; for replacements by effective size Del Moral, Doucet
/// and Jasra (2012).
pub fn filter<P: Particles>(
    particles: &mut P,
    threshold: f64,
    random: &mut P::Random,
    mut ancestors: impl FnMut(&[f64], &mut P::Random) -> Vec<u32>,
) -> Result<Option<Filtered>, Error> {
    let mut filtered = Filtered {
        log_replaced: 0.0,
        replacements: 0,
    };
    let statements = particles.statements();
    for statement in 0..statements {
        if !particles.meet(statement, random)? {
            return Ok(None);
        }
        if statement + 1 == statements {
            break;
        }
        let Some(Weighed { weights, log_scale }) = particles.weights() else {
            continue;
        };
        let add = |(sum, squares): (f64, f64), w: &f64| (sum + w, squares + w * w);
        let (sum, squares) = weights.iter().fold((0.0, 0.0), add);
        if sum == 0.0 {
            break;
        }
        let n = weights.len() as f64;
        // All weights equal is never a reason, whatever rounding says.
        let uneven = sum * sum < squares * n * (1.0 - 1e-12);
        if uneven && sum * sum < squares * n * threshold {
            filtered.log_replaced += (sum / n).ln() + log_scale;
            filtered.replacements += 1;
            particles.replace(ancestors(&weights, random));
        }
    }
    Ok(Some(filtered))
}
