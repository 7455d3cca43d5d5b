//! A product of Gaussian functions as a matrix that rotations make triangular.

/// An entry of the matrix is set to zero after a rotation if its magnitude is at most this number times the sum of the magnitudes of the two terms
/// that were subtracted.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The number that marks the end of a linked list of rows.
const NONE: u32 = u32::MAX;

/// A Gaussian function as a matrix: each row has the coefficients and the target of one squared linear expression, and the exponent is −1/2 times the
/// sum of the squares.
///
/// The rows are grouped by the column of their first nonzero coefficient, so that rows of a triangular matrix are not rotated again.
#[derive(Debug, Default)]
pub(crate) struct Front {
    /// Number of real numbers; each row has one more column, for the target.
    numbers: usize,
    rows: Vec<f64>,
    /// For each column, the first row whose first nonzero coefficient is in this column, separately for rows whose squares are added and rows whose
    /// squares are subtracted.
    heads: [Vec<u32>; 2],
    /// For each row, the next row of the same sign with its first nonzero coefficient in the same column.
    next: Vec<u32>,
    signs: Vec<Sign>,
    /// The constant term of the exponent of the Gaussian function.
    pub(crate) log_scale: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Added,
    Subtracted,
}

impl Front {
    /// Removes all rows, and starts a product of Gaussian functions of `numbers` real numbers.
    pub(crate) fn begin(&mut self, numbers: usize) {
        self.numbers = numbers;
        self.rows.clear();
        self.next.clear();
        self.signs.clear();
        for heads in &mut self.heads {
            heads.clear();
            heads.resize(numbers + 1, NONE);
        }
        self.log_scale = 0.0;
    }

    fn width(&self) -> usize {
        self.numbers + 1
    }

    /// Adds a row of zeros, which `fill` overwrites.
    pub(crate) fn add_row(&mut self, sign: Sign, fill: impl FnOnce(&mut [f64])) {
        let row = self.next.len();
        self.next.push(NONE);
        self.signs.push(sign);
        self.rows.resize(self.rows.len() + self.width(), 0.0);
        let start = row * self.width();
        fill(&mut self.rows[start..]);
        self.list(row, 0);
    }

    /// Adds `row` to the linked list of the rows with their first nonzero coefficient in the same column; the coefficients of `row` before the column
    /// `from` are zero.
    fn list(&mut self, row: usize, from: usize) {
        let start = row * self.width();
        let coefficients = &self.rows[start + from..start + self.numbers];
        let zeros = coefficients.iter().position(|&x| x != 0.0);
        let column = zeros.map_or(self.numbers, |zeros| from + zeros);
        let heads = &mut self.heads[self.signs[row] as usize];
        self.next[row] = heads[column];
        heads[column] = row as u32;
    }

    /// Rotates the rows of the matrix until no two rows of the same sign have their first nonzero coefficient in the same column, and no row whose
    /// square is subtracted has it in the first `eliminated` columns. A row of the matrix without nonzero coefficients becomes part of the constant
    /// term. If, in one of the first `eliminated` columns, the row whose square is subtracted has a coefficient at least as large in magnitude as the
    /// row whose square is added, the column gets no row.
    ///
    /// **Complexity.** The number of rotations of two rows is at most the number of rows times the number of columns of the matrix.
    ///
    /// **References.** Golub and Van Loan, *Matrix Computations*, 2013, section 5.2.5 (QR decomposition by Givens rotations).
    pub(crate) fn triangulate(&mut self, eliminated: usize) {
        for column in 0..self.numbers {
            for sign in [Sign::Added, Sign::Subtracted] {
                let pivot = self.heads[sign as usize][column];
                if pivot == NONE {
                    continue;
                }
                let mut row = std::mem::replace(&mut self.next[pivot as usize], NONE);
                while row != NONE {
                    let following = self.next[row as usize];
                    self.rotate(pivot as usize, row as usize, column);
                    self.list(row as usize, column + 1);
                    row = following;
                }
            }
            if column < eliminated && self.heads[1][column] != NONE {
                self.subtract(column);
            }
        }
        for (heads, sign) in self.heads.iter_mut().zip([-0.5, 0.5]) {
            let mut row = std::mem::replace(&mut heads[self.numbers], NONE);
            while row != NONE {
                let target = self.rows[row as usize * (self.numbers + 1) + self.numbers];
                self.log_scale += sign * target * target;
                row = self.next[row as usize];
            }
        }
    }

    /// Rotates the two rows of `column` whose squares are added and subtracted so that the subtracted row's coefficient in `column` becomes zero (a
    /// hyperbolic rotation). If the coefficient in `column` is at least as large in magnitude in the row whose square is subtracted as in the row
    /// whose square is added, the column gets no row.
    ///
    /// **References.** Golub and Van Loan 2013, section 6.5.4 (downdating).
    fn subtract(&mut self, column: usize) {
        let width = self.width();
        let row = std::mem::replace(&mut self.heads[1][column], NONE) as usize;
        let pivot = self.heads[0][column] as usize;
        let a = match pivot == NONE as usize {
            true => 0.0,
            false => self.rows[pivot * width + column],
        };
        let b = self.rows[row * width + column];
        let length = ((a - b) * (a + b)).sqrt();
        if length.is_nan() || length <= ROUNDING * a.abs() {
            self.heads[0][column] = NONE;
            return;
        }
        for i in column..width {
            let (x, y) = (self.rows[pivot * width + i], self.rows[row * width + i]);
            let added = (a * x - b * y) / length;
            self.rows[pivot * width + i] = added;
            self.rows[row * width + i] = (length * y - b * added) / a;
        }
        self.rows[row * width + column] = 0.0;
        self.list(row, column + 1);
    }

    /// Rotates the rows `pivot` and `row` of the matrix so that the coefficient of `row` in `column` becomes zero.
    fn rotate(&mut self, pivot: usize, row: usize, column: usize) {
        let width = self.width();
        let (first, second) = if pivot < row {
            let (before, after) = self.rows.split_at_mut(row * width);
            (&mut before[pivot * width..][..width], &mut after[..width])
        } else {
            let (before, after) = self.rows.split_at_mut(pivot * width);
            (&mut after[..width], &mut before[row * width..][..width])
        };
        let (first, second) = (&mut first[column..], &mut second[column..]);
        let (a, b) = (first[0], second[0]);
        let length = a.hypot(b);
        let (cosine, sine) = (a / length, b / length);
        (first[0], second[0]) = (length, 0.0);
        let pairs = first[1..].iter_mut().zip(&mut second[1..]);
        for (x, y) in pairs {
            let (plus, minus) = (cosine * *y, sine * *x);
            *x = cosine * *x + sine * *y;
            let difference = plus - minus;
            let is_rounding = difference.abs() <= ROUNDING * (plus.abs() + minus.abs());
            *y = if is_rounding { 0.0 } else { difference };
        }
    }

    /// Returns the row with the sign `sign` whose first nonzero coefficient is in `column`; `None` if there is no such row.
    pub(crate) fn row(&self, sign: Sign, column: usize) -> Option<&[f64]> {
        let row = self.heads[sign as usize][column];
        let start = row as usize * self.width();
        (row != NONE).then(|| &self.rows[start..start + self.width()])
    }
}
