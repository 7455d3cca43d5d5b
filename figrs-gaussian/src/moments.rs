//! Means and covariances of real numbers, and the merging of mixtures.

use nalgebra::{DMatrix, DVector};

use crate::expectation_propagation::Projection;
use crate::mixture::{Component, Mixture};

#[derive(Clone, Debug)]
pub(crate) struct Moments {
    pub(crate) mean: DVector<f64>,
    pub(crate) covariance: DMatrix<f64>,
}

impl Moments {
    /// Returns the mean and the variance of `projection`, a linear function of the numbers with the indices `numbers`.
    pub(crate) fn projected(&self, numbers: &[usize], projection: &Projection) -> (f64, f64) {
        let terms = || numbers.iter().zip(&projection.coefficients);
        let mean: f64 = terms().map(|(&i, c)| c * self.mean[i]).sum();
        let mut variance = 0.0;
        for (&i, a) in terms() {
            variance += a * terms()
                .map(|(&j, b)| b * self.covariance[(i, j)])
                .sum::<f64>();
        }
        (projection.offset + mean, variance.max(0.0))
    }
    /// Returns the moments of `n` real numbers. `self` has the moments of the last of these numbers, at the indices `numbers`; `conditional` is the
    /// conditional distribution of the other numbers. The contents of `buffer` are overwritten.
    ///
    /// **References.** Rauch, Tung and Striebel 1965.
    pub(crate) fn extended(
        &self,
        numbers: &[usize],
        (conditional, n): (&[f64], usize),
        buffer: &mut Vec<f64>,
    ) -> Self {
        let r = n - numbers.len();
        if r == 0 {
            let Component {
                mean, covariance, ..
            } = part(self, numbers, 1.0);
            return Self { mean, covariance };
        }
        let row = |i: usize| &conditional[i * (n + 1)..(i + 1) * (n + 1)];
        let mut mean = DVector::zeros(n);
        let known = numbers.iter().map(|&number| self.mean[number]);
        mean.iter_mut()
            .skip(r)
            .zip(known)
            .for_each(|(to, x)| *to = x);
        // The diagonal of the triangle has no zeros; therefore the equations have a solution.
        for i in (0..r).rev() {
            let row = row(i);
            let others = row[i + 1..n].iter().zip(&mean.as_slice()[i + 1..]);
            let others: f64 = others.map(|(a, x)| a * x).sum();
            mean[i] = (row[n] - others) / row[i];
        }
        // `buffer` gets the inverse of the triangle, followed by the derivatives of the eliminated numbers with respect to the numbers of the
        // message, column by column.
        buffer.clear();
        buffer.resize(r * n, 0.0);
        for (j, column) in buffer.chunks_exact_mut(r).enumerate() {
            let from = if j < r {
                column[j] = 1.0;
                j + 1
            } else {
                (0..r).for_each(|i| column[i] = -row(i)[j]);
                r
            };
            for i in (0..from).rev() {
                let x = column[i] / row(i)[i];
                column[i] = x;
                (0..i).for_each(|k| column[k] -= row(k)[i] * x);
            }
        }
        let (inverse, pull) = buffer.split_at(r * r);
        let mut covariance = DMatrix::zeros(n, n);
        let (own, across) = covariance.as_mut_slice().split_at_mut(r * n);
        for (column, &number) in across.chunks_exact_mut(n).zip(numbers) {
            let (top, bottom) = column.split_at_mut(r);
            for ((to, &other), pull) in bottom.iter_mut().zip(numbers).zip(pull.chunks_exact(r)) {
                *to = self.covariance[(other, number)];
                add_multiple(top, *to, pull);
            }
        }
        for (j, column) in own.chunks_exact_mut(n).enumerate() {
            let top = &mut column[..=j];
            for inverse in inverse.chunks_exact(r).skip(j) {
                add_multiple(top, inverse[j], inverse);
            }
            for (across, pull) in across.chunks_exact(n).zip(pull.chunks_exact(r)) {
                add_multiple(top, pull[j], across);
            }
        }
        covariance.fill_lower_triangle_with_upper_triangle();
        Moments { mean, covariance }
    }
}

fn add_multiple(sum: &mut [f64], factor: f64, numbers: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(numbers) {
        *sum += factor * x;
    }
}

/// Returns the marginal distribution of the real numbers with the indices `numbers`, as a component of a mixture.
pub(crate) fn part(moments: &Moments, numbers: &[usize], share: f64) -> Component {
    let n = numbers.len();
    Component {
        share,
        mean: DVector::from_fn(n, |i, _| moments.mean[numbers[i]]),
        covariance: DMatrix::from_fn(n, n, |i, j| moments.covariance[(numbers[i], numbers[j])]),
    }
}

/// Returns the mean and the covariance of a mixture; its shares need not sum to one. Returns `None` if there are no components.
pub(crate) fn merge(components: Vec<Component>) -> Option<Moments> {
    let total: f64 = components.iter().map(|c| c.share).sum();
    let shared = components.into_iter().map(|c| Component {
        share: c.share / total,
        ..c
    });
    let mut mixture = Mixture {
        components: shared.collect(),
    };
    if mixture.components.len() == 1 {
        let Component {
            mean, covariance, ..
        } = mixture.components.pop()?;
        return Some(Moments { mean, covariance });
    }
    (!mixture.components.is_empty()).then(|| Moments {
        mean: mixture.mean(),
        covariance: mixture.covariance(),
    })
}
