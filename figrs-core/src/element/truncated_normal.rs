//! `TruncatedNormal`: a normal distribution between two bounds.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use std::panic::Location;

use libm::{erf, erfc};
use rand::distr::Distribution as _;
use rand::{Rng, RngExt};
use statrs::distribution::Normal as Statrs;

use super::convention::kept_finite;
use super::distribution::{Family, Outcomes, Tails, WrongParameter};
use super::exponential::unit_exponential;
use super::normal::{NormalDistribution, Spread};
use super::param::{Number, Operand};
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds a random number with a normal distribution that is restricted to an interval.
#[derive(Debug)]
pub struct TruncatedNormal;

impl TruncatedNormal {
    /// Creates a number between `lower` and `upper`, from the normal distribution with the mean `mean` and the [`Variance`](crate::Variance),
    /// [`StandardDeviation`](crate::StandardDeviation) or [`Precision`](crate::Precision) `spread`. The mean and the variance of the truncated normal
    /// distribution differ from those of the normal distribution.
    ///
    /// The support of the truncated normal distribution consists of the numbers from `lower` to `upper`. The truncated normal density is that of
    /// [`Normal`](crate::Normal) divided by the probability of the interval. One or both of the bounds of the truncation interval may be infinite
    /// (`f64::NEG_INFINITY` or `f64::INFINITY`). The bounds of the truncated normal distribution may lie far in a tail of the normal distribution.
    /// Far in a tail, truncated normal numbers are drawn by rejection from an exponential or uniform distribution (Robert 1995, "Simulation of
    /// truncated normal variables").
    ///
    /// ```
    /// # use figrs_core::{StandardDeviation, TruncatedNormal};
    /// let height = TruncatedNormal::new(1.7, StandardDeviation(0.2), 0.5, 2.5);
    /// let positive = TruncatedNormal::new(-3.0, StandardDeviation(1.0), 0.0, f64::INFINITY);
    /// # drop((height, positive));
    /// ```
    #[track_caller]
    pub fn new(
        mean: impl Into<Operand>,
        spread: impl Into<Spread>,
        lower: impl Into<Operand>,
        upper: impl Into<Operand>,
    ) -> Element<f64> {
        let (family, spread) = NormalDistribution::of_spread(spread.into());
        compiled_family!(
            "TruncatedNormal": TruncatedNormalDistribution => f64,
            TruncatedNormalDistribution(family), [mean.into(), spread, lower.into(), upper.into()]
        )
    }
}

/// Largest distance of the truncation interval from the mean, in standard deviations; an interval farther away is an error.
const MAX_DISTANCE: f64 = 1e150;

#[derive(Clone)]
struct TruncatedNormalDistribution(NormalDistribution);

debug_name!(TruncatedNormalDistribution, "TruncatedNormal");

/// An interval of the standard normal distribution, given by its bounds in standard deviations from the mean.
///
/// The probability (mass) of an interval is computed in units of the normal density at the point of the interval nearest to the mean, which prevents
/// underflow.
#[derive(Clone, Copy, Debug)]
struct Interval {
    lower: f64,
    upper: f64,
    width: f64,
}

impl Interval {
    fn new(mean: f64, deviation: f64, [lower, upper]: [f64; 2]) -> Self {
        let standard = |x: f64| (x / 2.0 - mean / 2.0) / deviation * 2.0;
        Self {
            lower: standard(lower),
            upper: standard(upper),
            width: (upper / 2.0 - lower / 2.0) / deviation * 2.0,
        }
    }

    fn nearest(self) -> f64 {
        nearest(0.0, self.lower, self.upper)
    }

    /// Returns the interval of the standard normal distribution, mirrored at the mean if it lies below the mean.
    fn upright(self) -> Self {
        if self.upper < 0.0 {
            Self {
                lower: -self.upper,
                upper: -self.lower,
                width: self.width,
            }
        } else {
            self
        }
    }

