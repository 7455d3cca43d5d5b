//! The expectation step on a contraction tree.

use std::ops::ControlFlow;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion, LearnedParameters};
use figrs_core::factor::FactorGraph;
use figrs_core::{AnyElement, Datum, Model, Until};

use super::case_rows::CaseRow;
use super::case_table::CaseTable;
use super::column_factors::{self, ColumnFactors, column_factors, density_columns};
use super::complete_row::CompleteRow;
use super::expected_counts::{ExpectationStep, Expected, ExpectedCounts};
use super::parameters::CountedOutcomes;
use crate::error::Error;
use crate::exact::conflict;
use crate::exact::eliminate::EliminationError;
use crate::exact::junction_tree::JunctionTree;
use crate::exact::limits::Limits;
use crate::exact::tree::{
    CompiledEncoding, CountingTree, PreviousTree, SumProductPrecision, TreeBeliefs, set_log_weights,
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
    expansion: Arc<Expansion>,
    compiled: CompiledEncoding,
    counting: CountingTree,
    columns: Vec<ColumnFactors>,
    complete: CompleteRow,
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
        let graph = compiled.graph();
        let columns = column_factors((&expansion, &compiled, graph), &outcomes, cases, &places)?;
        Ok(Self {
            counting: CountingTree::new(compiled.tree(), graph),
            complete: CompleteRow::new(graph, &columns),
            outcomes,
            columns,
            compiled,
            expansion,
        })
    }

    /// Changes the factors to those of a row.
    fn load(&self, worker: &mut RowWorker, log_weights: &[f64], row: CaseRow<'_>) {
        worker.changed.clear();
        for (column, factors) in self.columns.iter().enumerate() {
            let cell = row.cell(column);
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
                    let table = cells.get(cell as usize).map_or(missing, |cell| &cell.table);
                    worker.graph.factors[*factor].table = table.clone();
                    worker.changed.push(*factor);
                }
                ColumnFactors::Densities(factors) => {
                    for &factor in factors {
                        let table = &mut worker.graph.factors[factor].table;
                        set_log_weights(table, |origin| {
                            let outcome = self.outcomes.outcome_in(row, origin);
                            outcome.map_or(0.0, |outcome| log_weights[outcome])
                        });
                        worker.changed.push(factor);
                    }
                }
            }
        }
    }

    /// The expected counts of a unit of rows.
    fn count(
        &self,
        worker: &mut RowWorker,
        round: &Round<'_>,
        rows: &[CaseRow<'_>],
    ) -> Result<Expected, Error> {
        let mut expected = Expected::none(self.outcomes.len());
        let counts = &mut expected.counts;
        for &row in rows {
            if round.until.is_over() {
                return Err(EliminationError::Interrupted.into());
            }
            let complete = self.complete.log_prob(
                (row, &self.columns),
                (round.graph, &self.outcomes, round.log_weights),
                &mut worker.values,
                |outcome| counts[outcome] += row.weight,
            );
            let log = complete.unwrap_or_else(|| {
                self.load(worker, round.log_weights, row);
                let (tree, graph) = (self.counting.tree(), &worker.graph);
                worker.sums.reload(tree, graph, &worker.changed);
                let count = |origin, share| {
                    if let Some(outcome) = self.outcomes.outcome_in(row, origin) {
                        counts[outcome] += row.weight * share;
                    }
                };
                self.counting.count(&mut worker.sums, graph, count)
            });
            if log == f64::NEG_INFINITY {
                return Err(Error::impossible_case(row.number));
            }
            expected.log_likelihood += row.weight * log;
        }
        Ok(expected)
    }
}

/// The numbers of one round.
struct Round<'a> {
    log_weights: &'a [f64],
    /// The factors without evidence of rows.
    graph: &'a FactorGraph,
    until: &'a Until,
}

/// The beliefs of one thread, and the row that they are for.
struct RowWorker {
    graph: FactorGraph,
    sums: TreeBeliefs<SumProductPrecision>,
    row: Vec<Option<u32>>,
    /// The values of a complete row.
    values: Vec<u32>,
    /// The factors that differ between the last two rows.
    changed: Vec<usize>,
}

impl ExpectationStep for TreeCounts {
    fn is_exact(&self) -> bool {
        true
    }

    fn outcomes(&self) -> &CountedOutcomes {
        &self.outcomes
    }

    fn extend(&mut self, cases: &CaseTable) -> Result<(), Error> {
        self.outcomes.extend(cases)?;
        column_factors::extend(&mut self.columns, &self.expansion, &self.compiled, cases)
    }

    fn expect(
        &self,
        rows: &[CaseRow<'_>],
        log_weights: &[f64],
        (threads, until): (usize, &Until),
    ) -> Result<Expected, Error> {
        let mut graph = self.compiled.graph().clone();
        for factor in &mut graph.factors {
            set_log_weights(&mut factor.table, |origin| {
                let outcome = self.outcomes.outcome_in(CaseRow::default(), origin);
                outcome.map_or(0.0, |outcome| log_weights[outcome])
            });
        }
        let round = Round {
            log_weights,
            graph: &graph,
            until,
        };
        let worker = || {
            Ok(RowWorker {
                sums: TreeBeliefs::new(self.counting.tree(), &graph),
                graph: graph.clone(),
                row: vec![None; self.columns.len()],
                values: Vec::new(),
                changed: Vec::new(),
            })
        };
        let unit_rows = rows.len().div_ceil(MAX_UNITS).max(MIN_UNIT_ROWS);
        let unit = |worker: &mut RowWorker, unit: u64| {
            let first = unit as usize * unit_rows;
            let rows = &rows[first..(first + unit_rows).min(rows.len())];
            self.count(worker, &round, rows)
        };
        let mut all = Expected::none(self.outcomes.len());
        let take = |unit: Expected| {
            all.absorb(&unit);
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
