//! Linear functions of elements of real numbers: weighted sums, matrices, entries of lists.

use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::linear::LinearFunction;
use super::node::{AnyElement, Kind};
use super::operations::{ApplyOp, OpenArgument};
use crate::element::Element;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};
use crate::value::{Value, canonical};

/// Builds the sum of numbers, each multiplied by a constant: `Σ weight * element`.
///
/// The operators `+` and `*` give the same sum as `weighted_sum`, but build an element for each term.
///
/// ```
/// # use figrs_core::{Normal, Variance, weighted_sum};
/// let (slope, level) = (Normal::new(0.0, Variance(4.0)), Normal::new(1.0, Variance(4.0)));
/// let reading = Normal::new(&weighted_sum([(1.0, &level), (2.5, &slope)]), Variance(0.1));
/// # drop(reading);
/// ```
#[track_caller]
pub fn weighted_sum<'a>(terms: impl IntoIterator<Item = (f64, &'a Element<f64>)>) -> Element<f64> {
    let (weights, parents): (SmallVec<[f64; 4]>, Vec<AnyElement>) = terms
        .into_iter()
        .map(|(weight, element)| (weight, element.erased().clone()))
        .unzip();
    linear_at(
        "weighted_sum",
        Location::caller(),
        parents,
        LinearMap::new([&weights], [0.0], |numbers| numbers[0]),
    )
}

impl Element<Vec<f64>> {
    /// Creates the list `matrix * self + offset`, a linear function of the list `self`. The matrix is given row by row, and each row has one
    /// coefficient for each number of the list `self`.
    ///
    /// ```
    /// # use figrs_core::{Covariance, MultivariateNormal};
    /// // A position and a velocity, one second later.
    /// let start = MultivariateNormal::new([0.0, 1.0], Covariance::diagonal([1.0, 0.1]));
    /// let moved = start.affine([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0]);
    /// let next = MultivariateNormal::new(&moved, Covariance::diagonal([0.1, 0.1]));
    /// # drop(next);
    /// ```
    #[track_caller]
    pub fn affine<R: Into<Vec<f64>>>(
        &self,
        matrix: impl IntoIterator<Item = R>,
        offset: impl Into<Vec<f64>>,
    ) -> Self {
        let rows: SmallVec<[Vec<f64>; 4]> = matrix.into_iter().map(Into::into).collect();
        linear_at(
            "affine",
            Location::caller(),
            vec![self.erased().clone()],
            LinearMap::new(rows, offset.into(), <[f64]>::to_vec),
        )
    }

    /// Creates an element with the number at the index `position` of the list, counted from 0. In a possible world where the list has no number at
    /// this index, the element has an error.
    #[track_caller]
    pub fn entry(&self, position: usize) -> Element<f64> {
        let mut row: SmallVec<[f64; 4]> = smallvec![0.0; position + 1];
        row[position] = 1.0;
        linear_at(
            "entry",
            Location::caller(),
            vec![self.erased().clone()],
            LinearMap::new([&row], [0.0], |numbers| numbers[0]),
        )
    }
}

/// A linear function of the numbers of all arguments, which are joined to one list. If the joined list has more numbers than the matrix has columns,
/// the further numbers have the coefficient zero.
struct LinearMap<T> {
    rows: usize,
    columns: usize,
    /// The coefficients of the matrix, row by row.
    matrix: SmallVec<[f64; 4]>,
    offset: SmallVec<[f64; 2]>,
    result: fn(&[f64]) -> T,
}

fn linear_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    map: LinearMap<T>,
) -> Element<T> {
    let kind = Kind::Apply(parents.into(), Arc::new(map));
    Element::from_kind(constructor, location, kind)
}

impl<T: Value> LinearMap<T> {
    /// Creates the linear function with the matrix `rows`; zeros are added at the end of rows that are shorter than the longest row.
    fn new<R: AsRef<[f64]>>(
        rows: impl AsRef<[R]>,
        offset: impl AsRef<[f64]>,
        result: fn(&[f64]) -> T,
    ) -> Self {
        let rows = rows.as_ref().iter().map(AsRef::as_ref);
        let columns = rows.clone().map(<[f64]>::len).max().unwrap_or(0);
        let mut matrix = SmallVec::with_capacity(rows.len() * columns);
        for (i, row) in rows.clone().enumerate() {
            matrix.extend_from_slice(row);
            matrix.resize((i + 1) * columns, 0.0);
        }
        Self {
            rows: rows.len(),
            columns,
            matrix,
            offset: SmallVec::from_slice(offset.as_ref()),
            result,
        }
    }

