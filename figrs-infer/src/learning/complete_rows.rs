//! Rows that leave nothing open: their counts do not depend on the parameters.

use figrs_core::factor::{FactorGraph, FactorTable, Weights};

use super::case_table::{CaseTable, Cell, MISSING, cell};
use super::column_factors::ColumnFactors;
use super::parameters::CountedOutcomes;
use crate::error::Error;

/// The counts of rows that give a value to every variable, found once, and the other rows.
#[derive(Debug, Default)]
pub(super) struct CompleteRows {
    /// By outcome.
    pub(super) counts: Vec<f64>,
    /// The natural logarithm of the weights that no parameter decides.
    log_constant: f64,
    /// The rows that leave something open.
    pub(super) open: Vec<usize>,
}

/// Source of the value of a variable.
#[derive(Clone, Copy)]
enum ValueSource {
    /// It has one value.
    Only,
    /// The cell of this column.
    Column(usize),
}

impl CompleteRows {
    /// Counts the complete rows of a graph with the factors of these columns.
    ///
    /// **Errors.** [`Error::InvalidCase`] for a row that the factors exclude whatever the parameters are.
    pub(super) fn new(
        graph: &FactorGraph,
        columns: &[ColumnFactors],
        outcomes: &CountedOutcomes,
        cases: &CaseTable,
    ) -> Result<Self, Error> {
        let mut complete = Self {
            counts: vec![0.0; outcomes.len()],
            ..Self::default()
        };
        let sources = sources(graph, columns);
        let mut values = vec![0; graph.cardinalities.len()];
        for at in 0..cases.distinct() {
            let (row, weight, number) = cases.row(at);
            let is_complete = sources.as_ref().is_some_and(|sources| {
                let sources = sources.iter().zip(&mut values);
                sources.into_iter().all(|(source, value)| {
                    let found = value_of(*source, (row, cases), columns);
                    *value = found.unwrap_or(0);
                    found.is_some()
                })
            });
            let densities = columns.iter().enumerate().all(|(column, factors)| {
                !matches!(factors, ColumnFactors::Densities(_)) || cell(row, column) != MISSING
            });
            if !is_complete || !densities {
                complete.open.push(at);
            } else if !complete.add(graph, &values, (row, weight), outcomes) {
                return Err(Error::impossible_case(number));
            }
        }
        Ok(complete)
    }

    /// Adds the counts of a row; false if a factor excludes it.
    fn add(
        &mut self,
        graph: &FactorGraph,
        values: &[u32],
        (row, weight): (&[u32], f64),
        outcomes: &CountedOutcomes,
    ) -> bool {
        graph.factors.iter().all(|factor| {
            let place = |variables: &[figrs_core::factor::VarId]| {
                variables.iter().fold(0, |place, v| {
                    place * graph.cardinality(*v) + values[v.index()] as usize
                })
            };
            match &factor.table {
                FactorTable::Dense(weights) => {
                    let entry = place(&factor.variables);
                    let origin = weights
                        .origins()
                        .map_or(Weights::NO_ORIGIN, |all| all[entry]);
                    let outcome = match origin {
                        Weights::NO_ORIGIN => None,
                        origin => outcomes.outcome_in(row, origin),
                    };
                    match outcome {
                        Some(outcome) => self.counts[outcome] += weight,
                        None if weights.is_zero(entry) => return false,
                        None => self.log_constant += weight * weights.log(entry),
                    }
                    true
                }
                FactorTable::Function { index } => match factor.variables.split_last() {
                    Some((child, parents)) => index[place(parents)] == values[child.index()],
                    None => true,
                },
                FactorTable::Sparse { .. } => false,
            }
        })
    }

    /// The log-likelihood of the complete rows, or `None` if one of their outcomes has the probability zero.
    pub(super) fn log_likelihood(&self, log_weights: &[f64]) -> Option<f64> {
        let counted = self
            .counts
            .iter()
            .zip(log_weights)
            .filter(|(n, _)| **n > 0.0);
        let sum: f64 = counted.map(|(n, log)| n * log).sum();
        (sum > f64::NEG_INFINITY).then_some(self.log_constant + sum)
    }
}

/// The source of each variable's value; `None` if some variable is of no column, or a factor is a list.
fn sources(graph: &FactorGraph, columns: &[ColumnFactors]) -> Option<Vec<ValueSource>> {
    let is_listed = |table: &FactorTable| matches!(table, FactorTable::Sparse { .. });
    if graph.factors.iter().any(|factor| is_listed(&factor.table)) {
        return None;
    }
    let only = |&n: &u32| (n == 1).then_some(ValueSource::Only);
    let mut sources: Vec<Option<ValueSource>> = graph.cardinalities.iter().map(only).collect();
    for (column, factors) in columns.iter().enumerate() {
        if let ColumnFactors::Evidence { factor, .. } = factors {
            let variable = graph.factors[*factor].variables[0];
            sources[variable.index()] = Some(ValueSource::Column(column));
        }
    }
    sources.into_iter().collect()
}

/// The value of a variable in a row, if the row gives it one.
fn value_of(
    source: ValueSource,
    (row, cases): (&[u32], &CaseTable),
    columns: &[ColumnFactors],
) -> Option<u32> {
    let ValueSource::Column(column) = source else {
        return Some(0);
    };
    let cell = cell(row, column);
    let stated = cases.columns[column].cells.get(cell as usize)?;
    let ColumnFactors::Evidence { cells, .. } = &columns[column] else {
        return None;
    };
    match (stated, &cells[cell as usize]) {
        (Cell::Value(_), FactorTable::Dense(weights)) => {
            let value = (0..weights.len()).find(|&i| !weights.is_zero(i))?;
            Some(value as u32)
        }
        _ => None,
    }
}
