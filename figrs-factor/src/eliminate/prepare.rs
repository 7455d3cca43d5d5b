//! Tables prepared for the variable order of a join.

use std::borrow::Cow;

use super::domain::{Domain, TableKind, TableShape};
use super::table::{EliminationTable, Entries};
use super::trie::{ColumnSelection, Trie, list_function};
use crate::algebra::{Semiring, ValueBounds};

/// A table prepared for the variable order of a join.
pub(super) struct PreparedTable<'a, V: Clone> {
    form: PreparedForm<'a, V>,
    /// Bounds of the weights.
    pub(super) extent: ValueBounds,
}

enum PreparedForm<'a, V: Clone> {
    Dense(Cow<'a, [V]>),
    Rows(Trie<'a, V>),
    Function(&'a [u32]),
}

impl<'a, V: Clone> PreparedTable<'a, V> {
    fn new<S: Semiring<Value = V>>(form: PreparedForm<'a, V>) -> Self {
        let mut this = Self {
            form,
            extent: ValueBounds::default(),
        };
        if !matches!(this.form, PreparedForm::Function(_)) {
            this.extent = S::extent(this.values());
        }
        this
    }

    /// True if no entry of the table has weight.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.form, PreparedForm::Rows(trie) if trie.values.is_empty())
    }

    /// The weights; a function has none.
    pub(super) fn values(&self) -> &[V] {
        match &self.form {
            PreparedForm::Dense(values) => values,
            PreparedForm::Rows(trie) => &trie.values,
            PreparedForm::Function(_) => &[],
        }
    }

    /// The sorted keys of the variable assigned at some depth; only sparse tables have keys.
    pub(super) fn keys(&self, depth: usize) -> &[u32] {
        match &self.form {
            PreparedForm::Rows(trie) => &trie.keys[depth],
            _ => &[],
        }
    }

    /// The values of a function's child.
    pub(super) fn index(&self) -> &[u32] {
        match self.form {
            PreparedForm::Function(index) => index,
            _ => &[],
        }
    }
}

/// Shape of a table: the properties that the order of a join depends on.
pub(super) fn shape<S: Semiring>(domain: &Domain, table: &EliminationTable<S>) -> TableShape {
    TableShape {
        kind: match table.entries {
            Entries::Dense(_) => TableKind::Dense,
            Entries::Sparse { .. } => TableKind::Sparse,
            Entries::Function(_) => TableKind::Function,
        },
        columns: table.scope.iter().map(|&v| domain.position(v)).collect(),
        entries: table.len(),
    }
}

/// Sorts, lists or borrows a table, according to its shape.
pub(super) fn prepare<'a, S: Semiring>(
    table: EliminationTable<'a, S>,
    shape: &TableShape,
    domain: &Domain,
    turns: &[usize],
) -> PreparedTable<'a, S::Value> {
    let (rows, values) = match table.entries {
        Entries::Dense(values) => return PreparedTable::new::<S>(PreparedForm::Dense(values)),
        Entries::Function(index) if shape.kind == TableKind::Function => {
            return PreparedTable::new::<S>(PreparedForm::Function(index));
        }
        Entries::Function(index) => {
            let cards: Vec<usize> = shape.columns.iter().map(|&v| domain.cards[v]).collect();
            let pins: Vec<Option<u32>> = shape.columns.iter().map(|&v| domain.pins[v]).collect();
            let rows = list_function(index, &cards, &pins);
            let count = rows.len() / cards.len();
            (Cow::Owned(rows), Cow::Owned(vec![S::one(); count]))
        }
        Entries::Sparse { rows, values } => (rows, values),
    };
    let pinned = shape
        .columns
        .iter()
        .enumerate()
        .filter_map(|(c, &v)| domain.pins[v].map(|pin| (c, pin)));
    let pins: Vec<(usize, u32)> = pinned.collect();
    let mut columns: Vec<usize> = (0..shape.columns.len()).collect();
    columns.retain(|&c| domain.pins[shape.columns[c]].is_none());
    columns.sort_unstable_by_key(|&c| turns[shape.columns[c]]);
    let cards = columns
        .iter()
        .map(|&c| domain.cards[shape.columns[c]])
        .collect();
    let selection = ColumnSelection {
        columns,
        cards,
        pins,
    };
    PreparedTable::new::<S>(PreparedForm::Rows(Trie::new(
        &rows,
        shape.columns.len(),
        values,
        &selection,
    )))
}
