//! Covariance matrices, and the Cholesky factors of symmetric positive definite matrices.

use std::fmt;

use smallvec::SmallVec;

/// A covariance matrix, which must be symmetric and positive definite.
#[derive(Clone, Debug, PartialEq)]
pub struct Covariance(Vec<Vec<f64>>);

impl Covariance {
    /// Creates the covariance matrix with the rows `rows`.
    pub fn rows<R: Into<Vec<f64>>>(rows: impl IntoIterator<Item = R>) -> Self {
        Self(rows.into_iter().map(Into::into).collect())
    }

    /// Creates the covariance matrix of independent numbers with the variances `variances`.
    pub fn diagonal(variances: impl IntoIterator<Item = f64>) -> Self {
        let variances: Vec<f64> = variances.into_iter().collect();
        let row = |i| {
            let mut row = vec![0.0; variances.len()];
            row[i] = variances[i];
            row
        };
        Self((0..variances.len()).map(row).collect())
    }

    pub(super) fn as_rows(&self) -> &[Vec<f64>] {
        &self.0
    }

    /// Creates the covariance matrix with the lower triangle `numbers`, such as a value of [`Wishart`](crate::Wishart). The lower triangle of the
    /// covariance matrix is listed row by row: the first (i + 1)(i + 2) / 2 numbers are rows 0 to i.
    ///
    /// ```
    /// # use figrs_core::Covariance;
    /// let covariance = Covariance::lower_triangle([4.0, 1.0, 2.0]);
    /// assert_eq!(covariance, Covariance::rows([[4.0, 1.0], [1.0, 2.0]]));
    /// ```
    pub fn lower_triangle(numbers: impl AsRef<[f64]>) -> Self {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut rest = numbers.as_ref();
        while !rest.is_empty() {
            let (row, later) = rest.split_at(rest.len().min(rows.len() + 1));
            rows.push(row.to_vec());
            rest = later;
        }
        mirror(&mut rows);
        Self(rows)
    }

    /// Creates the covariance matrix of numbers with the standard deviations `deviations` and the correlations `correlations`. The list
    /// `correlations` contains the lower triangle of the correlation matrix without the diagonal, row by row, such as a value of [`Lkj`](crate::Lkj).
    ///
    /// ```
    /// # use figrs_core::Covariance;
    /// let covariance = Covariance::of_correlations([2.0, 3.0], [0.5]);
    /// assert_eq!(covariance, Covariance::rows([[4.0, 3.0], [3.0, 9.0]]));
    /// ```
    pub fn of_correlations(deviations: impl AsRef<[f64]>, correlations: impl AsRef<[f64]>) -> Self {
        let (deviations, mut rest) = (deviations.as_ref(), correlations.as_ref());
        let mut rows = Vec::with_capacity(deviations.len());
        for (i, &deviation) in deviations.iter().enumerate() {
            let (row, later) = rest.split_at(rest.len().min(i));
            let covariance = |(r, other): (&f64, &f64)| r * deviation * other;
            let mut row: Vec<f64> = row.iter().zip(deviations).map(covariance).collect();
            row.push(deviation * deviation);
            rows.push(row);
            rest = later;
        }
        // If the list of correlations is too long, the last row becomes too long, which is reported as an error.
        if let Some(last) = rows.last_mut() {
            last.extend(rest);
        }
        mirror(&mut rows);
        Self(rows)
    }
}

