//! Connected components of a factor graph, which share no variable.

use figrs_factor::graph::{DisjointSets, Factor, FactorGraph, VarId};

/// A factor graph, split into its connected components with maximised variables and the rest.
#[derive(Debug)]
pub(super) struct SplitGraph {
    pub(super) components: Vec<GraphComponent>,
    /// All connected components without maximised variables, together with the factors without variables.
    pub(super) rest: FactorGraph,
}

#[derive(Debug, Default)]
pub(super) struct GraphComponent {
    pub(super) graph: FactorGraph,
    /// For each variable of the connected component, its identifier in the whole graph.
    pub(super) variables: Vec<VarId>,
    /// The maximised variables of the connected component, by their identifiers in the component.
    pub(super) maximised: Vec<VarId>,
}

impl SplitGraph {
    pub(super) fn new(graph: &FactorGraph, maximised: &[VarId]) -> Self {
        let n = graph.cardinalities.len();
        let mut sets = DisjointSets::new(n);
        for factor in &graph.factors {
            for pair in factor.variables.windows(2) {
                sets.join(pair[0].index(), pair[1].index());
            }
        }
        // Component number zero collects everything without maximised variables.
        let mut number_of = vec![0; n];
        let mut count = 0;
        for v in maximised {
            let number = &mut number_of[sets.root(v.index())];
            if *number == 0 {
                count += 1;
                *number = count;
            }
        }
        let mut parts: Vec<GraphComponent> =
            (0..=count).map(|_| GraphComponent::default()).collect();
        let mut places = Vec::with_capacity(n);
        for (v, &cardinality) in graph.cardinalities.iter().enumerate() {
            let number = number_of[sets.root(v)];
            let part = &mut parts[number];
            places.push((number, part.graph.add_variable(cardinality as usize)));
            part.variables.push(VarId(v as u32));
        }
        for v in maximised {
            let (number, own) = places[v.index()];
            parts[number].maximised.push(own);
        }
        for factor in &graph.factors {
            let first = factor.variables.first();
            let number = first.map_or(0, |v| places[v.index()].0);
            let own = factor.variables.iter().map(|v| places[v.index()].1);
            parts[number].graph.factors.push(Factor {
                variables: own.collect(),
                ..factor.clone()
            });
        }
        let rest = parts.remove(0).graph;
        Self {
            components: parts,
            rest,
        }
    }
}
