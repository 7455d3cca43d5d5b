//! Preferences of variables for decisions of the search, from their depth in a balanced tree decomposition.

use figrs_factor::Until;
use figrs_factor::graph::VarId;

use super::logical_form::LogicalForm;
use figrs_factor::eliminate::EliminationError;
use figrs_factor::eliminate::error::check_interrupt;
use figrs_factor::order::{SymbolicElimination, eliminate_candidates};

/// Maximum number of memory words that the search for an elimination order may read (some tens of milliseconds).
const MAX_WORK: u64 = 4_000_000;
/// Upper limit of the preference for search decisions on a variable at the centre of the tree decomposition.
const MAX_PREFERENCE: f64 = 1e7;

/// Returns a preference of each variable for search decisions; variables near the centre of a tree decomposition have larger preferences.
///
/// Decisions on variables near the centre of a tree decomposition split the problem into components of similar size. The smaller the width of the
/// tree decomposition, the more the preferences count, compared with the activities of variables in conflicts.
///
/// **References.** Korhonen and Järvisalo, *Integrating tree decompositions into decision heuristics of propositional model
/// counters*, CP 2021.
///
/// **Errors.** [`EliminationError::Interrupted`] if the deadline passes or an interrupt occurs.
pub(super) fn preferences(form: &LogicalForm, until: &Until) -> Result<Vec<f64>, EliminationError> {
    let n = form.atoms.cardinalities.len();
    let clauses = form.clauses.iter().map(|clause| {
        let mut scope: Vec<VarId> = clause
            .iter()
            .map(|l| VarId(form.atoms.variables[l.atom()]))
            .collect();
        scope.sort_unstable();
        scope.dedup();
        scope
    });
    let tables = form.roots.iter().map(|&root| {
        let support = form.diagrams.support(root).iter();
        support.map(|&v| VarId(v)).collect()
    });
    let mut symbolic =
        SymbolicElimination::of_scopes(&form.atoms.cardinalities, clauses.chain(tables), &[]);
    let all: Vec<VarId> = (0..n as u32).map(VarId).collect();
    eliminate_candidates(&mut symbolic, &all, MAX_WORK, until)?;
    let bags = BagForest::new(&symbolic, n);
    let mut preferences = vec![0.0; n];
    let levels = bags.levels(until)?;
    let deepest = levels.iter().copied().max().unwrap_or(0).max(1);
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
        let preference = weight * f64::from(deepest - levels[bag]) / f64::from(deepest);
        for v in bucket.eliminated.iter().chain(&bucket.output) {
            let known = &mut preferences[v.index()];
            *known = f64::max(*known, preference);
        }
    }
    Ok(preferences)
}

/// The buckets of an elimination order, as the bags of a forest of tree decompositions.
struct BagForest {
    neighbours: Vec<Vec<u32>>,
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

    /// Returns the depth (level) of each bag of a tree decomposition in the centroid decomposition of its tree. The centroid bag has level zero; the
    /// centroids of the trees that remain without it have level one, and so on.
    ///
    /// **Complexity.** The time is the number of bags times the number of levels, which is at most logarithmic in the number of
    /// bags.
    fn levels(&self, until: &Until) -> Result<Vec<u32>, EliminationError> {
        let n = self.sizes.len();
        let mut levels = vec![u32::MAX; n];
        let mut parents = vec![u32::MAX; n];
        let mut below = vec![0u64; n];
        let mut largest = vec![0u64; n];
        // The roots of the remaining components, each with the level of its centroid.
        let mut parts: Vec<(usize, u32)> = Vec::new();
        for root in 0..n {
            if levels[root] == u32::MAX {
                parts.push((root, 0));
            }
            while let Some((root, level)) = parts.pop() {
                check_interrupt(until)?;
                let order = self.part(root, &levels, &mut parents);
                for &bag in &order {
                    (below[bag], largest[bag]) = (u64::from(self.sizes[bag]), 0);
                }
                for &bag in order[1..].iter().rev() {
                    let parent = parents[bag] as usize;
                    below[parent] += below[bag];
                    largest[parent] = largest[parent].max(below[bag]);
                }
                let worst = |bag: usize| largest[bag].max(below[root] - below[bag]);
                let best = order.iter().copied().min_by_key(|&bag| (worst(bag), bag));
                let centroid = best.unwrap_or(root);
                levels[centroid] = level;
                let left = self.neighbours[centroid].iter().map(|&bag| bag as usize);
                let left = left.filter(|&bag| levels[bag] == u32::MAX);
                parts.extend(left.map(|bag| (bag, level + 1)));
            }
        }
        Ok(levels)
    }

    /// Returns the bags without a level that are connected with the bag `root`; parents come before children.
    fn part(&self, root: usize, levels: &[u32], parents: &mut [u32]) -> Vec<usize> {
        parents[root] = u32::MAX;
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&bag) = order.get(next) {
            next += 1;
            for &other in &self.neighbours[bag] {
                if levels[other as usize] == u32::MAX && parents[bag] != other {
                    parents[other as usize] = bag as u32;
                    order.push(other as usize);
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_logarithmically_many_levels() {
        let n = 1000;
        let neighbours = (0..n).map(|i: u32| {
            let both = [i.checked_sub(1), (i + 1 < n).then_some(i + 1)];
            both.into_iter().flatten().collect()
        });
        let forest = BagForest {
            neighbours: neighbours.collect(),
            sizes: vec![1; n as usize],
        };
        let levels = forest.levels(&Until::default()).expect("no limit");
        assert_eq!(levels.iter().max(), Some(&9));
        assert_eq!(levels.iter().filter(|&&level| level == 0).count(), 1);
        // The path between two bags of one level contains a bag of a lower level.
        for level in 1..10 {
            let mut before = None;
            for (i, &own) in levels.iter().enumerate() {
                if own < level {
                    before = None;
                } else if own == level {
                    assert_eq!(before.replace(i), None, "level {level}");
                }
            }
        }
    }
}
