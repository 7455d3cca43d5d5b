//! `Geometric`: the geometric distribution of the number of trials until the first success.

use std::fmt;
use std::ops::Range;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::distribution::{Family, Outcomes, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::moments::times;
use super::param::{Number, Operand};
use crate::element::Element;
use crate::element::family::compiled_family;

/// Builds the count of independent trials up to the first success; all trials have the same probability of success.
#[derive(Debug)]
pub struct Geometric;

impl Geometric {
    /// Creates the number of failures before the first success: 0, 1, 2, …
    ///
    /// The probability of k failures is (1 − p)^k p, the mean number of failures is (1 − p) / p and the variance (1 − p) / p². In a geometric
    /// distribution, the probability `p` of success is a number, a [`Param`](crate::Param), or an element. The probability of success is at least
    /// 1e-17, because with a smaller probability, the number of failures may not fit into `u64`.
    #[track_caller]
    pub fn failures(p: impl Into<Operand>) -> Element<u64> {
        let parameters = vec![p.into()];
        compiled_family!(
            "Geometric": GeometricDistribution => u64,
            GeometricDistribution::Failures, parameters
        )
    }

    /// Creates the number of trials up to and including the first success: 1, 2, 3, …
    ///
    /// The probability of k trials is (1 − p)^(k − 1) p, the mean number of trials is 1 / p and the variance (1 − p) / p². As for
    /// [`failures`](Self::failures), the probability `p` of success must be at least 1e-17.
    #[track_caller]
    pub fn trials(p: impl Into<Operand>) -> Element<u64> {
        let parameters = vec![p.into()];
        compiled_family!(
            "Geometric": GeometricDistribution => u64,
            GeometricDistribution::Trials, parameters
        )
    }
}

/// Least probability of success in a geometric distribution: with a smaller probability, counts above `u64::MAX` are likely.
const MIN_PROBABILITY: f64 = 1e-17;

#[derive(Clone, Copy, PartialEq, Eq)]
enum GeometricDistribution {
    Failures,
    Trials,
}

impl fmt::Debug for GeometricDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Failures => "Geometric::failures",
            Self::Trials => "Geometric::trials",
        })
    }
}

impl GeometricDistribution {
    /// Returns the number of failures that the value `value` of a geometric distribution stands for; `None` if `value` is impossible.
    fn failures(self, value: u64) -> Option<f64> {
        match self {
            Self::Failures => Some(value as f64),
            Self::Trials => value.checked_sub(1).map(|failures| failures as f64),
        }
    }
}

impl Family<u64> for GeometricDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["probability"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        if (MIN_PROBABILITY..=1.0).contains(&parameters[0]) {
            Ok(())
        } else {
            let problem = format!("is outside [{MIN_PROBABILITY:e}, 1]");
            Err(WrongParameter::new(0, problem))
        }
    }

    fn outcomes(&self, parameters: &[Number]) -> Outcomes<u64> {
        match (&parameters[0], self) {
            (Number::Constant(1.0), Self::Failures) => Outcomes::Finite(vec![(0, 1.0)]),
            (Number::Constant(1.0), Self::Trials) => Outcomes::Finite(vec![(1, 1.0)]),
            _ => Outcomes::Infinite,
        }
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &u64) -> f64 {
        let p = parameters[0];
        match self.failures(*value) {
            None => f64::NEG_INFINITY,
            Some(0.0) => p.ln(),
            Some(failures) => failures * (-p).ln_1p() + p.ln(),
        }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self == other
    }

    /// Returns the sufficient statistics of the geometric values `values`: the number of values and the total number of failures.
    fn statistics(&self, values: &[u64]) -> Option<Vec<f64>> {
        let failures = values.iter().map(|value| self.failures(*value));
        let failures: f64 = failures.sum::<Option<f64>>()?;
        Some(vec![values.len() as f64, failures])
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let (p, [count, failures]) = (parameters[0], [statistics[0], statistics[1]]);
        times(failures, (-p).ln_1p()) + times(count, p.ln())
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &u64,
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        match self.failures(*value) {
            Some(failures) => {
                likelihood.add(Term::Log, 1.0);
                likelihood.add(Term::LogComplement, failures);
            }
            None => likelihood.refuse(),
        }
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        likelihood.add(Term::Log, statistics[0]);
        likelihood.add(Term::LogComplement, statistics[1]);
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> u64 {
        // Draws by inversion of the probability of at least k failures, (1 − p)^k.
        let uniform = 1.0 - rng.random::<f64>();
        let failures = (uniform.ln() / (-parameters[0]).ln_1p()) as u64;
        match self {
            Self::Failures => failures,
            Self::Trials => failures.saturating_add(1),
        }
    }
}
