//! Tables of semiring values (factors and messages), and their preparation for a join: the rows of sparse tables are sorted by the variable order.

use std::borrow::Cow;
use std::ops::Range;

use crate::algebra::{Semiring, ValueBounds};
use crate::graph::{Assignments, Factor, FactorGraph, FactorTable, TableForm, VarId};
use crate::order::symbolic_elimination::Bucket;

/// A table prepared for the variable order of a join.
#[derive(Debug)]
pub(super) struct PreparedTable<'a, V: Clone> {
    /// The weights of the entries; empty for a function table.
    pub(super) values: Cow<'a, [V]>,
    /// For each variable of a sparse table, in the order in which the join assigns the variables, a column with the value of the variable in each
    /// row.
    pub(super) keys: Vec<Vec<u32>>,
    /// For a function table, the value of the child (last variable) for each assignment of the parents; empty for other tables.
    pub(super) index: Cow<'a, [u32]>,
    /// Lower and upper bounds of the entries of the prepared table.
    pub(super) extent: ValueBounds,
}

impl<V: Clone> PreparedTable<'_, V> {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.index.is_empty()
    }
}

/// Returns the properties of a table that influence the variable order of a join.
pub(super) fn shape<S: Semiring>(domain: &Domain, table: &EliminationTable<S>) -> TableShape {
    TableShape {
        kind: match table.entries {
            Entries::Dense(_) => TableKind::Dense,
            Entries::Sparse { .. } => TableKind::Sparse,
            Entries::Function { .. } => TableKind::Function,
        },
        columns: table.scope.iter().map(|&v| domain.position(v)).collect(),
        entries: table.len(),
    }
}

/// Prepares a table for a join: sorts the rows of a sparse table, lists a function as rows if `shape` demands it, and borrows a dense table. `turns`
/// contains the index of each variable of the join in the variable order.
pub(super) fn prepare<'a, S: Semiring>(
    table: EliminationTable<'a, S>,
    shape: &TableShape,
    domain: &Domain,
    turns: &[usize],
) -> PreparedTable<'a, S::Value> {
    let (mut keys, mut index) = (Vec::new(), Cow::Borrowed(&[][..]));
    let values = match table.entries {
        Entries::Dense(values) => values,
        Entries::Function { index: of_child } if shape.kind == TableKind::Function => {
            index = of_child;
            Cow::Borrowed(&[][..])
        }
        Entries::Function { index } => {
            let rows = list_function(&index, &shape.columns, domain);
            let values = vec![S::one(); rows.len() / shape.columns.len()];
            let (sorted, values) = sorted(&rows, Cow::Owned(values), &shape.columns, domain, turns);
            keys = sorted;
            values
        }
        Entries::Sparse { rows, weights } => {
            let (sorted, values) = sorted(&rows, weights, &shape.columns, domain, turns);
            keys = sorted;
            values
        }
    };
    PreparedTable {
        extent: if index.is_empty() {
            S::extent(&values)
        } else {
            ValueBounds::default()
        },
        values,
        keys,
        index,
    }
}

/// Returns columns and weights of the rows of a sparse table that agree with the fixed values. The result has a column for each variable without a
/// fixed value, in the order in which the join assigns the variables, and its rows are sorted by these columns.
fn sorted<'a, V: Clone>(
    rows: &[u32],
    values: Cow<'a, [V]>,
    variables: &[usize],
    domain: &Domain,
    turns: &[usize],
) -> (Vec<Vec<u32>>, Cow<'a, [V]>) {
    let arity = variables.len();
    let pins = (0..arity).filter_map(|c| domain.pins[variables[c]].map(|pin| (c, pin)));
    let pins: Vec<(usize, u32)> = pins.collect();
    let mut columns: Vec<usize> = (0..arity).collect();
    columns.retain(|&c| domain.pins[variables[c]].is_none());
    columns.sort_unstable_by_key(|&c| turns[variables[c]]);
    if pins.is_empty() && columns.is_sorted() {
        let column = |c: usize| rows.iter().skip(c).step_by(arity).copied().collect();
        return ((0..arity).map(column).collect(), values);
    }
    let at = |row: usize, c: usize| rows[row * arity + c];
    let mut chosen: Vec<usize> = (0..values.len()).collect();
    chosen.retain(|&row| pins.iter().all(|&(c, x)| at(row, c) == x));
    if !columns.is_sorted() {
        let width = |&c: &usize| usize::BITS - (domain.cards[variables[c]] - 1).leading_zeros();
        let widths: Vec<u32> = columns.iter().map(width).collect();
        if widths.iter().sum::<u32>() <= u64::BITS {
            chosen.sort_by_cached_key(|&row| {
                let pairs = columns.iter().zip(&widths);
                pairs.fold(0, |key, (&c, width)| (key << width) | u64::from(at(row, c)))
            });
        } else {
            let key = |row: usize| columns.iter().map(move |&c| at(row, c));
            chosen.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        }
    }
    let column = |&c: &usize| chosen.iter().map(|&row| at(row, c)).collect();
    let keys = columns.iter().map(column).collect();
    (
        keys,
        chosen.iter().map(|&row| values[row].clone()).collect(),
    )
}

