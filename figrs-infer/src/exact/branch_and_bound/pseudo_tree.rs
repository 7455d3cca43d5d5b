//! The pseudo tree of an elimination order: contexts and independent subtrees.

use figrs_core::factor::{FactorGraph, VarId};

use crate::exact::order::Bucket;

/// A forest of the variables that factors mention, in which the variables of each factor lie on one path to a root.
///
/// Given the values on the path above it, the subtrees of a variable's children are independent of each other.
///
/// **References.** Dechter and Mateescu, *AND/OR search spaces for graphical models*, Artificial Intelligence 171, 2007.
#[derive(Debug)]
pub(super) struct PseudoTree {
    /// All variables, each before its parent: an elimination order.
    pub(super) order: Vec<VarId>,
    /// By variable, its place in the order.
    pub(super) place: Vec<usize>,
    pub(super) parent: Vec<Option<VarId>>,
    pub(super) children: Vec<Vec<VarId>>,
    /// The variables above that the subtree depends on, the nearest first.
    pub(super) context: Vec<Vec<VarId>>,
    /// The roots, that of the smallest tree first.
    pub(super) roots: Vec<VarId>,
}

impl PseudoTree {
    pub(super) fn new(graph: &FactorGraph, buckets: &[Bucket]) -> Self {
        let n = graph.cardinalities.len();
        let mut tree = Self {
            order: buckets
                .iter()
                .flat_map(|bucket| &bucket.eliminated)
                .copied()
                .collect(),
            place: vec![usize::MAX; n],
            parent: vec![None; n],
            children: vec![Vec::new(); n],
            context: vec![Vec::new(); n],
            roots: Vec::new(),
        };
        for (place, v) in tree.order.iter().enumerate() {
            tree.place[v.index()] = place;
        }
        for bucket in buckets {
            for (i, v) in bucket.eliminated.iter().enumerate() {
                let mut context = [&bucket.eliminated[i + 1..], &bucket.output].concat();
                context.sort_unstable_by_key(|u| tree.place[u.index()]);
                tree.parent[v.index()] = context.first().copied();
                tree.context[v.index()] = context;
            }
        }
        let mut sizes = vec![1; n];
        for &v in &tree.order {
            match tree.parent[v.index()] {
                Some(parent) => {
                    tree.children[parent.index()].push(v);
                    sizes[parent.index()] += sizes[v.index()];
                }
                None => tree.roots.push(v),
            }
        }
        for list in tree.children.iter_mut().chain([&mut tree.roots]) {
            list.sort_by_key(|v| sizes[v.index()]);
        }
        tree
    }

    /// The variable of a scope that is assigned last; `None` if there is none.
    pub(super) fn deepest(&self, scope: &[VarId]) -> Option<VarId> {
        scope.iter().copied().min_by_key(|v| self.place[v.index()])
    }
}