/// Returns the rows of the lower triangular matrix L with L Lᵀ = `rows` (Golub and Van Loan, "Matrix Computations", section 4.2). If the matrix has
/// no Cholesky factor L, the error is a phrase about the matrix, such as "is not positive definite: ...".
pub(super) fn cholesky(rows: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, String> {
    let size = rows.len();
    let mut lower: Vec<Vec<f64>> = Vec::with_capacity(size);
    for (i, row) in rows.iter().enumerate() {
        if row.len() != size {
            return Err(format!(
                "has {size} rows, and {} numbers in row {i}",
                row.len()
            ));
        }
        let mut new = Vec::with_capacity(i + 1);
        for j in 0..=i {
            let (entry, mirrored) = (row[j], rows[j].get(i).copied().unwrap_or(f64::NAN));
            let symmetric = (entry - mirrored).abs() <= 1e-9 * entry.abs().max(mirrored.abs());
            if !(entry.is_finite() && symmetric) {
                return Err(format!(
                    "has {entry:?} in row {i}, column {j}, but {mirrored:?} in row {j}, column {i}; it must be finite and symmetric"
                ));
            }
            let other: &[f64] = if j < i { &lower[j] } else { &new };
            let known: f64 = new.iter().zip(other).map(|(a, b)| a * b).sum();
            let rest = entry - known;
            if j < i {
                new.push(rest / lower[j][j]);
            } else if rest > 0.0 && rest.is_finite() {
                new.push(rest.sqrt());
            } else {
                return Err(format!(
                    "is not positive definite: given the numbers before it, number {i} has the variance {rest:?}"
                ));
            }
        }
        lower.push(new);
    }
    Ok(lower)
}

/// Completes `rows`, the rows of the lower triangle, to a symmetric matrix.
pub(super) fn mirror(rows: &mut [Vec<f64>]) {
    for i in 0..rows.len() {
        let (above, row) = rows.split_at_mut(i);
        for (j, upper) in above.iter_mut().enumerate() {
            upper.extend(row[0].get(j));
        }
    }
}

/// Returns the matrix `rows`, made positive definite if rounding has made it singular: the numbers off the diagonal are multiplied by a factor
/// slightly below one.
pub(super) fn kept_definite(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut moved = f64::EPSILON;
    while cholesky(&rows).is_err() && moved <= 1.0 {
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, number) in row.iter_mut().enumerate() {
                if i != j {
                    *number *= 1.0 - moved;
                }
            }
        }
        moved *= 2.0;
    }
    rows
}

pub(super) fn triangle(rows: &[Vec<f64>], without: usize) -> Vec<f64> {
    let row = |(i, row): (usize, &Vec<f64>)| row[..i + 1 - without].to_vec();
    rows.iter().enumerate().flat_map(row).collect()
}

/// A covariance matrix with its Cholesky factor, without heap allocations for two numbers.
#[derive(Clone, PartialEq)]
pub(super) struct FactoredCovariance {
    /// The numbers of the covariance matrix, row by row.
    numbers: SmallVec<[f64; 4]>,
    /// The numbers of the lower triangle of the Cholesky factor, row by row; for an invalid covariance matrix, a phrase that describes the error.
    factor: Result<SmallVec<[f64; 3]>, String>,
    size: usize,
}

impl FactoredCovariance {
    pub(super) fn new(Covariance(rows): &Covariance) -> Self {
        Self {
            numbers: rows.iter().flatten().copied().collect(),
            factor: cholesky(rows).map(|lower| lower.into_iter().flatten().collect()),
            size: rows.len(),
        }
    }

    /// Returns the numbers of the covariance matrix, row by row.
    pub(super) fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Returns the number of rows of the covariance matrix; if the matrix is invalid, returns a phrase that describes the error.
    pub(super) fn size(&self) -> Result<usize, &str> {
        self.factor
            .as_ref()
            .map(|_| self.size)
            .map_err(|problem| &problem[..])
    }

    /// Returns the rows of the Cholesky factor, each up to the diagonal; returns no rows if the covariance matrix is invalid.
    pub(super) fn factor_rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        let numbers = self.factor.as_deref().unwrap_or_default();
        (0..self.size().unwrap_or(0)).map(|i| &numbers[i * (i + 1) / 2..][..=i])
    }
}

impl fmt::Debug for FactoredCovariance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.numbers.chunks(self.size.max(1)))
            .finish()
    }
}