/// Lists the rows of a function table that agree with the fixed values of variables. Each row of a listed function has the values of the parents,
/// followed by the value of the child (the last of `variables`).
fn list_function(index: &[u32], variables: &[usize], domain: &Domain) -> Vec<u32> {
    let mut rows = Vec::new();
    if let Some((&child, parents)) = variables.split_last() {
        let parents = Assignments::rows(parents.iter().map(|&v| domain.cards[v]));
        for (i, &x) in index.iter().enumerate() {
            if (x as usize) < domain.cards[child] && domain.pins[child].is_none_or(|pin| pin == x) {
                rows.extend(parents.values(i));
                rows.push(x);
            }
        }
    }
    rows
}

/// Returns the rows of `range` that have the value `x` in a column that is sorted within `range`.
pub(super) fn equal_range(column: &[u32], range: Range<usize>, x: u32) -> Range<usize> {
    let start = range.start + column[range.clone()].partition_point(|&y| y < x);
    start..run_end(column, start..range.end, x)
}

/// Returns the end of the run of equal values `x` in a sorted column that begins at `range.start`. The end is found by a galloping search, because
/// most runs of equal values are short.
pub(super) fn run_end(column: &[u32], range: Range<usize>, x: u32) -> usize {
    let (mut low, mut step) = (range.start, 1);
    while low + step <= range.end && column[low + step - 1] == x {
        low += step;
        step *= 2;
    }
    let high = range.end.min(low + step);
    low + column[low..high].partition_point(|&y| y == x)
}

/// The variables of one join, sorted by identifier. A join refers to each variable by its index in this sorted list of variables.
#[derive(Debug, Default)]
pub(super) struct Domain {
    pub(super) variables: Vec<VarId>,
    pub(super) cards: Vec<usize>,
    pub(super) pins: Vec<Option<u32>>,
}

impl Domain {
    /// Creates the list of the `variables` of a join, which need not be sorted, without fixed values.
    pub(super) fn new(graph: &FactorGraph, mut variables: Vec<VarId>) -> Self {
        variables.sort_unstable();
        Self {
            cards: variables.iter().map(|&v| graph.cardinality(v)).collect(),
            pins: vec![None; variables.len()],
            variables,
        }
    }

    pub(super) fn of_bucket(graph: &FactorGraph, bucket: &Bucket) -> Self {
        Self::new(
            graph,
            [bucket.output.as_slice(), &bucket.eliminated].concat(),
        )
    }

    pub(super) fn position(&self, v: VarId) -> usize {
        self.variables.partition_point(|&u| u < v)
    }
}

/// Storage format of a table in a join: dense, sparse, or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    Dense,
    Sparse,
    Function,
}

/// Properties of a table that influence the variable order of a join.
#[derive(Debug)]
pub(super) struct TableShape {
    pub(super) kind: TableKind,
    /// The table's variables, as indices in the list of the join's variables.
    pub(super) columns: Vec<usize>,
    pub(super) entries: usize,
}

/// Minimum ratio of the dense size of a message to the number of its non-zero entries at which the message is stored as a sparse table.
const SPARSE_BELOW: usize = 16;
/// Maximum number of entries of a message that is never converted to a sparse table.
const FEW_ENTRIES: usize = 4096;

