//! The expectation step on a contraction tree.

use std::ops::ControlFlow;
use std::sync::Arc;

use figrs_core::expand::{Content, Encoding, Expansion, LearnedParameters};
use figrs_core::factor::{FactorGraph, FactorTable, Weights};
use figrs_core::{AnyElement, Datum, Model, Until};

use super::case_table::{CaseTable, Cell, MISSING};
use super::expected_counts::{ExpectationStep, Expected, ExpectedCounts};
use super::parameters::{Origin, Outcomes};
use crate::error::Error;
use crate::exact::conflict;
use crate::exact::eliminate::EliminationError;
use crate::exact::junction_tree::JunctionTree;
use crate::exact::limits::Limits;
use crate::exact::tree::{
    CompiledEncoding, CountingTree, PreviousTree, SumProductPrecision, TreeBeliefs,
};
use crate::run::work_queue::in_order;

/// Most units of rows of one expectation step: each has counts of its own.
const MAX_UNITS: usize = 64;
/// Fewest rows of a unit, of which each takes some microseconds.
const MIN_UNIT_ROWS: usize = 32;

/// A model compiled once for all cases, with the elements of columns as varying ones.
#[derive(Debug)]
pub(super) struct TreeCounts {
    outcomes: Outcomes,
    /// The factors, with the weights that no parameter decides.
    graph: FactorGraph,
    counting: CountingTree,
    columns: Vec<ColumnFactors>,
}

/// The factors that a cell of a column changes.
#[derive(Debug)]
enum ColumnFactors {
    /// The one that holds the evidence, with a table for each cell and one for a missing cell.
    Evidence {
        factor: usize,
        cells: Vec<FactorTable>,
        missing: FactorTable,
    },
    /// Those that hold densities of its values.
    Densities(Vec<usize>),
}

impl TreeCounts {
    /// Expands and compiles the model.
    pub(super) fn new(model: &Model, cases: &CaseTable, limits: &Limits) -> Result<Self, Error> {
        let elements: Vec<AnyElement> = cases.columns.iter().map(|c| c.element.clone()).collect();
        let stand_ins: Vec<(AnyElement, Datum)> = cases
            .columns
            .iter()
            .filter_map(|column| Some((column.element.clone(), column.any_value()?)))
            .collect();
        let mut learned = LearnedParameters::default();
        let expansion = Arc::new(Expansion::learning(
            model,
            &elements,
            (limits.budget, &limits.options.until),
            &mut learned,
            &stand_ins,
        )?);
        if expansion.impossible().is_some() {
            return Err(conflict::impossible(model, &elements, limits));
        }
        conflict::check_doubts(&expansion, limits)?;
        let places = density_columns(&expansion, cases)?;
        let outcomes = Outcomes::new(&expansion, learned, cases, |position| places[position])?;
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let compiled = CompiledEncoding::new(
            PreviousTree::None,
            &expansion,
            encoding,
            expansion.targets(),
            limits,
        )?;
        let graph = compiled.graph().clone();
        let columns = (0..cases.columns.len())
            .map(|at| {
                let is_density = places.contains(&Some(at));
                if is_density {
                    return Ok(ColumnFactors::Densities(density_factors(
                        &graph, &outcomes, at,
                    )));
                }
                evidence_factors(&expansion, &compiled, cases, at)
            })
            .collect::<Result<_, Error>>()?;
        Ok(Self {
            counting: CountingTree::new(compiled.tree(), &graph),
            outcomes,
            graph,
            columns,
        })
    }

    /// Changes the factors to those of a row; returns their numbers.
    fn load(
        &self,
        worker: &mut RowWorker,
        numbers: &RoundNumbers<'_>,
        row: &[u32],
        changed: &mut Vec<usize>,
    ) {
        changed.clear();
        for (column, factors) in self.columns.iter().enumerate() {
            let cell = row.get(column).copied().unwrap_or(MISSING);
            if worker.row[column] == Some(cell) {
                continue;
            }
            worker.row[column] = Some(cell);
            match factors {
                ColumnFactors::Evidence {
                    factor,
                    cells,
                    missing,
                } => {
                    let table = cells.get(cell as usize).unwrap_or(missing);
                    worker.graph.factors[*factor].table = table.clone();
                    changed.push(*factor);
                }
                ColumnFactors::Densities(factors) => {
                    for &factor in factors {
                        let table = &mut worker.graph.factors[factor].table;
                        set_weights(table, |origin| match self.outcomes.origin(origin) {
                            Origin::Outcome(outcome) => numbers.log_weights[outcome],
                            Origin::Column { first, .. } if cell != MISSING => {
                                numbers.log_weights[first + cell as usize]
                            }
                            Origin::Column { .. } | Origin::Fixed => 0.0,
                        });
                        changed.push(factor);
                    }
                }
            }
        }
    }

