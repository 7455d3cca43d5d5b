//! Symbolic tables, which have a scope and a predicted density but no entries, and the lists of the tables that contain each variable.

use std::ops::Range;

use crate::graph::{Factor, FactorTable, VarId};

/// A sparse table that determines its last variable gets the density of a function if the base-2 logarithm of its ratio of assignments to rows is at
/// most this number. For one step of a multiplexer, the ratio of assignments to rows is about the number of values of the result.
const MAX_LOG_ROW_EXPANSION: f64 = 8.0;

/// The scope and the predicted density of a table, without its entries.
#[derive(Clone, Debug)]
pub struct SymbolicTable {
    /// The variables of the table, as a range in the list of all scopes.
    pub scope: Range<u32>,
    /// The base-2 logarithm of the predicted fraction of non-zero entries.
    pub density: f64,
    /// True until the table is multiplied into a message.
    pub live: bool,
}

/// Returns the base-2 logarithm of the fraction of non-zero entries of `factor`; `log_cards` has the logarithms of the cardinalities of all
/// variables.
pub(crate) fn log_density(factor: &Factor, log_cards: &[f64]) -> f64 {
    let dense = || -> f64 {
        let logs = factor.variables.iter().map(|v| log_cards[v.index()]);
        logs.sum()
    };
    match &factor.table {
        FactorTable::Dense(weights) => match weights.count_zeros() {
            0 => 0.0,
            zeros => ((weights.len() - zeros) as f64).log2() - (weights.len() as f64).log2(),
        },
        FactorTable::Sparse { rows, weights } => {
            let listed = (weights.len() as f64).log2() - dense();
            let function = -log_child(factor, log_cards);
            let is_spread = function - listed <= MAX_LOG_ROW_EXPANSION;
            if is_spread && is_function(rows, factor.variables.len()) {
                function
            } else {
                listed
            }
        }
        FactorTable::Function { .. } => -log_child(factor, log_cards),
    }
    .max(-1e6)
}

fn log_child(factor: &Factor, log_cards: &[f64]) -> f64 {
    let child = factor.variables.last();
    child.map_or(0.0, |v| log_cards[v.index()])
}

/// True if no two of the sorted `rows` have the same values of all variables except the last. A table that determines its last variable is treated as
/// a function even if it lacks some assignments, because other tables may also exclude the missing assignments.
fn is_function(rows: &[u32], width: usize) -> bool {
    let all = || rows.chunks(width);
    width > 1
        && all()
            .zip(all().skip(1))
            .all(|(a, b)| a[..width - 1] != b[..width - 1])
}

const END: u32 = u32::MAX;

/// The linked list of the tables of one variable: its first and last link, and its length.
#[derive(Debug, Clone, Copy)]
struct TableList {
    first: u32,
    last: u32,
    len: u32,
}

const EMPTY: TableList = TableList {
    first: END,
    last: END,
    len: 0,
};

/// For each variable, the tables that contain the variable, in the order of their addition.
#[derive(Clone, Debug)]
pub(super) struct TableLists {
    lists: Vec<TableList>,
    /// The links of all lists: a table, and the index of the next link of the same list.
    links: Vec<(u32, u32)>,
}

impl TableLists {
    /// Creates empty lists for `variables` variables, and allocates memory for `mentions` entries in total.
    pub(super) fn new(variables: usize, mentions: usize) -> Self {
        Self {
            lists: vec![EMPTY; variables],
            links: Vec::with_capacity(mentions),
        }
    }

    pub(super) fn len(&self, v: VarId) -> u32 {
        self.lists[v.index()].len
    }

    pub(super) fn push(&mut self, v: VarId, table: u32) {
        let place = self.links.len() as u32;
        self.links.push((table, END));
        self.link(v, place);
    }

    fn link(&mut self, v: VarId, place: u32) {
        let list = &mut self.lists[v.index()];
        match list.first {
            END => list.first = place,
            _ => self.links[list.last as usize].1 = place,
        }
        list.last = place;
        list.len += 1;
    }

    pub(super) fn of(&self, v: VarId) -> impl Iterator<Item = u32> + '_ {
        self.from(self.lists[v.index()].first)
    }

    /// Removes all tables from the list of `v`, and returns them.
    pub(super) fn take(&mut self, v: VarId) -> impl Iterator<Item = u32> + '_ {
        let list = std::mem::replace(&mut self.lists[v.index()], EMPTY);
        self.from(list.first)
    }

    fn from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = first;
        std::iter::from_fn(move || {
            let &(table, after) = self.links.get(next as usize)?;
            next = after;
            Some(table)
        })
    }

    pub(super) fn retain(&mut self, v: VarId, keep: impl Fn(u32) -> bool) {
        let list = std::mem::replace(&mut self.lists[v.index()], EMPTY);
        let mut place = list.first;
        while place != END {
            let (table, next) = self.links[place as usize];
            if keep(table) {
                self.links[place as usize].1 = END;
                self.link(v, place);
            }
            place = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_of_their_tables() {
        let mut lists = TableLists::new(2, 0);
        let (a, b) = (VarId(0), VarId(1));
        for table in 0..6 {
            lists.push(a, table);
            lists.push(b, 10 + table);
        }
        lists.retain(a, |table| table % 2 == 1);
        lists.push(a, 7);
        assert_eq!(lists.of(a).collect::<Vec<_>>(), [1, 3, 5, 7]);
        assert_eq!((lists.len(a), lists.len(b)), (4, 6));
        assert_eq!(lists.take(b).collect::<Vec<_>>(), [10, 11, 12, 13, 14, 15]);
        assert_eq!((lists.len(b), lists.of(b).count()), (0, 0));
        lists.retain(b, |_| true);
        lists.push(b, 1);
        assert_eq!(lists.of(b).collect::<Vec<_>>(), [1]);
    }
}