/// A function of some variables with values in a semiring, borrowed from a factor or owned as a message.
#[derive(Clone, Debug)]
pub(crate) struct EliminationTable<'a, S: Semiring> {
    pub(crate) scope: Cow<'a, [VarId]>,
    pub(crate) entries: Entries<'a, S::Value>,
}

pub(crate) type Entries<'a, V> = TableForm<Cow<'a, [u32]>, Cow<'a, [V]>>;

pub(super) type Message<S> = EliminationTable<'static, S>;

impl<'a, S: Semiring> EliminationTable<'a, S> {
    /// Creates a table with the value of each assignment of its scope, row-major.
    pub(crate) fn dense(scope: &'a [VarId], values: &'a [S::Value]) -> Self {
        Self {
            scope: Cow::Borrowed(scope),
            entries: Entries::Dense(Cow::Borrowed(values)),
        }
    }

    /// Creates the table of `factor` without the common scale of its weights.
    pub(crate) fn of_factor(factor: &'a Factor) -> Self {
        Self {
            scope: Cow::Borrowed(&factor.variables),
            entries: (factor.table.as_ref()).map(|rows| Cow::Borrowed(&rows[..]), S::lift_all),
        }
    }

    /// Creates a table of the entries of `factor` that agree with `values`, without the common scale of the weights.
    ///
    /// The variables of a dense table that have a fixed value in `values` are removed from its scope. A sparse table or a function keeps all entries,
    /// also the entries that do not agree with `values`. All tables of one join must be created with the same fixed values `values`.
    pub(super) fn of_part(factor: &'a Factor, graph: &FactorGraph, values: &[Option<u32>]) -> Self {
        let FactorTable::Dense(weights) = &factor.table else {
            return Self::of_factor(factor);
        };
        let is_free = |v: &VarId| values[v.index()].is_none();
        let offsets = factor.variables.iter().fold(vec![0], |offsets, &v| {
            let n = graph.cardinality(v);
            let taken = values[v.index()].map_or(0..n, |x| x as usize..x as usize + 1);
            let extended = offsets
                .iter()
                .flat_map(|at| taken.clone().map(move |x| at * n + x));
            extended.collect()
        });
        let entries = offsets
            .iter()
            .map(|&offset| S::lift(weights, offset))
            .collect();
        Self {
            scope: factor.variables.iter().copied().filter(is_free).collect(),
            entries: Entries::Dense(Cow::Owned(entries)),
        }
    }

    pub(super) fn view(&self) -> EliminationTable<'_, S> {
        EliminationTable {
            scope: Cow::Borrowed(&self.scope),
            entries: (self.entries.as_ref()).map(
                |rows| Cow::Borrowed(&**rows),
                |values| Cow::Borrowed(&**values),
            ),
        }
    }

    pub(super) fn values(&self) -> &[S::Value] {
        self.entries.weights().map_or(&[], |values| values)
    }

    pub(super) fn values_mut(&mut self) -> &mut [S::Value] {
        let values = self.entries.weights_mut();
        values.map_or(&mut [], |values| values.to_mut())
    }

    pub(super) fn into_values(mut self) -> Vec<S::Value> {
        let values = self.entries.weights_mut();
        values.map_or(Vec::new(), |values| std::mem::take(values.to_mut()))
    }

    /// Returns the size of the entries in bytes, by the formula that the plan of the elimination uses.
    pub(super) fn bytes(&self) -> u64 {
        let width = match &self.entries {
            Entries::Dense(_) => 8,
            Entries::Sparse { .. } => 8 + 4 * self.scope.len(),
            Entries::Function { .. } => 4,
        };
        (self.len() * width) as u64
    }

    pub(super) fn len(&self) -> usize {
        match &self.entries {
            Entries::Function { index } => index.len(),
            _ => self.values().len(),
        }
    }

    /// Converts a dense table to a sparse table if few of its entries are non-zero.
    pub(super) fn compact(&mut self, graph: &FactorGraph) {
        let Entries::Dense(values) = &self.entries else {
            return;
        };
        let places = || (0..values.len()).filter(|&i| !S::is_zero(&values[i]));
        if values.len() <= FEW_ENTRIES || places().count() * SPARSE_BELOW > values.len() {
            return;
        }
        let all = Assignments::rows(self.scope.iter().map(|&v| graph.cardinality(v)));
        self.entries = Entries::Sparse {
            rows: places().flat_map(|place| all.values(place)).collect(),
            weights: places().map(|i| values[i].clone()).collect(),
        };
    }
}

