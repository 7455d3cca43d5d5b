//! Assignments that no zero of some tables excludes, as a join lists them.

use std::borrow::Cow;

use crate::graph::Assignments;
use crate::graph::VarId;
use crate::until::Until;

use super::batch::Batch;
use super::domain::Domain;
use super::error::EliminationError;
use super::join::{JoinScratch, join};
use super::program::RowKey;
use super::sink::Sink;
use super::table::{EliminationTable, Entries};
use crate::algebra::Boolean;

/// Assignments of the variables of a table that may have weight.
#[derive(Clone, Debug)]
pub enum AssignmentSupport<'a> {
    /// The listed assignments, as sorted rows.
    Rows(Vec<u32>),
    /// The assignments in which the last variable has the value listed for the values of all other variables.
    Function(&'a [u32]),
}

/// A table with zeros.
#[derive(Clone, Debug)]
pub struct ConstraintTable<'a> {
    /// The variables of the table.
    pub scope: Vec<VarId>,
    /// The assignments that the table allows.
    pub support: AssignmentSupport<'a>,
}

impl<'a> ConstraintTable<'a> {
    fn into_table(self) -> EliminationTable<'a, Boolean> {
        let entries = match self.support {
            AssignmentSupport::Rows(rows) => Entries::Sparse {
                values: Cow::Owned(vec![true; rows.len() / self.scope.len().max(1)]),
                rows: Cow::Owned(rows),
            },
            AssignmentSupport::Function(index) => Entries::Function(index),
        };
        EliminationTable {
            scope: Cow::Owned(self.scope),
            entries,
        }
    }
}

/// Limits of a list of assignments.
#[derive(Clone, Copy, Debug)]
pub struct AssignmentLimits {
    /// Maximum number of assignments.
    pub assignments: usize,
    /// Maximum number of partial assignments that the join looks at.
    pub looked_at: usize,
}

/// The assignments of sorted variables with these cardinalities that no table excludes, as rows in no particular order.
///
/// **Errors.** [`EliminationError::TooManyOperations`] beyond the limits; [`EliminationError::Interrupted`].
pub fn assignments(
    operands: Vec<ConstraintTable<'_>>,
    variables: Vec<VarId>,
    cards: Vec<usize>,
    limits: AssignmentLimits,
    until: &Until,
) -> Result<Vec<u32>, EliminationError> {
    let domain = Domain {
        pins: vec![None; variables.len()],
        variables,
        cards,
    };
    let tables = operands
        .into_iter()
        .map(ConstraintTable::into_table)
        .collect();
    let outputs: Vec<usize> = (0..domain.variables.len()).collect();
    let mut sink = RowSink {
        keys: Assignments::rows(domain.cards.iter().copied()),
        rows: Vec::new(),
        max_rows: limits.assignments,
    };
    let mut scratch = JoinScratch::new(until.clone()).with_assignment_limit(limits.looked_at);
    join::<Boolean, _>(tables, &domain, &outputs, &mut sink, &mut scratch)?;
    Ok(sink.rows)
}

/// A sink that collects all keys as rows.
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
