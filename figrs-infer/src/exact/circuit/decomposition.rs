//! Depths of variables in a balanced tree decomposition, for branching.

use figrs_core::Until;
use figrs_core::factor::VarId;

use super::logical_form::LogicalForm;
use crate::exact::eliminate::EliminationError;
use crate::exact::order::component_orders::eliminate_candidates_within;
use crate::exact::order::symbolic_elimination::SymbolicElimination;

/// Maximum number of words that the search for an elimination order reads: some tens of milliseconds.
const MAX_WORK: u64 = 4_000_000;
/// Maximum preference for the middle of the decomposition.
const MAX_PREFERENCE: f64 = 1e7;

/// A preference for each variable: the greater, the nearer to the centre of a tree decomposition.
///
/// Deciding variables near the centre splits the problem into parts of similar size. The narrower the tree, the more its preference
/// counts against the activity of variables.
///
/// **References.** Korhonen and Järvisalo, *Integrating tree decompositions into decision heuristics of propositional model
/// counters*, CP 2021.
pub(super) fn preferences(form: &LogicalForm, until: &Until) -> Result<Vec<f64>, EliminationError> {
    let n = form.cardinalities.len();
    let clauses = form.clauses.iter().map(|clause| {
        let mut scope: Vec<VarId> = clause
            .iter()
            .map(|l| VarId(form.variables[l.atom()]))
            .collect();
        scope.sort_unstable();
        scope.dedup();
        scope
    });
    let tables = form.roots.iter().map(|&root| {
        let support = form.diagrams.support(root).iter();
        support.map(|&v| VarId(v)).collect()
    });
    let mut symbolic = SymbolicElimination::of_scopes(&form.cardinalities, clauses.chain(tables));
    let all: Vec<VarId> = (0..n as u32).map(VarId).collect();
    eliminate_candidates_within(&mut symbolic, &all, MAX_WORK, until)?;
    let bags = BagForest::new(&symbolic, n);
    let mut preferences = vec![0.0; n];
    let depths = bags.depths();
    let deepest = depths.iter().copied().max().unwrap_or(0).max(1);
    let mentioned = symbolic
        .buckets
        .iter()
        .map(|b| b.eliminated.len())
        .sum::<usize>();
    let width = symbolic
        .buckets
        .iter()
        .map(|b| b.eliminated.len() + b.output.len());
    let ratio = mentioned as f64 / width.max().unwrap_or(1).max(1) as f64;
    let weight = (100.0 * ratio.exp() / mentioned.max(1) as f64).min(MAX_PREFERENCE);
    for (bag, bucket) in symbolic.buckets.iter().enumerate() {
        let preference = weight * f64::from(deepest - depths[bag]) / f64::from(deepest);
        for v in bucket.eliminated.iter().chain(&bucket.output) {
            let known = &mut preferences[v.index()];
            *known = f64::max(*known, preference);
        }
    }
    Ok(preferences)
}

/// The buckets of an elimination as the bags of tree decompositions.
struct BagForest {
    neighbours: Vec<Vec<u32>>,
    /// Number of variables eliminated in each bag.
    sizes: Vec<u32>,
}

impl BagForest {
    fn new(symbolic: &SymbolicElimination, variables: usize) -> Self {
        let buckets = &symbolic.buckets;
        let mut bag_of = vec![u32::MAX; variables];
        for (bag, bucket) in (0..).zip(buckets) {
            for v in &bucket.eliminated {
                bag_of[v.index()] = bag;
            }
        }
        let mut neighbours = vec![Vec::new(); buckets.len()];
        for (bag, bucket) in (0..).zip(buckets) {
            let parent = bucket.output.iter().map(|v| bag_of[v.index()]).min();
            if let Some(parent) = parent.filter(|&parent| parent != u32::MAX) {
                neighbours[bag as usize].push(parent);
                neighbours[parent as usize].push(bag);
            }
        }
        Self {
            neighbours,
            sizes: buckets.iter().map(|b| b.eliminated.len() as u32).collect(),
        }
    }

    /// The distance of each bag from the centroid of its tree.
    fn depths(&self) -> Vec<u32> {
        let n = self.sizes.len();
        let mut depths = vec![u32::MAX; n];
        let mut parents = vec![u32::MAX; n];
        let mut seen = vec![false; n];
        for root in 0..n {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            let mut order = vec![root];
            let mut next = 0;
            while let Some(&bag) = order.get(next) {
                next += 1;
                for &other in &self.neighbours[bag] {
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        parents[other as usize] = bag as u32;
                        order.push(other as usize);
                    }
                }
            }
            let centroid = self.centroid(&order, &parents);
            self.measure(centroid, &mut depths);
        }
        depths
    }

    /// The bag whose removal leaves the smallest largest part.
    fn centroid(&self, order: &[usize], parents: &[u32]) -> usize {
        let mut below: Vec<u64> = self.sizes.iter().map(|&size| u64::from(size)).collect();
        let mut largest = vec![0u64; self.sizes.len()];
        for &bag in order.iter().rev() {
            if let Some(parent) = parents.get(bag).filter(|&&p| p != u32::MAX) {
                below[*parent as usize] += below[bag];
                let most = &mut largest[*parent as usize];
                *most = (*most).max(below[bag]);
            }
        }
        let total = below[order[0]];
        let worst = |bag: usize| largest[bag].max(total - below[bag]);
        let best = order.iter().copied().min_by_key(|&bag| (worst(bag), bag));
        best.unwrap_or(order[0])
    }

    fn measure(&self, centroid: usize, depths: &mut [u32]) {
        depths[centroid] = 0;
        let mut order = vec![centroid];
        let mut next = 0;
        while let Some(&bag) = order.get(next) {
            next += 1;
            for &other in &self.neighbours[bag] {
                if depths[other as usize] == u32::MAX {
                    depths[other as usize] = depths[bag] + 1;
                    order.push(other as usize);
                }
            }
        }
    }
}
