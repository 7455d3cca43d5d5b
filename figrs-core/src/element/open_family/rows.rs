//! The members of a family of distributions for columns of arguments, one member for each row.

use std::any::Any;

use super::super::distribution::Family;
use super::super::operations::MemberFault;
use super::{OpenFamily, ParameterSource};
use crate::element::function::contained;
use crate::error::Fault;
use crate::value::Value;
use crate::value::support::AnyColumn;

impl<T: Value, F: Family<T>> OpenFamily<T, F> {
    #[inline]
    fn checked(
        &self,
        numbers: &[f64],
        each: impl FnOnce(&[f64]) -> Result<(), Fault>,
    ) -> Result<(), MemberFault> {
        if let Err(wrong) = self.family.check(numbers) {
            return Err(MemberFault::Parameters(self.wrong(numbers, &wrong)));
        }
        each(numbers).map_err(MemberFault::Function)
    }

    #[inline]
    fn each_row<const N: usize>(
        &self,
        count: usize,
        numbers: impl Fn(usize) -> [f64; N],
        mut each: impl FnMut(&[f64]) -> Result<(), Fault>,
    ) -> Result<(), MemberFault> {
        (0..count).try_for_each(|row| self.checked(&numbers(row), &mut each))
    }

    /// Checks the parameters of each row, and calls `each` with them.
    pub(super) fn for_rows(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        mut each: impl FnMut(&[f64]) -> Result<(), Fault>,
    ) -> Result<(), MemberFault> {
        let columns: Option<Vec<&Vec<f64>>> = arguments
            .iter()
            .map(|column| column.as_any().downcast_ref())
            .collect();
        let Some(columns) = columns else {
            let row = |row| {
                let values: Vec<&dyn Any> =
                    arguments.iter().map(|column| column.any(row)).collect();
                self.numbers(&values, |numbers| self.checked(numbers, &mut each))
            };
            return contained(|| (0..count).try_for_each(row)).map_err(MemberFault::Function)?;
        };
        let mut numbers: Vec<f64> = self
            .sources
            .iter()
            .map(|source| match source {
                ParameterSource::Number(number) => number.get(),
                ParameterSource::Parent(_) => f64::NAN,
            })
            .collect();
        let open: Vec<(usize, &Vec<f64>)> = self
            .sources
            .iter()
            .enumerate()
            .filter_map(|(i, source)| match source {
                ParameterSource::Number(_) => None,
                ParameterSource::Parent(parent) => Some((i, columns[*parent])),
            })
            .collect();
        // If the parameters of a row are in an array of known length, the compiler moves computations that use only constants out of the loop.
        let rows = || match (&open[..], &numbers[..]) {
            ([(0, first)], [_]) => self.each_row(count, |row| [first[row]], &mut each),
            ([(0, first)], &[_, second]) => {
                self.each_row(count, |row| [first[row], second], &mut each)
            }
            _ => {
                for row in 0..count {
                    for (i, column) in &open {
                        numbers[*i] = column[row];
                    }
                    self.checked(&numbers, &mut each)?;
                }
                Ok(())
            }
        };
        contained(rows).map_err(MemberFault::Function)?
    }
}
