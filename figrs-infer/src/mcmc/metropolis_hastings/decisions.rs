//! The random decisions of a Metropolis-Hastings step.

use figrs_lower::Chooser;
use rand::{Rng, RngExt};

/// Source of the random decisions of a Metropolis-Hastings step: a stream of random numbers, or a test that tries all outcomes of each decision.
pub trait StepDecisions: Chooser {
    /// Returns a random number below `count`; all numbers are equally likely.
    fn uniform_index(&mut self, count: usize) -> usize;
    /// Returns `true` with probability `probability`.
    fn bernoulli(&mut self, probability: f64) -> bool;
    /// Returns a number from the standard normal distribution, or from another symmetric distribution with the same mean and variance.
    fn normal(&mut self) -> f64;
    /// Returns `true` with the probability `exp(log_probability)`; always returns `true` if `log_probability` is positive.
    fn accepts(&mut self, log_probability: f64) -> bool {
        self.bernoulli(probability(log_probability))
    }
}

impl<R: Rng> StepDecisions for R {
    fn uniform_index(&mut self, count: usize) -> usize {
        self.random_range(0..count.max(1))
    }

    fn bernoulli(&mut self, probability: f64) -> bool {
        probability >= 1.0 || self.random::<f64>() < probability
    }

    fn normal(&mut self) -> f64 {
        // The method of Box and Muller (1958).
        let radius = (-2.0 * (1.0 - self.random::<f64>()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.random::<f64>()).cos()
    }

    #[inline]
    fn accepts(&mut self, log_probability: f64) -> bool {
        // The exponential of a logarithm closer to zero than this bound rounds to one.
        if log_probability < -f64::EPSILON / 4.0 {
            let random = self.random::<f64>();
            // The exponential is slow compared with the rest of a step, and is computed only if necessary. The product `exp(x) (1 - x)` is at most
            // one; a random number above `1 / (1 - x)` is therefore above `exp(x)`.
            random * (1.0 - log_probability) <= 1.0 && random < probability(log_probability)
        } else {
            true
        }
    }
}

/// Returns the acceptance probability of a proposal, given its logarithm. The function must not be inlined: otherwise its exponential would be
/// computed even if the acceptance probability is not needed.
#[inline(never)]
pub(super) fn probability(log_acceptance: f64) -> f64 {
    if log_acceptance < 0.0 {
        log_acceptance.exp()
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;

    use super::*;

    #[test]
    fn few_exponentials_decide_as_all_would() {
        let near = f64::EPSILON / 4.0;
        for log in [
            f64::NEG_INFINITY,
            -40.0,
            -3.0,
            -0.1,
            -1e-9,
            -1.5 * near,
            -near,
            0.0,
            2.0,
        ] {
            let (mut random, mut again) = (stream(1, 0), stream(1, 0));
            for _ in 0..2000 {
                let accepted = random.accepts(log);
                assert_eq!(accepted, again.bernoulli(probability(log)), "{log}");
            }
            assert_eq!(random, again);
        }
    }
}
