//! Dense tables of natural logarithms, indexed by assignments of all variables of a graph.

use super::assignment::Assignments;
use super::factor_graph::{FactorGraph, VarId};

/// A function of some variables, stored as a table of natural logarithms.
#[derive(Clone, Debug)]
pub struct LogTable {
    /// The variables of the function, without repetition.
    pub scope: Vec<VarId>,
    /// The row-major numbering of the assignments of `scope`; each assignment is read from a list with the values of all variables of the graph.
    pub assignments: Assignments,
    /// The logarithms, row-major in the order of the scope.
    pub logs: Vec<f64>,
}

impl LogTable {
    /// Creates a table of the logarithms `logs`, row-major in the order of `scope`.
    pub fn new(graph: &FactorGraph, scope: Vec<VarId>, logs: Vec<f64>) -> Self {
        let assignments = Assignments::within(graph, scope.iter().map(|v| v.index()));
        Self {
            scope,
            assignments,
            logs,
        }
    }

    /// Makes a table of the values of the function `log` for all assignments of `scope`. The argument `values` of `tabulate` is a list with a value
    /// for each variable of the graph, which the method overwrites.
    pub fn tabulate(
        graph: &FactorGraph,
        scope: Vec<VarId>,
        values: &mut [u32],
        mut log: impl FnMut(&mut [u32]) -> f64,
    ) -> Self {
        let mut table = Self::new(graph, scope, Vec::new());
        table.logs.reserve_exact(table.assignments.count());
        table.assignments.reset(values);
        loop {
            table.logs.push(log(values));
            if table.assignments.advance(values).is_none() {
                return table;
            }
        }
    }

    /// Returns the entry for the assignment `values` of all variables of the graph.
    #[inline]
    pub fn at(&self, values: &[u32]) -> f64 {
        self.logs[self.assignments.number(values)]
    }

    /// True if the function has the same positive value everywhere.
    pub fn is_constant(&self) -> bool {
        let first = self.logs[0];
        first > f64::NEG_INFINITY && self.logs.iter().all(|&log| log == first)
    }

    /// True if some entry is the logarithm of zero.
    pub fn has_zeros(&self) -> bool {
        self.logs.contains(&f64::NEG_INFINITY)
    }

    /// Divides all entries by the largest entry, unless all entries are zero.
    pub fn normalise(&mut self) {
        let most = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most > f64::NEG_INFINITY {
            self.logs.iter_mut().for_each(|log| *log -= most);
        }
    }
}
