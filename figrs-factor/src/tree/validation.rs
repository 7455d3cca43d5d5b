//! Validation of a loaded contraction tree: checks that indices are in range, and that tables have the sizes of their scopes.

use std::hash::{Hash, Hasher};

use crate::graph::FactorGraph;

use super::contraction_tree::{ContractionStep, ContractionTree};
use super::tensor::{AssignmentIndex, Layout, Tensor, TensorOrigin};
use crate::fnv::Fnv;

impl ContractionTree {
    /// Returns a checksum of the contraction tree, which detects damage of a saved tree.
    pub fn checksum(&self) -> u64 {
        let mut hasher = Fnv::default();
        let order = (&self.cards, &self.variables, &self.ranks, &self.scopes);
        let shape = (&self.tensors, &self.leaves, &self.steps, &self.roots);
        let rest = (&self.free, self.entries, &self.homes, self.is_reduced);
        (order, shape, rest).hash(&mut hasher);
        hasher.finish()
    }

    /// True if every index of the tree is in range, for a graph that the tree [fits](Self::fits).
    pub fn is_sound(&self, graph: &FactorGraph) -> bool {
        let ranks = self.cards.len();
        let n = self.tensors.len();
        ranks == self.variables.len()
            && self.ranks.iter().flatten().count() == ranks
            && self
                .variables
                .iter()
                .zip(0..)
                .all(|(v, rank)| self.ranks.get(v.index()) == Some(&Some(rank)))
            && self.tensors_are_sound()
            && self.leaves.len() == graph.factors.len()
            && self
                .leaves
                .iter()
                .zip(&graph.factors)
                .zip(0..)
                .all(|((leaf, factor), i)| {
                    let tensor = self.tensors.get(leaf.tensor as usize);
                    leaf.factor == i
                        && tensor.is_some_and(|tensor| {
                            tensor.origin == TensorOrigin::Factor(i)
                                && leaf.is_sound(tensor.len, factor)
                        })
                })
            && self
                .steps
                .iter()
                .zip(0..)
                .all(|(step, i)| self.step_is_sound(step, i))
            && self
                .roots
                .iter()
                .all(|&t| (t as usize) < n && self.tensor(t).len == 1)
            && self.homes.len() == ranks
            && self
                .homes
                .iter()
                .zip(0..)
                .all(|(&t, rank)| (t as usize) < n && self.scope(t).contains(&rank))
    }

    fn tensors_are_sound(&self) -> bool {
        let mut start = 0;
        let in_a_row = self.tensors.iter().all(|tensor| {
            let follows = tensor.start == start;
            start = start.saturating_add(tensor.len);
            follows
        });
        let used = |(tensor, id): (&Tensor, u32)| match tensor.used_by {
            Some(step) => {
                let step = self.steps.get(step as usize);
                step.is_some_and(|step| step.inputs.contains(&id))
            }
            None => true,
        };
        in_a_row
            && start == self.entries
            && self.tensors.iter().zip(0..).all(used)
            && self
                .tensors
                .iter()
                .all(|tensor| self.tensor_is_sound(tensor))
    }

    fn tensor_is_sound(&self, tensor: &Tensor) -> bool {
        let Some(scope) = self.scopes.find(&tensor.scope) else {
            return false;
        };
        let values = |&rank: &u32| {
            self.cards
                .get(rank as usize)
                .map(|&n| AssignmentIndex::from(n))
        };
        let size = scope.iter().try_fold(1, |all: AssignmentIndex, rank| {
            all.checked_mul(values(rank)?)
        });
        let Some(size) = size.filter(|_| scope.is_sorted_by(|a, b| a < b)) else {
            return false;
        };
        match &tensor.layout {
            Layout::Dense => size == tensor.len as AssignmentIndex,
            Layout::Listed(numbers) => {
                numbers.len() == tensor.len
                    && numbers.is_sorted_by(|a, b| a < b)
                    && numbers.last().is_none_or(|&last| last < size)
            }
        }
    }

    fn step_is_sound(&self, step: &ContractionStep, at: u32) -> bool {
        let made = |t: u32| match self.tensors.get(t as usize).map(|tensor| tensor.origin) {
            Some(TensorOrigin::Factor(_)) => true,
            Some(TensorOrigin::Step(before)) => before < at,
            None => false,
        };
        let taken = |t: &u32| made(*t) && *t < step.out && self.tensor(*t).used_by == Some(at);
        let out = self.tensors.get(step.out as usize);
        let mut distinct = step.inputs.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if step.inputs.is_empty()
            || !step.inputs.iter().all(taken)
            || distinct.len() != step.inputs.len()
            || out.is_none_or(|out| out.origin != TensorOrigin::Step(at))
        {
            return false;
        }
        let len = |t: u32| self.tensor(t).len;
        let all = self.clique(step);
        let is_within = self.scope(step.out).iter().all(|rank| all.contains(rank));
        let is_dense = |t: u32| self.tensor(t).is_dense();
        if !is_within {
            return false;
        }
        let Some(products) = &step.products else {
            let mut tensors = step.inputs.iter().chain([&step.out]);
            return step.inputs.len() <= 2 && tensors.all(|&t| is_dense(t));
        };
        let tensors = step.inputs.iter().chain([&step.out]);
        let lens: Vec<usize> = tensors.map(|&t| len(t)).collect();
        let results = products.iter().skip(lens.len() - 1).step_by(lens.len());
        let mut entries = products.iter().zip(lens.iter().cycle());
        products.len() % lens.len() == 0
            && results.is_sorted()
            && entries.all(|(&entry, &len)| (entry as usize) < len)
    }
}
