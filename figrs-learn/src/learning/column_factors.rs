//! The factors of the model's factor graph that depend on the values in a row of data.

use figrs_core::Model;
use figrs_core::expand::{Content, Expansion};
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, Weights};

use super::case_table::{CaseTable, Cell};
use super::learning_expansion::LearningExpansion;
use super::parameters::CountedOutcomes;
use super::statement_factors::StatementFactors;
use figrs_answer::error::Error;

/// The factors whose tables depend on the cells of one column of data.
#[derive(Debug)]
pub(super) enum ColumnFactors {
    /// The factor that holds the evidence of the column. The evidence factor of a column has a table for each distinct cell of the column, and a
    /// table for a missing value.
    Evidence {
        factor: usize,
        cells: Vec<CellFactor>,
        missing: FactorTable,
    },
    /// The indices of the factors that hold the densities of the observed values.
    Densities(Vec<usize>),
}

/// The evidence of a cell as the table of a factor, with the value that the cell states, if it states a value.
#[derive(Debug)]
pub(super) struct CellFactor {
    pub(super) table: FactorTable,
    /// The value that the cell states for the column's variable; `None` if the cell states no value.
    value: Option<u32>,
}

impl ColumnFactors {
    /// Returns the value of the column's variable that `cell` states; `None` if the cell states no value.
    pub(super) fn value(&self, cell: u32) -> Option<u32> {
        match self {
            Self::Evidence { cells, .. } => cells.get(cell as usize)?.value,
            Self::Densities(_) => None,
        }
    }
}

/// Returns, for each column, the evidence of the cells that were added after the factors of the column had been built.
///
/// **Errors.** The same errors as those of [`column_factors`].
pub(super) fn further_cells(
    columns: &[ColumnFactors],
    expansion: &Expansion,
    statements: &StatementFactors,
    cases: &CaseTable,
) -> Result<Vec<Vec<CellFactor>>, Error> {
    let further = |(at, column): (usize, &ColumnFactors)| match column {
        ColumnFactors::Evidence { cells, .. } => {
            cell_factors(expansion, statements, cases, (at, cells.len()))
        }
        ColumnFactors::Densities(_) => Ok(Vec::new()),
    };
    columns.iter().enumerate().map(further).collect()
}

pub(super) fn extend(columns: &mut [ColumnFactors], further: Vec<Vec<CellFactor>>) {
    for (column, further) in columns.iter_mut().zip(further) {
        if let ColumnFactors::Evidence { cells, .. } = column {
            cells.extend(further);
        }
    }
}

/// Returns, for each column of data, the factors of the factor graph whose tables depend on the cells of the column.
///
/// **Errors.** [`Error::InvalidCase`] if a cell has a value that its element cannot have; the errors of conditions and weights.
pub(super) fn column_factors(
    expanded: &LearningExpansion,
    statements: &StatementFactors,
    cases: &CaseTable,
) -> Result<Vec<ColumnFactors>, Error> {
    let mut has_density = vec![false; cases.columns.len()];
    for &column in expanded.places.iter().flatten() {
        has_density[column] = true;
    }
    let mut columns = Vec::with_capacity(cases.columns.len());
    for (at, has_density) in has_density.into_iter().enumerate() {
        columns.push(if has_density {
            ColumnFactors::Densities(Vec::new())
        } else {
            ColumnFactors::Evidence {
                factor: statements.factor(at),
                cells: cell_factors(&expanded.expansion, statements, cases, (at, 0))?,
                missing: statements.table(at, None),
            }
        });
    }
    add_density_factors(statements.graph(), &expanded.outcomes, &mut columns);
    Ok(columns)
}

