//! The product of a normal density and a likelihood of one real number: mass, mean and variance.

use libm::erfc;

use crate::peaks::Peaks;
use crate::quadrature::integrate;

/// Number of standard deviations from the mean (negative) below which the tail probability is computed by a continued fraction.
const TAIL: f64 = -2.0;

/// Number of terms of the continued fraction, which is exact to rounding at [`TAIL`].
const TERMS: u32 = 200;

/// Distance from the mean, in standard deviations, at which a normal density is negligible. A likelihood is evaluated at greater distances only if its
/// product with the normal density is not negligible at this distance.
const REACH: f64 = 38.0;

/// Largest distance from the mean, in standard deviations, at which a likelihood is evaluated. If the product of a likelihood and a normal density is
/// not negligible at the largest distance at which the likelihood is evaluated, the product has an infinite integral, or a precision of less than
/// 1e-12 of the normal density's precision, which is a rounding error.
const FARTHEST: f64 = REACH * 1_048_576.0;

/// Number of points on each side of the mean at which a likelihood is evaluated to find its peaks and its zeros. Near the mean, the distance between
/// the points of evaluation is a hundredth of a standard deviation.
const POINTS: i32 = 400;

/// A density is negligible if the natural logarithm of its ratio to the largest density is below this number.
const NEGLIGIBLE: f64 = -75.0;

/// A function is assumed to jump between two points if it changes between them by more than this number times the change between the neighbouring
/// points.
const JUMP: f64 = 8.0;

/// Number of times that the distance to a peak is halved; at each of these distances from the peak, a quadrature begins a new interval.
const HALVES: i32 = 36;

/// Largest ratio between a standard deviation and the unit in which moments are computed. The distance from the mean to the number about which
/// moments are computed may be at most this multiple of the standard deviation. With a larger ratio of the standard deviation to the unit, moments
/// lose digits.
const NEAR: f64 = 3.0;

/// Maximum number of quadratures of one density.
const ATTEMPTS: u32 = 3;

/// Number of steps of a golden section search, which reduce the interval around a peak to 1e-12 of its width.
const SECTIONS: usize = 60;

/// A likelihood of one real number.
pub enum RealLikelihood<'a> {
    /// A likelihood that is one between two bounds and zero outside them; the bounds may be infinite.
    Between(f64, f64),
    /// A function that returns the natural logarithm of the likelihood; minus infinity and jumps are allowed. The quadrature takes account of parts
    /// of the likelihood that are narrower than a hundredth of the standard deviation only if its search for peaks finds them.
    Log(&'a dyn Fn(f64) -> f64, &'a Peaks),
}

/// The distribution of a normal number after a multiplication by a likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilted {
    /// The natural logarithm of the expected value of the likelihood. If the expected value is infinite, there is no distribution, and the mean and
    /// the variance are NaN.
    pub log_mass: f64,
    /// The mean of the distribution.
    pub mean: f64,
    /// The variance of the distribution.
    pub variance: f64,
}

impl Tilted {
    /// The result for a likelihood that grows so fast that its expected value is infinite.
    const IMPROPER: Self = Self {
        log_mass: f64::INFINITY,
        mean: f64::NAN,
        variance: f64::NAN,
    };

    /// True if the likelihood has a finite expected value.
    pub fn is_proper(&self) -> bool {
        self.log_mass < f64::INFINITY
    }
}

impl std::fmt::Debug for RealLikelihood<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Between(low, high) => write!(f, "Between({low}, {high})"),
            Self::Log(..) => f.write_str("Log"),
        }
    }
}

