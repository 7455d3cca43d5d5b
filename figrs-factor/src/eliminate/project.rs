//! Products of a few tables, projected to some of their variables by maxima or power sums.

use std::borrow::Cow;

use crate::graph::{Factor, FactorGraph, VarId};
use crate::until::Until;

use super::domain::Domain;
use super::error::EliminationError;
use super::join::{JoinScratch, join};
use super::sink::{DenseSink, PowerSink};
use super::table::{EliminationTable, Entries};
use crate::algebra::MaxProduct;

/// One of the tables to multiply.
#[derive(Clone, Copy, Debug)]
pub enum ProductOperand<'a> {
    /// A factor of the graph.
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

/// Elimination of the variables that are not kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// The largest product.
    Maximum,
    /// `(sum of p^(1/w))^w` over all products `p`, for a weight `w` other than zero: the sum if `w` is one, zero if `w` is negative and a product is zero.
    PowerSum(f64),
}

/// Multiplies tables over the variables of one graph.
#[derive(Debug)]
pub struct Projector<'g> {
    graph: &'g FactorGraph,
    scratch: JoinScratch<f64>,
}

impl<'g> Projector<'g> {
    /// A projector of products of the factors of a graph.
    pub fn new(graph: &'g FactorGraph, until: Until) -> Self {
        Self {
            graph,
            scratch: JoinScratch::new(until),
        }
    }

    /// The natural logarithm of the projection of the products for each assignment of `outputs`, row-major in their order; each
    /// of them must be in the scope of some operand.
    pub fn project(
        &mut self,
        pieces: &[ProductOperand<'_>],
        outputs: &[VarId],
        projection: Projection,
    ) -> Result<Vec<f64>, EliminationError> {
        let mut variables: Vec<VarId> = pieces.iter().flat_map(|p| p.scope()).copied().collect();
        variables.sort_unstable();
        variables.dedup();
        let domain = Domain::new(self.graph, variables);
        let tables = pieces.iter().map(|piece| piece.table()).collect();
        let entries = self.graph.dense_size(outputs);
        let products = self.graph.dense_size(&domain.variables) / entries;
        let outputs: Vec<usize> = outputs.iter().map(|&v| domain.position(v)).collect();
        let scratch = &mut self.scratch;
        match projection {
            Projection::Maximum => {
                let mut sink = DenseSink {
                    values: vec![f64::NEG_INFINITY; entries],
                };
                join::<MaxProduct, _>(tables, &domain, &outputs, &mut sink, scratch)?;
                Ok(sink.values)
            }
            Projection::PowerSum(weight) => {
                let mut sink = PowerSink::new(entries, weight);
                join::<MaxProduct, _>(tables, &domain, &outputs, &mut sink, scratch)?;
                Ok(sink.into_logs(products))
            }
        }
    }
}
