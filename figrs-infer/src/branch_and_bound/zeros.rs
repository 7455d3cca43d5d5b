//! What zeros decide before any search: values that no assignment of positive weight has.

use std::collections::VecDeque;

use figrs_core::factor::{FactorGraph, VarId};

use super::shrink::{Shrink, for_each_entry};

/// All factors together are looked at about this many times.
const LOOKS: usize = 64;

/// A graph without impossible values and without the variables that have one value only.
pub(super) struct Reduced {
    pub(super) graph: FactorGraph,
    /// For each original variable the values that are left.
    left: Vec<Vec<u32>>,
    /// The original variables of those of the reduced graph.
    open: Vec<VarId>,
}

impl Reduced {
    /// Leaves out the values that some factor excludes given the values left of its other variables, again and again
    /// (generalised arc consistency). `None` if a variable has no value left.
    ///
    /// **References.** Mackworth, *Consistency in networks of relations*, Artificial Intelligence 8(1), 1977.
    pub(super) fn new(graph: &FactorGraph) -> Option<Self> {
        let possible = propagate(graph)?;
        let list = |possible: &Vec<bool>| {
            let values = (0..).zip(possible).filter(|(_, possible)| **possible);
            values.map(|(x, _)| x).collect()
        };
        let left: Vec<Vec<u32>> = possible.iter().map(list).collect();
        let mut shrink = Shrink::new(graph, left);
        shrink.reduced.factors = graph.factors.iter().map(|f| shrink.factor(f)).collect();
        Some(Self {
            graph: shrink.reduced,
            left: shrink.left,
            open: shrink.open,
        })
    }

    /// The assignment of the original variables.
    pub(super) fn world(&self, values: &[u32]) -> Vec<u32> {
        let mut world: Vec<u32> = self.left.iter().map(|left| left[0]).collect();
        for (&v, &value) in self.open.iter().zip(values) {
            world[v.index()] = self.left[v.index()][value as usize];
        }
        world
    }
}

/// For each variable, which of its values are possible.
fn propagate(graph: &FactorGraph) -> Option<Vec<Vec<bool>>> {
    let cards = graph.cardinalities.iter();
    let mut possible: Vec<Vec<bool>> = cards.map(|&n| vec![true; n as usize]).collect();
    let mut mentions: Vec<Vec<usize>> = vec![Vec::new(); possible.len()];
    for (i, factor) in graph.factors.iter().enumerate() {
        for v in &factor.variables {
            mentions[v.index()].push(i);
        }
    }
    let mut queue: VecDeque<usize> = (0..graph.factors.len()).collect();
    let mut queued = vec![true; graph.factors.len()];
    let entries = |i: usize| graph.factors[i].entries() + 1;
    let mut work = LOOKS * (0..graph.factors.len()).map(entries).sum::<usize>();
    while let Some(i) = queue.pop_front() {
        queued[i] = false;
        let Some(rest) = work.checked_sub(entries(i)) else {
            break;
        };
        work = rest;
        let factor = &graph.factors[i];
        let sizes = factor.variables.iter().map(|&v| graph.cardinality(v));
        let mut supported: Vec<Vec<bool>> = sizes.map(|n| vec![false; n]).collect();
        let mut any = false;
        for_each_entry(graph, factor, |_, values| {
            let mut scope = factor.variables.iter().zip(values);
            if scope.all(|(v, &x)| possible[v.index()][x as usize]) {
                any = true;
                for (supported, &x) in supported.iter_mut().zip(values) {
                    supported[x as usize] = true;
                }
            }
        });
        if !any {
            return None;
        }
        for (&v, supported) in factor.variables.iter().zip(&supported) {
            if possible[v.index()] != *supported {
                possible[v.index()].clone_from(supported);
                for &other in &mentions[v.index()] {
                    if other != i && !queued[other] {
                        queued[other] = true;
                        queue.push_back(other);
                    }
                }
            }
        }
    }
    Some(possible)
}
