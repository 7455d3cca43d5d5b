//! Products of a few tables, maximised down to some of their variables.

use std::borrow::Cow;

use figrs_core::Until;
use figrs_core::factor::{Factor, FactorGraph, VarId};

use super::domain::Domain;
use super::error::EliminationError;
use super::join::{JoinScratch, join};
use super::sink::DenseSink;
use super::table::{EliminationTable, Entries};
use crate::exact::algebra::MaxProduct;

/// One of the tables to multiply.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProductOperand<'a> {
    Factor(&'a Factor),
    /// A dense table of natural logarithms.
    Logs(&'a [VarId], &'a [f64]),
}

impl<'a> ProductOperand<'a> {
    fn scope(self) -> &'a [VarId] {
        match self {
            Self::Factor(factor) => &factor.variables,
            Self::Logs(scope, _) => scope,
        }
    }

    fn table(self) -> EliminationTable<'a, MaxProduct> {
        match self {
            Self::Factor(factor) => EliminationTable::of_factor(factor),
            Self::Logs(scope, logs) => EliminationTable {
                scope: Cow::Borrowed(scope),
                entries: Entries::Dense(Cow::Borrowed(logs)),
            },
        }
    }
}

/// Multiplies tables over the variables of one graph.
#[derive(Debug)]
pub(crate) struct Projector<'g> {
    graph: &'g FactorGraph,
    scratch: JoinScratch<f64>,
}

impl<'g> Projector<'g> {
    pub(crate) fn new(graph: &'g FactorGraph, until: Until) -> Self {
        Self {
            graph,
            scratch: JoinScratch::new(until),
        }
    }

    /// The natural logarithm of the largest product for each assignment of `outputs`, row-major in their order; each
    /// of them is in the scope of some piece.
    pub(crate) fn project(
        &mut self,
        pieces: &[ProductOperand<'_>],
        outputs: &[VarId],
    ) -> Result<Vec<f64>, EliminationError> {
        let mut variables: Vec<VarId> = pieces.iter().flat_map(|p| p.scope()).copied().collect();
        variables.sort_unstable();
        variables.dedup();
        let domain = Domain::new(self.graph, variables);
        let tables = pieces.iter().map(|piece| piece.table()).collect();
        let mut sink = DenseSink {
            values: vec![f64::NEG_INFINITY; self.graph.dense_size(outputs)],
        };
        let outputs: Vec<usize> = outputs.iter().map(|&v| domain.position(v)).collect();
        join::<MaxProduct, _>(tables, &domain, &outputs, &mut sink, &mut self.scratch)?;
        Ok(sink.values)
    }
}
