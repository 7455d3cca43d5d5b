//! Gaussian functions of a real vector, in square-root information form.

use std::slice::ChunksExact;

use nalgebra::{DMatrix, DMatrixView, DVector};
use smallvec::{SmallVec, smallvec};

/// The function `exp(log_scale - |factor x - target|² / 2)` of a vector `x`. The matrix `factor` and the vector `target` of the Gaussian function
/// have one row for each square in its exponent. The squares of the last rows of a Gaussian function may be subtracted instead of added, so that a
/// quotient of two Gaussian functions has the same form.
///
/// If no squares are subtracted, the precision matrix of the Gaussian function is `factor' factor`. The precision matrix may be singular, because a
/// likelihood of `x` without a prior need not be a distribution of `x`. The matrix `factor` of the product of two Gaussian functions consists of the
/// rows of both matrices. Precision matrices of Gaussian functions are never computed, because their sums would lose half of the digits.
///
/// **References.** Bierman, *Factorization Methods for Discrete Sequential Estimation*, 1977, chapter V (square-root information filter);
/// Lauritzen and Jensen, *Stable local computation with conditional Gaussian distributions*, 2001.
///
/// ```
/// use figrs_gaussian::SquareRootForm;
/// use nalgebra::{DMatrix, DVector};
///
/// // The density of y given x, for y = 2 x + 1 + noise of variance 4, as a function of (y, x).
/// let coefficients = DMatrix::from_vec(1, 2, vec![1.0, -2.0]);
/// let deviation = DMatrix::from_element(1, 1, 2.0);
/// let given = SquareRootForm::residual(2, [(0, coefficients.as_view())], &[-1.0], &deviation);
/// let log_density = -0.125 - (2.0 * std::f64::consts::PI * 4.0).ln() / 2.0;
/// assert!((given.log_value(&DVector::from_vec(vec![6.0, 2.0])) - log_density).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SquareRootForm {
    /// The dimension of the vector.
    pub(crate) dimension: usize,
    /// One row for each square of the Gaussian function, row by row: the coefficients of the vector's numbers, followed by the target.
    pub(crate) entries: SmallVec<[f64; 10]>,
    /// Number of rows, at the end of the list of rows, whose squares are subtracted instead of added.
    pub(crate) subtracted: usize,
    /// The constant term of the exponent; the function is zero if this term is minus infinity.
    pub log_scale: f64,
}

pub(crate) const LN_2_PI: f64 = 1.837_877_066_409_345_5;

impl SquareRootForm {
    /// Returns the function `exp(-|factor x - target|² / 2)`. In the exponent, the squares of the last `subtracted` rows have the opposite sign.
    pub fn new(factor: &DMatrix<f64>, target: &DVector<f64>, subtracted: usize) -> Self {
        let rows = factor.row_iter().zip(target);
        let mut entries = SmallVec::with_capacity(factor.len() + target.len());
        for (row, target) in rows {
            entries.extend(row.iter().chain([target]).copied());
        }
        Self {
            dimension: factor.ncols(),
            entries,
            subtracted,
            log_scale: 0.0,
        }
    }

    /// Returns the constant function with the logarithm `log_scale`, for vectors with the dimension `dimension`.
    pub fn constant(dimension: usize, log_scale: f64) -> Self {
        Self {
            dimension,
            entries: SmallVec::new(),
            subtracted: 0,
            log_scale,
        }
    }

    /// Returns the likelihood of a vector `x` of `dimension` numbers for a linear residual: the density at zero of a normal vector with mean
    /// `-(offset + coefficients x)`. Each of `blocks` contains adjacent columns of the coefficients, with the index of the first of these columns;
    /// all other coefficients are zero. The covariance of the residual is `lower lower'`, where `lower` is a lower triangle with a positive diagonal.
    pub fn residual<'b>(
        dimension: usize,
        blocks: impl IntoIterator<Item = (usize, DMatrixView<'b, f64>)>,
        offset: &[f64],
        lower: &DMatrix<f64>,
    ) -> Self {
        let width = dimension + 1;
        let mut entries: SmallVec<_> = smallvec![0.0; offset.len() * width];
        for (row, &target) in entries.chunks_exact_mut(width).zip(offset) {
            row[dimension] = target;
        }
        for (first, block) in blocks {
            for (row, from) in entries.chunks_exact_mut(width).zip(block.row_iter()) {
                for (to, &x) in row[first..dimension][..block.ncols()].iter_mut().zip(&from) {
                    *to = x;
                }
            }
        }
        let mut log_deviations = 0.0;
        for i in 0..offset.len() {
            let (before, rest) = entries.split_at_mut(i * width);
            let row = &mut rest[..width];
            for (k, other) in before.chunks_exact(width).enumerate() {
                let factor = lower[(i, k)];
                row.iter_mut()
                    .zip(other)
                    .for_each(|(x, y)| *x -= factor * y);
            }
            for x in row {
                *x /= lower[(i, i)];
            }
            log_deviations += lower[(i, i)].ln();
        }
        let targets = entries.iter_mut().skip(dimension).step_by(width);
        targets.for_each(|target| *target = -*target);
        Self {
            dimension,
            entries,
            subtracted: 0,
            log_scale: -0.5 * offset.len() as f64 * LN_2_PI - log_deviations,
        }
    }

    /// Returns the rows of the squares, each with the coefficients of the vector's numbers, followed by the target; and the number of rows whose
    /// squares are added.
    pub(crate) fn rows(&self) -> (ChunksExact<'_, f64>, usize) {
        let rows = self.entries.chunks_exact(self.dimension + 1);
        let added = rows.len() - self.subtracted;
        (rows, added)
    }

    /// Returns the natural logarithm of the value of a Gaussian function of a vector of dimension zero.
    pub fn log_constant(&self) -> f64 {
        self.log_value(&DVector::zeros(0))
    }

    /// Returns the dimension of the vector that is the function's argument.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// True if the function is constant because it has no squares.
    pub fn is_constant(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the natural logarithm of the value of the function at `x`.
    pub fn log_value(&self, x: &DVector<f64>) -> f64 {
        self.log_scale - 0.5 * self.squares(x)
    }

    /// Returns the sum of the squares in the exponent at `x`; the squares of the last rows are subtracted if the function is a quotient.
    pub fn squares(&self, x: &DVector<f64>) -> f64 {
        let (rows, added) = self.rows();
        let mut sums = [0.0; 2];
        for (i, row) in rows.enumerate() {
            let terms = row.iter().zip(x).map(|(a, x)| a * x);
            let apart = terms.sum::<f64>() - row[self.dimension];
            sums[usize::from(i >= added)] += apart * apart;
        }
        sums[0] - sums[1]
    }

    /// Returns this Gaussian function, the density of a residual, with the precision matrix of the residual multiplied by `precision`. The Gaussian
    /// function must be the density of a [`residual`](Self::residual).
    #[must_use]
    pub fn with_precision(&self, precision: f64) -> Self {
        let (root, squares) = (precision.sqrt(), self.rows().0.len() as f64);
        Self {
            entries: self.entries.iter().map(|x| root * x).collect(),
            log_scale: self.log_scale + 0.5 * squares * precision.ln(),
            ..*self
        }
    }
}
