//! Means and covariances of real numbers, and the merging of mixtures.

use nalgebra::{DMatrix, DVector};

use crate::expectation_propagation::Projection;
use crate::mixture::{Component, Mixture};

/// The mean and the covariance of some real numbers.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    /// Number of real numbers.
    numbers: usize,
    /// The means of the real numbers, followed by their covariance matrix, column by column.
    entries: Vec<f64>,
}

impl Moments {
    pub(crate) fn new(mean: &DVector<f64>, covariance: &DMatrix<f64>) -> Self {
        Self {
            numbers: mean.len(),
            entries: mean.iter().chain(covariance).copied().collect(),
        }
    }

    /// Returns the moments of an empty list of real numbers.
    pub(crate) fn none() -> Self {
        Self {
            numbers: 0,
            entries: Vec::new(),
        }
    }

    pub(crate) fn numbers(&self) -> usize {
        self.numbers
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        self.entries[self.numbers * (j + 1) + i]
    }

    /// Returns the mean and the covariance of the numbers with the indices `numbers`.
    pub(crate) fn of(&self, numbers: &[usize]) -> (DVector<f64>, DMatrix<f64>) {
        let n = numbers.len();
        (
            DVector::from_fn(n, |i, _| self.entries[numbers[i]]),
            DMatrix::from_fn(n, n, |i, j| self.covariance(numbers[i], numbers[j])),
        )
    }

    /// Returns the mean and the variance of `projection`, a linear function of the numbers with the indices `numbers`.
    pub(crate) fn projected(&self, numbers: &[usize], projection: &Projection) -> (f64, f64) {
        let terms = || numbers.iter().zip(&projection.coefficients);
        let mean: f64 = terms().map(|(&i, c)| c * self.entries[i]).sum();
        let mut variance = 0.0;
        for (&i, a) in terms() {
            variance += a * terms()
                .map(|(&j, b)| b * self.covariance(i, j))
                .sum::<f64>();
        }
        (projection.offset + mean, variance.max(0.0))
    }
    /// Returns the moments (mean and covariance) of `n` real numbers. `self` has the moments of the last of the `n` numbers, which are those with the
    /// indices `numbers`; `conditional` is the conditional distribution of the other numbers given them. The contents of `buffer` are overwritten.
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
            let (mean, covariance) = self.of(numbers);
            return Self::new(&mean, &covariance);
        }
        let row = |i: usize| &conditional[i * (n + 1)..(i + 1) * (n + 1)];
        let mut entries = vec![0.0; n * (n + 1)];
        let (mean, covariance) = entries.split_at_mut(n);
        for (to, &number) in mean[r..].iter_mut().zip(numbers) {
            *to = self.entries[number];
        }
        // The diagonal of the triangle has no zeros; therefore the equations have a solution.
        for i in (0..r).rev() {
            let row = row(i);
            let others = row[i + 1..n].iter().zip(&mean[i + 1..]);
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
        let (own, across) = covariance.split_at_mut(r * n);
        for (column, &number) in across.chunks_exact_mut(n).zip(numbers) {
            let (top, bottom) = column.split_at_mut(r);
            for ((to, &other), pull) in bottom.iter_mut().zip(numbers).zip(pull.chunks_exact(r)) {
                *to = self.covariance(other, number);
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
        for i in 0..n {
            (0..i).for_each(|j| covariance[j * n + i] = covariance[i * n + j]);
        }
        Self {
            numbers: n,
            entries,
        }
    }
}

fn add_multiple(sum: &mut [f64], factor: f64, numbers: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(numbers) {
        *sum += factor * x;
    }
}

/// Returns the marginal distribution of the real numbers with the indices `numbers`, as a component of a mixture.
pub(crate) fn part(moments: &Moments, numbers: &[usize], share: f64) -> Component {
    let (mean, covariance) = moments.of(numbers);
    Component {
        share,
        mean,
        covariance,
    }
}

/// Returns the mean and the covariance of a mixture; the shares of its components need not sum to one. Returns `None` if the mixture has no
/// components.
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
        return Some(Moments::new(&mean, &covariance));
    }
    let is_empty = mixture.components.is_empty();
    (!is_empty).then(|| Moments::new(&mixture.mean(), &mixture.covariance()))
}
