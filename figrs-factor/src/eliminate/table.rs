//! Factors and messages as tables of semiring values, for joins.

use std::borrow::Cow;

use crate::graph::{Assignments, Factor, FactorGraph, FactorTable, TableForm, VarId};

use crate::algebra::Semiring;

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
    /// The variables of a dense table that have a value in `values` are removed from its scope. A sparse table or a function keeps all entries. All
    /// tables of one join must be created with the same `values`.
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

    /// Returns the size of the entries in bytes, by the same formula as the plan.
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
