//! Contraction tree of a factor graph: a sequence of steps that multiply tensors and sum out variables.

use std::sync::Arc;

use crate::graph::{Assignments, FactorGraph, VarId};
use serde::{Deserialize, Serialize};

use crate::eliminate::{EliminationError, PlanCost};

use super::kernel::MIN_PARALLEL_PRODUCTS;
use super::leaf::Leaf;
use super::tensor::{AssignmentIndex, Layout, Rank, Scopes, Tensor, union, values_of};

/// One step of a contraction tree: the product of some tensors, summed over the variables that occur in no other tensor.
#[derive(Clone, Debug, Serialize, Deserialize, Hash)]
pub(super) struct ContractionStep {
    /// The tensors that the step multiplies: at most two, unless the step stores a list of products.
    pub(super) inputs: Box<[u32]>,
    pub(super) out: u32,
    /// For each product of the step, the indices of the multiplied entries and of the entry of the result, sorted by the entry of the result; `None`
    /// if all tensors of the step are dense.
    pub(super) products: Option<Arc<[u32]>>,
}

impl ContractionStep {
    /// Returns the `products` that are added to the entry `entry` of the result.
    pub(super) fn products_of<'a>(
        &self,
        products: &'a [u32],
        entry: usize,
    ) -> impl Iterator<Item = &'a [u32]> {
        let width = self.inputs.len() + 1;
        let result = move |at: usize| products[at * width + width - 1] as usize;
        let (mut low, mut high) = (0, products.len() / width);
        while low < high {
            let middle = usize::midpoint(low, high);
            if result(middle) < entry {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let rest = products[low * width..].chunks_exact(width);
        rest.take_while(move |product| product[width - 1] as usize == entry)
    }
}

/// The structure of a contraction step.
#[derive(Debug)]
pub struct StepOutline {
    /// All variables of the tables that the step multiplies.
    pub clique: Vec<VarId>,
    /// The variables of the clique that are summed out.
    pub eliminated: Vec<VarId>,
    /// The index of the step that uses the result of this step.
    pub parent: Option<usize>,
}

/// A compiled elimination of all variables, as a tree of contraction steps.
///
/// At most one step of a contraction tree uses each tensor. Because at most one step uses each tensor, the steps of each component of the graph form
/// a tree, whose edges are the tensors (messages). The variables of all tensors that a step multiplies form a clique. A pass from the leaves to the
/// roots of a contraction tree computes the total weight of all assignments. A pass from the roots to the leaves computes the derivative of the total
/// weight with respect to each tensor. Every marginal follows from the derivatives of the total weight with respect to the tensors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ContractionTree {
    pub(super) cards: Vec<u32>,
    /// The variables in the elimination order; the rank of a variable is its index in this list.
    pub(super) variables: Vec<VarId>,
    /// The rank of each variable (its index in the elimination order); `None` if the variable occurs in no factor.
    pub(super) ranks: Vec<Option<Rank>>,
    pub(super) scopes: Scopes,
    pub(super) tensors: Vec<Tensor>,
    pub(super) leaves: Vec<Leaf>,
    /// The contraction steps, in an order in which every tensor is computed before it is used.
    pub(super) steps: Vec<ContractionStep>,
    /// The final tensors of the tree, which have no variables: one for each component of the graph.
    pub(super) roots: Vec<u32>,
    /// The cardinality of each variable that occurs in no factor.
    pub(super) free: Vec<usize>,
    pub(super) entries: usize,
    /// For each variable, indexed by rank, the tensor from which the marginal of the variable is computed.
    pub(super) homes: Vec<u32>,
    /// Predicted cost of the plan from which the tree was made.
    pub cost: PlanCost,
    /// `true` if the values that zeros of factors exclude were removed from the graph before the tree was made.
    pub is_reduced: bool,
    /// Number of threads that share a large contraction.
    #[serde(skip)]
    pub threads: usize,
    /// Minimum number of products of a contraction that several threads share.
    #[serde(skip, default = "shared")]
    pub(super) shared: usize,
}

impl ContractionTree {
    pub(super) fn scope(&self, tensor: u32) -> &[Rank] {
        self.scopes.get(&self.tensors[tensor as usize].scope)
    }

    pub(super) fn tensor(&self, tensor: u32) -> &Tensor {
        &self.tensors[tensor as usize]
    }

    pub(super) fn clique(&self, step: &ContractionStep) -> Vec<Rank> {
        let mut scopes = step.inputs.iter().map(|&t| self.scope(t));
        let first = scopes.next().unwrap_or_default().to_vec();
        scopes.fold(first, |all, scope| union(&all, scope))
    }

    pub(super) fn summed_variables(&self, step: &ContractionStep) -> Vec<Rank> {
        let mut all = self.clique(step);
        let out = self.scope(step.out);
        all.retain(|rank| !out.contains(rank));
        all
    }