    fn value(&self, arguments: &[&dyn Any]) -> Result<T, Fault> {
        let mut numbers: SmallVec<[f64; 4]> = SmallVec::new();
        for argument in arguments {
            if let Some(&number) = argument.downcast_ref::<f64>() {
                numbers.push(number);
            } else if let Some(list) = argument.downcast_ref::<Vec<f64>>() {
                numbers.extend_from_slice(list);
            }
        }
        self.check(numbers.len())?;
        let value = |(i, b): (usize, &f64)| {
            let row = &self.matrix[i * self.columns..(i + 1) * self.columns];
            // A coefficient of zero ignores its number, even an infinite one.
            let terms = row.iter().zip(&numbers).filter(|(a, _)| **a != 0.0);
            terms.map(|(a, x)| a * x).sum::<f64>() + b
        };
        let values: SmallVec<[f64; 4]> = self.offset.iter().enumerate().map(value).collect();
        Ok((self.result)(&values))
    }

    fn check(&self, numbers: usize) -> Result<(), Fault> {
        let Self { rows, columns, .. } = self;
        let problem = if *columns > numbers {
            let last = columns - 1;
            format!("it reads the number at the index {last} of a list of {numbers} numbers")
        } else if *rows != self.offset.len() {
            let offset = self.offset.len();
            format!(
                "it adds an offset of {offset} numbers to the product of a matrix of {rows} rows"
            )
        } else {
            return Ok(());
        };
        Err(Fault::Shape(problem))
    }

    /// Returns the coefficients of the argument number with the index `position`, that is, one column of the matrix.
    fn column(&self, position: usize) -> impl Iterator<Item = f64> {
        let is_known = position < self.columns;
        (0..self.rows).map(move |row| match is_known {
            true => self.matrix[row * self.columns + position],
            false => 0.0,
        })
    }
}

impl<T: Value> ApplyOp for LinearMap<T> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        self.value(arguments).map(Datum::new)
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let value = self.value(arguments)?;
        Ok(values.insert_typed(&value))
    }

    fn is_light(&self) -> bool {
        true
    }

    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault> {
        let mut values: Vec<T> = Vec::with_capacity(count);
        for row in 0..count {
            let arguments: Vec<&dyn Any> = arguments.iter().map(|column| column.any(row)).collect();
            values.push(canonical(self.value(&arguments)?));
        }
        Ok(Box::new(values))
    }

    fn check_open(&self, arguments: &[OpenArgument<'_>]) -> Result<(), Fault> {
        let numbers = |argument: &OpenArgument<'_>| match argument {
            OpenArgument::Open(numbers) => *numbers,
            OpenArgument::Known(value) => value.downcast_ref::<Vec<f64>>().map_or(1, Vec::len),
        };
        self.check(arguments.iter().map(numbers).sum())
    }

    fn linear(&self, arguments: &[OpenArgument<'_>]) -> Option<LinearFunction> {
        let mut function = LinearFunction::constant(self.offset.iter().copied());
        let mut position = 0;
        for argument in arguments {
            let mut add_known = |x: f64| {
                for (sum, a) in function.offset_mut().iter_mut().zip(self.column(position)) {
                    if a != 0.0 {
                        *sum += a * x;
                    }
                }
                position += 1;
            };
            match argument {
                OpenArgument::Open(numbers) => {
                    for column in position..position + numbers {
                        function.push(self.column(column));
                    }
                    position += numbers;
                }
                OpenArgument::Known(value) => match value.downcast_ref::<f64>() {
                    Some(&number) => add_known(number),
                    None => value
                        .downcast_ref::<Vec<f64>>()?
                        .iter()
                        .copied()
                        .for_each(add_known),
                },
            }
        }
        self.check(position).ok()?;
        Some(function)
    }
}
