//! Compiler from a plan to a tree: the buckets are divided into steps of two tensors.

use std::sync::Arc;

use figrs_core::factor::{Factor, FactorGraph, VarId};
use num_traits::PrimInt;
use rustc_hash::FxHashMap;

use crate::consistency::has_zeros;
use crate::eliminate::{Bucket, EliminationError, Options, Plan};

use super::kernel::{Product, SHARED};
use super::leaf::lay;
use super::pairs::{Listing, Meeting};
use super::reduce::{Left, Reduced};
use super::tensor::{Layout, Number, Origin, Rank, Tensor, union};
use super::tree::{Step, Tree, check};

/// Thresholds between dense and listed tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thresholds {
    /// Size up to which tables are dense.
    pub(super) small: usize,
    /// Divisor of the size: a table is listed if fewer entries than that share are non-zero.
    pub(super) listed_below: usize,
    /// Cost of a product found through a list, in products of a dense loop.
    pub(super) listed_product: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            small: 64,
            listed_below: 5,
            listed_product: 8.0,
        }
    }
}

/// Operations of the plan for each entry read beyond which impossible values are excluded beforehand.
const REDUCTION: f64 = 16.0;
/// Maximum share of the operations without the excluded values for a new plan to be made.
const WORTH: f64 = 0.7;
/// Largest ratio of the products of a tree to the operation budget, which limits those of the plan. A step multiplies two
/// tables where a plan joins all tables of a bucket, so that a tree may take several times the operations of its plan.
const SURPLUS: f64 = 16.0;
/// Number of tables in one bucket up to which the best partner of each is looked for.
const PARTNERS: usize = 24;

impl Thresholds {
    /// True if a table with so many entries, so many of which are non-zero, is dense.
    pub(super) fn is_dense(self, size: f64, positive: usize) -> bool {
        size <= self.small as f64 || size <= positive as f64 * self.listed_below as f64
    }
}

impl Tree {
    /// Plans and compiles the elimination of all variables. Where that pays, values that zeros exclude are left out first:
    /// the graph is then the reduced one, and `left` has the remaining values.
    ///
    /// **Errors.** When the plan, or a table that turns out larger, does not fit the budget.
    pub(crate) fn compile(
        graph: &mut FactorGraph,
        options: &Options,
    ) -> Result<(Self, Option<Left>), EliminationError> {
        let mut plan = Plan::new(graph, &[], options, false)?;
        let with_zeros = graph.factors.iter().filter(|factor| has_zeros(factor));
        let looked_at: usize = with_zeros.map(Factor::entries).sum();
        let mut left = None;
        if looked_at > 0 && plan.cost.operations > REDUCTION * looked_at as f64 {
            let reduced = Reduced::new(graph);
            let is_worth_it = |reduced: &Reduced| {
                operations(&plan, graph, &reduced.graph) < WORTH * plan.cost.operations
            };
            if let Some(reduced) = reduced.filter(is_worth_it) {
                *graph = reduced.graph;
                left = Some(reduced.left);
                plan = Plan::new(graph, &[], options, false)?;
            }
        }
        let mut tree = Self::of_plan(graph, plan, options, Thresholds::default())?;
        tree.is_reduced = left.is_some();
        Ok((tree, left))
    }

    /// Compiles a plan.
    pub(super) fn of_plan(
        graph: &FactorGraph,
        plan: Plan,
        options: &Options,
        thresholds: Thresholds,
    ) -> Result<Self, EliminationError> {
        let plan = plan.within(options)?;
        options.admit(plan.cost.memory_kept)?;
        check(graph)?;
        let mut assembly = Assembly::new(graph, &plan, options, thresholds);
        for i in 0..graph.factors.len() {
            assembly.leaf(i)?;
        }
        for bucket in &plan.buckets {
            assembly.bucket(bucket)?;
        }
        let mut tree = assembly.tree;
        tree.roots = (0..tree.tensors.len() as u32)
            .filter(|&t| tree.tensor(t).used_by.is_none())
            .collect();
        tree.free = plan.free.iter().map(|&v| graph.cardinality(v)).collect();
        tree.cost = plan.cost;
        tree.choose_homes();
        Ok(tree)
    }
}

/// The operations of a plan if variables have fewer values.
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