impl RealLikelihood<'_> {
    /// Returns the normal distribution with mean `mean` and variance `variance`, multiplied by the likelihood. Returns `None` if the likelihood is
    /// zero everywhere.
    ///
    /// **Guarantee.** For an interval with one infinite bound, the result has a closed form that is exact up to rounding, also in the far tail. For
    /// any other likelihood, the result is computed by adaptive quadrature with an estimated relative error of 1e-13. If the variance is zero, the
    /// likelihood is evaluated at the mean. If the likelihood grows so fast that its expected value is infinite, the result is not
    /// [proper](Tilted::is_proper).
    ///
    /// ```
    /// use figrs_gaussian::RealLikelihood;
    ///
    /// let positive = RealLikelihood::Between(0.0, f64::INFINITY).tilted(0.0, 1.0).unwrap();
    /// assert!((positive.mean - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-15);
    /// ```
    pub fn tilted(&self, mean: f64, variance: f64) -> Option<Tilted> {
        if variance <= 0.0 {
            let log_mass = match self {
                Self::Between(low, high) if (*low..=*high).contains(&mean) => 0.0,
                Self::Between(..) => f64::NEG_INFINITY,
                Self::Log(function, _) => function(mean),
            };
            return (log_mass > f64::NEG_INFINITY).then_some(Tilted {
                log_mass,
                mean,
                variance: 0.0,
            });
        }
        let deviation = variance.sqrt();
        match *self {
            Self::Between(low, f64::INFINITY) if low == f64::NEG_INFINITY => Some(Tilted {
                log_mass: 0.0,
                mean,
                variance,
            }),
            Self::Between(low, f64::INFINITY) => Some(above(low, mean, deviation)),
            Self::Between(f64::NEG_INFINITY, high) => {
                let mirrored = above(-high, -mean, deviation);
                Some(Tilted {
                    mean: -mirrored.mean,
                    ..mirrored
                })
            }
            Self::Between(low, high) => between(low, high, mean, deviation),
            Self::Log(function, peaks) => by_quadrature((function, peaks), mean, deviation),
        }
    }
}

/// Returns the mass (probability), the mean and the variance of a normal distribution that is truncated to values above `low`.
///
/// Let `z` be the distance of the mean `m` above the bound in standard deviations `s`, and let `r = φ(z) / Φ(z)`. The mass above the bound is `Φ(z)`,
/// the mean is `m + s r`, and the variance is `s² (1 - r (z + r))`.
fn above(low: f64, mean: f64, deviation: f64) -> Tilted {
    let z = (mean - low) / deviation;
    let log_density = -0.5 * (z * z + crate::square_root_form::LN_2_PI);
    if z > TAIL {
        let mass = 0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2);
        let ratio = log_density.exp() / mass;
        return Tilted {
            log_mass: mass.ln(),
            mean: mean + deviation * ratio,
            variance: deviation * deviation * (1.0 - ratio * (z + ratio)),
        };
    }
    // r = x + 1/(x + 2/(x + 3/(x + ...))) with x = -z (Laplace). With e = 2/(x + 3/(x + ...)) and d = 1/(x + e), 1 - r (z + r) = d (e - d), without
    // cancellation.
    let x = -z;
    let mut rest = 0.0;
    for term in (3..=TERMS).rev() {
        rest = f64::from(term) / (x + rest);
    }
    let e = 2.0 / (x + rest);
    let d = 1.0 / (x + e);
    Tilted {
        log_mass: log_density - (x + d).ln(),
        // The mean is the bound plus `d` standard deviations.
        mean: low + deviation * d,
        variance: deviation * deviation * d * (e - d),
    }
}

/// Returns the mass, the mean and the variance of a normal distribution that is truncated to values between `low` and `high`, which are finite.
fn between(low: f64, high: f64, mean: f64, deviation: f64) -> Option<Tilted> {
    if low >= high {
        return None;
    }
    let (a, b) = ((low - mean) / deviation, (high - mean) / deviation);
    let peak = 0.0_f64.clamp(a, b);
    // Far from the mean, the density decreases by the factor e within 1 / |peak| standard deviations.
    let reach = REACH / (1.0 + peak.abs() / 4.0);
    let (first, last) = ((peak - reach).max(a), (peak + reach).min(b));
    let step = (last - first) / 8.0;
    let points: Vec<f64> = (0..=8).map(|i| first + step * f64::from(i)).collect();
    let density = |z: f64| (0.5 * (peak - z) * (peak + z)).exp();
    let log_scale = -0.5 * (peak * peak + crate::square_root_form::LN_2_PI);
    let about = (first, last - first);
    Some(of_moments(
        density,
        &points,
        about,
        (mean, deviation),
        log_scale,
    ))
}