    /// The expected counts of a unit of rows.
    fn count(
        &self,
        worker: &mut RowWorker,
        numbers: &RoundNumbers<'_>,
        rows: std::ops::Range<usize>,
    ) -> Result<Expected, Error> {
        let mut expected = Expected {
            log_likelihood: 0.0,
            counts: vec![0.0; self.outcomes.len()],
        };
        let mut changed = Vec::new();
        for at in rows {
            if numbers.until.is_over() {
                return Err(EliminationError::Interrupted.into());
            }
            let (row, weight, number) = numbers.cases.row(at);
            self.load(worker, numbers, row, &mut changed);
            let (tree, graph) = (self.counting.tree(), &worker.graph);
            worker.sums.reload(tree, graph, &changed);
            let counts = &mut expected.counts;
            let log = self
                .counting
                .count(&mut worker.sums, graph, |origin, share| {
                    let outcome = match self.outcomes.origin(origin) {
                        Origin::Outcome(outcome) => Some(outcome),
                        Origin::Column { column, first } => {
                            let cell = row.get(column).copied().unwrap_or(MISSING);
                            (cell != MISSING).then(|| first + cell as usize)
                        }
                        Origin::Fixed => None,
                    };
                    if let Some(outcome) = outcome {
                        counts[outcome] += weight * share;
                    }
                });
            if log == f64::NEG_INFINITY {
                let problem = "no world has its values while the parameters are what they are; mend the row, or start from parameters \
                               that make it possible";
                return Err(Error::InvalidCase {
                    row: number,
                    problem: problem.into(),
                });
            }
            expected.log_likelihood += weight * log;
        }
        Ok(expected)
    }
}

/// The numbers of one round.
struct RoundNumbers<'a> {
    cases: &'a CaseTable,
    log_weights: &'a [f64],
    until: &'a Until,
}

/// The beliefs of one thread, and the row that they are for.
struct RowWorker {
    graph: FactorGraph,
    sums: TreeBeliefs<SumProductPrecision>,
    row: Vec<Option<u32>>,
}

impl ExpectationStep for TreeCounts {
    fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }

    fn expect(
        &self,
        cases: &CaseTable,
        log_weights: &[f64],
        (threads, until): (usize, &Until),
    ) -> Result<Expected, Error> {
        let numbers = RoundNumbers {
            cases,
            log_weights,
            until,
        };
        let mut graph = self.graph.clone();
        for factor in &mut graph.factors {
            set_weights(&mut factor.table, |origin| {
                match self.outcomes.origin(origin) {
                    Origin::Outcome(outcome) => log_weights[outcome],
                    Origin::Column { .. } | Origin::Fixed => 0.0,
                }
            });
        }
        let worker = || {
            Ok(RowWorker {
                sums: TreeBeliefs::new(self.counting.tree(), &graph),
                graph: graph.clone(),
                row: vec![None; self.columns.len()],
            })
        };
        let rows = cases.distinct();
        let unit_rows = rows.div_ceil(MAX_UNITS).max(MIN_UNIT_ROWS);
        let unit = |worker: &mut RowWorker, unit: u64| {
            let first = unit as usize * unit_rows;
            self.count(worker, &numbers, first..(first + unit_rows).min(rows))
        };
        let mut all = Expected {
            log_likelihood: 0.0,
            counts: vec![0.0; self.outcomes.len()],
        };
        let take = |unit: Expected| {
            all.log_likelihood += unit.log_likelihood;
            for (sum, count) in all.counts.iter_mut().zip(unit.counts) {
                *sum += count;
            }
            ControlFlow::Continue(())
        };
        let units = 0..rows.div_ceil(unit_rows) as u64;
        in_order(threads, (units, 1), worker, unit, take)?;
        Ok(all)
    }
}

impl ExpectedCounts for JunctionTree {
    fn name(&self) -> &'static str {
        "JunctionTree"
    }

    fn prepare(
        &self,
        model: &Model,
        cases: &CaseTable,
        until: &Until,
    ) -> Result<Box<dyn ExpectationStep>, Error> {
        let limits = self.limits().until(until);
        Ok(Box::new(TreeCounts::new(model, cases, &limits)?))
    }
}

/// Replaces the weights of a table that have an origin.
fn set_weights(table: &mut FactorTable, log_weight: impl Fn(u32) -> f64) {
    if let FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } = table
        && weights.origins().is_some()
    {
        *weights = weights.with_log_weights(log_weight);
    }
}

/// For each element of an expansion the column that observes it, or the Chain that results in it, if its outcomes are not listed.
///
/// **Errors.** [`Error::InvalidCase`] if others read an element whose value a row leaves out.
fn density_columns(expansion: &Expansion, cases: &CaseTable) -> Result<Vec<Option<usize>>, Error> {
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
        for density in densities {
            columns[density] = Some(column);
        }
        if columns.contains(&Some(column)) {
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

/// The factors with densities of a column.
fn density_factors(graph: &FactorGraph, outcomes: &Outcomes, column: usize) -> Vec<usize> {
    let is_of = |origin: &u32| {
        *origin != Weights::NO_ORIGIN
            && matches!(outcomes.origin(*origin), Origin::Column { column: of, .. } if of == column)
    };
    let has_some = |table: &FactorTable| match table {
        FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } => {
            weights.origins().is_some_and(|all| all.iter().any(is_of))
        }
        FactorTable::Function { .. } => false,
    };
    let factors = graph.factors.iter().enumerate();
    factors
        .filter_map(|(at, factor)| has_some(&factor.table).then_some(at))
        .collect()
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