/// A tree under construction.
struct Assembly<'a> {
    graph: &'a FactorGraph,
    tree: Tree,
    /// The tensor of each factor and of each bucket's message.
    made: Vec<u32>,
    /// The base-2 logarithms of the numbers of values, by rank.
    log_cards: Vec<f64>,
    /// Number of tables of the present bucket that mention a variable, by rank.
    mentions: Vec<u32>,
    is_eliminated: Vec<bool>,
    options: &'a Options,
    budget: usize,
    /// Bytes that a run needs so far, and the number at which the available memory is checked next.
    bytes: usize,
    admitted: usize,
    /// Products of all steps so far.
    products: f64,
    thresholds: Thresholds,
}

impl<'a> Assembly<'a> {
    fn new(
        graph: &'a FactorGraph,
        plan: &Plan,
        options: &'a Options,
        thresholds: Thresholds,
    ) -> Self {
        let mut tree = Tree {
            ranks: vec![None; graph.cardinalities.len()],
            shared: SHARED,
            ..Tree::default()
        };
        let eliminated = plan.buckets.iter().flat_map(|bucket| &bucket.eliminated);
        tree.variables = eliminated.copied().collect();
        for (rank, v) in tree.variables.iter().enumerate() {
            tree.ranks[v.index()] = Some(rank as Rank);
        }
        let cards = |v: &VarId| graph.cardinality(*v) as u32;
        tree.cards = tree.variables.iter().map(cards).collect();
        let n = tree.cards.len();
        Self {
            graph,
            log_cards: tree.cards.iter().map(|&n| f64::from(n).log2()).collect(),
            tree,
            made: Vec::with_capacity(graph.factors.len() + plan.buckets.len()),
            mentions: vec![0; n],
            is_eliminated: vec![false; n],
            options,
            // Entries are numbered with 32 bits.
            budget: options.table_budget.min(u32::MAX as usize),
            bytes: 0,
            admitted: 0,
            products: 0.0,
            thresholds,
        }
    }

    fn leaf(&mut self, i: usize) -> Result<(), EliminationError> {
        let laid = lay(self.graph, i, &self.tree.ranks, self.thresholds);
        let origin = Origin::Factor(i as u32);
        let tensor = self.tensor(&laid.scope, laid.layout.clone(), laid.len, origin)?;
        self.tree.leaves.push(laid.leaf(tensor, i as u32));
        self.made.push(tensor);
        Ok(())
    }

    fn tensor(
        &mut self,
        scope: &[Rank],
        layout: Layout,
        len: usize,
        origin: Origin,
    ) -> Result<u32, EliminationError> {
        if len > self.budget || self.log_size(scope) >= f64::from(Number::BITS - 1) {
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
        // A message and its derivative.
        self.take(2 * len * size_of::<f64>())?;
        Ok(id)
    }

    /// Counts memory, and refuses a demand over the budget.
    fn take(&mut self, bytes: usize) -> Result<(), EliminationError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.admitted {
            self.options.admit(self.bytes as f64)?;
            // The available memory is queried seldom, not at every step.
            self.admitted = self.bytes.saturating_add(self.bytes / 16);
        }
        Ok(())
    }

    /// Counts the products of a step, and refuses more than the operation budget allows.
    fn work(&mut self, products: f64) -> Result<(), EliminationError> {
        self.products += products;
        self.options.admit_operations(self.products / SURPLUS)
    }

    fn too_large(&self, needed: f64) -> EliminationError {
        EliminationError::TableTooLarge {
            needed,
            limit: self.budget,
        }
    }

    fn log_size(&self, scope: &[Rank]) -> f64 {
        scope
            .iter()
            .map(|&rank| self.log_cards[rank as usize])
            .sum()
    }

    /// The base-2 logarithm of the share of entries that a tensor stores.
    fn log_density(&self, tensor: u32) -> f64 {
        match &self.tree.tensor(tensor).layout {
            Layout::Dense => 0.0,
            Layout::Listed(numbers) => {
                (numbers.len() as f64).max(0.5).log2() - self.log_size(self.tree.scope(tensor))
            }
        }
    }