    /// Returns the integral of exp((t² − z²) / 2) over the interval of z, where `t` is the point of the interval nearest to the mean.
    fn mass(self) -> f64 {
        let Self {
            lower,
            upper,
            width,
        } = self.upright();
        if width * lower.abs().max(upper.abs()).max(1.0) < NARROW {
            let t = self.upright().nearest();
            let middle = lower + width / 2.0;
            let (below, sum) = (middle - t, middle + t);
            let curve = (middle * middle - 1.0) * width * width / 24.0;
            return width * (-below * sum / 2.0).exp() * (1.0 + curve);
        }
        if lower > 0.0 {
            mills(lower) - (-width * f64::midpoint(lower, upper)).exp() * mills(upper)
        } else {
            FRAC_PI_2.sqrt() * (erf(upper * FRAC_1_SQRT_2) - erf(lower * FRAC_1_SQRT_2))
        }
    }

    /// Returns the logarithm of the fraction of the normal probability of the interval `self` that lies in the interval `part`. The argument `apart`
    /// is the distance between two points: the point of the interval `self` nearest to the mean, and the point of the interval `part` nearest to the
    /// mean.
    fn ln_share(self, part: Self, apart: f64) -> f64 {
        let sum = self.nearest() + part.nearest();
        part.mass().ln() - self.mass().ln() - apart * sum / 2.0
    }

    fn draw<R: Rng + ?Sized>(self, rng: &mut R) -> f64 {
        let nearest = self.nearest();
        if self.width.is_nan() || self.width <= 0.0 || nearest.abs() > MAX_DISTANCE {
            // If a parameter has become invalid, rejection sampling might not end.
            return nearest;
        }
        if self.upper < 0.0 {
            return -self.upright().draw(rng);
        }
        let Self {
            lower,
            upper,
            width,
        } = self;
        let accepts = |log: f64, rng: &mut R| rng.random::<f64>().ln() <= log;
        if lower >= 0.0 {
            // This rate of the exponential proposal has the highest probability of acceptance.
            let rate = f64::midpoint(lower, lower.hypot(2.0));
            loop {
                let (z, log) = if width * rate > 1.0 {
                    let z = lower + unit_exponential(rng) / rate;
                    (z, -(z - rate) * (z - rate) / 2.0)
                } else {
                    let above = width * rng.random::<f64>();
                    (lower + above, -above * (lower + above / 2.0))
                };
                if z <= upper && accepts(log, rng) {
                    return z;
                }
            }
        }
        let normal = Statrs::standard();
        loop {
            let (z, log) = if width > WIDE {
                (normal.sample(rng), 0.0)
            } else {
                let z = lower + width * rng.random::<f64>();
                (z, -z * z / 2.0)
            };
            if (lower..=upper).contains(&z) && accepts(log, rng) {
                return z;
            }
        }
    }
}

fn nearest(x: f64, lower: f64, upper: f64) -> f64 {
    x.max(lower).min(upper)
}

/// If the width of an interval times its distance from the mean is below this number, the normal probability of the interval is computed at its
/// middle.
const NARROW: f64 = 1e-3;

/// If a truncation interval is wider than sqrt(2π), a draw from the normal distribution falls inside the interval more often than a uniform draw is
/// accepted by rejection.
const WIDE: f64 = 2.506_628_274_631_000_2;

/// Returns Mills' ratio: the normal probability of a number above `x`, divided by the density at `x`, which is positive.
fn mills(x: f64) -> f64 {
    if x < 30.0 {
        return FRAC_PI_2.sqrt() * erfc(x * FRAC_1_SQRT_2) * (x * x / 2.0).exp();
    }
    let m = 1.0 / (x * x);
    (1.0 - m * (1.0 - 3.0 * m * (1.0 - 5.0 * m * (1.0 - 7.0 * m * (1.0 - 9.0 * m))))) / x
}

