//! The variables and tables of one join.

use crate::graph::{FactorGraph, VarId};

use crate::order::symbolic_elimination::Bucket;

/// The variables of one join, sorted by identifier; the join refers to them by their positions in this list.
#[derive(Debug, Default)]
pub(super) struct Domain {
    pub(super) variables: Vec<VarId>,
    pub(super) cards: Vec<usize>,
    /// For each variable, the value at which the variable is fixed, if it is fixed.
    pub(super) pins: Vec<Option<u32>>,
}

impl Domain {
    /// A domain of variables, given in any order; no variable is fixed at a value.
    pub(super) fn new(graph: &FactorGraph, mut variables: Vec<VarId>) -> Self {
        variables.sort_unstable();
        Self {
            cards: variables.iter().map(|&v| graph.cardinality(v)).collect(),
            pins: vec![None; variables.len()],
            variables,
        }
    }

    /// The domain of the variables of a bucket.
    pub(super) fn of_bucket(graph: &FactorGraph, bucket: &Bucket) -> Self {
        Self::new(
            graph,
            [bucket.output.as_slice(), &bucket.eliminated].concat(),
        )
    }

    /// The position of a variable, which must be in the domain.
    pub(super) fn position(&self, v: VarId) -> usize {
        self.variables.partition_point(|&u| u < v)
    }
}

/// Storage format of a table in a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    Dense,
    Sparse,
    Function,
}

/// Shape of a table: the properties of the table that influence the variable order.
#[derive(Debug)]
pub(super) struct TableShape {
    pub(super) kind: TableKind,
    /// The table's variables, as positions in the domain.
    pub(super) columns: Vec<usize>,
    pub(super) entries: usize,
}
