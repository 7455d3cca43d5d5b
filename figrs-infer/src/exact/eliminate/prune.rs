//! Barren factors: conditional tables of variables nothing depends on.

use figrs_core::factor::{FactorGraph, VarId};

/// Result of pruning.
pub(super) struct Pruned {
    /// By factor: `true` if it is still there.
    pub(super) live: Vec<bool>,
    /// By variable: `true` if it went with its factor.
    pub(super) vanished: Vec<bool>,
}

impl Pruned {
    /// No factor pruned.
    pub(super) fn nothing(graph: &FactorGraph) -> Self {
        Self {
            live: vec![true; graph.factors.len()],
            vanished: vec![false; graph.cardinalities.len()],
        }
    }
}

/// Drops normalised factors whose last variable no other factor mentions and nobody keeps, until none is left.
///
/// **Guarantee.** Sums of products over the kept variables do not change.
/// **Complexity.** Linear in the total number of mentions.
/// **References.** Shachter, *Evaluating influence diagrams*, Operations Research 34(6), 1986 (barren nodes).
pub(super) fn prune(graph: &FactorGraph, keep: &[VarId]) -> Pruned {
    let mut pruned = Pruned::nothing(graph);
    let mut kept = vec![false; graph.cardinalities.len()];
    for v in keep {
        kept[v.index()] = true;
    }
    // The xor of the factors that mention a variable names the last one when one is left.
    let mut mentions = vec![(0usize, 0usize); graph.cardinalities.len()];
    for (i, factor) in graph.factors.iter().enumerate() {
        for v in &factor.variables {
            mentions[v.index()].0 += 1;
            mentions[v.index()].1 ^= i;
        }
    }
    let mut work: Vec<usize> = (0..graph.factors.len()).collect();
    while let Some(i) = work.pop() {
        let factor = &graph.factors[i];
        let Some(&child) = factor.variables.last() else {
            continue;
        };
        let alone = mentions[child.index()].0 == 1 && !kept[child.index()];
        if !(pruned.live[i] && factor.normalised && alone) {
            continue;
        }
        pruned.live[i] = false;
        pruned.vanished[child.index()] = true;
        for v in &factor.variables {
            let (count, which) = &mut mentions[v.index()];
            *count -= 1;
            *which ^= i;
            if *count == 1 {
                work.push(*which);
            }
        }
    }
    pruned
}

/// The graph without barren factors, whose variables have one value left; `None` if there are none.
pub(crate) fn without_barren(graph: &FactorGraph, keep: &[VarId]) -> Option<FactorGraph> {
    let pruned = prune(graph, keep);
    if pruned.live.iter().all(|live| *live) {
        return None;
    }
    let factors = graph.factors.iter().zip(&pruned.live);
    let cardinalities = graph.cardinalities.iter().zip(&pruned.vanished);
    Some(FactorGraph {
        factors: factors
            .filter(|(_, live)| **live)
            .map(|(factor, _)| factor.clone())
            .collect(),
        cardinalities: cardinalities
            .map(|(&n, &vanished)| if vanished { 1 } else { n })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use figrs_core::factor::{Factor, FactorTable, Weights};

    use super::*;

    #[test]
    fn a_chain_nobody_asks_about_vanishes_to_its_root() {
        let mut graph = FactorGraph::default();
        let v: Vec<VarId> = (0..100).map(|_| graph.add_variable(2)).collect();
        for i in 0..100 {
            let variables = if i == 0 {
                vec![v[0]]
            } else {
                vec![v[i - 1], v[i]]
            };
            let weights = vec![0.5; 1 << variables.len()];
            graph.factors.push(Factor {
                variables,
                table: FactorTable::Dense(Weights::from_linear(weights)),
                normalised: true,
            });
        }
        let pruned = prune(&graph, &[v[3]]);
        assert_eq!(pruned.live.iter().filter(|&&l| l).count(), 4);
        assert_eq!(pruned.vanished.iter().filter(|&&l| l).count(), 96);
        graph.factors[50].normalised = false;
        let pruned = prune(&graph, &[]);
        assert_eq!(pruned.live.iter().filter(|&&l| l).count(), 51);
    }
}
