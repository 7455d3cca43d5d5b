//! The factors for the evidence in a row of data: one factor for each column.

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, Weights};

use figrs_exact::junction_tree::compiled_encoding::CompiledEncoding;

/// A factor graph that has a factor for the evidence of each column of data.
#[derive(Debug)]
pub(super) enum StatementFactors {
    /// The factor graph of a compiled contraction tree, in which impossible values of variables have been removed.
    Compiled(Box<CompiledEncoding>),
    /// An uncompiled factor graph, with the index of the evidence factor for each column of data.
    Encoded(FactorGraph, Vec<usize>),
}

impl StatementFactors {
    /// Adds a factor for the evidence in each column of data to the factor graph in `encoding`.
    pub(super) fn encoded(expansion: &Expansion, mut encoding: Encoding) -> Self {
        let mut graph = encoding.take_graph();
        let mut factors = Vec::with_capacity(expansion.targets().len());
        for &position in expansion.targets() {
            let variables: Vec<_> = encoding.variable(position).into_iter().collect();
            let values = graph.dense_size(&variables);
            factors.push(graph.factors.len());
            graph.factors.push(Factor {
                variables,
                table: FactorTable::Dense(Weights::from_linear(vec![1.0; values])),
                normalised: false,
            });
        }
        Self::Encoded(graph, factors)
    }

    /// Returns the factor graph without the evidence of the rows of data.
    pub(super) fn graph(&self) -> &FactorGraph {
        match self {
            Self::Compiled(compiled) => compiled.graph(),
            Self::Encoded(graph, _) => graph,
        }
    }

    pub(super) fn factor(&self, column: usize) -> usize {
        match self {
            Self::Compiled(compiled) => compiled.statement_factor(column),
            Self::Encoded(_, factors) => factors[column],
        }
    }

    /// Returns the table of the evidence factor for the column `column`: the weights `weights` of the values of the column's variable, or the table
    /// for a missing value if `weights` is `None`.
    pub(super) fn table(&self, column: usize, weights: Option<Weights>) -> FactorTable {
        match (self, weights) {
            (Self::Compiled(compiled), weights) => compiled.statement_table(column, weights),
            (Self::Encoded(..), Some(weights)) => FactorTable::Dense(weights),
            (Self::Encoded(graph, factors), None) => graph.factors[factors[column]].table.clone(),
        }
    }
}
