//! Linear functions of unknown numbers, with normal noise.

/// A linear function of unknown numbers x; its value is a list of numbers: `offset + Σ columns[i] * x[i]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFunction {
    /// The value of the function if all unknown numbers are zero.
    pub offset: Vec<f64>,
    /// For each unknown number, in order, its coefficient in each number of the value.
    pub columns: Vec<Vec<f64>>,
}

/// A normal distribution whose mean is a linear function of unknown numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearGaussian {
    /// The mean, as a linear function of the unknown numbers.
    pub mean: LinearFunction,
    /// The covariance matrix, row by row; for a single number, its variance.
    pub covariance: Vec<Vec<f64>>,
}

impl LinearFunction {
    /// Returns `numbers` as a linear function of its unknown numbers, which are `None`.
    pub fn of_numbers(numbers: &[Option<f64>]) -> Self {
        let unit = |i| {
            let mut column = vec![0.0; numbers.len()];
            column[i] = 1.0;
            column
        };
        let open = numbers.iter().enumerate().filter(|(_, x)| x.is_none());
        Self {
            offset: numbers.iter().map(|x| x.unwrap_or(0.0)).collect(),
            columns: open.map(|(i, _)| unit(i)).collect(),
        }
    }
}
