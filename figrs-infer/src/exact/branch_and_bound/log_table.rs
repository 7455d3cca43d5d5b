//! Tables of logarithms, looked up at full assignments.

use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId};

use crate::exact::eliminate::log_entry;

/// A dense table of natural logarithms.
#[derive(Debug)]
pub(super) struct LogTable {
    pub(super) scope: Vec<VarId>,
    strides: Vec<usize>,
    pub(super) logs: Vec<f64>,
}

impl LogTable {
    /// `logs` is row-major in the order of `scope`.
    pub(super) fn new(graph: &FactorGraph, scope: Vec<VarId>, logs: Vec<f64>) -> Self {
        let mut strides = vec![1; scope.len()];
        for i in (1..scope.len()).rev() {
            strides[i - 1] = strides[i] * graph.cardinality(scope[i]);
        }
        Self {
            scope,
            strides,
            logs,
        }
    }

    pub(super) fn at(&self, values: &[u32]) -> f64 {
        let terms = self.scope.iter().zip(&self.strides);
        self.logs[terms
            .map(|(v, stride)| values[v.index()] as usize * stride)
            .sum::<usize>()]
    }
}

/// A factor that is looked up often.
#[derive(Debug)]
pub(super) enum LookupFactor<'g> {
    Dense(LogTable),
    Other(&'g Factor),
}

impl<'g> LookupFactor<'g> {
    pub(super) fn new(graph: &FactorGraph, factor: &'g Factor) -> Self {
        match &factor.table {
            FactorTable::Dense(weights) => {
                let logs = (0..weights.len()).map(|i| weights.log(i)).collect();
                Self::Dense(LogTable::new(graph, factor.variables.clone(), logs))
            }
            _ => Self::Other(factor),
        }
    }

    pub(super) fn at(&self, graph: &FactorGraph, values: &[u32]) -> f64 {
        match self {
            Self::Dense(table) => table.at(values),
            Self::Other(factor) => log_entry(graph, factor, values),
        }
    }
}
