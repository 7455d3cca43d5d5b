//! Cholesky decomposition with diagonal pivoting, which finds the rank of a matrix.

/// The Cholesky decomposition of a submatrix of a symmetric matrix. The decomposed submatrix is positive definite, and has as many rows as have
/// positive pivots.
///
/// **Complexity.** The time of the decomposition is cubic in the number of rows.
///
/// **References.** Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 10.3.
#[derive(Debug)]
pub(super) struct PivotedCholesky {
    /// The indices of the matrix rows in the order of their pivots; the rows without a pivot come last.
    order: Vec<usize>,
    /// The lower triangle of the Cholesky factor, with the rows in pivot order.
    factor: Vec<Vec<f64>>,
    rank: usize,
}

impl PivotedCholesky {
    /// Decomposes the symmetric matrix `matrix`, which is given by rows. A pivot counts as zero if it is at most `tolerance`.
    pub(super) fn new(matrix: &[Vec<f64>], tolerance: f64) -> Self {
        let size = matrix.len();
        let mut order: Vec<usize> = (0..size).collect();
        let mut factor: Vec<Vec<f64>> = vec![Vec::new(); size];
        let mut rest: Vec<f64> = (0..size).map(|i| matrix[i][i]).collect();
        let mut rank = 0;
        while rank < size {
            let best = (rank..size).fold(rank, |best, i| {
                if rest[order[i]] > rest[order[best]] {
                    i
                } else {
                    best
                }
            });
            let pivot = rest[order[best]];
            if pivot.is_nan() || pivot <= tolerance {
                break;
            }
            order.swap(rank, best);
            factor.swap(rank, best);
            let root = pivot.sqrt();
            factor[rank].push(root);
            for i in rank + 1..size {
                let known = factor[i].iter().zip(&factor[rank]);
                let known: f64 = known.map(|(a, b)| a * b).sum();
                let entry = (matrix[order[i]][order[rank]] - known) / root;
                factor[i].push(entry);
                rest[order[i]] -= entry * entry;
            }
            rank += 1;
        }
        Self {
            order,
            factor,
            rank,
        }
    }

    /// Returns, for each row of the matrix, true if the row depends linearly on other rows. A row of the matrix depends on other rows if it has no
    /// pivot, or if its coefficient in the linear combination for a row without a pivot exceeds `share`.
    pub(super) fn dependent(&self, share: f64) -> Vec<bool> {
        let mut dependent = vec![false; self.order.len()];
        for i in self.rank..self.order.len() {
            dependent[self.order[i]] = true;
            // The coefficients of the rows with pivots in the linear combination that equals the row `i`.
            let mut combination = self.factor[i][..self.rank].to_vec();
            for j in (0..self.rank).rev() {
                for k in j + 1..self.rank {
                    combination[j] -= self.factor[k][j] * combination[k];
                }
                combination[j] /= self.factor[j][j];
                dependent[self.order[j]] |= combination[j].abs() > share;
            }
        }
        dependent
    }

    /// Returns the solution of the linear equations with the decomposed matrix and the right-hand side `right`; no row of the matrix may lack a
    /// pivot.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = self.forward(right);
        for i in (0..self.rank).rev() {
            for k in i + 1..self.rank {
                solution[i] -= self.factor[k][i] * solution[k];
            }
            solution[i] /= self.factor[i][i];
        }
        let mut ordered = vec![0.0; right.len()];
        for (x, &place) in solution.into_iter().zip(&self.order) {
            ordered[place] = x;
        }
        ordered
    }

    /// Returns the solution of the linear equations with the lower triangular Cholesky factor and the right-hand side `right`.
    fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut solution: Vec<f64> = Vec::with_capacity(self.rank);
        for (i, row) in self.factor[..self.rank].iter().enumerate() {
            let known: f64 = row.iter().zip(&solution).map(|(a, b)| a * b).sum();
            solution.push((right[self.order[i]] - known) / row[i]);
        }
        solution
    }

    /// Returns the quadratic form of `vector` with the inverse of the decomposed submatrix. The entries of `vector` for rows without a pivot are
    /// ignored.
    pub(super) fn inverse_form(&self, vector: &[f64]) -> f64 {
        self.forward(vector).iter().map(|x| x * x).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_those_of_the_inverse() {
        // The inverse of [[4, 2], [2, 3]] is [[3, -2], [-2, 4]] / 8.
        let cholesky = PivotedCholesky::new(&[vec![4.0, 2.0], vec![2.0, 3.0]], 1e-9);
        assert_eq!(cholesky.dependent(1e-6), [false, false]);
        for (vector, form) in [
            ([1.0, 0.0], 3.0 / 8.0),
            ([1.0, 1.0], 3.0 / 8.0),
            ([0.0, 1.0], 0.5),
        ] {
            assert!((cholesky.inverse_form(&vector) - form).abs() < 1e-12);
            let solved = cholesky.solve(&vector);
            let inner: f64 = solved.iter().zip(vector).map(|(a, b)| a * b).sum();
            assert!((inner - form).abs() < 1e-12);
        }
    }

    #[test]
    fn directions_without_curvature_are_found() {
        // The third row is the sum of the first two rows; the fourth row is independent of the other rows.
        let matrix = [
            vec![2.0, 0.5, 2.5, 0.0],
            vec![0.5, 1.0, 1.5, 0.0],
            vec![2.5, 1.5, 4.0, 0.0],
            vec![0.0, 0.0, 0.0, 3.0],
        ];
        let cholesky = PivotedCholesky::new(&matrix, 1e-9);
        assert_eq!(cholesky.rank, 3);
        assert_eq!(cholesky.dependent(1e-6), [true, true, true, false]);
        assert!((cholesky.inverse_form(&[0.0, 0.0, 0.0, 1.0]) - 1.0 / 3.0).abs() < 1e-12);
        let saddle = PivotedCholesky::new(&[vec![1.0, 0.0], vec![0.0, -1.0]], 1e-9);
        assert_eq!(saddle.dependent(1e-6), [false, true]);
    }
}
