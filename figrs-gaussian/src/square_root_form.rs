//! Gaussian functions of a real vector, in square-root information form.

use nalgebra::{DMatrix, DVector};

/// The function `exp(log_scale - |factor x - target|² / 2)` of a vector `x`. The squares of the last [`subtracted`](Self::subtracted) rows have the
/// opposite sign, so that a quotient of two Gaussian functions has this form too.
///
/// The precision matrix of the function is `factor' factor`. The precision matrix may be singular, because a likelihood of `x` without a prior
/// need not be a distribution of `x`. The matrix of the product of two Gaussian functions consists of the rows of both matrices. Precision
/// matrices are never computed, because their sums would lose half of the digits.
///
/// **References.** Bierman, *Factorization Methods for Discrete Sequential Estimation*, 1977, chapter V (square-root information filter);
/// Lauritzen and Jensen, *Stable local computation with conditional Gaussian distributions*, 2001.
///
/// ```
/// use figrs_gaussian::SquareRootForm;
/// use nalgebra::{DMatrix, DVector};
///
/// // The density of y given x, for y = 2 x + 1 + noise of variance 4, as a function of (y, x).
/// let (vector, matrix) = (DVector::from_vec, |x| DMatrix::from_element(1, 1, x));
/// let given = SquareRootForm::linear(&vector(vec![1.0]), &matrix(2.0), &matrix(4.0)).unwrap();
/// let log_density = -0.125 - (2.0 * std::f64::consts::PI * 4.0).ln() / 2.0;
/// assert!((given.log_value(&vector(vec![6.0, 2.0])) - log_density).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SquareRootForm {
    /// The coefficients: one row for each square, and one column for each number of the vector.
    pub factor: DMatrix<f64>,
    /// For each square, the value of the row of `factor x` at which the square is zero.
    pub target: DVector<f64>,
    /// Number of rows, at the end of `factor`, whose squares are subtracted instead of added.
    pub subtracted: usize,
    /// The constant term of the exponent; the function is zero if it is minus infinity.
    pub log_scale: f64,
}

pub(crate) const LN_2_PI: f64 = 1.837_877_066_409_345_5;

impl SquareRootForm {
    /// Returns the constant function with the logarithm `log_scale`, for vectors with the dimension `dimension`.
    pub fn constant(dimension: usize, log_scale: f64) -> Self {
        Self {
            factor: DMatrix::zeros(0, dimension),
            target: DVector::zeros(0),
            subtracted: 0,
            log_scale,
        }
    }

    /// Returns the density of a vector `y` with mean `offset + coefficients x` and the given covariance, as a function of the concatenated vector
    /// of `y` and `x`. Returns `None` if `covariance` is not positive definite.
    pub fn linear(
        offset: &DVector<f64>,
        coefficients: &DMatrix<f64>,
        covariance: &DMatrix<f64>,
    ) -> Option<Self> {
        let (n, m) = (coefficients.nrows(), coefficients.ncols());
        let lower = covariance.clone().cholesky()?.unpack();
        let mut all = DMatrix::zeros(n, n + m);
        all.view_mut((0, 0), (n, n)).fill_with_identity();
        all.columns_mut(n, m).copy_from(&(-coefficients));
        Some(Self::residual(all, -offset, &lower))
    }

    /// Returns the likelihood of `x` for a linear residual: the density at zero of a normal vector with mean `-(offset + coefficients x)`. The
    /// covariance of the residual is `lower lower'`, where `lower` is a lower triangle with a positive diagonal.
    pub fn residual(
        mut coefficients: DMatrix<f64>,
        mut offset: DVector<f64>,
        lower: &DMatrix<f64>,
    ) -> Self {
        let log_deviations: f64 = lower.diagonal().iter().map(|x| x.ln()).sum();
        lower.solve_lower_triangular_unchecked_mut(&mut coefficients);
        lower.solve_lower_triangular_unchecked_mut(&mut offset);
        offset.neg_mut();
        Self {
            factor: coefficients,
            log_scale: -0.5 * offset.len() as f64 * LN_2_PI - log_deviations,
            target: offset,
            subtracted: 0,
        }
    }

    /// Returns the natural logarithm of the function's value, for a function of no numbers.
    pub fn log_constant(&self) -> f64 {
        self.log_scale - 0.5 * self.squares(&self.target)
    }

    /// Returns the sum of the squares of `numbers`, which has one number for each row; the squares of the last rows are subtracted.
    fn squares(&self, numbers: &DVector<f64>) -> f64 {
        let added = numbers.len() - self.subtracted;
        let (added, subtracted) = numbers.as_slice().split_at(added);
        let sum = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>();
        sum(added) - sum(subtracted)
    }

    /// Returns the dimension of the vector.
    pub fn dimension(&self) -> usize {
        self.factor.ncols()
    }

    /// Returns the natural logarithm of the value of the function at `x`.
    pub fn log_value(&self, x: &DVector<f64>) -> f64 {
        self.log_scale - 0.5 * self.squares(&(&self.factor * x - &self.target))
    }

    /// Returns the function of the other numbers of the vector, if the numbers from the index `first` on have the values `values`.
    #[must_use]
    pub fn given(&self, first: usize, values: &DVector<f64>) -> Self {
        let within = self.factor.columns(first, values.len());
        Self {
            target: &self.target - within * values,
            factor: self.factor.clone().remove_columns(first, values.len()),
            subtracted: self.subtracted,
            log_scale: self.log_scale,
        }
    }
}
