//! Linear functions of unknown numbers, with normal noise.

use smallvec::SmallVec;

/// A linear function of unknown numbers x; its value is a list of numbers: `offset + Σ columns[i] * x[i]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFunction {
    /// Number of entries in the list that the linear function returns.
    numbers: usize,
    /// The constant offset of the linear function, followed by the columns of its matrix.
    entries: SmallVec<[f64; 6]>,
}

/// A normal distribution whose mean is a linear function of unknown numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearGaussian {
    /// The mean, as a linear function of the unknown numbers.
    pub mean: LinearFunction,
    /// The covariance matrix, row by row; for a single number, its variance.
    pub covariance: Vec<f64>,
}

impl LinearFunction {
    /// Creates a linear function of no unknown numbers, whose value is the constant `offset`.
    pub fn constant(offset: impl IntoIterator<Item = f64>) -> Self {
        let entries: SmallVec<_> = offset.into_iter().collect();
        Self {
            numbers: entries.len(),
            entries,
        }
    }

    /// Adds an unknown number to the arguments of the linear function, after the other unknown numbers. The argument `column` is a new column of the
    /// matrix: the coefficients of the unknown number; missing coefficients are zero, and further coefficients are ignored.
    pub fn push(&mut self, column: impl IntoIterator<Item = f64>) {
        let end = self.entries.len() + self.numbers;
        self.entries.extend(column.into_iter().take(self.numbers));
        self.entries.resize(end, 0.0);
    }

    /// Returns `numbers` as a linear function of its unknown numbers, which are `None`.
    pub fn of_numbers(numbers: &[Option<f64>]) -> Self {
        let mut this = Self::constant(numbers.iter().map(|x| x.unwrap_or(0.0)));
        let open = numbers.iter().enumerate().filter(|(_, x)| x.is_none());
        for (i, _) in open {
            this.push((0..=i).map(|row| if row == i { 1.0 } else { 0.0 }));
        }
        this
    }

    /// Returns the value of the linear function if all unknown numbers are zero.
    pub fn offset(&self) -> &[f64] {
        &self.entries[..self.numbers]
    }

    pub(super) fn offset_mut(&mut self) -> &mut [f64] {
        &mut self.entries[..self.numbers]
    }

    /// Returns the coefficients of the linear function, one unknown number after another.
    pub fn coefficients(&self) -> &[f64] {
        &self.entries[self.numbers..]
    }

    /// Returns, for each unknown number in order, its coefficient in each number of the value.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.coefficients().chunks_exact(self.numbers.max(1))
    }
}
