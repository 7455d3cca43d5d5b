//! `NegativeBinomial`: the negative binomial distribution for counts that are more dispersed than Poisson counts.

use std::fmt;
use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use statrs::function::gamma::digamma;

use super::distribution::{Family, Outcomes, WrongParameter, derivative_by_terms};
use super::gamma::ln_unit_gamma;
use super::likelihood::{Likelihood, Term};
use super::moments::times;
use super::param::{Number, Operand};
use super::poisson::draw_poisson;
use super::saddle_point::ln_binomial;
use crate::element::Element;
use crate::element::family::compiled_family;

/// Builds a random count with a negative binomial distribution: a Poisson count whose rate is gamma-distributed.
#[derive(Debug)]
pub struct NegativeBinomial;

impl NegativeBinomial {
    /// Creates the number of failures before `successes` successes, in independent trials that each succeed with the same probability.
    ///
    /// The support is the non-negative integers, and the probability of k failures is Γ(k + successes) / (k! Γ(successes)) p^successes (1 − p)^k. The
    /// mean number of failures is successes (1 − p) / p, and the variance is mean / p. The number of successes in a negative binomial distribution is
    /// positive and at most 1e15, and need not be an integer; the mean is at most 1e9. [`Geometric::failures`](crate::Geometric::failures) is the
    /// special case of a negative binomial distribution with one success.
    #[track_caller]
    pub fn failures(successes: impl Into<Operand>, p: impl Into<Operand>) -> Element<u64> {
        compiled_family!(
            "NegativeBinomial": NegativeBinomialDistribution => u64,
            NegativeBinomialDistribution::Failures, [successes.into(), p.into()]
        )
    }

    /// Creates a random count with the mean `mean` and the dispersion `dispersion`; the smaller the dispersion, the larger the variance.
    ///
    /// The variance of the negative binomial count is mean + mean² / dispersion. The count has the distribution of the number of
    /// [`failures`](Self::failures) before `dispersion` successes of probability dispersion / (dispersion + mean).
    #[track_caller]
    pub fn with_mean(mean: impl Into<Operand>, dispersion: impl Into<Operand>) -> Element<u64> {
        compiled_family!(
            "NegativeBinomial": NegativeBinomialDistribution => u64,
            NegativeBinomialDistribution::Mean, [mean.into(), dispersion.into()]
        )
    }
}

/// Largest mean of a negative binomial count, which is also the largest rate of a Poisson distribution.
const MAX_MEAN: f64 = 1e9;

/// Largest number of successes for which `f64` distinguishes numbers of trials that differ by one failure.
const MAX_SUCCESSES: f64 = 1e15;

#[derive(Clone, Copy, PartialEq, Eq)]
enum NegativeBinomialDistribution {
    /// The parameters of the negative binomial distribution are the number of successes and the probability of a success.
    Failures,
    /// The parameters of the negative binomial distribution are the mean and the dispersion.
    Mean,
}

impl fmt::Debug for NegativeBinomialDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Failures => "NegativeBinomial::failures",
            Self::Mean => "NegativeBinomial::with_mean",
        })
    }
}

struct Trials {
    successes: f64,
    success: f64,
    failure: f64,
}

impl NegativeBinomialDistribution {
    #[inline]
    fn trials(self, parameters: &[f64]) -> Trials {
        let [first, second] = [parameters[0], parameters[1]];
        match self {
            Self::Failures => Trials {
                successes: first,
                success: second,
                failure: 1.0 - second,
            },
            Self::Mean => Trials {
                successes: second,
                success: second / (second + first),
                failure: first / (second + first),
            },
        }
    }
}

impl Family<u64> for NegativeBinomialDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        match self {
            Self::Failures => &["successes", "probability"],
            Self::Mean => &["mean", "dispersion"],
        }
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        let at_most = |index: usize, most: f64| {
            if parameters[index] > 0.0 && parameters[index] <= most {
                Ok(())
            } else {
                let problem = format!("must be positive and at most {most:e}");
                Err(WrongParameter::new(index, problem))
            }
        };
        if *self == Self::Mean {
            at_most(0, MAX_MEAN)?;
            return at_most(1, MAX_SUCCESSES);
        }
        at_most(0, MAX_SUCCESSES)?;
        let p = parameters[1];
        if !(p > 0.0 && p <= 1.0) {
            return Err(WrongParameter::new(1, "is outside (0, 1]"));
        }
        let mean = parameters[0] * ((1.0 - p) / p);
        if mean > MAX_MEAN {
            let problem = format!("gives the mean {mean:e}; it must be at most {MAX_MEAN:e}");
            return Err(WrongParameter::new(1, problem));
        }
        Ok(())
    }

    fn outcomes(&self, parameters: &[Number]) -> Outcomes<u64> {
        match (self, &parameters[1]) {
            (Self::Failures, Number::Constant(1.0)) => Outcomes::Finite(vec![(0, 1.0)]),
            _ => Outcomes::Infinite,
        }
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &u64) -> f64 {
        let Trials {
            successes,
            success,
            failure,
        } = self.trials(parameters);
        let k = *value as f64;
        if k == 0.0 {
            let ln_success = if success < failure {
                success.ln()
            } else {
                (-failure).ln_1p()
            };
            return successes * ln_success;
        }
        if failure == 0.0 {
            return f64::NEG_INFINITY;
        }
        successes.ln() - (successes + k).ln() + ln_binomial(successes, k, success, failure)
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self == other
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &u64,
        likelihood: &mut Likelihood,
    ) {
        if *self != Self::Failures || open != (1..2) {
            return likelihood.refuse();
        }
        likelihood.add(Term::Log, parameters[0]);
        likelihood.add(Term::LogComplement, *value as f64);
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &u64) -> Option<f64> {
        let k = *value as f64;
        let [first, second] = [parameters[0], parameters[1]];
        let ways = |successes: f64| digamma(k + successes) - digamma(successes);
        match (self, index) {
            (Self::Failures, 0) => Some(ways(first) + second.ln()),
            (Self::Failures, _) => derivative_by_terms(self, parameters, index, value),
            (Self::Mean, 0) => Some(times(k, 1.0 / first) - (k + second) / (second + first)),
            (Self::Mean, _) => {
                let share = (k + second) / (second + first);
                Some(ways(second) - (first / second).ln_1p() + 1.0 - share)
            }
        }
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> u64 {
        let trials = self.trials(parameters);
        if trials.failure == 0.0 {
            return 0;
        }
        let scale = trials.failure.ln() - trials.success.ln();
        draw_poisson((ln_unit_gamma(trials.successes, rng) + scale).exp(), rng)
    }
}
