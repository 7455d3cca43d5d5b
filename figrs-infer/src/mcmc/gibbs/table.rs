//! Dense tables of logarithms, over variables in ascending order.

use figrs_core::factor::FactorGraph;

/// A function of some variables: natural logarithms, row-major in the order of `scope`, which ascends.
#[derive(Clone, Debug)]
pub(super) struct DenseLogTable {
    pub(super) scope: Vec<usize>,
    pub(super) logs: Vec<f64>,
}

/// Strides of the variables, row-major.
pub(super) fn strides(graph: &FactorGraph, scope: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; scope.len()];
    for i in (1..scope.len()).rev() {
        strides[i - 1] = strides[i] * graph.cardinalities[scope[i]] as usize;
    }
    strides
}

/// The number of assignments of some variables, saturating.
pub(super) fn size(graph: &FactorGraph, scope: &[usize]) -> usize {
    let card = |&v: &usize| graph.cardinalities[v] as usize;
    scope.iter().map(card).fold(1, usize::saturating_mul)
}

/// Sets these variables to the next assignment, the last one fastest; false after the last, when all are zero again.
pub(super) fn advance(graph: &FactorGraph, scope: &[usize], values: &mut [u32]) -> bool {
    for &v in scope.iter().rev() {
        values[v] += 1;
        if values[v] < graph.cardinalities[v] {
            return true;
        }
        values[v] = 0;
    }
    false
}

/// The index of an assignment in a row-major list.
pub(super) fn place(scope: &[usize], strides: &[usize], values: &[u32]) -> usize {
    let digits = scope.iter().zip(strides);
    digits.map(|(&v, stride)| values[v] as usize * stride).sum()
}

impl DenseLogTable {
    /// Tabulates a function of some variables, each listed once. `values` is a scratch assignment.
    pub(super) fn of(
        graph: &FactorGraph,
        mut scope: Vec<usize>,
        values: &mut [u32],
        mut log: impl FnMut(&mut [u32]) -> f64,
    ) -> Self {
        scope.sort_unstable();
        scope.dedup();
        for &v in &scope {
            values[v] = 0;
        }
        let mut logs = Vec::with_capacity(size(graph, &scope));
        loop {
            logs.push(log(values));
            if !advance(graph, &scope, values) {
                return Self { scope, logs };
            }
        }
    }

    /// True if it is constant, and not zero.
    pub(super) fn is_constant(&self) -> bool {
        let first = self.logs[0];
        first > f64::NEG_INFINITY && self.logs.iter().all(|&log| log == first)
    }

    pub(super) fn has_zeros(&self) -> bool {
        self.logs.contains(&f64::NEG_INFINITY)
    }

    /// Divides by the largest entry, unless all are zero.
    pub(super) fn normalise(&mut self) {
        let most = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most > f64::NEG_INFINITY {
            self.logs.iter_mut().for_each(|log| *log -= most);
        }
    }
}
