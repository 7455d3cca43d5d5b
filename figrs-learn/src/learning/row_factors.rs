//! The factor graph of a model, whose factors change from one row of data to the next.

use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::Until;
use figrs_factor::graph::{FactorGraph, Weights, stored_entry};

use super::case_error::impossible_case;
use super::case_rows::CaseRow;
use super::case_table::CaseTable;
use super::column_factors::{self, ColumnFactors, column_factors};
use super::complete_row::CompleteRow;
use super::expected_counts::{ExpectationStep, Expected};
use super::learning_expansion::LearningExpansion;
use super::parameters::CountedOutcomes;
use super::statement_factors::StatementFactors;
use figrs_answer::{Error, in_order};
use figrs_exact::junction_tree::compiled_encoding::set_log_weights;
use figrs_factor::eliminate::EliminationError;

/// Maximum number of groups of rows (units) in an expectation step; the number is limited because the counts of each group are stored separately.
const MAX_UNITS: usize = 64;
/// Minimum number of rows in a group (unit), because the evaluation of a row takes only some microseconds.
const MIN_UNIT_ROWS: usize = 8;

/// Returns the number of rows in each group (unit), if the data have `rows` rows.
fn unit_rows(rows: usize) -> usize {
    rows.div_ceil(MAX_UNITS).max(MIN_UNIT_ROWS)
}

/// The factors of a model, with the tables of those factors that depend on the row of data.
#[derive(Debug)]
pub(super) struct RowFactors {
    outcomes: CountedOutcomes,
    expansion: Arc<Expansion>,
    statements: StatementFactors,
    columns: Vec<ColumnFactors>,
    complete: CompleteRow,
}

/// The factor graph with the evidence of one row of data, at the present values of the parameters.
pub(super) struct LoadedRow<'a> {
    pub(super) graph: &'a FactorGraph,
    /// The indices of the factors that differ from those for the preceding row of data.
    pub(super) changed: &'a [usize],
    pub(super) number: usize,
    pub(super) until: &'a Until,
}

/// An algorithm that computes expected counts of outcomes in a factor graph whose table entries are labelled with outcomes.
pub(super) trait RowCounter: Send + Sync {
    type Worker;

    fn is_exact(&self) -> bool;

    fn worker(&self, graph: &FactorGraph) -> Self::Worker;

    /// Calls the function `count` with each outcome of a row of data and the expected count of the outcome, unless the total weight of the graph is
    /// zero. Returns the natural logarithm of the total weight of the graph if this logarithm is known.
    fn count(
        &self,
        worker: &mut Self::Worker,
        row: &LoadedRow<'_>,
        count: impl FnMut(u32, f64),
    ) -> Result<Option<f64>, Error>;
}

#[derive(Debug)]
pub(super) struct FactorGraphStep<C> {
    pub(super) rows: RowFactors,
    pub(super) counter: C,
}

impl RowFactors {
    /// Creates the factors of the model `expanded`, and finds the factors that change from row to row of the data.
    ///
    /// **Errors.** The errors of the function `column_factors`.
    pub(super) fn new(
        expanded: LearningExpansion,
        statements: StatementFactors,
        cases: &CaseTable,
    ) -> Result<Self, Error> {
        let columns = column_factors(&expanded, &statements, cases)?;
        Ok(Self {
            complete: CompleteRow::new(statements.graph(), &columns),
            outcomes: expanded.outcomes,
            expansion: expanded.expansion,
            statements,
            columns,
        })
    }

    /// Creates the factors of the model `expanded` for algorithms that compute sums over the values of variables.
    ///
    /// **Errors.** The errors of the conversion to a factor graph, and the errors of [`new`](Self::new).
    pub(super) fn for_sums(expanded: LearningExpansion, cases: &CaseTable) -> Result<Self, Error> {
        let expansion = &expanded.expansion;
        let encoding = Encoding::for_sums(expansion, expansion.targets())?;
        let statements = StatementFactors::encoded(expansion, encoding);
        Self::new(expanded, statements, cases)
    }

    /// Returns the factor graph without the evidence of rows, and with the parameter values at the time when the graph was built.
    pub(super) fn graph(&self) -> &FactorGraph {
        self.statements.graph()
    }

    /// Returns the factor graph without the evidence of rows, and with the log-probabilities `log_weights` of the outcomes.
    fn weighted(&self, log_weights: &[f64]) -> FactorGraph {
        let mut graph = self.graph().clone();
        for factor in &mut graph.factors {
            let weight = self.log_weight(log_weights, CaseRow::default());
            set_log_weights(&mut factor.table, weight);
        }
        graph
    }

    /// Returns a function that maps the label of a factor entry to the natural logarithm of the entry in the row of data `row`. The logarithm is 0 if
    /// the row has no value in the column that determines the outcome.
    fn log_weight(&self, log_weights: &[f64], row: CaseRow<'_>) -> impl Fn(u32) -> Option<f64> {
        move |origin| {
            let outcome = self.outcomes.outcome_in(row, origin);
            Some(outcome.map_or(0.0, |outcome| log_weights[outcome]))
        }
    }

