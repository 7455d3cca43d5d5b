//! Linear functions of elements of real numbers: weighted sums, matrices, entries of lists.

use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

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
/// The operators `+` and `*` give the same sum, but build an element for each term.
///
/// ```
/// # use figrs_core::{Normal, Variance, weighted_sum};
/// let (slope, level) = (Normal::new(0.0, Variance(4.0)), Normal::new(1.0, Variance(4.0)));
/// let reading = Normal::new(&weighted_sum([(1.0, &level), (2.5, &slope)]), Variance(0.1));
/// # drop(reading);
/// ```
#[track_caller]
pub fn weighted_sum<'a>(terms: impl IntoIterator<Item = (f64, &'a Element<f64>)>) -> Element<f64> {
    let (weights, parents): (Vec<f64>, Vec<AnyElement>) = terms
        .into_iter()
        .map(|(weight, element)| (weight, element.erased().clone()))
        .unzip();
    linear_at(
        "weighted_sum",
        Location::caller(),
        parents,
        LinearMap {
            rows: vec![weights],
            offset: vec![0.0],
            result: |numbers| numbers[0],
        },
    )
}

impl Element<Vec<f64>> {
    /// Creates the list `matrix * self + offset`. The matrix is given row by row, and each row has one coefficient for each number of this
    /// list.
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
        linear_at(
            "affine",
            Location::caller(),
            vec![self.erased().clone()],
            LinearMap {
                rows: matrix.into_iter().map(Into::into).collect(),
                offset: offset.into(),
                result: |numbers| numbers,
            },
        )
    }

    /// Creates an element with the number at the index `position` of the list, counted from 0. A world in which the list has no such number has an
    /// error.
    #[track_caller]
    pub fn entry(&self, position: usize) -> Element<f64> {
        let mut row = vec![0.0; position + 1];
        row[position] = 1.0;
        linear_at(
            "entry",
            Location::caller(),
            vec![self.erased().clone()],
            LinearMap {
                rows: vec![row],
                offset: vec![0.0],
                result: |numbers| numbers[0],
            },
        )
    }
}

/// A linear function of the numbers of all arguments, which are joined to one list. A row of the matrix may be shorter than this list; the missing
/// coefficients are zero.
struct LinearMap<T> {
    rows: Vec<Vec<f64>>,
    offset: Vec<f64>,
    result: fn(Vec<f64>) -> T,
}

fn linear_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    map: LinearMap<T>,
) -> Element<T> {
    Element::from_kind(constructor, location, Kind::Apply(parents, Arc::new(map)))
}

impl<T: Value> LinearMap<T> {
    fn value(&self, arguments: &[&dyn Any]) -> Result<T, Fault> {
        let mut numbers: Vec<f64> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if let Some(&number) = argument.downcast_ref::<f64>() {
                numbers.push(number);
            } else if let Some(list) = argument.downcast_ref::<Vec<f64>>() {
                numbers.extend(list);
            }
        }
        self.check(numbers.len())?;
        let products = |row: &Vec<f64>| row.iter().zip(&numbers).map(|(a, x)| a * x).sum::<f64>();
        let values = self
            .rows
            .iter()
            .zip(&self.offset)
            .map(|(row, b)| products(row) + b);
        Ok((self.result)(values.collect()))
    }

    fn check(&self, numbers: usize) -> Result<(), Fault> {
        let longest = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if longest > numbers || self.rows.len() != self.offset.len() {
            return Err(Fault::Arithmetic(format!(
                "a matrix of {} rows of up to {longest} numbers and an offset of {} numbers do not fit a list of {numbers} numbers",
                self.rows.len(),
                self.offset.len()
            )));
        }
        Ok(())
    }
}

impl<T: Value> ApplyOp for LinearMap<T> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        self.value(arguments).map(Datum::new)
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let value = self.value(arguments)?;
        Ok(values
            .insert(&value)
            .expect("the support has the type of its element"))
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

    fn linear(&self, arguments: &[OpenArgument<'_>]) -> Option<LinearFunction> {
        let mut offset = self.offset.clone();
        let mut columns = Vec::new();
        let mut position = 0;
        let coefficient =
            |row: &Vec<f64>, position: usize| row.get(position).copied().unwrap_or(0.0);
        let add_known = |offset: &mut Vec<f64>, position: usize, x: f64| {
            for (sum, row) in offset.iter_mut().zip(&self.rows) {
                *sum += coefficient(row, position) * x;
            }
        };
        for argument in arguments {
            match argument {
                OpenArgument::Open(numbers) => {
                    for column in position..position + numbers {
                        columns.push(
                            self.rows
                                .iter()
                                .map(|row| coefficient(row, column))
                                .collect(),
                        );
                    }
                    position += numbers;
                }
                OpenArgument::Known(value) => {
                    if let Some(&number) = value.downcast_ref::<f64>() {
                        add_known(&mut offset, position, number);
                        position += 1;
                    } else {
                        for &x in value.downcast_ref::<Vec<f64>>()? {
                            add_known(&mut offset, position, x);
                            position += 1;
                        }
                    }
                }
            }
        }
        self.check(position).ok()?;
        Some(LinearFunction { offset, columns })
    }
}
