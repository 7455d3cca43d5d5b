//! Graphs without the values that zeros exclude.

use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId, Weights};

use crate::exact::consistency::possible_values;

/// For each variable the remaining values, if some are excluded.
pub(crate) type RemainingValues = Vec<Option<Vec<u32>>>;

/// A graph of the same variables with fewer values.
#[derive(Debug)]
pub(crate) struct RestrictedGraph {
    pub(crate) graph: FactorGraph,
    pub(crate) left: RemainingValues,
}

impl RestrictedGraph {
    /// Leaves out the values that zeros exclude; `None` if none is excluded, or all of a variable.
    ///
    /// **Guarantee.** An assignment with a value that was left out has no weight.
    pub(crate) fn new(graph: &FactorGraph) -> Option<Self> {
        let possible = possible_values(graph)?;
        let list = |possible: &Vec<bool>| {
            let values = (0..).zip(possible).filter(|(_, possible)| **possible);
            let left: Vec<u32> = values.map(|(x, _)| x).collect();
            (left.len() < possible.len()).then_some(left)
        };
        let left: RemainingValues = possible.iter().map(list).collect();
        if left.iter().all(Option::is_none) {
            return None;
        }
        Some(Self {
            graph: restrict(graph, &left),
            left,
        })
    }
}

/// The graph over the remaining values.
pub(super) fn restrict(graph: &FactorGraph, left: &RemainingValues) -> FactorGraph {
    let n = |(left, &n): (&Option<Vec<u32>>, &u32)| left.as_ref().map_or(n, |l| l.len() as u32);
    let factors = graph.factors.iter();
    FactorGraph {
        cardinalities: left.iter().zip(&graph.cardinalities).map(n).collect(),
        factors: factors.map(|f| shrink(graph, f, left)).collect(),
    }
}

/// The graph with ones for weights that are zero at present only, listed as positions in the weights of factors; `None` if
/// none is listed. What a tree leaves out must be zero whatever the parameters of the model are.
pub(super) fn without_open_zeros(
    graph: &FactorGraph,
    listed: &[(usize, Vec<u32>)],
) -> Option<FactorGraph> {
    if listed.is_empty() {
        return None;
    }
    let mut graph = graph.clone();
    for (factor, entries) in listed {
        let table = &mut graph.factors[*factor].table;
        if let FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } = table {
            let one = |i| f64::from(u8::from(!weights.is_zero(i)));
            let mut ones: Vec<f64> = (0..weights.len()).map(one).collect();
            for &entry in entries {
                ones[entry as usize] = 1.0;
            }
            *weights = Weights::from_linear(ones);
        }
    }
    Some(graph)
}

/// A factor over the remaining values.
fn shrink(graph: &FactorGraph, factor: &Factor, left: &RemainingValues) -> Factor {
    let of = |v: &VarId| left[v.index()].as_deref();
    if factor.variables.iter().all(|v| of(v).is_none()) {
        return factor.clone();
    }
    let cells = |variables: &[VarId]| {
        variables.iter().fold(vec![0], |cells: Vec<usize>, v| {
            let n = graph.cardinality(*v);
            let values: Vec<usize> = match of(v) {
                Some(left) => left.iter().map(|&x| x as usize).collect(),
                None => (0..n).collect(),
            };
            let rows = cells
                .iter()
                .flat_map(|cell| values.iter().map(move |x| cell * n + x));
            rows.collect()
        })
    };
    let place = |v: &VarId, x: u32| match of(v) {
        Some(left) => left.binary_search(&x).ok().map(|place| place as u32),
        None => Some(x),
    };
    let table = match &factor.table {
        FactorTable::Dense(weights) => {
            FactorTable::Dense(weights.select(&cells(&factor.variables)))
        }
        FactorTable::Sparse { rows, weights } => {
            let (mut kept_rows, mut kept) = (Vec::new(), Vec::new());
            for (i, row) in rows.chunks_exact(factor.variables.len()).enumerate() {
                let pairs = factor.variables.iter().zip(row);
                let moved: Option<Vec<u32>> = pairs.map(|(v, &x)| place(v, x)).collect();
                if let Some(moved) = moved {
                    kept_rows.extend(moved);
                    kept.push(i);
                }
            }
            FactorTable::Sparse {
                rows: kept_rows,
                weights: weights.select(&kept),
            }
        }
        FactorTable::Function { index } => {
            let Some((child, parents)) = factor.variables.split_last() else {
                return factor.clone();
            };
            let value = |cell: usize| match index[cell] {
                FactorTable::NO_VALUE => FactorTable::NO_VALUE,
                x => place(child, x).unwrap_or(FactorTable::NO_VALUE),
            };
            FactorTable::Function {
                index: cells(parents).into_iter().map(value).collect(),
            }
        }
    };
    Factor {
        variables: factor.variables.clone(),
        table,
        normalised: false,
    }
}