    fn load<W>(&self, worker: &mut RowWorker<W>, log_weights: &[f64], row: CaseRow<'_>) {
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
                        set_log_weights(table, self.log_weight(log_weights, row));
                        worker.changed.push(factor);
                    }
                }
            }
        }
    }
}

/// The factor graph, and the logarithms of the outcomes' probabilities in the present expectation step.
struct Round<'a> {
    log_weights: &'a [f64],
    /// The factor graph without the evidence of rows of data.
    graph: &'a FactorGraph,
    until: &'a Until,
}

/// The working state of one thread, with a factor graph that contains the evidence of the row that the thread evaluates.
struct RowWorker<W> {
    graph: FactorGraph,
    row: Vec<Option<u32>>,
    values: Vec<u32>,
    /// The indices of the factors that differ between the last two rows of data.
    changed: Vec<usize>,
    own: W,
}

impl<C: RowCounter> FactorGraphStep<C> {
    fn count(
        &self,
        worker: &mut RowWorker<C::Worker>,
        round: &Round<'_>,
        rows: &[CaseRow<'_>],
    ) -> Result<Expected, Error> {
        let RowFactors {
            outcomes,
            columns,
            complete,
            ..
        } = &self.rows;
        let mut expected = Expected::none(outcomes.len());
        for &row in rows {
            if round.until.is_over() {
                return Err(EliminationError::Interrupted.into());
            }
            let counts = &mut expected.counts;
            let complete = complete.log_prob(
                (row, columns),
                (round.graph, outcomes, round.log_weights),
                &mut worker.values,
                |outcome| counts[outcome] += row.weight,
            );
            let log = if complete.is_some() {
                complete
            } else {
                self.rows.load(worker, round.log_weights, row);
                let loaded = LoadedRow {
                    graph: &worker.graph,
                    changed: &worker.changed,
                    number: row.number,
                    until: round.until,
                };
                let count = |origin, share| {
                    if let Some(outcome) = outcomes.outcome_in(row, origin) {
                        counts[outcome] += row.weight * share;
                    }
                };
                self.counter.count(&mut worker.own, &loaded, count)?
            };
            if log == Some(f64::NEG_INFINITY) {
                return Err(impossible_case(row.number));
            }
            expected.add_log_likelihood(log.map(|log| row.weight * log));
        }
        Ok(expected)
    }
}

impl<C: RowCounter + fmt::Debug> ExpectationStep for FactorGraphStep<C> {
    fn is_exact(&self) -> bool {
        self.counter.is_exact()
    }

    fn outcomes(&self) -> &CountedOutcomes {
        &self.rows.outcomes
    }

    fn extend(&mut self, cases: &CaseTable) -> Result<(), Error> {
        let rows = &mut self.rows;
        let values = rows.outcomes.further_values(cases)?;
        let cells =
            column_factors::further_cells(&rows.columns, &rows.expansion, &rows.statements, cases)?;
        rows.outcomes.extend(values);
        column_factors::extend(&mut rows.columns, cells);
        Ok(())
    }

    fn units(&self, rows: usize) -> u64 {
        rows.div_ceil(unit_rows(rows)) as u64
    }

    fn expect_units(
        &self,
        (rows, units): (&[CaseRow<'_>], Range<u64>),
        log_weights: &[f64],
        (threads, until): (usize, &Until),
        take: &mut dyn FnMut(Expected),
    ) -> Result<(), Error> {
        let graph = self.rows.weighted(log_weights);
        let round = Round {
            log_weights,
            graph: &graph,
            until,
        };
        let worker = || {
            Ok(RowWorker {
                own: self.counter.worker(&graph),
                graph: graph.clone(),
                row: vec![None; self.rows.columns.len()],
                values: Vec::new(),
                changed: Vec::new(),
            })
        };
        let unit_rows = unit_rows(rows.len());
        let unit = |worker: &mut RowWorker<C::Worker>, unit: u64| {
            let first = unit as usize * unit_rows;
            let rows = &rows[first..(first + unit_rows).min(rows.len())];
            self.count(worker, &round, rows)
        };
        in_order(threads, (units, 1), worker, unit, |unit| {
            take(unit);
            ControlFlow::Continue(())
        })
    }
}

/// The indices of the factors that have entries for counted outcomes.
#[derive(Clone, Debug)]
pub(super) struct OriginFactors(Vec<usize>);

impl OriginFactors {
    pub(super) fn new(graph: &FactorGraph) -> Self {
        let has_origins = |factor: &&usize| graph.factors[**factor].table.origins().is_some();
        let all: Vec<usize> = (0..graph.factors.len()).collect();
        Self(all.iter().filter(has_origins).copied().collect())
    }

    /// Calls the function `count` with the label of each factor entry that the assignment `values` of all variables selects.
    pub(super) fn each(&self, graph: &FactorGraph, values: &[u32], mut count: impl FnMut(u32)) {
        for factor in self.0.iter().map(|&factor| &graph.factors[factor]) {
            let entry = stored_entry(graph, factor, values);
            if let (Some(entry), Some(origins)) = (entry, factor.table.origins())
                && origins[entry] != Weights::NO_ORIGIN
            {
                count(origins[entry]);
            }
        }
    }
}