    /// Returns the row-major numbering of the assignments of `variables`; a list of values has one value for each variable, indexed by rank.
    pub(super) fn assignments(&self, variables: &[Rank]) -> Assignments {
        let digit = |&rank: &Rank| (rank as usize, self.cards[rank as usize] as usize);
        Assignments::new(variables.iter().map(digit))
    }

    /// Returns the index of the entry of `tensor` for the assignment `values` (indexed by rank); `None` if the entry is not stored.
    pub(super) fn entry(&self, tensor: u32, values: &[u32]) -> Option<usize> {
        let number = self.scope(tensor).iter().fold(0, |number, &rank| {
            number * AssignmentIndex::from(self.cards[rank as usize])
                + AssignmentIndex::from(values[rank as usize])
        });
        match &self.tensor(tensor).layout {
            Layout::Dense => Some(number as usize),
            Layout::Listed(numbers) => numbers.binary_search(&number).ok(),
        }
    }

    /// Writes the values that the entry `entry` of `tensor` stands for into `values`, which is indexed by the rank of each variable.
    pub(super) fn decode(&self, tensor: u32, entry: usize, values: &mut [u32]) {
        let number = match &self.tensor(tensor).layout {
            Layout::Dense => entry as AssignmentIndex,
            Layout::Listed(numbers) => numbers[entry],
        };
        for (rank, value) in values_of(number, self.scope(tensor), &self.cards) {
            values[rank as usize] = value;
        }
    }

    /// Converts `values`, an assignment indexed by rank, to an assignment of the graph's variables. A variable that occurs in no factor takes its
    /// first value.
    pub fn world(&self, values: &[u32]) -> Vec<u32> {
        let value = |rank: &Option<Rank>| rank.map_or(0, |rank| values[rank as usize]);
        self.ranks.iter().map(value).collect()
    }

    /// Returns the number of variables of the graph, including variables that occur in no factor.
    pub fn variables(&self) -> usize {
        self.ranks.len()
    }

    /// Returns the structure of all contraction steps; each step comes before the step that uses its result.
    pub fn outline(&self) -> Vec<StepOutline> {
        let mut parents = vec![None; self.tensors.len()];
        for (position, step) in self.steps.iter().enumerate() {
            for &input in &step.inputs {
                parents[input as usize] = Some(position);
            }
        }
        let variable = |&rank: &Rank| self.variables[rank as usize];
        let outline = |step: &ContractionStep| StepOutline {
            clique: self.clique(step).iter().map(variable).collect(),
            eliminated: self.summed_variables(step).iter().map(variable).collect(),
            parent: parents[step.out as usize],
        };
        self.steps.iter().map(outline).collect()
    }

    /// Returns the memory of the entries of all tables in bytes.
    pub fn table_bytes(&self) -> u64 {
        self.entries as u64 * size_of::<f64>() as u64
    }

    /// True if the tree is valid for `graph`: the variables and scopes are equal, and all entries of `graph` that the tree omits are zero.
    pub fn fits(&self, graph: &FactorGraph) -> bool {
        let cards = self.variables.iter().zip(&self.cards);
        self.ranks.len() == graph.cardinalities.len()
            && self.leaves.len() == graph.factors.len()
            && cards
                .into_iter()
                .all(|(v, n)| graph.cardinalities.get(v.index()) == Some(n))
            && self
                .leaves
                .iter()
                .zip(&graph.factors)
                .all(|(leaf, factor)| leaf.fits(graph, factor))
    }

    /// Chooses, for each variable, the smallest tensor of the contraction tree from which the marginal of the variable can be computed. Messages are
    /// preferred to factors for the computation of marginals, because the derivatives of messages are needed anyway.
    pub(super) fn choose_marginal_tensors(&mut self) {
        let mut best: Vec<Option<(bool, usize)>> = vec![None; self.cards.len()];
        self.homes = vec![u32::MAX; self.cards.len()];
        for (id, tensor) in self.tensors.iter().enumerate() {
            let is_leaf = matches!(tensor.origin, super::tensor::TensorOrigin::Factor(_));
            let key = (is_leaf, tensor.len);
            for &rank in self.scopes.get(&tensor.scope) {
                let rank = rank as usize;
                if best[rank].is_none_or(|known| key < known) {
                    best[rank] = Some(key);
                    self.homes[rank] = id as u32;
                }
            }
        }
    }
}

fn shared() -> usize {
    MIN_PARALLEL_PRODUCTS
}

/// Checks that the sizes of `graph` fit the integer types of a contraction tree.
pub(super) fn check(graph: &FactorGraph) -> Result<(), EliminationError> {
    let limit = u32::MAX as usize;
    let needed = graph
        .factors
        .iter()
        .map(crate::graph::Factor::entries)
        .max()
        .unwrap_or(0);
    if needed > limit {
        return Err(EliminationError::TableTooLarge {
            needed: needed as f64,
            limit,
        });
    }
    Ok(())
}
