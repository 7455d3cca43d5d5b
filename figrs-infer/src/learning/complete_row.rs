//! Rows that leave nothing open: their counts need no inference.

use figrs_core::factor::{FactorGraph, FactorTable, Weights};

use super::case_rows::{CaseRow, MISSING};
use super::column_factors::ColumnFactors;
use super::parameters::CountedOutcomes;

/// Sources of the values of variables, and the columns of densities.
#[derive(Debug)]
pub(super) struct CompleteRow {
    /// By variable; `None` if some variable is of no column, or a factor is a list: then no row is complete.
    sources: Option<Vec<ValueSource>>,
}

/// Source of the value of a variable.
#[derive(Clone, Copy, Debug)]
enum ValueSource {
    /// It has one value.
    Only,
    /// The cell of this column.
    Column(usize),
}

impl CompleteRow {
    /// For a graph with the factors of these columns.
    pub(super) fn new(graph: &FactorGraph, columns: &[ColumnFactors]) -> Self {
        Self {
            sources: sources(graph, columns),
        }
    }

    /// Gives the values of the variables in a row; false if it leaves something open.
    fn values(&self, row: CaseRow<'_>, columns: &[ColumnFactors], values: &mut Vec<u32>) -> bool {
        values.clear();
        let Some(sources) = &self.sources else {
            return false;
        };
        values.extend(sources.iter().map_while(|source| match source {
            ValueSource::Only => Some(0),
            ValueSource::Column(column) => columns[*column].value(row.cell(*column)),
        }));
        let mut columns = columns.iter().enumerate();
        values.len() == sources.len()
            && columns.all(|(column, factors)| {
                !matches!(factors, ColumnFactors::Densities(_)) || row.cell(column) != MISSING
            })
    }

    /// Gives the outcomes of a row to `count` and returns the natural logarithm of its probability; `None` if the row leaves something
    /// open.
    ///
    /// The factors of the graph hold no evidence of the row; `values` is for reuse.
    pub(super) fn log_prob(
        &self,
        (row, columns): (CaseRow<'_>, &[ColumnFactors]),
        (graph, outcomes, log_weights): (&FactorGraph, &CountedOutcomes, &[f64]),
        values: &mut Vec<u32>,
        mut count: impl FnMut(usize),
    ) -> Option<f64> {
        if !self.values(row, columns, values) {
            return None;
        }
        let mut log_prob = 0.0;
        for factor in &graph.factors {
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
                    if let Some(outcome) = outcome {
                        count(outcome);
                    }
                    log_prob += outcome.map_or_else(|| weights.log(entry), |at| log_weights[at]);
                }
                FactorTable::Function { index } => {
                    if let Some((child, parents)) = factor.variables.split_last()
                        && index[place(parents)] != values[child.index()]
                    {
                        return Some(f64::NEG_INFINITY);
                    }
                }
                FactorTable::Sparse { .. } => return None,
            }
        }
        Some(log_prob)
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
