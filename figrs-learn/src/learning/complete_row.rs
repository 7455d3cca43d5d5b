//! Finds the outcomes that complete rows of data contain, and counts them without inference. A complete row of data determines the value of every
//! variable.

use figrs_factor::graph::{Factor, FactorGraph, FactorTable, Weights};

use super::case_rows::{CaseRow, MISSING};
use super::column_factors::ColumnFactors;
use super::parameters::CountedOutcomes;

/// A factor graph in a form for complete rows of data, which determine the value of every variable.
#[derive(Debug, Default)]
pub(super) struct CompleteRow {
    /// For each variable, the source of its value in a complete row of data; `None` if no row can be complete.
    sources: Option<Vec<ValueSource>>,
    /// The factors of the graph, except factors whose entries are all 1.
    factors: Vec<FlatFactor>,
    /// The variables of each factor, with their strides in the factor's table.
    scopes: Vec<(u32, usize)>,
    /// For each entry in the tables of the factors, the label of the outcome whose probability the entry is.
    origins: Vec<u32>,
}

/// A factor of a [`CompleteRow`], represented by its ranges in the lists of variables and of outcomes.
#[derive(Clone, Copy, Debug)]
struct FlatFactor {
    factor: u32,
    /// The index in `scopes` after the last variable of the factor.
    scope_end: u32,
    /// The index in `origins` of the first entry of the factor's table; `None` for a deterministic function.
    first_origin: Option<usize>,
}

/// The source of a variable's value in a complete row of data.
#[derive(Clone, Copy, Debug)]
enum ValueSource {
    /// The variable has only one possible value.
    Only,
    /// The contained column of the data states the value of the variable.
    Column(usize),
}

impl CompleteRow {
    pub(super) fn new(graph: &FactorGraph, columns: &[ColumnFactors]) -> Self {
        let mut complete = Self {
            sources: sources(graph, columns),
            ..Self::default()
        };
        if complete.sources.is_some() {
            for (at, factor) in graph.factors.iter().enumerate() {
                complete.add(graph, (at as u32, factor));
            }
        }
        complete
    }

    fn add(&mut self, graph: &FactorGraph, (at, factor): (u32, &Factor)) {
        let mut scope = &factor.variables[..];
        let first_origin = match &factor.table {
            FactorTable::Dense(weights) => {
                let is_one = |i: usize| weights.log(i) == 0.0;
                if weights.origins().is_none() && (0..weights.len()).all(is_one) {
                    return;
                }
                let first = self.origins.len();
                match weights.origins() {
                    Some(origins) => self.origins.extend(origins),
                    None => self
                        .origins
                        .resize(first + weights.len(), Weights::NO_ORIGIN),
                }
                Some(first)
            }
            FactorTable::Function { .. } | FactorTable::Sparse { .. } => {
                scope = scope.split_last().map_or(&[], |(_, parents)| parents);
                None
            }
        };
        let start = self.scopes.len();
        let mut distance = 1;
        for &v in scope.iter().rev() {
            self.scopes.push((v.index() as u32, distance));
            distance *= graph.cardinality(v);
        }
        self.scopes[start..].reverse();
        self.factors.push(FlatFactor {
            factor: at,
            scope_end: self.scopes.len() as u32,
            first_origin,
        });
    }

    /// Writes the values of all variables in `row` to `values`; returns `false` if the row of data does not determine the value of some variable.
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

    /// Calls the function `count` with each outcome in a row of data, and returns the natural logarithm of the row's probability; `None` if the row
    /// is not complete.
    ///
    /// The factor graph must not contain the evidence of the row of data; `values` is overwritten.
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
        let (mut log_prob, mut scope_start) = (0.0, 0);
        for flat in &self.factors {
            let scope = &self.scopes[scope_start..flat.scope_end as usize];
            scope_start = flat.scope_end as usize;
            let places = scope.iter();
            let place: usize = places
                .map(|&(v, distance)| values[v as usize] as usize * distance)
                .sum();
            let origin = flat.first_origin.map(|first| self.origins[first + place]);
            let outcome = match origin {
                None | Some(Weights::NO_ORIGIN) => None,
                Some(origin) => outcomes.outcome_in(row, origin),
            };
            if let Some(outcome) = outcome {
                count(outcome);
                log_prob += log_weights[outcome];
                continue;
            }
            let factor = &graph.factors[flat.factor as usize];
            match &factor.table {
                FactorTable::Dense(weights) => log_prob += weights.log(place),
                FactorTable::Function { index } => {
                    let child = factor.variables.last();
                    if child.is_some_and(|child| index[place] != values[child.index()]) {
                        return Some(f64::NEG_INFINITY);
                    }
                }
                FactorTable::Sparse { .. } => return None,
            }
        }
        Some(log_prob)
    }
}

/// Returns, for each variable, the source of its value; `None` if some variable belongs to no column of the data, or if a factor is a sparse list.
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
