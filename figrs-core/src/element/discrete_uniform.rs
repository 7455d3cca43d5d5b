//! `DiscreteUniform`: the discrete uniform distribution on a range of integers.

use std::ops::RangeInclusive;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::distribution::{Family, Outcomes, WrongParameter};
use super::param::Number;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};
use crate::value::integer::Integer;

/// Builds a random integer that takes each value of a range with the same probability.
///
/// [`Uniform`](crate::Uniform) is for a list of values of any type, [`ContinuousUniform`](crate::ContinuousUniform) for
/// real numbers.
#[derive(Debug)]
pub struct DiscreteUniform;

impl DiscreteUniform {
    /// Creates an integer from `lower` to `upper`, both included; each bound is an integer or an element of integers.
    ///
    /// The mean of the discrete uniform distribution is (lower + upper) / 2, and its variance is (n² − 1) / 12 for a range of n values; n is at most
    /// 2²⁴.
    #[track_caller]
    pub fn new(lower: impl Into<Integer>, upper: impl Into<Integer>) -> Element<i64> {
        compiled_family!(
            "DiscreteUniform": DiscreteUniformDistribution => i64,
            [lower.into().operand(), upper.into().operand()]
        )
    }
}

const MAX_OUTCOMES: f64 = 16_777_216.0;

/// 2⁵³, up to which `f64` represents every integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

#[derive(Clone)]
struct DiscreteUniformDistribution;

debug_name!(DiscreteUniformDistribution, "DiscreteUniform");

impl DiscreteUniformDistribution {
    /// Returns the integers from `lower` to `upper`; if there are too many integers for a list, returns only the smallest integers.
    fn values(lower: f64, upper: f64) -> RangeInclusive<i64> {
        lower as i64..=upper.min(lower + (MAX_OUTCOMES - 1.0)) as i64
    }

    fn count(parameters: &[f64]) -> f64 {
        parameters[1] - parameters[0] + 1.0
    }
}

impl Family<i64> for DiscreteUniformDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["lower bound", "upper bound"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        let [lower, upper] = [parameters[0], parameters[1]];
        for (index, bound) in [lower, upper].into_iter().enumerate() {
            if !(bound.abs() < EXACT && bound.fract() == 0.0) {
                let problem = "must be an integer below 2^53 in size";
                return Err(WrongParameter::new(index, problem));
            }
        }
        if lower > upper {
            let problem = format!("must not be below the lower bound {lower:?}");
            return Err(WrongParameter::new(1, problem));
        }
        if Self::count(parameters) > MAX_OUTCOMES {
            let problem = format!(
                "is too far above the lower bound {lower:?}; at most {MAX_OUTCOMES} values can be listed"
            );
            return Err(WrongParameter::new(1, problem));
        }
        Ok(())
    }

    fn outcomes(&self, parameters: &[Number]) -> Outcomes<i64> {
        let numbers = [parameters[0].get(), parameters[1].get()];
        if self.check(&numbers).is_err() {
            return Outcomes::Finite(Vec::new());
        }
        let share = 1.0 / Self::count(&numbers);
        let values = Self::values(numbers[0], numbers[1]);
        Outcomes::Finite(values.map(|n| (n, share)).collect())
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &i64) -> f64 {
        let inside = (parameters[0]..=parameters[1]).contains(&(*value as f64));
        if inside {
            -Self::count(parameters).ln()
        } else {
            f64::NEG_INFINITY
        }
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> i64 {
        let values = Self::values(parameters[0], parameters[1]);
        if values.is_empty() {
            parameters[0] as i64
        } else {
            rng.random_range(values)
        }
    }
}
