//! The variables of one join, with their fixed values and the shapes of the joined tables.

use crate::graph::{FactorGraph, VarId};

use crate::order::symbolic_elimination::Bucket;

/// The variables of one join, sorted by identifier. The join refers to each variable by its index in this list.
#[derive(Debug, Default)]
pub(super) struct Domain {
    pub(super) variables: Vec<VarId>,
    pub(super) cards: Vec<usize>,
    pub(super) pins: Vec<Option<u32>>,
}

impl Domain {
    /// Creates a domain of `variables`, which need not be sorted, without fixed values.
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
    /// The table's variables, as indices in the domain.
    pub(super) columns: Vec<usize>,
    pub(super) entries: usize,
}
