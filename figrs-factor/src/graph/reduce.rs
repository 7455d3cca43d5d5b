//! Reduction of a factor graph to some values of each variable, such as the values that evidence and zeros do not exclude.

use super::factor_graph::{Factor, FactorGraph, FactorTable, VarId};
use super::weights::Weights;

/// The way in which a reduced factor graph treats the variables that have only one remaining value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedVariables {
    /// The reduced graph contains the variables with one remaining value.
    Kept,
    /// The reduced graph omits the variables with one remaining value.
    LeftOut,
}

/// Map from the variables and values of a factor graph to those of a reduced graph.
#[derive(Clone, Debug)]
pub struct Restriction {
    /// For each variable of the original graph, its remaining values in ascending order; at least one value remains.
    pub left: Vec<Vec<u32>>,
    /// For each variable of the original graph, its identifier in the reduced graph; `None` if the variable was omitted.
    names: Vec<Option<VarId>>,
    /// For each variable of the reduced graph, its identifier in the original graph.
    pub open: Vec<VarId>,
}

/// A factor graph from which some values of variables were removed, and the map between the reduced graph and the original graph.
#[derive(Debug)]
pub struct ReducedGraph {
    /// The graph in which each variable has only its remaining values.
    pub graph: FactorGraph,
    /// The map between the reduced graph and the original graph.
    pub restriction: Restriction,
}

impl ReducedGraph {
    /// Restricts each variable of `graph` to those of its values that are listed in `left`.
    pub fn new(graph: &FactorGraph, left: Vec<Vec<u32>>, decided: DecidedVariables) -> Self {
        let restriction = Restriction::new(left, decided);
        Self {
            graph: restriction.reduce(graph, &graph.factors),
            restriction,
        }
    }
}

impl Restriction {
    /// Creates the map from a graph to its restriction in which each variable has only its values in `left`.
    pub fn new(left: Vec<Vec<u32>>, decided: DecidedVariables) -> Self {
        let mut open = Vec::new();
        let mut names = Vec::with_capacity(left.len());
        for (values, v) in left.iter().zip((0..).map(VarId)) {
            let stays = decided == DecidedVariables::Kept || values.len() > 1;
            names.push(stays.then_some(VarId(open.len() as u32)));
            open.extend(stays.then_some(v));
        }
        Self { left, names, open }
    }

    /// Returns a graph with the restricted variables, and with `factors` restricted to the remaining values.
    pub fn reduce<'f>(
        &self,
        graph: &FactorGraph,
        factors: impl IntoIterator<Item = &'f Factor>,
    ) -> FactorGraph {
        let values = |v: &VarId| self.left[v.index()].len() as u32;
        let factors = factors.into_iter();
        FactorGraph {
            cardinalities: self.open.iter().map(values).collect(),
            factors: factors.map(|factor| self.factor(graph, factor)).collect(),
        }
    }

    /// Returns the identifier of `v` in the reduced graph; `None` if the variable was omitted.
    pub fn name(&self, v: VarId) -> Option<VarId> {
        self.names[v.index()]
    }

    /// Returns the assignment of all variables of the original graph that corresponds to the assignment `values` of the
    /// reduced graph.
    pub fn world(&self, values: &[u32]) -> Vec<u32> {
        let mut world: Vec<u32> = self.left.iter().map(|left| left[0]).collect();
        for (&v, &value) in self.open.iter().zip(values) {
            world[v.index()] = self.left[v.index()][value as usize];
        }
        world
    }

    /// Returns the probabilities of all `n` values of `v`, given the probabilities `shares` of the remaining values; the excluded values have
    /// probability zero.
    pub fn shares_of_all(&self, v: VarId, n: usize, shares: Vec<f64>) -> Vec<f64> {
        let left = &self.left[v.index()];
        if left.len() == n {
            return shares;
        }
        let mut all = vec![0.0; n];
        for (&x, share) in left.iter().zip(shares) {
            all[x as usize] = share;
        }
        all
    }

    fn factor(&self, graph: &FactorGraph, factor: &Factor) -> Factor {
        let name = |v: &VarId| self.names[v.index()];
        let is_whole =
            |v: &VarId| name(v).is_some() && self.left[v.index()].len() == graph.cardinality(*v);
        let variables = factor.variables.iter().filter_map(name).collect();
        if factor.variables.iter().all(is_whole) {
            return Factor {
                variables,
                ..factor.clone()
            };
        }
        let table = match (&factor.table, factor.variables.split_last()) {
            (FactorTable::Dense(weights), _) => {
                FactorTable::Dense(weights.select(&self.cells(graph, &factor.variables)))
            }
            (FactorTable::Sparse { rows, weights }, _) => {
                self.sparse(&factor.variables, rows, weights)
            }
            (FactorTable::Function { index }, Some((&child, parents))) => {
                self.function(graph, parents, child, index)
            }
            (FactorTable::Function { .. }, None) => factor.table.clone(),
        };
        Factor {
            variables,
            table,
            normalised: false,
        }
    }

    /// Returns the row-major indices of the assignments of `variables` to remaining values.
    fn cells(&self, graph: &FactorGraph, variables: &[VarId]) -> Vec<usize> {
        variables.iter().fold(vec![0], |cells, &v| {
            let left = &self.left[v.index()];
            let n = graph.cardinality(v);
            let extended = cells
                .iter()
                .flat_map(|cell| left.iter().map(move |&x| cell * n + x as usize));
            extended.collect()
        })
    }

    fn sparse(&self, variables: &[VarId], rows: &[u32], weights: &Weights) -> FactorTable {
        let (mut left_rows, mut kept) = (Vec::new(), Vec::new());
        for (i, row) in rows.chunks_exact(variables.len()).enumerate() {
            let start = left_rows.len();
            let is_left = variables.iter().zip(row).all(|(v, x)| {
                let place = self.left[v.index()].binary_search(x);
                let named = place.ok().filter(|_| self.names[v.index()].is_some());
                left_rows.extend(named.map(|place| place as u32));
                place.is_ok()
            });
            if is_left {
                kept.push(i);
            } else {
                left_rows.truncate(start);
            }
        }
        FactorTable::Sparse {
            rows: left_rows,
            weights: weights.select(&kept),
        }
    }

    fn function(
        &self,
        graph: &FactorGraph,
        parents: &[VarId],
        child: VarId,
        index: &[u32],
    ) -> FactorTable {
        let left = &self.left[child.index()];
        let cells = self.cells(graph, parents);
        let values = cells
            .iter()
            .map(|&cell| left.binary_search(&index[cell]).ok());
        if self.names[child.index()].is_some() {
            let index = values.map(|value| value.map_or(FactorTable::NO_VALUE, |x| x as u32));
            return FactorTable::Function {
                index: index.collect(),
            };
        }
        let agrees = values.map(|value| f64::from(u8::from(value.is_some())));
        FactorTable::Dense(Weights::from_linear(agrees.collect()))
    }
}