impl TruncatedNormalDistribution {
    fn interval(&self, parameters: &[f64], bounds: [f64; 2]) -> Interval {
        Interval::new(parameters[0], self.0.deviation(parameters[1]), bounds)
    }

    fn between(&self, parameters: &[f64]) -> Interval {
        self.interval(parameters, [parameters[2], parameters[3]])
    }
}

impl Family<f64> for TruncatedNormalDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        match self.0.parameters()[1] {
            "variance" => &["mean", "variance", "lower bound", "upper bound"],
            "precision" => &["mean", "precision", "lower bound", "upper bound"],
            _ => &["mean", "standard deviation", "lower bound", "upper bound"],
        }
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        self.0.check(parameters)?;
        let [lower, upper] = [parameters[2], parameters[3]];
        if lower.is_nan() || lower == f64::INFINITY {
            return Err(WrongParameter::new(2, "must be a number or -inf"));
        }
        if upper.is_nan() || upper <= lower {
            let problem = format!("must be above the lower bound {lower:?}");
            return Err(WrongParameter::new(3, problem));
        }
        let nearest = self.between(parameters).nearest();
        if nearest.abs() > MAX_DISTANCE {
            let index = if nearest > 0.0 { 2 } else { 3 };
            let problem = format!("is over {MAX_DISTANCE:e} standard deviations from the mean");
            return Err(WrongParameter::new(index, problem));
        }
        Ok(())
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let [mean, lower, upper] = [parameters[0], parameters[2], parameters[3]];
        if !(lower..=upper).contains(value) || value.is_infinite() {
            return f64::NEG_INFINITY;
        }
        let deviation = self.0.deviation(parameters[1]);
        let nearest = nearest(mean, lower, upper);
        // `value` and `nearest` are subtracted from each other first, because both may be far from the mean.
        let apart = (value / 2.0 - nearest / 2.0) / deviation;
        let sum = (value / 2.0 - mean / 2.0 + (nearest / 2.0 - mean / 2.0)) / deviation;
        -2.0 * apart * sum - self.between(parameters).mass().ln() - deviation.ln()
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.0.is_same_as(&other.0)
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        if !(parameters[2]..=parameters[3]).contains(value) {
            return Some(0.0);
        }
        let between = self.between(parameters);
        let deviation = self.0.deviation(parameters[1]);
        let (t, mass) = (between.nearest(), between.mass());
        // Returns the density at a bound, and the product of the density and the bound; both are zero at infinity.
        let edge = |z: f64| {
            let density = (-(z - t) * (z + t) / 2.0).exp() / mass;
            (density, if z.is_finite() { z * density } else { 0.0 })
        };
        let ((low, low_first), (high, high_first)) = (edge(between.lower), edge(between.upper));
        let z = (value - parameters[0]) / deviation;
        Some(match index {
            0 => (z - low + high) / deviation,
            1 => {
                let slope = (z * z - 1.0 - low_first + high_first) / deviation;
                slope * self.0.deviation_slope(parameters[1])
            }
            2 => low / deviation,
            _ => -high / deviation,
        })
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let z = self.between(parameters).draw(rng);
        let x = kept_finite(parameters[0] + kept_finite(self.0.deviation(parameters[1]) * z));
        nearest(x, parameters[2], parameters[3])
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let [lower, upper] = [parameters[2], parameters[3]];
        let value = nearest(*value, lower, upper);
        let all = self.between(parameters);
        let deviation = self.0.deviation(parameters[1]);
        let half_nearest = |lower: f64, upper: f64| nearest(parameters[0], lower, upper) / 2.0;
        let share = |from: f64, to: f64| {
            // The points of the two intervals nearest to the mean are subtracted from each other first, because both points may be far from the mean.
            let apart = (half_nearest(from, to) - half_nearest(lower, upper)) / deviation * 2.0;
            let part = self.interval(parameters, [from, to]);
            all.ln_share(part, apart).exp()
        };
        Some(Tails {
            lower: share(lower, value),
            upper: share(value, upper),
        })
    }
}
