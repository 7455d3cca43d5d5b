//! The answers of random programs by dense algebra.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

use super::program::{Branch, Finite, Interval, Law, Program, Real};

/// The real elements for one joint value of the finite elements.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// The values of the finite elements.
    pub(super) values: Vec<usize>,
    /// The natural logarithm of the weight, with the evidence.
    pub(super) log: f64,
    pub(super) mean: DVector<f64>,
    pub(super) covariance: DMatrix<f64>,
    /// The mean and the standard deviation of the number with an interval, before the interval is known.
    pub(super) number: (f64, f64),
}

impl Program {
    /// The log-weight, the mean and the covariance of all real elements, for each joint value of the finite elements; `None` if the observed elements
    /// depend on each other.
    pub(super) fn by_hand(&self) -> Option<Vec<Component>> {
        let sizes: Vec<usize> = self.finite.iter().map(|f| f.rows[0].len()).collect();
        let count: usize = sizes.iter().product();
        let mut all = Vec::new();
        for index in 0..count {
            let mut values = vec![0; sizes.len()];
            let mut rest = index;
            for (value, size) in values.iter_mut().zip(&sizes).rev() {
                *value = rest % size;
                rest /= size;
            }
            let mut log: f64 = 0.0;
            for (i, Finite { parent, rows, .. }) in self.finite.iter().enumerate() {
                if let Some((set, value)) = self.set_finite
                    && set == i
                {
                    log += if values[i] == value {
                        0.0
                    } else {
                        f64::NEG_INFINITY
                    };
                    continue;
                }
                let row = &rows[parent.map_or(0, |parent| values[parent])];
                log += (row[values[i]] / row.iter().sum::<f64>()).ln();
            }
            if self
                .seen_finite
                .is_some_and(|(i, value)| values[i] != value)
            {
                continue;
            }
            if log == f64::NEG_INFINITY {
                continue;
            }
            let n = self.reals.len();
            // Each element is a linear function of independent noises, four for each element.
            let (mut means, mut noises) = (DVector::zeros(n), DMatrix::zeros(n, 4 * n));
            for (i, real) in self.reals.iter().enumerate() {
                if let Some((set, value)) = self.set
                    && set == i
                {
                    means[i] = value;
                    continue;
                }
                let entry = match (real, i.checked_sub(1).map(|before| &self.reals[before])) {
                    (Real::First(pair), _) => Some((0, i, pair)),
                    (Real::Second, Some(Real::First(pair))) => Some((1, i - 1, pair)),
                    _ => None,
                };
                if let Some((entry, first, pair)) = entry {
                    let row = pair.matrix[entry];
                    let ([a, b, c], [d, e, f]) = (pair.factors[0], pair.factors[1]);
                    means[i] = pair.offset[entry] + row[0] * pair.mean[0] + row[1] * pair.mean[1];
                    let own = if entry == 0 { [d, 0.0] } else { [e, f] };
                    let all = [row[0] * a + row[1] * b, row[1] * c, own[0], own[1]];
                    for (j, noise) in all.into_iter().enumerate() {
                        noises[(i, 4 * first + j)] = noise;
                    }
                    continue;
                }
                let (law, noise) = match real {
                    Real::Normal(law) => (law.clone(), law.variance),
                    Real::Sum(law) if law.terms.is_empty() => (Law::earlier(0), 0.0),
                    Real::Sum(law) => (law.clone(), 0.0),
                    Real::Branches(switch, laws) => {
                        let law = &laws[values[*switch]];
                        (law.clone(), law.variance)
                    }
                    Real::Choice(switch, chosen) => (Law::earlier(chosen[values[*switch]]), 0.0),
                    Real::Spread(switch, law, spreads) => (law.clone(), spreads[values[*switch]]),
                    Real::Mixed(switch, branches) => match &branches[values[*switch]] {
                        Branch::Constant(number) => (Law::constant(*number), 0.0),
                        Branch::Earlier(j) => (Law::earlier(*j), 0.0),
                        Branch::Normal(law) => (law.clone(), law.variance),
                        Branch::Select(j, numbers) => (Law::constant(numbers[values[*j]]), 0.0),
                    },
                    Real::First(_) | Real::Second => continue,
                };
                means[i] = law.offset(&values);
                for (w, j) in law.terms {
                    means[i] += w * means[j];
                    let row = noises.row(j) * w;
                    let mut own = noises.row_mut(i);
                    own += row;
                }
                noises[(i, 4 * i)] = noise.sqrt();
            }
            let seen: Vec<usize> = self.seen.iter().map(|(i, _)| *i).collect();
            let mut mean = means.clone();
            if !seen.is_empty() {
                // The observed elements are a triangular function of orthonormal noises, which the evidence determines.
                let within = noises.select_rows(&seen).transpose();
                let lengths: Vec<f64> = within.column_iter().map(|c| c.norm()).collect();
                let (basis, triangle) = within.qr().unpack();
                let own = triangle.diagonal();
                if own.len() < seen.len()
                    || own
                        .iter()
                        .zip(&lengths)
                        .any(|(x, all)| x.abs() < 1e-3 * all)
                {
                    return None;
                }
                let values = DVector::from_iterator(seen.len(), self.seen.iter().map(|(_, x)| *x));
                let apart = values - means.select_rows(&seen);
                let apart = triangle.transpose().solve_lower_triangular(&apart)?;
                let logs: f64 = own.iter().map(|x| x.abs().ln()).sum();
                let ln_tau = std::f64::consts::TAU.ln();
                log -= logs + 0.5 * (apart.norm_squared() + seen.len() as f64 * ln_tau);
                mean += &noises * &basis * apart;
                noises -= &noises * &basis * basis.transpose();
            }
            let mut component = Component {
                values,
                log,
                mean,
                covariance: &noises * noises.transpose(),
                number: (0.0, 0.0),
            };
            if let Some(interval) = &self.interval {
                component.restrict(interval)?;
            }
            all.push(component);
        }
        Some(all)
    }
}

