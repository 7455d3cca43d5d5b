//! Query for the assignments with the largest weights, in descending order of weight.

use std::collections::BTreeMap;

use crate::algebra::{NumberForm, Semiring};

use super::beliefs::Beliefs;
use super::contraction_tree::ContractionTree;
use super::tensor::Rank;
use super::tree_beliefs::BeliefQuery;

/// A deferred alternative: an assignment that deviates from an assignment found before, first at one step.
#[derive(Debug)]
struct DeferredChoice {
    /// The first step at which the alternative deviates from the assignment found before.
    step: usize,
    /// The values that the alternative gives to variables at its first deviating step.
    values: Vec<(Rank, u32)>,
    /// The assignment found before, as an index in the list of found assignments.
    base: usize,
}

/// Priority of a deferred alternative. The deferred alternative with the largest weight, relative to the largest weight of all assignments, comes
/// first; of alternatives with equal weights, the oldest one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ChoicePriority(f64, u64);

impl Eq for ChoicePriority {}

impl PartialOrd for ChoicePriority {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ChoicePriority {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(self.1.cmp(&other.1))
    }
}

/// A query for the `count` assignments (indexed by the rank of each variable) with the largest weights, best first. If there are fewer than `count`
/// assignments, the query returns all of them.
///
/// The messages of a max-product elimination give the weight of the best completion of each partial assignment. A traceback that takes one
/// alternative of a step also knows, from the messages, the weights of the best completions of the other alternatives, and defers these alternatives.
/// The best deferred alternative leads to the assignment with the next largest weight.
///
/// **Complexity.** The query takes one traceback for each assignment found, and memory for `count` deferred alternatives.
/// **References.** Nilsson, *An efficient algorithm for finding the M most probable configurations in probabilistic expert systems*,
/// Statistics and Computing 8, 1998; Lawler, *A procedure for computing the K best solutions*, 1972.
#[derive(Debug)]
pub struct KBestQuery<'a> {
    /// The contraction tree whose messages the query uses.
    pub tree: &'a ContractionTree,
    /// Maximum number of assignments to find.
    pub count: usize,
}

impl BeliefQuery<Vec<Vec<u32>>> for KBestQuery<'_> {
    fn ask<S: Semiring<Value = f64>>(
        &self,
        beliefs: &mut Beliefs<S>,
        form: NumberForm,
    ) -> Vec<Vec<u32>> {
        let tree = self.tree;
        let (total, _) = beliefs.total(tree);
        let mut found: Vec<Vec<u32>> = Vec::new();
        if S::is_zero(&total) || self.count == 0 {
            return found;
        }
        let mut detours: BTreeMap<ChoicePriority, DeferredChoice> = BTreeMap::new();
        let mut age = 0;
        let mut next = Some((0.0, None::<DeferredChoice>));
        while let Some((rating, detour)) = next.take() {
            let mut values = match &detour {
                Some(detour) => found[detour.base].clone(),
                None => vec![0; tree.cards.len()],
            };
            let start = detour.as_ref().map_or(tree.steps.len(), |detour| {
                for &(rank, value) in &detour.values {
                    values[rank as usize] = value;
                }
                detour.step
            });
            let base = found.len();
            let left = self.count - base - 1;
            for at in (0..start).rev() {
                let step = &tree.steps[at];
                if !tree.decides(step) {
                    continue;
                }
                let alternatives = beliefs.alternatives(tree, step, &mut values);
                let best = first_best(&alternatives.weights);
                let best_log = alternatives.weights.get(best).map_or(0.0, |&w| form.log(w));
                for (i, &weight) in alternatives.weights.iter().enumerate() {
                    if i == best || left == 0 {
                        continue;
                    }
                    let rating = rating + form.log(weight) - best_log;
                    age += 1;
                    let key = ChoicePriority(rating, age);
                    if detours.len() >= left
                        && detours
                            .last_key_value()
                            .is_some_and(|(worst, _)| *worst < key)
                    {
                        continue;
                    }
                    let n = alternatives.summed.len();
                    let chosen = &alternatives.values[i * n..(i + 1) * n];
                    let values = alternatives
                        .summed
                        .iter()
                        .copied()
                        .zip(chosen.iter().copied());
                    detours.insert(
                        key,
                        DeferredChoice {
                            step: at,
                            values: values.collect(),
                            base,
                        },
                    );
                    if detours.len() > left {
                        detours.pop_last();
                    }
                }
                if !alternatives.weights.is_empty() {
                    alternatives.assign(best, &mut values);
                }
            }
            found.push(values);
            if found.len() < self.count {
                next = detours
                    .pop_first()
                    .map(|(rating, detour)| (rating.0, Some(detour)));
            }
        }
        found
    }
}

/// Returns the index of the largest of `weights`; of equal weights, the first index.
pub(super) fn first_best(weights: &[f64]) -> usize {
    let mut best = 0;
    for (i, weight) in weights.iter().enumerate() {
        if *weight > weights[best] {
            best = i;
        }
    }
    best
}
