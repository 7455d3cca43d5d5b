//! The factors that the cells of a column change.

use figrs_core::Model;
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
/// **Errors.** [`Error::CannotLearnFrom`] for such an element that is read by others, observed by the model, or one of several results of a
/// Chain others of which are listed.
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
            let reason = "some of its branches have a list of values and others a density or values without end; give all of them one kind";
            return refused(position, reason);
        }
        if is_read[position] {
            let reason = "its values cannot be listed, and other elements read it; discretise it, or draw from the posterior of the parameters \
                          with a sampler";
            return refused(position, reason);
        }
        let id = elements[position].element.id();
        if model
            .evidence()
            .iter()
            .any(|(element, _)| element.id() == id)
        {
            let reason = "its values cannot be listed, and both the model and the cases state it; state it in the cases alone";
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