    /// Multiplies the tables of a bucket two by two.
    fn bucket(&mut self, bucket: &Bucket) -> Result<(), EliminationError> {
        let ranks = |v: &VarId| self.tree.ranks[v.index()];
        let eliminated: Vec<Rank> = bucket.eliminated.iter().filter_map(ranks).collect();
        let mut tables: Vec<u32> = bucket
            .inputs
            .iter()
            .map(|&id| self.made[id as usize])
            .collect();
        for &table in &tables {
            for &rank in self
                .tree
                .scopes
                .get(&self.tree.tensors[table as usize].scope)
            {
                self.mentions[rank as usize] += 1;
            }
        }
        for &rank in &eliminated {
            self.is_eliminated[rank as usize] = true;
        }
        if tables.len() > PARTNERS {
            tables = self.join_equals(tables)?;
        }
        tables.sort_by_key(|&t| std::cmp::Reverse((self.tree.tensor(t).len, t)));
        while tables.len() > 1 {
            let smallest = tables.pop().unwrap_or_default();
            let partner = tables.remove(self.partner(smallest, &tables));
            let product = self.multiply(partner, Some(smallest))?;
            let len = self.tree.tensor(product).len;
            let place = tables.partition_point(|&t| self.tree.tensor(t).len >= len);
            tables.insert(place, product);
        }
        let mut last = tables[0];
        if eliminated
            .iter()
            .any(|rank| self.tree.scope(last).contains(rank))
        {
            last = self.multiply(last, None)?;
        }
        for &rank in self
            .tree
            .scopes
            .get(&self.tree.tensors[last as usize].scope)
        {
            self.mentions[rank as usize] = 0;
        }
        self.made.push(last);
        Ok(())
    }

    /// Multiplies tables over the same variables, of which a large bucket may have very many.
    fn join_equals(&mut self, tables: Vec<u32>) -> Result<Vec<u32>, EliminationError> {
        let mut by_scope: FxHashMap<Vec<Rank>, usize> = FxHashMap::default();
        let mut joined: Vec<u32> = Vec::new();
        for table in tables {
            let scope = self.tree.scope(table).to_vec();
            if let Some(&place) = by_scope.get(&scope) {
                joined[place] = self.multiply(joined[place], Some(table))?;
                // If this was the last to mention them, its variables are gone.
                if self.tree.scope(joined[place]) != scope {
                    by_scope.remove(&scope);
                }
            } else {
                by_scope.insert(scope, joined.len());
                joined.push(table);
            }
        }
        Ok(joined)
    }

    /// Index of the table in `tables` with the smallest product with `table`.
    fn partner(&self, table: u32, tables: &[u32]) -> usize {
        if tables.len() > PARTNERS {
            return tables.len() - 1;
        }
        let scope = self.tree.scope(table);
        let size = |&other: &u32| {
            let all = union(scope, self.tree.scope(other));
            self.log_size(&all) + self.log_density(other)
        };
        let mut best = (f64::INFINITY, 0);
        for (i, other) in tables.iter().enumerate().rev() {
            let size = size(other);
            if size < best.0 {
                best = (size, i);
            }
        }
        best.1
    }

    /// Adds the step that multiplies two tensors, or takes one, and sums out what no other table mentions.
    fn multiply(&mut self, left: u32, right: Option<u32>) -> Result<u32, EliminationError> {
        let left_scope = self.tree.scope(left).to_vec();
        let right_scope = right.map_or(Vec::new(), |right| self.tree.scope(right).to_vec());
        let all = union(&left_scope, &right_scope);
        let mut out = Vec::with_capacity(all.len());
        for &rank in &all {
            let at = rank as usize;
            let both = left_scope.contains(&rank) && right_scope.contains(&rank);
            self.mentions[at] -= u32::from(both);
            if self.is_eliminated[at] && self.mentions[at] == 1 {
                self.mentions[at] = 0;
            } else {
                out.push(rank);
            }
        }
        let is_dense = |t: u32| self.tree.tensor(t).is_dense();
        if is_dense(left) && right.is_none_or(is_dense) {
            return self.dense(left, right, &out);
        }
        let scopes = [&left_scope[..], &right_scope, &out, &all];
        if scopes.iter().all(|scope| self.log_size(scope) < 62.0) {
            self.meet::<u64>(left, right, &all, &out)
        } else {
            self.meet::<Number>(left, right, &all, &out)
        }
    }

