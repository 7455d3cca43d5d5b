//! Expected counts of the outcomes whose probabilities are parameters, computed from the derivatives of a contraction tree.

use std::sync::Arc;

use crate::graph::{FactorGraph, Weights};

use super::beliefs::Beliefs;
use super::contraction_tree::ContractionTree;
use super::tree_beliefs::{BeliefQuery, TreeBeliefs};
use crate::algebra::{NumberForm, Semiring, SumProductPrecision};

/// The entries of a contraction tree whose weights are parameters: probabilities of outcomes. The origin of a weight is the index of the outcome
/// whose probability is the weight.
///
/// The derivative of the logarithm of the total weight with respect to the logarithm of an entry is the posterior probability of the entry's
/// assignment. The sum of these posterior probabilities over the entries of one outcome is the expected number of occurrences of the outcome in a
/// world.
///
/// **References.** Darwiche, *A differential approach to inference in Bayesian networks*, Journal of the ACM 50(3), 2003, section 5.
#[derive(Clone, Debug)]
pub struct CountingTree {
    tree: Arc<ContractionTree>,
    leaves: Vec<CountedLeaf>,
}

/// A leaf with entries whose weights are parameters.
#[derive(Clone, Debug)]
struct CountedLeaf {
    tensor: u32,
    /// Index in the leaf's tensor of each entry whose weight is a parameter, with the origin of the weight (the index of the outcome with this
    /// probability).
    origins: Vec<(u32, u32)>,
}

impl CountingTree {
    /// Collects the entries of `tree` whose weights in `graph` are parameters.
    pub fn new(tree: &Arc<ContractionTree>, graph: &FactorGraph) -> Self {
        let counted = tree.leaves.iter().filter_map(|leaf| {
            let table = &graph.factors[leaf.factor as usize].table;
            let all = table.origins()?;
            let mut origins = Vec::new();
            leaf.each_weight(|entry, i| {
                if all[i] != Weights::NO_ORIGIN {
                    origins.push((entry as u32, all[i]));
                }
            });
            let tensor = leaf.tensor;
            Some(CountedLeaf { tensor, origins })
        });
        Self {
            leaves: counted.collect(),
            tree: tree.clone(),
        }
    }

    /// Returns the contraction tree.
    pub fn tree(&self) -> &ContractionTree {
        &self.tree
    }

    /// For each factor entry whose weight is a parameter, calls `count` with the index of the outcome whose probability is this parameter, and the
    /// posterior probability of the entry's assignment. The sum of the probabilities in the calls of `count` for one outcome is the expected number
    /// of occurrences of the outcome. Returns the natural logarithm of the total weight of all assignments. If the total weight of all assignments is
    /// zero, `count` is not called.
    pub fn count(
        &self,
        sums: &mut TreeBeliefs<SumProductPrecision>,
        graph: &FactorGraph,
        mut count: impl FnMut(u32, f64),
    ) -> f64 {
        let log_total = sums.log_total(&self.tree, graph);
        if log_total > f64::NEG_INFINITY {
            for (origin, derivative) in sums.ask(&self.tree, graph, DerivativesQuery(self)) {
                if let EntryDerivative::ByLogarithm(share) = derivative {
                    count(origin, share);
                }
            }
        }
        log_total
    }
}

/// The derivative of the logarithm of the total weight with respect to an entry whose weight is a parameter.
#[derive(Clone, Copy, Debug)]
pub enum EntryDerivative {
    /// The derivative of the logarithm of the total weight with respect to the logarithm of the entry: the posterior probability of the entry's
    /// assignment.
    ByLogarithm(f64),
    /// The derivative of the logarithm of the total weight with respect to the entry itself, for an entry that is zero.
    AtZero(f64),
}

impl CountingTree {
    /// For each entry whose weight is a parameter, calls `each` with the index of its outcome and the derivative of the logarithm of the total
    /// weight. If the total weight of all assignments is zero, `each` is not called.
    pub fn derivatives(&self, graph: &FactorGraph, mut each: impl FnMut(u32, EntryDerivative)) {
        let mut sums = TreeBeliefs::<SumProductPrecision>::new(&self.tree, graph);
        if sums.log_total(&self.tree, graph) > f64::NEG_INFINITY {
            for (origin, derivative) in sums.ask(&self.tree, graph, DerivativesQuery(self)) {
                each(origin, derivative);
            }
        }
    }
}

struct DerivativesQuery<'a>(&'a CountingTree);

impl BeliefQuery<Vec<(u32, EntryDerivative)>> for DerivativesQuery<'_> {
    fn ask<S: Semiring<Value = f64>>(
        &self,
        beliefs: &mut Beliefs<S>,
        form: NumberForm,
    ) -> Vec<(u32, EntryDerivative)> {
        let mut found = Vec::new();
        let mut products = Vec::new();
        for leaf in &self.0.leaves {
            let tree = &self.0.tree;
            beliefs.products(tree, leaf.tensor, &mut products);
            // The products of entries and derivatives sum to the total, up to the scale of the derivatives.
            let log_total;
            (products, log_total) = form.normalised(products);
            let (entries, derivatives, scale) = beliefs.entries_and_derivatives(tree, leaf.tensor);
            for &(entry, origin) in &leaf.origins {
                let entry = entry as usize;
                let derivative = if S::is_zero(&entries[entry]) {
                    let log = form.log(derivatives[entry]) - log_total - scale;
                    EntryDerivative::AtZero(log.exp())
                } else {
                    EntryDerivative::ByLogarithm(products[entry])
                };
                found.push((origin, derivative));
            }
        }
        found
    }
}