/// Returns, for each random variable whose outcomes cannot be listed (such as a real number), the column that observes the variable or a `Chain` with
/// this result.
///
/// **Errors.** [`Error::CannotLearnFrom`] for a random variable whose outcomes cannot be listed, if other variables read it, if the model observes
/// it, or if it is a result of a `Chain` that also has results with listed outcomes.
pub(super) fn density_columns(
    expansion: &Expansion,
    model: &Model,
) -> Result<Vec<Option<usize>>, Error> {
    let elements = expansion.elements();
    let refused = |position: usize, reason| {
        let element = elements[position].element.label();
        Err(Error::CannotLearnFrom { element, reason })
    };
    let is_density = |position: usize| {
        let parametric = elements[position].parametric;
        parametric.is_some_and(|at| expansion.parametric_outcomes()[at].support.is_empty())
    };
    let mut is_read = vec![false; elements.len()];
    for element in elements {
        let results = match &element.content {
            Content::Chain { results, .. } => &results[..],
            _ => &[],
        };
        for &read in element.parents.iter().chain(results) {
            is_read[read] = true;
        }
    }
    let mut columns = vec![None; elements.len()];
    for (column, &position) in expansion.targets().iter().enumerate() {
        let results = match &elements[position].content {
            Content::Chain { results, .. } => results.clone(),
            _ => vec![position],
        };
        if !results.iter().any(|&result| is_density(result)) {
            continue;
        }
        if !results.iter().all(|&result| is_density(result)) {
            let reason = "some of its branches have finitely many values, and others have a density or infinitely many values; use one kind for \
            all branches";
            return refused(position, reason);
        }
        if is_read[position] {
            let reason = "its values cannot be listed, and other elements depend on it; discretise it, or draw from the posterior of the parameters \
                          with a sampler";
            return refused(position, reason);
        }
        let id = elements[position].element.id();
        if model
            .evidence()
            .iter()
            .any(|(element, _)| element.id() == id)
        {
            let reason = "its values cannot be listed, and both the model and the cases state evidence about it; state the evidence in the cases \
            alone";
            return refused(position, reason);
        }
        for result in results {
            columns[result] = Some(column);
        }
    }
    for parametric in expansion.parametric_outcomes() {
        let position = parametric.position;
        if parametric.support.is_empty() && columns[position].is_none() {
            let reason = "its values cannot be listed; make it a column of the cases, with the value in each row";
            return refused(position, reason);
        }
    }
    Ok(columns)
}

fn add_density_factors(
    graph: &FactorGraph,
    outcomes: &CountedOutcomes,
    columns: &mut [ColumnFactors],
) {
    for (factor, Factor { table, .. }) in graph.factors.iter().enumerate() {
        for &origin in table
            .origins()
            .into_iter()
            .flatten()
            .filter(|o| **o != Weights::NO_ORIGIN)
        {
            if let Some(column) = outcomes.column(origin)
                && let ColumnFactors::Densities(factors) = &mut columns[column]
                && factors.last() != Some(&factor)
            {
                factors.push(factor);
            }
        }
    }
}

/// Returns the evidence of the distinct cells of the column with the index `at`, beginning with the cell with the index `from`.
fn cell_factors(
    expansion: &Expansion,
    statements: &StatementFactors,
    cases: &CaseTable,
    (at, from): (usize, usize),
) -> Result<Vec<CellFactor>, Error> {
    let column = &cases.columns[at];
    let support = &expansion.elements()[expansion.targets()[at]].support;
    let weights = |cell: &Cell| -> Result<Weights, Error> {
        let stated = match cell {
            Cell::Value(value) => {
                let found = support.index_of(value.as_any());
                let weight = |i| f64::from(u8::from(found == Some(i)));
                return Ok((0..support.len()).map(weight).collect::<Vec<f64>>().into());
            }
            Cell::Statements(stated) => stated,
        };
        let mut logs = vec![0.0; support.len()];
        for (i, log) in logs.iter_mut().enumerate() {
            for statement in stated {
                *log += statement.weight(&column.element, support.any(i))?.1;
            }
        }
        Ok(Weights::from_logs(logs))
    };
    let mut cells = Vec::with_capacity(column.cells.len() - from);
    for (number, cell) in column.cells.iter().enumerate().skip(from) {
        let weights = weights(cell)?;
        if let Cell::Value(value) = cell
            && (0..weights.len()).all(|i| weights.is_zero(i))
        {
            let problem = format!(
                "{:?} cannot be {value:?}; correct the value",
                column.element
            );
            return Err(cases.invalid((at, number), problem));
        }
        let table = statements.table(at, Some(weights));
        let value = match (cell, &table) {
            (Cell::Value(_), FactorTable::Dense(weights)) => {
                let found = (0..weights.len()).find(|&i| !weights.is_zero(i));
                found.map(|value| value as u32)
            }
            _ => None,
        };
        cells.push(CellFactor { table, value });
    }
    Ok(cells)
}
