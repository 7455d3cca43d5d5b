//! Tornado tables: the values of a query at the ends of the ranges of parameters.

use std::fmt;

use serde::Serialize;

use figrs_answer::answer::text_table::{TableAlignment, write_table};
use figrs_factor::bounds::six_decimals;

/// The result of a one-way sensitivity analysis: the values of a query at both ends of the range of each parameter, while the other parameters keep
/// their values. The parameters of a tornado are sorted by influence, with the most influential parameter first.
///
/// The method [`Sensitivity::tornado`](crate::Sensitivity::tornado) computes a tornado; the printed text of a tornado is a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tornado {
    /// Name of the query.
    pub query: String,
    /// Value of the query at the present values of the parameters.
    pub value: f64,
    /// The parameters, sorted by the width of the interval between the query's values at the ends of the range; the widest is first.
    pub rows: Vec<TornadoRow>,
}

/// One parameter of a [`Tornado`] table, with its range.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TornadoRow {
    /// Name of the parameter in the model.
    pub parameter: String,
    /// Present value of the parameter.
    pub present: f64,
    /// Lower end of the parameter's range, and the value of the query at the lower end.
    pub low: (f64, f64),
    /// Upper end of the parameter's range, and the value of the query at the upper end.
    pub high: (f64, f64),
    /// The derivative of the query with respect to the parameter, at the parameter's present value.
    pub slope: f64,
}

impl TornadoRow {
    /// Returns the absolute difference between the values of the query at the two ends of the range.
    pub fn swing(&self) -> f64 {
        (self.high.1 - self.low.1).abs()
    }
}

impl Tornado {
    pub(super) fn new(query: String, value: f64, mut rows: Vec<TornadoRow>) -> Self {
        rows.sort_by(|a, b| b.swing().total_cmp(&a.swing()));
        Self { query, value, rows }
    }
}

impl fmt::Display for Tornado {
    /// Writes the name of the query with its value, and then one line for each parameter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} = {:.6}", self.query, six_decimals(self.value))?;
        let header = [
            "parameter",
            "present",
            "range",
            "at low",
            "at high",
            "slope",
        ];
        let rows = self.rows.iter().map(|row| {
            vec![
                row.parameter.clone(),
                row.present.to_string(),
                format!("{} to {}", row.low.0, row.high.0),
                format!("{:.6}", six_decimals(row.low.1)),
                format!("{:.6}", six_decimals(row.high.1)),
                format!("{:.6}", six_decimals(row.slope)),
            ]
        });
        let header = header.map(String::from).to_vec();
        let lines: Vec<Vec<String>> = [header].into_iter().chain(rows).collect();
        write_table(f, &lines, TableAlignment::NumbersRight)
    }
}
