//! Compiler from an elimination plan to a contraction tree.

use crate::graph::{Factor, FactorGraph, ReducedGraph, Restriction, VarId, has_zeros};
use crate::limits::{Limits, MemoryAccount};
use rustc_hash::FxHashMap;

use crate::consistency::without_excluded;
use crate::eliminate::{EliminationError, Keep, Plan};
use crate::order::Bucket;

use super::contraction_tree::{ContractionTree, check};
use super::kernel::MIN_PARALLEL_PRODUCTS;
use super::leaf::choose_layout;
use super::sort_merge_join::EntryList;
use super::tensor::{Layout, MAX_LOG_ASSIGNMENTS, Rank, Tensor, TensorOrigin};
use super::thresholds::Thresholds;

/// Excluded values are removed and a new plan is considered if the ratio of the predicted operations to the entries of the factors with zeros exceeds
/// this number.
const REDUCTION: f64 = 16.0;
/// The new plan without excluded values is used if the ratio of its operations to those of the old plan is below this number.
const MAX_COST_RATIO: f64 = 0.7;

impl ContractionTree {
    /// Plans the elimination of all variables, and compiles the plan to a contraction tree. Values that zeros of factors exclude are removed before
    /// the compilation, if their removal makes the tree cheaper. If values are removed, the tree belongs to the reduced graph, and the map from the
    /// graph to the reduced graph is returned.
    ///
    /// **Errors.** Returns an error if the plan, or a table that becomes larger than planned, exceeds a limit.
    pub fn compile(
        graph: &mut FactorGraph,
        limits: &Limits,
    ) -> Result<(Self, Option<Restriction>), EliminationError> {
        let mut plan = Plan::new(graph, &[], limits, false)?;
        let with_zeros = graph.factors.iter().filter(|factor| has_zeros(factor));
        let looked_at: usize = with_zeros.map(Factor::entries).sum();
        let mut restriction = None;
        if looked_at > 0 && plan.cost.operations > REDUCTION * looked_at as f64 {
            let reduced = without_excluded(graph);
            let is_worth_it = |reduced: &ReducedGraph| {
                operations(&plan, graph, &reduced.graph) < MAX_COST_RATIO * plan.cost.operations
            };
            if let Some(reduced) = reduced.filter(is_worth_it) {
                *graph = reduced.graph;
                restriction = Some(reduced.restriction);
                plan = Plan::new(graph, &[], limits, false)?;
            }
        }
        let mut tree = Self::of_plan(graph, plan, limits, Thresholds::default())?;
        tree.is_reduced = restriction.is_some();
        Ok((tree, restriction))
    }

    /// Compiles an elimination plan to a contraction tree.
    pub fn of_plan(
        graph: &FactorGraph,
        plan: Plan,
        limits: &Limits,
        thresholds: Thresholds,
    ) -> Result<Self, EliminationError> {
        let plan = plan.within(limits, Keep::Messages)?;
        check(graph)?;
        let mut assembly = TreeBuilder::new(graph, &plan, limits, thresholds);
        for i in 0..graph.factors.len() {
            assembly.leaf(i)?;
        }
        for bucket in &plan.buckets {
            limits.check_interrupt()?;
            assembly.bucket(bucket)?;
        }
        let mut tree = assembly.tree;
        tree.roots = (0..tree.tensors.len() as u32)
            .filter(|&t| tree.tensor(t).used_by.is_none())
            .collect();
        tree.free = plan.free.iter().map(|&v| graph.cardinality(v)).collect();
        tree.cost = plan.cost;
        tree.choose_marginal_tensors();
        Ok(tree)
    }
}

fn operations(plan: &Plan, graph: &FactorGraph, reduced: &FactorGraph) -> f64 {
    let saved = |v: &VarId| {
        let log = |graph: &FactorGraph| (graph.cardinality(*v) as f64).log2();
        log(graph) - log(reduced)
    };
    let joint = |bucket: &Bucket| {
        let variables = bucket.eliminated.iter().chain(&bucket.output);
        (bucket.joint - variables.map(saved).sum::<f64>()).max(0.0)
    };
    plan.buckets.iter().map(|bucket| joint(bucket).exp2()).sum()
}

pub(super) struct TreeBuilder<'a> {
    pub(super) graph: &'a FactorGraph,
    pub(super) tree: ContractionTree,
    /// The index of the tensor of each factor and of the message of each bucket.
    pub(super) made: Vec<u32>,
    /// For each message whose contraction step is not added yet, the tables of its bucket and the predicted number of non-zero entries of the bucket.
    pub(super) put_off: FxHashMap<u32, (Vec<u32>, f64)>,
    /// The base-2 logarithms of the cardinalities of the variables, indexed by rank.
    pub(super) log_cards: Vec<f64>,
    /// For each variable, indexed by rank, the number of tables of the current bucket that contain the variable.
    pub(super) mentions: Vec<u32>,
    pub(super) is_eliminated: Vec<bool>,
    /// `true` if the plan relies on zeros, without which products of tables would be far larger.
    pub(super) is_sparse: bool,
    /// For each dense tensor with known zeros, the assignment indices of the entries that may be positive.
    pub(super) supports: FxHashMap<u32, Layout>,
    pub(super) limits: &'a Limits,
    pub(super) budget: usize,
    /// Memory that an evaluation of the contraction steps made so far takes.
    pub(super) memory: MemoryAccount,
    pub(super) thresholds: Thresholds,
    /// Reused lists: the variables of one product, each with the number of tables that contain it after the product, and the variables of the result.
    pub(super) scratch: (Vec<(Rank, u32)>, Vec<Rank>),
}

