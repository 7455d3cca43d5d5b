//! Maxima and power sums over variables of a product of tables, and lists of the assignments that no table excludes.

use crate::graph::{Assignments, FactorGraph, VarId};
use crate::limits::Until;

use super::batch::Batch;
use super::compile::RowKey;
use super::error::EliminationError;
use super::join::{DenseSink, JoinScratch, PowerSink, Sink, join};
use super::prepare::{Domain, EliminationTable};
use crate::algebra::{Boolean, MaxProduct};

/// The operation that eliminates variables from a product of tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Projection {
    /// The result is the largest product over all values of the eliminated variables.
    Maximum,
    /// The result is the power sum `(sum of p^(1/w))^w` over the eliminated products `p`, for a weight `w` other than zero. The power sum is the
    /// ordinary sum if `w` is one, and is zero if `w` is negative and a product is zero.
    PowerSum(f64),
}

/// Projects products of tables over variables of one graph by maxima or power sums.
#[derive(Debug)]
pub(crate) struct Projector<'g> {
    graph: &'g FactorGraph,
    scratch: JoinScratch<f64>,
}

impl<'g> Projector<'g> {
    pub(crate) fn new(graph: &'g FactorGraph, until: Until) -> Self {
        Self {
            graph,
            scratch: JoinScratch::new(until),
        }
    }

    /// Returns the natural logarithm of the projected product for each assignment of `outputs`, row-major in their order. Each variable of `outputs`
    /// must be in the scope of some table.
    pub(crate) fn project(
        &mut self,
        tables: Vec<EliminationTable<'_, MaxProduct>>,
        outputs: &[VarId],
        projection: Projection,
    ) -> Result<Vec<f64>, EliminationError> {
        let mut variables: Vec<VarId> = tables.iter().flat_map(|t| t.scope.to_vec()).collect();
        variables.sort_unstable();
        variables.dedup();
        let domain = Domain::new(self.graph, variables);
        let entries = self.graph.dense_size(outputs);
        let products = self.graph.dense_size(&domain.variables) / entries;
        let scratch = &mut self.scratch;
        match projection {
            Projection::Maximum => {
                let mut sink = DenseSink(vec![f64::NEG_INFINITY; entries]);
                join::<MaxProduct, _>(tables, &domain, outputs, &mut sink, scratch)?;
                Ok(sink.0)
            }
            Projection::PowerSum(weight) => {
                let mut sink = PowerSink::new(entries, weight);
                join::<MaxProduct, _>(tables, &domain, outputs, &mut sink, scratch)?;
                Ok(sink.into_logs(products))
            }
        }
    }
}

/// Limits on the size of a list of assignments, and on the work to make the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignmentLimits {
    pub(crate) assignments: usize,
    /// Maximum number of partial assignments that the join visits to list assignments.
    pub(crate) looked_at: usize,
}

/// Lists the assignments that no table excludes, as unsorted rows. `variables` must be sorted; `cards` has their cardinalities.
///
/// **Errors.** [`EliminationError::TooManyOperations`] if a limit is exceeded; [`EliminationError::Interrupted`] if the run is
/// stopped.
pub(crate) fn assignments(
    tables: Vec<EliminationTable<'_, Boolean>>,
    variables: Vec<VarId>,
    cards: Vec<usize>,
    limits: AssignmentLimits,
    until: &Until,
) -> Result<Vec<u32>, EliminationError> {
    let mut sink = RowSink {
        keys: Assignments::rows(cards.iter().copied()),
        rows: Vec::new(),
        max_rows: limits.assignments,
    };
    let domain = Domain {
        pins: vec![None; variables.len()],
        variables,
        cards,
    };
    let mut scratch = JoinScratch::new(until.clone()).with_assignment_limit(limits.looked_at);
    join(tables, &domain, &domain.variables, &mut sink, &mut scratch)?;
    Ok(sink.rows)
}

/// A receiver of the products of a join that stores the keys (assignments) of all products as rows.
struct RowSink {
    keys: Assignments,
    rows: Vec<u32>,
    max_rows: usize,
}

impl Sink<Boolean> for RowSink {
    fn take(&mut self, batch: &Batch<bool>, key: &RowKey) -> Result<(), EliminationError> {
        match key {
            RowKey::Number(register) => {
                for &number in &batch.registers[*register] {
                    self.rows.extend(self.keys.values(number));
                }
            }
            RowKey::Values(registers) => {
                for row in 0..batch.product.len() {
                    let values = registers.iter().map(|&r| batch.registers[r][row] as u32);
                    self.rows.extend(values);
                }
            }
        }
        let found = self.rows.len() / self.keys.variables().max(1);
        if found > self.max_rows {
            return Err(EliminationError::TooManyOperations {
                needed: found as f64,
                limit: self.max_rows as f64,
            });
        }
        Ok(())
    }
}
