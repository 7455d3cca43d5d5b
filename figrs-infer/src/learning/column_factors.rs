//! The factors that the cells of a column change.

use figrs_core::expand::{Content, Expansion};
use figrs_core::factor::{Factor, FactorGraph, FactorTable, Weights};

use super::case_table::{CaseTable, Cell};
use super::parameters::{CountedOutcomes, Origin};
use crate::error::Error;
use crate::exact::tree::CompiledEncoding;

/// The factors that a cell of a column changes.
#[derive(Debug)]
pub(super) enum ColumnFactors {
    /// The one that holds the evidence, with a table for each cell and one for a missing cell.
    Evidence {
        factor: usize,
        cells: Vec<FactorTable>,
        missing: FactorTable,
    },
    /// Those that hold densities of its values.
    Densities(Vec<usize>),
}

/// The factors of all columns; `places` tells the elements whose densities columns observe.
///
/// **Errors.** [`Error::InvalidCase`] for a value that an element cannot have; those of conditions and weights.
pub(super) fn column_factors(
    (expansion, compiled, graph): (&Expansion, &CompiledEncoding, &FactorGraph),
    outcomes: &CountedOutcomes,
    cases: &CaseTable,
    places: &[Option<usize>],
) -> Result<Vec<ColumnFactors>, Error> {
    let mut has_density = vec![false; cases.columns.len()];
    for &column in places.iter().flatten() {
        has_density[column] = true;
    }
    let mut columns = Vec::with_capacity(cases.columns.len());
    for (at, has_density) in has_density.into_iter().enumerate() {
        columns.push(if has_density {
            ColumnFactors::Densities(Vec::new())
        } else {
            evidence_factors(expansion, compiled, cases, at)?
        });
    }
    add_density_factors(graph, outcomes, &mut columns);
    Ok(columns)
}

/// For each element of an expansion the column that observes it, or the Chain that results in it, if its outcomes are not listed.
///
/// **Errors.** [`Error::InvalidCase`] if others read an element whose value a row leaves out.
pub(super) fn density_columns(
    expansion: &Expansion,
    cases: &CaseTable,
) -> Result<Vec<Option<usize>>, Error> {
    let elements = expansion.elements();
    let mut columns = vec![None; elements.len()];
    let is_density = |position: usize| {
        let parametric = elements[position].parametric;
        parametric.is_some_and(|at| expansion.parametric_outcomes()[at].support.is_empty())
    };
    for (column, &position) in expansion.targets().iter().enumerate() {
        let mut densities = vec![position];
        if let Content::Chain { results, .. } = &elements[position].content {
            densities.extend(results);
        }
        densities.retain(|&position| is_density(position));
        for &density in &densities {
            columns[density] = Some(column);
        }
        if !densities.is_empty() {
            let is_read = elements.iter().any(|e| e.parents.contains(&position));
            if let Some(row) = cases.first_missing(column).filter(|_| is_read) {
                let element = elements[position].element.label();
                let problem = format!(
                    "{element} has a density and other elements read it, so that it must have a value in every row; give one"
                );
                return Err(Error::InvalidCase { row, problem });
            }
        }
    }
    Ok(columns)
}

/// Adds to each column of densities the factors that hold them.
fn add_density_factors(
    graph: &FactorGraph,
    outcomes: &CountedOutcomes,
    columns: &mut [ColumnFactors],
) {
    for (factor, Factor { table, .. }) in graph.factors.iter().enumerate() {
        let origins = match table {
            FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } => weights.origins(),
            FactorTable::Function { .. } => None,
        };
        for &origin in origins
            .into_iter()
            .flatten()
            .filter(|o| **o != Weights::NO_ORIGIN)
        {
            if let Origin::Column { column, .. } = outcomes.origin(origin)
                && let ColumnFactors::Densities(factors) = &mut columns[column]
                && factors.last() != Some(&factor)
            {
                factors.push(factor);
            }
        }
    }
}

/// The tables of the evidence in the cells of a column.
fn evidence_factors(
    expansion: &Expansion,
    compiled: &CompiledEncoding,
    cases: &CaseTable,
    at: usize,
) -> Result<ColumnFactors, Error> {
    let column = &cases.columns[at];
    let support = &expansion.elements()[expansion.targets()[at]].support;
    let weights = |cell: &Cell| -> Result<Weights, Error> {
        let statements = match cell {
            Cell::Value(value) => {
                let found = support.index_of(value.as_any());
                let weight = |i| f64::from(u8::from(found == Some(i)));
                return Ok((0..support.len()).map(weight).collect::<Vec<f64>>().into());
            }
            Cell::Statements(statements) => statements,
        };
        let mut logs = vec![0.0; support.len()];
        for (i, log) in logs.iter_mut().enumerate() {
            for statement in statements {
                *log += statement.weight(&column.element, support.any(i))?.1;
            }
        }
        Ok(Weights::from_logs(logs))
    };
    let mut cells = Vec::with_capacity(column.cells.len());
    for (number, cell) in column.cells.iter().enumerate() {
        let weights = weights(cell)?;
        if let Cell::Value(value) = cell
            && (0..weights.len()).all(|i| weights.is_zero(i))
        {
            let problem = format!("{:?} cannot be {value:?}; mend the value", column.element);
            return Err(cases.invalid((at, number), problem));
        }
        cells.push(compiled.statement_table(at, Some(weights)));
    }
    Ok(ColumnFactors::Evidence {
        factor: compiled.statement_factor(at),
        cells,
        missing: compiled.statement_table(at, None),
    })
}