/// The probability that a normal number is between two bounds.
pub(super) fn mass((mean, deviation): (f64, f64), within: Range<f64>) -> f64 {
    if deviation == 0.0 {
        return f64::from(within.contains(&mean));
    }
    let above = |x: f64| libm::erfc((x - mean) / deviation / 2.0_f64.sqrt()) / 2.0;
    let below = |x: f64| libm::erfc((mean - x) / deviation / 2.0_f64.sqrt()) / 2.0;
    match within.start > mean {
        true => above(within.start) - above(within.end),
        false => below(within.end) - below(within.start),
    }
}

impl Component {
    /// Conditions the elements on an interval; returns `None` if the interval is improbable but possible.
    fn restrict(&mut self, interval: &Interval) -> Option<()> {
        let mut weights = DVector::zeros(self.mean.len());
        for &(w, i) in &interval.terms {
            weights[i] += w;
        }
        let across = &self.covariance * &weights;
        let (mean, variance) = (weights.dot(&self.mean), weights.dot(&across).max(0.0));
        // A number that is known up to rounding is known.
        let size = weights.amax().powi(2) * self.covariance.amax().max(1.0);
        let deviation = match variance < 1e-12 * size {
            true => 0.0,
            false => variance.sqrt(),
        };
        self.number = (mean, deviation);
        let share = mass(self.number, interval.low..interval.high);
        self.log += share.ln();
        if deviation == 0.0 {
            return Some(());
        }
        if share < 1e-4 || variance < 1e-6 * size {
            return None;
        }
        // Mean and variance in standard deviations, by tanh-sinh quadrature.
        let standard = |x: f64| ((x - mean) / deviation).clamp(-9.0, 9.0);
        let (low, high) = (standard(interval.low), standard(interval.high));
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let (mut sum, mut total) = (0.0, 0.0);
            for i in -140..=140 {
                let t = 0.025 * f64::from(i);
                let inner = std::f64::consts::FRAC_PI_2 * t.sinh();
                let z = f64::midpoint(low, high) + (high - low) / 2.0 * inner.tanh();
                let weight = t.cosh() / inner.cosh().powi(2) * (-z * z / 2.0).exp();
                sum += weight * value(z);
                total += weight;
            }
            sum / total
        };
        let shift = mean_of(&|z| z);
        let narrowed = mean_of(&|z| (z - shift).powi(2)) - 1.0;
        self.mean += &across * (shift / deviation);
        self.covariance += &across * across.transpose() * (narrowed / variance);
        Some(())
    }
}
