//! Exclusion of values by zeros before any search: values that no assignment of positive weight has.

use figrs_core::factor::{FactorGraph, VarId};

use crate::exact::consistency::possible_values;

use super::restriction::GraphRestriction;

/// A graph without impossible values and without the variables that have one value only.
#[derive(Debug)]
pub(crate) struct ReducedGraph {
    pub(crate) graph: FactorGraph,
    /// For each original variable the remaining values.
    pub(crate) left: Vec<Vec<u32>>,
    /// The original variables of those of the reduced graph.
    pub(crate) open: Vec<VarId>,
}

impl ReducedGraph {
    /// Excludes the values that some factor excludes given the values left of its other variables, until nothing changes
    /// (generalised arc consistency). `None` if a variable has no value left.
    pub(crate) fn new(graph: &FactorGraph) -> Option<Self> {
        let possible = possible_values(graph)?;
        let list = |possible: &Vec<bool>| {
            let values = (0..).zip(possible).filter(|(_, possible)| **possible);
            values.map(|(x, _)| x).collect()
        };
        let left: Vec<Vec<u32>> = possible.iter().map(list).collect();
        let mut shrink = GraphRestriction::new(graph, left);
        shrink.reduced.factors = graph.factors.iter().map(|f| shrink.factor(f)).collect();
        Some(Self {
            graph: shrink.reduced,
            left: shrink.left,
            open: shrink.open,
        })
    }

    /// The assignment of the original variables.
    pub(crate) fn world(&self, values: &[u32]) -> Vec<u32> {
        let mut world: Vec<u32> = self.left.iter().map(|left| left[0]).collect();
        for (&v, &value) in self.open.iter().zip(values) {
            world[v.index()] = self.left[v.index()][value as usize];
        }
        world
    }
}
