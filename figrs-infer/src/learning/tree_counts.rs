//! The expectation step on a contraction tree.

use std::ops::ControlFlow;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion, LearnedParameters};
use figrs_core::factor::{FactorGraph, FactorTable};
use figrs_core::{AnyElement, Datum, Model, Until};

use super::case_table::{CaseTable, MISSING, cell};
use super::column_factors::{ColumnFactors, column_factors, density_columns};
use super::complete_rows::CompleteRows;
use super::expected_counts::{ExpectationStep, Expected, ExpectedCounts};
use super::parameters::{CountedOutcomes, Origin};
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
    outcomes: CountedOutcomes,
    /// The factors, with the weights that no parameter decides.
    graph: FactorGraph,
    counting: CountingTree,
    columns: Vec<ColumnFactors>,
    complete: CompleteRows,
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
        conflict::check_failures(&expansion, limits)?;
        for element in model
            .evidence()
            .iter()
            .map(|(element, _)| element)
            .chain(&elements)
        {
            if learned.get(element).is_some() {
                return Err(Error::CannotLearnFrom {
                    element: element.label(),
                    reason: "it is a parameter to be learned; state what is known of it as its prior, or draw from its posterior with a sampler",
                });
            }
        }
        let places = density_columns(&expansion, model)?;
        let outcomes =
            CountedOutcomes::new(&expansion, learned, cases, |position| places[position])?;
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let compiled = CompiledEncoding::new(
            PreviousTree::None,
            &expansion,
            encoding,
            expansion.targets(),
            limits,
        )?;
        let graph = compiled.graph().clone();
        let columns = column_factors((&expansion, &compiled, &graph), &outcomes, cases, &places)?;
        Ok(Self {
            counting: CountingTree::new(compiled.tree(), &graph),
            complete: CompleteRows::new(&graph, &columns, &outcomes, cases)?,
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
            let cell = cell(row, column);
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
                            Origin::Column { .. } => 0.0,
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
        rows: &[usize],
    ) -> Result<Expected, Error> {
        let mut expected = Expected {
            log_likelihood: 0.0,
            counts: vec![0.0; self.outcomes.len()],
        };
        let mut changed = Vec::new();
        for &at in rows {
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
                    if let Some(outcome) = self.outcomes.outcome_in(row, origin) {
                        counts[outcome] += weight * share;
                    }
                });
            if log == f64::NEG_INFINITY {
                return Err(Error::impossible_case(number));
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
    fn outcomes(&self) -> &CountedOutcomes {
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
                    Origin::Column { .. } => 0.0,
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
        // If a complete row is impossible, the tree finds out which.
        let all_rows: Vec<usize>;
        let mut all = Expected {
            log_likelihood: 0.0,
            counts: vec![0.0; self.outcomes.len()],
        };
        let rows = if let Some(log_likelihood) = self.complete.log_likelihood(log_weights) {
            all.log_likelihood = log_likelihood;
            all.counts.clone_from(&self.complete.counts);
            &self.complete.open
        } else {
            all_rows = (0..cases.distinct()).collect();
            &all_rows
        };
        let unit_rows = rows.len().div_ceil(MAX_UNITS).max(MIN_UNIT_ROWS);
        let unit = |worker: &mut RowWorker, unit: u64| {
            let first = unit as usize * unit_rows;
            let rows = &rows[first..(first + unit_rows).min(rows.len())];
            self.count(worker, &numbers, rows)
        };
        let take = |unit: Expected| {
            all.log_likelihood += unit.log_likelihood;
            for (sum, count) in all.counts.iter_mut().zip(unit.counts) {
                *sum += count;
            }
            ControlFlow::Continue(())
        };
        let units = 0..rows.len().div_ceil(unit_rows) as u64;
        in_order(threads, (units, 1), worker, unit, take)?;
        Ok(all)
    }
}

impl ExpectedCounts for JunctionTree {
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