    /// The step of two tensors one of which is listed; `N` has enough numbers for their assignments.
    fn meet<N: PrimInt + Into<Number>>(
        &mut self,
        left: u32,
        right: Option<u32>,
        all: &[Rank],
        out: &[Rank],
    ) -> Result<u32, EliminationError> {
        let unit = Listing {
            scope: &[],
            layout: &Layout::Dense,
            len: 1,
        };
        let listing = |t: u32| Listing {
            scope: self.tree.scope(t),
            layout: &self.tree.tensor(t).layout,
            len: self.tree.tensor(t).len,
        };
        let other = right.map_or(unit, listing);
        let places = self
            .log_size(self.tree.scope(left))
            .max(self.log_size(other.scope));
        if self.log_size(out) >= f64::from(Number::BITS - 1) {
            return Err(self.too_large(self.log_size(out).exp2()));
        }
        // Sorting holds two copies of the entries, and later of the products.
        let entries = listing(left).len + other.len;
        let sorted = 2 * entries * size_of::<[N; 3]>();
        self.options
            .admit(self.bytes.saturating_add(sorted) as f64)?;
        let meeting = Meeting::<N>::new(listing(left), other, out, &self.tree.cards);
        let dense_size = self.log_size(all).exp2();
        let worth = dense_size <= self.thresholds.listed_product * meeting.count as f64;
        if worth && places.exp2() <= self.budget as f64 {
            let left = self.densify(left)?;
            let right = right.map(|right| self.densify(right)).transpose()?;
            return self.dense(left, right, out);
        }
        if meeting.count > (self.budget as u128).min(u128::from(u32::MAX)) {
            return Err(self.too_large(meeting.count as f64));
        }
        self.work(meeting.count as f64)?;
        let sorted = meeting.count as usize * size_of::<(N, u32, u32)>();
        self.options
            .admit(self.bytes.saturating_add(sorted) as f64)?;
        self.take(meeting.count as usize * size_of::<Product>())?;
        let size = self.log_size(out).exp2().round();
        let (mut products, numbers) = meeting.products(size);
        let (layout, len) = if self.thresholds.is_dense(size, numbers.len()) {
            for product in &mut products {
                product[2] = numbers[product[2] as usize].to_u32().unwrap_or(u32::MAX);
            }
            (Layout::Dense, size as usize)
        } else {
            let numbers = numbers.iter().map(|&number| number.into());
            let numbers: Arc<[Number]> = numbers.collect();
            let len = numbers.len();
            (Layout::Listed(numbers), len)
        };
        self.step(left, right, out, layout, len, Some(products.into()))
    }

    fn dense(
        &mut self,
        left: u32,
        right: Option<u32>,
        out: &[Rank],
    ) -> Result<u32, EliminationError> {
        let size = self.log_size(out).exp2();
        if size > self.budget as f64 {
            return Err(self.too_large(size));
        }
        let other = right.map_or(&[][..], |right| self.tree.scope(right));
        self.work(self.log_size(&union(self.tree.scope(left), other)).exp2())?;
        self.step(left, right, out, Layout::Dense, size.round() as usize, None)
    }

    /// The same tensor with all its zeros.
    fn densify(&mut self, tensor: u32) -> Result<u32, EliminationError> {
        let Layout::Listed(numbers) = self.tree.tensor(tensor).layout.clone() else {
            return Ok(tensor);
        };
        let scope = self.tree.scope(tensor).to_vec();
        let places = numbers.iter().zip(0u32..);
        let products = places.map(|(&number, i)| [i, 0, number as u32]).collect();
        let len = self.log_size(&scope).exp2().round() as usize;
        self.step(tensor, None, &scope, Layout::Dense, len, Some(products))
    }

    fn step(
        &mut self,
        left: u32,
        right: Option<u32>,
        scope: &[Rank],
        layout: Layout,
        len: usize,
        products: Option<Arc<[Product]>>,
    ) -> Result<u32, EliminationError> {
        let step = self.tree.steps.len() as u32;
        let out = self.tensor(scope, layout, len, Origin::Step(step))?;
        for input in [Some(left), right].into_iter().flatten() {
            self.tree.tensors[input as usize].used_by = Some(step);
        }
        self.tree.steps.push(Step {
            left,
            right,
            out,
            products,
        });
        Ok(out)
    }
}
