//! Operands of a join: factors and messages, in the values of a semiring.

use std::borrow::Cow;

use crate::graph::{Assignments, Factor, FactorGraph, FactorTable, VarId};

use crate::algebra::Semiring;

/// A dense message becomes sparse if it has fewer non-zeros than its size divided by this.
const SPARSE_BELOW: usize = 16;
/// Size up to which dense messages stay dense.
const FEW_ENTRIES: usize = 4096;

/// A non-negative function of some variables, borrowed from a factor or owned as a message.
#[derive(Clone, Debug)]
pub(crate) struct EliminationTable<'a, S: Semiring> {
    pub(crate) scope: Cow<'a, [VarId]>,
    pub(crate) entries: Entries<'a, S>,
}

/// The entries of a [`EliminationTable`], as in [`FactorTable`].
#[derive(Clone, Debug)]
pub(crate) enum Entries<'a, S: Semiring> {
    Dense(Cow<'a, [S::Value]>),
    Sparse {
        rows: Cow<'a, [u32]>,
        values: Cow<'a, [S::Value]>,
    },
    Function(&'a [u32]),
}

/// Message from one bucket to the next.
pub(super) type Message<S> = EliminationTable<'static, S>;

impl<S: Semiring> Entries<'_, S> {
    /// The values; a function has none.
    pub(super) fn values(&self) -> &[S::Value] {
        match self {
            Self::Dense(values) | Self::Sparse { values, .. } => values,
            Self::Function(_) => &[],
        }
    }

    /// As [`values`](Self::values), to be changed.
    pub(super) fn values_mut(&mut self) -> &mut [S::Value] {
        match self {
            Self::Dense(values) | Self::Sparse { values, .. } => values.to_mut(),
            Self::Function(_) => &mut [],
        }
    }

    /// The values; a function has none.
    pub(super) fn into_values(self) -> Vec<S::Value> {
        match self {
            Self::Dense(values) | Self::Sparse { values, .. } => values.into_owned(),
            Self::Function(_) => Vec::new(),
        }
    }
}

impl<'a, S: Semiring> EliminationTable<'a, S> {
    /// A table with a value for each assignment of its scope, row-major.
    pub(crate) fn dense(scope: &'a [VarId], values: &'a [S::Value]) -> Self {
        Self {
            scope: Cow::Borrowed(scope),
            entries: Entries::Dense(Cow::Borrowed(values)),
        }
    }

    /// The table of a factor, without its scale.
    pub(crate) fn of_factor(factor: &'a Factor) -> Self {
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

    /// The part of a factor's table that agrees with `values`, without its scale.
    ///
    /// For a dense table, only that part is lifted, and the variables with a value leave its scope; other tables of a join
    /// must pin them. Sparse tables and functions stay as they are.
    pub(super) fn of_part(factor: &'a Factor, graph: &FactorGraph, values: &[Option<u32>]) -> Self {
        let FactorTable::Dense(weights) = &factor.table else {
            return Self::of_factor(factor);
        };
        let mut scope = Vec::new();
        let (mut offsets, mut stride) = (vec![0], 1);
        // From the last variable to the first, each free one repeats the offsets found so far.
        for &v in factor.variables.iter().rev() {
            if let Some(value) = values[v.index()] {
                for offset in &mut offsets {
                    *offset += stride * value as usize;
                }
            } else {
                let shifts = (0..graph.cardinality(v)).map(|x| x * stride);
                offsets = shifts
                    .flat_map(|shift| offsets.iter().map(move |offset| offset + shift))
                    .collect();
                scope.push(v);
            }
            stride *= graph.cardinality(v);
        }
        scope.reverse();
        let entries = offsets
            .iter()
            .map(|&offset| S::lift(weights, offset))
            .collect();
        Self {
            scope: Cow::Owned(scope),
            entries: Entries::Dense(Cow::Owned(entries)),
        }
    }

    /// The same table, borrowed.
    pub(super) fn view(&self) -> EliminationTable<'_, S> {
        EliminationTable {
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

    /// The bytes of the entries, counted as in a plan.
    pub(super) fn bytes(&self) -> f64 {
        let width = match &self.entries {
            Entries::Dense(_) => 8,
            Entries::Sparse { .. } => 8 + 4 * self.scope.len(),
            Entries::Function(_) => 4,
        };
        self.len() as f64 * width as f64
    }

    /// Number of entries stored.
    pub(super) fn len(&self) -> usize {
        match &self.entries {
            Entries::Function(index) => index.len(),
            entries => entries.values().len(),
        }
    }

    /// Converts a dense table with few non-zeros to rows.
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
            values: places().map(|i| values[i].clone()).collect(),
        };
    }
}

/// The tables with these numbers: factors first, then messages that are held.
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