/// Returns the tables with the indices `ids`; factors have the first indices, and messages follow.
pub(super) fn inputs<'t, S: Semiring>(
    graph: &'t FactorGraph,
    messages: &'t [Option<Message<S>>],
    ids: &[u32],
    of_factor: impl Fn(&'t Factor) -> EliminationTable<'t, S>,
) -> Vec<EliminationTable<'t, S>> {
    let table = |&id: &u32| match (id as usize).checked_sub(graph.factors.len()) {
        None => Some(of_factor(&graph.factors[id as usize])),
        Some(message) => messages[message].as_ref().map(EliminationTable::view),
    };
    ids.iter().filter_map(table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::VarId;

    fn domain(cards: &[usize], pins: &[Option<u32>]) -> Domain {
        Domain {
            variables: (0..cards.len() as u32).map(VarId).collect(),
            cards: cards.to_vec(),
            pins: pins.to_vec(),
        }
    }

    #[test]
    fn rows_are_selected_and_sorted() {
        let rows = [0, 0, 5, 0, 1, 4, 1, 0, 3, 1, 1, 4];
        let of = |columns: &[usize], pins: &[Option<u32>], turns: &[usize]| {
            let values = Cow::Owned(vec!['a', 'b', 'c', 'd']);
            sorted(&rows, values, columns, &domain(&[2, 2, 6], pins), turns)
        };
        let (keys, values) = of(&[0, 1, 2], &[None; 3], &[2, 3, 1]);
        assert_eq!(keys, [[3, 4, 4, 5], [1, 0, 1, 0], [0, 1, 1, 0]]);
        assert_eq!(*values, ['c', 'b', 'd', 'a']);
        let (keys, values) = of(&[0, 1, 2], &[None, Some(1), None], &[2, 0, 1]);
        assert_eq!(keys, [[4, 4], [0, 1]]);
        assert_eq!(*values, ['b', 'd']);
    }

    #[test]
    fn ranges_are_found() {
        let column = [7, 1, 1, 1, 1, 1, 3, 3, 9, 0];
        assert_eq!(equal_range(&column, 1..9, 1), 1..6);
        assert_eq!(equal_range(&column, 1..9, 3), 6..8);
        assert_eq!(equal_range(&column, 1..9, 9), 8..9);
        assert!(equal_range(&column, 1..9, 2).is_empty());
        assert!(equal_range(&column, 1..9, 10).is_empty());
        assert_eq!(run_end(&column, 1..4, 1), 4);
    }

    #[test]
    fn functions_are_listed() {
        let none = u32::MAX;
        let domain = domain(&[2, 3, 3], &[None, None, Some(2)]);
        let rows = list_function(&[2, none, 0, 2, 1, 2], &[0, 1, 2], &domain);
        assert_eq!(rows, [0, 0, 2, 1, 0, 2, 1, 2, 2]);
    }
}

#[cfg(test)]
mod table_tests {
    use crate::graph::Weights;

    use super::*;
    use crate::algebra::SumProduct;

    #[test]
    fn a_part_keeps_the_order_of_what_is_free() {
        let mut graph = FactorGraph::default();
        let variables: Vec<VarId> = [2, 3, 2].map(|n| graph.add_variable(n)).to_vec();
        let weights = Weights::from_linear((0..12).map(f64::from).collect());
        let table = FactorTable::Dense(weights);
        let factor = Factor {
            variables: variables.clone(),
            table,
            normalised: false,
        };
        let part = |values: [Option<u32>; 3]| {
            let table = EliminationTable::<SumProduct>::of_part(&factor, &graph, &values);
            match table.entries {
                Entries::Dense(entries) => (table.scope.to_vec(), entries.to_vec()),
                _ => (Vec::new(), Vec::new()),
            }
        };
        let expected = (vec![variables[0], variables[2]], vec![4.0, 5.0, 10.0, 11.0]);
        assert_eq!(part([None, Some(2), None]), expected);
        assert_eq!(
            part([Some(1), None, Some(0)]),
            (vec![variables[1]], vec![6.0, 8.0, 10.0])
        );
        assert_eq!(part([Some(1), Some(1), Some(1)]), (vec![], vec![9.0]));
    }
}
