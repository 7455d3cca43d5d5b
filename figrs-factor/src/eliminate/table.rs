//! Operands of a join: factors and messages, in the values of a semiring.

use std::borrow::Cow;

use crate::graph::{Factor, FactorGraph, FactorTable, VarId};

use crate::algebra::Semiring;

/// A non-negative function of some variables, borrowed from a factor or owned as a message.
#[derive(Clone, Debug)]
pub(super) struct EliminationTable<'a, S: Semiring> {
    pub(super) scope: Cow<'a, [VarId]>,
    pub(super) entries: Entries<'a, S>,
}

/// The entries of a [`EliminationTable`], as in [`FactorTable`].
#[derive(Clone, Debug)]
pub(super) enum Entries<'a, S: Semiring> {
    Dense(Cow<'a, [S::Value]>),
    Sparse {
        rows: Cow<'a, [u32]>,
        values: Cow<'a, [S::Value]>,
    },
    Function(&'a [u32]),
}

/// Message from one bucket to the next.
pub(super) type Message<S> = EliminationTable<'static, S>;

impl<'a, S: Semiring> EliminationTable<'a, S> {
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
            Entries::Dense(values) | Entries::Sparse { values, .. } => values.len(),
            Entries::Function(index) => index.len(),
        }
    }
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