impl<'a> TreeBuilder<'a> {
    fn new(
        graph: &'a FactorGraph,
        plan: &Plan,
        limits: &'a Limits,
        thresholds: Thresholds,
    ) -> Self {
        let (factors, buckets) = (graph.factors.len(), plan.buckets.len());
        let mut tree = ContractionTree {
            ranks: vec![None; graph.cardinalities.len()],
            leaves: Vec::with_capacity(factors),
            // There is at most one step for each factor except one, and one more step for each bucket whose last table has variables to be summed
            // out.
            steps: Vec::with_capacity(factors + buckets),
            tensors: Vec::with_capacity(2 * factors + buckets),
            shared: MIN_PARALLEL_PRODUCTS,
            ..ContractionTree::default()
        };
        tree.variables.reserve(graph.cardinalities.len());
        for bucket in &plan.buckets {
            tree.variables.extend(&bucket.eliminated);
        }
        for (rank, v) in tree.variables.iter().enumerate() {
            tree.ranks[v.index()] = Some(rank as Rank);
        }
        let cards = |v: &VarId| graph.cardinality(*v) as u32;
        tree.cards = tree.variables.iter().map(cards).collect();
        let n = tree.cards.len();
        let card = |v: &VarId| graph.cardinality(*v) as f64;
        let joint = |bucket: &Bucket| {
            let variables = bucket.eliminated.iter().chain(&bucket.output);
            variables.map(card).product::<f64>()
        };
        let entries: f64 = plan.buckets.iter().map(joint).sum();
        Self {
            graph,
            log_cards: tree.variables.iter().map(|v| card(v).log2()).collect(),
            is_sparse: entries > thresholds.tracked * plan.cost.operations,
            tree,
            made: Vec::with_capacity(factors + buckets),
            put_off: FxHashMap::default(),
            mentions: vec![0; n],
            is_eliminated: vec![false; n],
            supports: FxHashMap::default(),
            limits,
            // 32-bit integers index the entries.
            budget: limits.table_entries.min(u32::MAX as usize),
            memory: MemoryAccount::default(),
            thresholds,
            scratch: Default::default(),
        }
    }

    fn leaf(&mut self, i: usize) -> Result<(), EliminationError> {
        let laid = choose_layout(
            self.graph,
            i,
            &self.tree.ranks,
            self.thresholds,
            self.is_sparse,
        );
        let origin = TensorOrigin::Factor(i as u32);
        let tensor = self.tensor(&laid.scope, laid.layout.clone(), laid.len, origin)?;
        if self.is_sparse {
            self.add_support(tensor, laid.support())?;
        }
        self.tree.leaves.push(laid.leaf(tensor, i as u32));
        self.made.push(tensor);
        Ok(())
    }

    pub(super) fn tensor(
        &mut self,
        scope: &[Rank],
        layout: Layout,
        len: usize,
        origin: TensorOrigin,
    ) -> Result<u32, EliminationError> {
        if len > self.budget || self.log_size(scope) >= MAX_LOG_ASSIGNMENTS {
            return Err(self.too_large(self.log_size(scope).exp2()));
        }
        let tree = &mut self.tree;
        let range = tree.scopes.push(scope.iter().copied());
        tree.tensors.push(Tensor {
            scope: range,
            layout,
            start: tree.entries,
            len,
            origin,
            used_by: None,
        });
        tree.entries += len;
        let id = tree.tensors.len() as u32 - 1;
        // Each entry has a message and a derivative.
        self.reserve_memory(2 * len * size_of::<f64>())?;
        Ok(id)
    }

    /// Adds `bytes` to the memory of the tree, and returns an error if the memory exceeds the limit.
    pub(super) fn reserve_memory(&mut self, bytes: usize) -> Result<(), EliminationError> {
        self.memory.add(bytes as u64);
        self.memory.check_growth(self.limits, 0)
    }

    pub(super) fn too_large(&self, needed: f64) -> EliminationError {
        EliminationError::TableTooLarge {
            needed,
            limit: self.budget,
        }
    }

    pub(super) fn size(&self, scope: &[Rank]) -> f64 {
        let cards = scope.iter().map(|&rank| self.tree.cards[rank as usize]);
        cards.map(f64::from).product()
    }

    /// Returns the base-2 logarithm of the number of assignments of `scope`.
    pub(super) fn log_size(&self, scope: &[Rank]) -> f64 {
        scope
            .iter()
            .map(|&rank| self.log_cards[rank as usize])
            .sum()
    }

    /// Returns the base-2 logarithm of the fraction of the entries of `tensor` that may be positive.
    pub(super) fn log_density(&self, tensor: u32) -> f64 {
        let listing = self.listing(tensor);
        match listing.layout {
            Layout::Dense => 0.0,
            Layout::Listed(numbers) => {
                (numbers.len() as f64).max(0.5).log2() - self.log_size(listing.scope)
            }
        }
    }

    /// Returns the entries of `tensor` that may be positive.
    pub(super) fn listing(&self, tensor: u32) -> EntryList<'_> {
        let layout = self.supports.get(&tensor);
        let layout = layout.unwrap_or(&self.tree.tensor(tensor).layout);
        EntryList {
            scope: self.tree.scope(tensor),
            layout,
            len: match layout {
                Layout::Dense => self.tree.tensor(tensor).len,
                Layout::Listed(numbers) => numbers.len(),
            },
        }
    }
}