/// Returns the mass, the mean and the variance of the distribution that `density` describes. `density` is the density of the distance from `mean`, in
/// units of `deviation`. The moments are computed about `centre` in units of `scale`. If `centre` and `scale` differ much from the distribution's
/// mean and standard deviation, the moments are computed again.
fn of_moments(
    density: impl Fn(f64) -> f64,
    points: &[f64],
    (mut centre, mut scale): (f64, f64),
    (mean, deviation): (f64, f64),
    log_scale: f64,
) -> Tilted {
    let width = points[points.len() - 1] - points[0];
    let mut attempts = 0;
    loop {
        let moments = integrate(&density, points, (centre, scale));
        let (mass, first, second) = (moments[0], moments[1], moments[2]);
        let shift = first / mass;
        let variance = second / mass - shift * shift;
        let spread = variance.max(0.0).sqrt();
        let is_near =
            shift.abs() <= NEAR * spread && spread <= NEAR * scale && scale <= NEAR * spread;
        attempts += 1;
        if is_near || attempts == ATTEMPTS {
            return Tilted {
                log_mass: mass.ln() + log_scale,
                mean: mean + deviation * (centre + shift),
                variance: deviation * deviation * variance,
            };
        }
        (centre, scale) = (centre + shift, spread.max(width * 1e-12));
    }
}

/// Estimates the mean and the standard deviation of a density by the trapezoid rule. `places` has the points in ascending order, `logs` has the
/// logarithm of the density at each point, and the largest logarithm is about `best`. The estimated standard deviation is at least the distance
/// between neighbouring points around the largest density.
fn rough_moments(places: &[f64], logs: &[f64], best: f64) -> (f64, f64) {
    let around = |i: usize| (i.saturating_sub(1), (i + 1).min(places.len() - 1));
    let weight = |i: usize| {
        let (before, after) = around(i);
        (logs[i] - best).exp() * (places[after] - places[before])
    };
    let weights: Vec<f64> = (0..places.len()).map(weight).collect();
    let total: f64 = weights.iter().sum();
    let mean_of = |value: &dyn Fn(f64) -> f64| {
        let terms = weights.iter().zip(places).map(|(w, &z)| w * value(z));
        terms.sum::<f64>() / total
    };
    let largest = (0..logs.len()).max_by(|&i, &j| logs[i].total_cmp(&logs[j]));
    let (before, after) = around(largest.unwrap_or_default());
    let spacing = places[after] - places[before];
    if total > 0.0 {
        let mean = mean_of(&|z| z);
        let variance = mean_of(&|z| (z - mean) * (z - mean));
        (mean, variance.sqrt().max(spacing))
    } else {
        (f64::midpoint(places[before], places[after]), spacing)
    }
}

