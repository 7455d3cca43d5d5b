//! Restriction of factor graphs to some of the values.

use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId, Weights};

/// Map from factors to those of a graph in which variables have some of their values, and those with one value are left
/// out.
pub(super) struct GraphRestriction<'a> {
    graph: &'a FactorGraph,
    /// For each variable the remaining values, at least one.
    pub(super) left: Vec<Vec<u32>>,
    /// For each variable its identifier in the new graph, if it has several values there.
    names: Vec<Option<VarId>>,
    /// The variables of the new graph, by their old names.
    pub(super) open: Vec<VarId>,
    /// The new graph; its factors are for the caller to add.
    pub(super) reduced: FactorGraph,
}

impl<'a> GraphRestriction<'a> {
    pub(super) fn new(graph: &'a FactorGraph, left: Vec<Vec<u32>>) -> Self {
        let mut reduced = FactorGraph::default();
        let mut open = Vec::new();
        let mut names: Vec<Option<VarId>> = Vec::with_capacity(left.len());
        for (values, v) in left.iter().zip((0..).map(VarId)) {
            names.push((values.len() > 1).then(|| {
                open.push(v);
                reduced.add_variable(values.len())
            }));
        }
        Self {
            graph,
            left,
            names,
            open,
            reduced,
        }
    }

    /// A factor of the new graph.
    pub(super) fn factor(&self, factor: &Factor) -> Factor {
        let open = |v: &VarId| self.names[v.index()];
        let variables: Vec<VarId> = factor.variables.iter().filter_map(open).collect();
        let table = match &factor.table {
            FactorTable::Dense(weights) => {
                FactorTable::Dense(weights.select(&self.cells(&factor.variables)))
            }
            FactorTable::Sparse { .. } => self.sparse(factor),
            FactorTable::Function { index } => self.function(factor, index),
        };
        Factor {
            variables,
            table,
            normalised: false,
        }
    }

    /// The indices of the assignments of remaining values.
    fn cells(&self, variables: &[VarId]) -> Vec<usize> {
        variables.iter().fold(vec![0], |cells, &v| {
            let left = &self.left[v.index()];
            let n = self.graph.cardinality(v);
            let extended = cells
                .iter()
                .flat_map(|cell| left.iter().map(move |&x| cell * n + x as usize));
            extended.collect()
        })
    }

    fn sparse(&self, factor: &Factor) -> FactorTable {
        let (mut rows, mut kept) = (Vec::new(), Vec::new());
        for_each_entry(self.graph, factor, |i, values| {
            let start = rows.len();
            for (v, x) in factor.variables.iter().zip(values) {
                match self.left[v.index()].binary_search(x) {
                    Ok(place) if self.names[v.index()].is_some() => rows.push(place as u32),
                    Ok(_) => {}
                    Err(_) => {
                        rows.truncate(start);
                        return;
                    }
                }
            }
            kept.push(i);
        });
        let weights = match &factor.table {
            FactorTable::Sparse { weights, .. } => weights.select(&kept),
            _ => Weights::default(),
        };
        FactorTable::Sparse { rows, weights }
    }

    fn function(&self, factor: &Factor, index: &[u32]) -> FactorTable {
        let Some((child, parents)) = factor.variables.split_last() else {
            return factor.table.clone();
        };
        let left = &self.left[child.index()];
        let cells = self.cells(parents);
        let value = |&cell: &usize| left.binary_search(&index[cell]).ok();
        if self.names[child.index()].is_some() {
            let index = cells
                .iter()
                .map(|cell| value(cell).map_or(FactorTable::NO_VALUE, |x| x as u32));
            return FactorTable::Function {
                index: index.collect(),
            };
        }
        let agrees = cells
            .iter()
            .map(|cell| f64::from(u8::from(value(cell).is_some())));
        FactorTable::Dense(Weights::from_linear(agrees.collect()))
    }
}

/// Calls `visit` with the number and the values of each entry that is not zero.
pub(crate) fn for_each_entry(
    graph: &FactorGraph,
    factor: &Factor,
    mut visit: impl FnMut(usize, &[u32]),
) {
    let arity = factor.variables.len();
    let mut values = vec![0; arity];
    match &factor.table {
        FactorTable::Dense(weights) => {
            for i in 0..weights.len() {
                if !weights.is_zero(i) {
                    visit(i, &values);
                }
                step(graph, &factor.variables, &mut values);
            }
        }
        FactorTable::Sparse { rows, weights } => {
            for i in (0..weights.len()).filter(|&i| !weights.is_zero(i)) {
                visit(i, &rows[i * arity..(i + 1) * arity]);
            }
        }
        FactorTable::Function { index } => {
            for (i, &x) in index.iter().enumerate() {
                if x != FactorTable::NO_VALUE {
                    values[arity - 1] = x;
                    visit(i, &values);
                }
                step(graph, &factor.variables[..arity - 1], &mut values);
            }
        }
    }
}

/// The next assignment in row-major order.
fn step(graph: &FactorGraph, variables: &[VarId], values: &mut [u32]) {
    for (value, &v) in values.iter_mut().zip(variables).rev() {
        *value += 1;
        if (*value as usize) < graph.cardinality(v) {
            return;
        }
        *value = 0;
    }
}
