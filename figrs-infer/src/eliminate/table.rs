//! What the join multiplies: a factor or a message, in the values of a semiring.

use std::borrow::Cow;

use figrs_core::factor::{Factor, FactorTable, VarId};

use super::semiring::Semiring;

/// A non-negative function of some variables, borrowed from a factor or owned as a message.
#[derive(Clone, Debug)]
pub(super) struct Table<'a, S: Semiring> {
    pub(super) scope: Cow<'a, [VarId]>,
    pub(super) entries: Entries<'a, S>,
}

/// The entries of a [`Table`], as in [`FactorTable`].
#[derive(Clone, Debug)]
pub(super) enum Entries<'a, S: Semiring> {
    Dense(Cow<'a, [S::Value]>),
    Sparse {
        rows: Cow<'a, [u32]>,
        values: Cow<'a, [S::Value]>,
    },
    Function(&'a [u32]),
}

/// What one bucket sends to the next.
pub(super) type Message<S> = Table<'static, S>;

impl<'a, S: Semiring> Table<'a, S> {
    /// The table of a factor, without its scale.
    pub(super) fn of_factor(factor: &'a Factor) -> Self {
        Self {
            scope: Cow::Borrowed(&factor.variables),
            entries: match &factor.table {
                FactorTable::Dense(weights) => Entries::Dense(S::lift_all(weights)),
                FactorTable::Sparse { rows, weights } => Entries::Sparse {
                    rows: Cow::Borrowed(rows),
                    values: S::lift_all(weights),
                },
                FactorTable::Function { index } => Entries::Function(index),
            },
        }
    }

    /// The same table, borrowed.
    pub(super) fn view(&self) -> Table<'_, S> {
        Table {
            scope: Cow::Borrowed(&self.scope),
            entries: match &self.entries {
                Entries::Dense(values) => Entries::Dense(Cow::Borrowed(values)),
                Entries::Sparse { rows, values } => Entries::Sparse {
                    rows: Cow::Borrowed(rows),
                    values: Cow::Borrowed(values),
                },
                Entries::Function(index) => Entries::Function(index),
            },
        }
    }

    /// How many entries are stored.
    pub(super) fn len(&self) -> usize {
        match &self.entries {
            Entries::Dense(values) | Entries::Sparse { values, .. } => values.len(),
            Entries::Function(index) => index.len(),
        }
    }
}
