//! Tables prepared for the variable order of a join.

use std::borrow::Cow;

use super::domain::{Domain, Kind, Shape};
use super::table::{Entries, Table};
use super::trie::{Selection, Trie, list_function};
use crate::exact::algebra::{Extent, Semiring};

/// A table prepared for the variable order of a join.
pub(super) struct Prepared<'a, V: Clone> {
    form: Form<'a, V>,
    /// Bounds of the weights.
    pub(super) extent: Extent,
}

enum Form<'a, V: Clone> {
    Dense(Cow<'a, [V]>),
    Rows(Trie<'a, V>),
    Function(&'a [u32]),
}

impl<'a, V: Clone> Prepared<'a, V> {
    fn new<S: Semiring<Value = V>>(form: Form<'a, V>) -> Self {
        let mut this = Self {
            form,
            extent: Extent::default(),
        };
        if !matches!(this.form, Form::Function(_)) {
            this.extent = S::extent(this.values());
        }
        this
    }

    /// True if no entry of the table has weight.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.form, Form::Rows(trie) if trie.values.is_empty())
    }

    /// The weights; a function has none.
    pub(super) fn values(&self) -> &[V] {
        match &self.form {
            Form::Dense(values) => values,
            Form::Rows(trie) => &trie.values,
            Form::Function(_) => &[],
        }
    }

    /// The sorted keys of the variable assigned at some depth; only sparse tables have any.
    pub(super) fn keys(&self, depth: usize) -> &[u32] {
        match &self.form {
            Form::Rows(trie) => &trie.keys[depth],
            _ => &[],
        }
    }

    /// The values of a function's child.
    pub(super) fn index(&self) -> &[u32] {
        match self.form {
            Form::Function(index) => index,
            _ => &[],
        }
    }
}

/// Shape of a table: the properties that the order of a join depends on.
pub(super) fn shape<S: Semiring>(domain: &Domain, table: &Table<S>) -> Shape {
    Shape {
        kind: match table.entries {
            Entries::Dense(_) => Kind::Dense,
            Entries::Sparse { .. } => Kind::Sparse,
            Entries::Function(_) => Kind::Function,
        },
        columns: table.scope.iter().map(|&v| domain.position(v)).collect(),
        entries: table.len(),
    }
}

/// Sorts, lists or borrows a table, as its shape says.
pub(super) fn prepare<'a, S: Semiring>(
    table: Table<'a, S>,
    shape: &Shape,
    domain: &Domain,
    turns: &[usize],
) -> Prepared<'a, S::Value> {
    let (rows, values) = match table.entries {
        Entries::Dense(values) => return Prepared::new::<S>(Form::Dense(values)),
        Entries::Function(index) if shape.kind == Kind::Function => {
            return Prepared::new::<S>(Form::Function(index));
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
    let selection = Selection {
        columns,
        cards,
        pins,
    };
    Prepared::new::<S>(Form::Rows(Trie::new(
        &rows,
        shape.columns.len(),
        values,
        &selection,
    )))
}