fn by_quadrature(
    (log, peaks): (&dyn Fn(f64) -> f64, &Peaks),
    mean: f64,
    deviation: f64,
) -> Option<Tilted> {
    let log_density = |z: f64| {
        let log = log(mean + deviation * z);
        if log.is_nan() {
            f64::NEG_INFINITY
        } else {
            log - 0.5 * (z * z + crate::square_root_form::LN_2_PI)
        }
    };
    let width = (REACH * 100.0).ln_1p() / f64::from(POINTS);
    let place = |i: i32| f64::from(i.signum()) * (f64::from(i.abs()) * width).exp_m1() / 100.0;
    let point = |z: f64| (z, log_density(z));
    let Some(mut grid) = surveyed(|i| point(place(i))) else {
        return Some(Tilted::IMPROPER);
    };
    let ends = grid[0].0..=grid[grid.len() - 1].0;
    let narrow = peaks.of(log, (mean, deviation));
    if !narrow.is_empty() {
        for (number, spacing) in narrow {
            let (z, apart) = ((number - mean) / deviation, spacing / deviation);
            let around = [z - apart, z, z + apart];
            grid.extend(around.into_iter().filter(|z| ends.contains(z)).map(point));
        }
        grid.sort_by(|a, b| a.0.total_cmp(&b.0));
        grid.dedup_by_key(|point| point.0);
    }
    let (places, logs): (Vec<f64>, Vec<f64>) = grid.into_iter().unzip();
    let mut points = Vec::new();
    let mut best = f64::NEG_INFINITY;
    // For each peak, the index of the nearest point of the grid, its place and the logarithm of its density.
    let mut peaks: Vec<(usize, f64, f64)> = Vec::new();
    for i in 0..places.len() {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(places.len() - 1));
        let is_peak =
            logs[i] > f64::NEG_INFINITY && logs[i] >= logs[before] && logs[i] >= logs[after];
        if is_peak {
            let peak = golden_section(log_density, places[before], places[after]);
            let log = log_density(peak);
            let (peak, log) = if log >= logs[i] {
                (peak, log)
            } else {
                (places[i], logs[i])
            };
            best = best.max(log);
            peaks.push((i, peak, log));
        }
    }
    if best == f64::NEG_INFINITY {
        return None;
    }
    peaks.retain(|(_, _, log)| log - best > NEGLIGIBLE);
    for &(_, peak, _) in &peaks {
        let halves = (0..HALVES).map(|power| REACH / 2.0_f64.powi(power));
        points.extend(halves.flat_map(|apart| [peak - apart, peak + apart]));
        points.push(peak);
    }
    let mut is_high: Vec<bool> = logs.iter().map(|log| log - best > NEGLIGIBLE).collect();
    // A peak may be so narrow that the density is negligible at all points of the grid.
    for peak in &peaks {
        is_high[peak.0] = true;
    }
    let is_needed = |i: &usize| {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(places.len() - 1));
        is_high[before..=after].contains(&true)
    };
    let needed: Vec<usize> = (0..places.len()).filter(is_needed).collect();
    let (first, last) = (places[needed[0]], places[needed[needed.len() - 1]]);
    points.extend(needed.iter().step_by(8).map(|&i| places[i]));
    for i in 1..places.len() - 2 {
        // The quadrature does not notice a jump between the last point of its rule and the end of an interval; therefore each jump becomes an end of
        // intervals.
        let change = |j: usize| (logs[j + 1] - logs[j]).abs();
        let around = change(i - 1).max(change(i + 1));
        let is_end = logs[i].is_finite() != logs[i + 1].is_finite();
        let is_jump = change(i).is_finite() && change(i) > JUMP * around + f64::EPSILON;
        if is_end || is_jump {
            points.push(jump(log_density, places[i], places[i + 1]));
        }
    }
    points.extend([first, last]);
    points.retain(|z| (first..=last).contains(z));
    points.sort_by(f64::total_cmp);
    points.dedup();
    if points.len() < 2 {
        return None;
    }
    let density = |z: f64| (log_density(z) - best).exp();
    let about = rough_moments(&places, &logs, best);
    let tilted = of_moments(density, &points, about, (mean, deviation), best);
    tilted.log_mass.is_finite().then_some(tilted)
}

/// Returns the points of a grid at which a quadrature evaluates a density, in ascending order, each with the logarithm of the density. The points are
/// the grid points with the indices from `-POINTS` to `POINTS`, and farther grid points on each side, as long as the density still increases, or is
/// not negligible, at the last point. Returns `None` if the density still increases, or is not negligible, beyond the distance [`FARTHEST`].
fn surveyed(point: impl Fn(i32) -> (f64, f64)) -> Option<Vec<(f64, f64)>> {
    let near: Vec<(f64, f64)> = (-POINTS..=POINTS).map(&point).collect();
    let largest = |points: &[(f64, f64)]| {
        let logs = points.iter().map(|point| point.1);
        logs.fold(f64::NEG_INFINITY, f64::max)
    };
    let mut best = largest(&near);
    let mut sides = [Vec::new(), Vec::new()];
    for (side, sign) in sides.iter_mut().zip([-1, 1]) {
        let (mut before, mut end) = (point(sign * (POINTS - 1)), point(sign * POINTS));
        while end.1 > before.1 || end.1 - best > NEGLIGIBLE {
            if end.0.abs() > FARTHEST {
                return None;
            }
            (before, end) = (end, point(sign * (POINTS + 1 + side.len() as i32)));
            side.push(end);
            best = best.max(end.1);
        }
    }
    let [low, high] = sides;
    Some(low.into_iter().rev().chain(near).chain(high).collect())
}

/// Finds a jump of `function` by bisection: each step keeps the half of the interval in which the function changes more.
fn jump(function: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let (mut at_low, mut at_high) = (function(low), function(high));
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return high;
        }
        let value = function(middle);
        let change = |a: f64, b: f64| if a == b { 0.0 } else { (a - b).abs() };
        if change(at_low, value) > change(value, at_high) {
            (high, at_high) = (middle, value);
        } else {
            (low, at_low) = (middle, value);
        }
    }
}

/// Returns the point at which `function` is largest; the function must have one peak between `low` and `high`.
fn golden_section(function: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (function(left), function(right));
    for _ in 0..SECTIONS {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = function(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = function(right);
        }
    }
    f64::midpoint(low, high)
}
