//! The parameters of many members of a family, one member for each row of the columns of arguments.

use super::family::Parameters;
use super::open_family::{ParameterSource, for_each_number};
use crate::value::support::AnyColumn;

/// The parameters of the member of a family in each row of the arguments.
pub(super) struct ParameterRows<'a> {
    sources: &'a [ParameterSource],
    arguments: &'a [&'a dyn AnyColumn],
    count: usize,
    /// The parameters of the member of a family in one row of arguments; parameters that are constant are set only once, for all rows.
    numbers: Parameters,
    /// For each parameter that differs between rows, its index and its column of argument values; `None` if an argument is a list.
    columns: Option<Vec<(usize, &'a [f64])>>,
}

impl<'a> ParameterRows<'a> {
    pub(super) fn new(
        sources: &'a [ParameterSource],
        arguments: &'a [&'a dyn AnyColumn],
        count: usize,
    ) -> Self {
        let numbers = sources.iter().map(|source| match source {
            ParameterSource::Number(number) => number.get(),
            ParameterSource::Parent(_) => f64::NAN,
        });
        let columns = sources.iter().enumerate().filter_map(|(i, source)| {
            let ParameterSource::Parent(parent) = source else {
                return None;
            };
            let column = arguments[*parent].as_any().downcast_ref::<Vec<f64>>();
            Some(column.map(|column| (i, &column[..count])))
        });
        Self {
            sources,
            arguments,
            count,
            numbers: numbers.collect(),
            columns: columns.collect(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the column of values of the first parameter, and the second parameter if there is one. Returns `None` if there are more than two
    /// parameters, or if any parameter after the first differs between rows.
    pub(super) fn first_column(&self) -> Option<(&'a [f64], Option<f64>)> {
        match (self.columns.as_deref()?, &self.numbers[..]) {
            (&[(0, first)], [_]) => Some((first, None)),
            (&[(0, first)], &[_, second]) => Some((first, Some(second))),
            _ => None,
        }
    }

    /// Returns the parameters of the member of the family in the row `row`.
    pub(super) fn numbers(&mut self, row: usize) -> &[f64] {
        if let Some(columns) = &self.columns {
            for &(i, column) in columns {
                self.numbers[i] = column[row];
            }
        } else {
            self.numbers.clear();
            for source in self.sources {
                match source {
                    ParameterSource::Number(number) => self.numbers.push(number.get()),
                    ParameterSource::Parent(parent) => {
                        let argument = self.arguments[*parent].any(row);
                        for_each_number(argument, |x| self.numbers.push(x));
                    }
                }
            }
        }
        &self.numbers
    }
}
