//! `Beta`: the beta distribution on the numbers from zero to one.

use std::panic::Location;

use rand::Rng;
use statrs::distribution::{Beta as Statrs, ContinuousCDF};
use statrs::function::beta::ln_beta;
use statrs::function::gamma::digamma;

use super::convention::positive;
use super::distribution::{Family, Outcomes, Tails, WrongParameter};
use super::gamma::{ln_unit_gamma, unit_gamma};
use super::likelihood::{Likelihood, Term};
use super::moments::sum_of;
use super::param::{Number, Operand};
use super::saddle_point::ln_binomial;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds a random number with a beta distribution, such as an unknown probability.
#[derive(Debug)]
pub struct Beta;

impl Beta {
    /// Creates a number with the shape parameters `a` and `b`, whose density is proportional to x^(a − 1) (1 − x)^(b − 1).
    ///
    /// The support is the numbers from 0 to 1. The mean is a / (a + b), and the variance is a b / ((a + b)² (a + b + 1)). Given `heads`
    /// true and `tails` false values of [`Flip::new(&x)`](crate::Flip::new), the posterior is Beta(a + heads, b + tails). If a shape
    /// parameter is below one, the density at one end of the interval is infinite, and observing that end is an error.
    #[track_caller]
    pub fn new(a: impl Into<Operand>, b: impl Into<Operand>) -> Element<f64> {
        compiled_family!("Beta": BetaDistribution => f64, [a.into(), b.into()])
    }
}

/// Sum of the two shape parameters above which the textbook formula of the density loses digits.
const LARGE: f64 = 1000.0;

#[derive(Clone)]
pub(super) struct BetaDistribution;

debug_name!(BetaDistribution, "Beta");

impl Family<f64> for BetaDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["shape a", "shape b"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        positive(parameters, 0)?;
        positive(parameters, 1)?;
        if (parameters[0] + parameters[1]).is_finite() {
            Ok(())
        } else {
            Err(WrongParameter::new(
                1,
                "is too large compared with the other shape",
            ))
        }
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let ([a, b], x) = ([parameters[0], parameters[1]], *value);
        if !(0.0..=1.0).contains(&x) {
            return f64::NEG_INFINITY;
        }
        if x == 0.0 || x == 1.0 {
            let (here, other) = if x == 0.0 { (a, b) } else { (b, a) };
            return match here.total_cmp(&1.0) {
                std::cmp::Ordering::Less => f64::INFINITY,
                std::cmp::Ordering::Equal => other.ln(),
                std::cmp::Ordering::Greater => f64::NEG_INFINITY,
            };
        }
        let (ln_x, ln_y) = (x.ln(), (-x).ln_1p());
        if a + b < LARGE {
            return (a - 1.0) * ln_x + (b - 1.0) * ln_y - ln_beta(a, b);
        }
        // The density equals a binomial probability times a simple factor, such as a / x.
        match (a < 1.0, b < 1.0) {
            (true, _) => ln_binomial(a, b - 1.0, x, 1.0 - x) + a.ln() - ln_x,
            (_, true) => ln_binomial(a - 1.0, b, x, 1.0 - x) + b.ln() - ln_y,
            _ => ln_binomial(a - 1.0, b - 1.0, x, 1.0 - x) + (a + b - 1.0).ln(),
        }
    }

    /// Returns the number of values, the sum of their logarithms, and the sum of the logarithms of their complements.
    fn statistics(&self, values: &[f64]) -> Option<Vec<f64>> {
        let inside = values.iter().all(|x| *x > 0.0 && *x < 1.0);
        let logs = || [sum_of(values, |x| x.ln()), sum_of(values, |x| (-x).ln_1p())];
        inside.then(|| [values.len() as f64].into_iter().chain(logs()).collect())
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let ([a, b], count) = ([parameters[0], parameters[1]], statistics[0]);
        if count == 0.0 {
            return 0.0;
        }
        // The result is `count` times the log-density at the number whose log-odds are the mean log-odds of the values, plus a correction for the
        // mean logarithms.
        let [ln_x, ln_y] = [statistics[1] / count, statistics[2] / count];
        let x = 1.0 / (1.0 + (ln_y - ln_x).exp());
        let x = x.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
        let rest = (a - 1.0) * (ln_x - x.ln()) + (b - 1.0) * (ln_y - (-x).ln_1p());
        count * (self.log_prob(parameters, &x) + rest)
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        &[Term::Log, Term::LogComplement]
    }

    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        let a = parameters[0] + likelihood.get(Term::Log);
        let b = parameters[1] + likelihood.get(Term::LogComplement);
        self.check(&[a, b]).is_ok().then(|| vec![a, b])
    }

    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let [a, b] = [parameters[0], parameters[1]];
        let (mean, rest) = (a / (a + b), b / (a + b));
        Some(vec![(mean, mean * rest / (a + b + 1.0))])
    }

    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let [a, b] = [parameters[0], parameters[1]];
        let mode = match a + b - 2.0 {
            0.0 => 0.5,
            rest => (a - 1.0) / rest,
        };
        (a >= 1.0 && b >= 1.0).then(|| vec![mode])
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        if *value <= 0.0 || *value >= 1.0 {
            return None;
        }
        let ln_of_share = if index == 0 {
            value.ln()
        } else {
            (-value).ln_1p()
        };
        let shapes = parameters[0] + parameters[1];
        Some(ln_of_share - digamma(parameters[index]) + digamma(shapes))
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let [a, b] = [parameters[0], parameters[1]];
        let share = if a < 1.0 || b < 1.0 {
            // Both gamma draws may round to zero; therefore their logarithms are compared.
            let (x, y) = (ln_unit_gamma(a, rng), ln_unit_gamma(b, rng));
            1.0 / (1.0 + (y - x).exp())
        } else {
            let (x, y) = (unit_gamma(a, rng), unit_gamma(b, rng));
            x / (x + y)
        };
        // The density may be infinite at 0 or 1, and a Flip with probability 0 or 1 may contradict an observation. A draw that rounds to 0 or 1 is
        // therefore replaced by the nearest number inside the interval.
        share.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0)
    }

    /// Returns the tail probabilities; `None` for shape parameters above 10 000, for which the series of the library of special functions is
    /// inaccurate.
    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        if parameters[0].max(parameters[1]) > 1e4 {
            return None;
        }
        let beta = Statrs::new(parameters[0], parameters[1]).ok()?;
        Some(Tails {
            lower: beta.cdf(*value),
            upper: beta.sf(*value),
        })
    }
}
