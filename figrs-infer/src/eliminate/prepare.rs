//! Tables made ready for the order of a join.

use std::borrow::Cow;

use super::levels::{Domain, Kind, Shape};
use super::semiring::Semiring;
use super::table::{Entries, Table};
use super::trie::{Selection, Trie, list_function};

/// A table made ready for the order of a join.
pub(super) enum Prepared<'a, V: Clone> {
    Dense(Cow<'a, [V]>),
    Rows(Trie<'a, V>),
    Function(&'a [u32]),
}

impl<V: Clone> Prepared<'_, V> {
    /// The sorted keys of the variable assigned at some depth; only sparse tables have any.
    pub(super) fn keys(&self, depth: usize) -> &[u32] {
        match self {
            Self::Rows(trie) => &trie.keys[depth],
            _ => &[],
        }
    }

    /// The values of a function's child.
    pub(super) fn index(&self) -> &[u32] {
        match self {
            Self::Function(index) => index,
            _ => &[],
        }
    }

    /// The weights; a function has none.
    pub(super) fn values(&self) -> &[V] {
        match self {
            Self::Dense(values) => values,
            Self::Rows(trie) => &trie.values,
            Self::Function(_) => &[],
        }
    }
}

/// What the order of a join needs to know of a table.
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

/// Sorts, lists or leaves a table, as its shape says.
pub(super) fn prepare<'a, S: Semiring>(
    table: Table<'a, S>,
    shape: &Shape,
    domain: &Domain,
    turns: &[usize],
) -> Prepared<'a, S::Value> {
    let (rows, values) = match table.entries {
        Entries::Dense(values) => return Prepared::Dense(values),
        Entries::Function(index) if shape.kind == Kind::Function => {
            return Prepared::Function(index);
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
    Prepared::Rows(Trie::new(&rows, shape.columns.len(), values, &selection))
}
