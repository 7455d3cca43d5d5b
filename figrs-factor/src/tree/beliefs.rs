//! Upward pass (messages) and downward pass (derivatives) on a contraction tree.

use crate::graph::{FactorGraph, VarId};
use crate::limits::Until;

use crate::algebra::{ExponentRange, Semiring};
use crate::eliminate::EliminationError;
use crate::eliminate::error::check_interrupt;

use super::contraction_tree::{ContractionStep, ContractionTree};
use super::kernel::{Workspace, sum};
use super::sparse_contraction::{contract_listed, derive_all, derive_listed};
use super::tensor::{AssignmentIndex, Layout, Rank};

/// The messages of one contraction tree for one set of weights and evidence, in one semiring.
///
/// The derivative of the total weight with respect to a tensor is the factor by which the rest of the tree multiplies that tensor.
/// The derivatives are computed by the product rule, without division. For `z = x y`, the derivative with respect to `x` is the
/// product of `y` and the derivative with respect to `z`, summed over the variables that are not in `x`. The product of a tensor and
/// its derivative is the unnormalised marginal of the tensor's variables.
///
/// **References.** Darwiche, *A differential approach to inference in Bayesian networks*, Journal of the ACM 50(3), 2003;
/// Shenoy and Shafer, *Axioms for probability and belief-function propagation*, 1990.
#[derive(Debug)]
pub struct Beliefs<S: Semiring> {
    values: Vec<S::Value>,
    derivatives: Vec<S::Value>,
    /// For each tensor and each derivative, an exponent range that contains all entries; the true range may be narrower.
    ranges: [Vec<ExponentRange>; 2],
    /// The natural logarithm of the common scale of each tensor.
    scales: Vec<f64>,
    /// For each tensor, `true` if its message (first list) or its derivative (second list) is valid for the current weights.
    is_current: [Vec<bool>; 2],
    /// `true` if a positive number overflowed or underflowed in a message or derivative.
    pub(super) lost: bool,
    workspace: Workspace<S::Value>,
    path: Vec<u32>,
}

/// Index of the messages in [`Beliefs::is_current`] and [`Beliefs::ranges`]; `DOWN` is the index of the derivatives.
const UP: usize = 0;
const DOWN: usize = 1;

impl<S: Semiring> Beliefs<S> {
    /// Loads the weights of the factors into the leaves of the tree, without multiplying them.
    pub fn new(tree: &ContractionTree, graph: &FactorGraph) -> Self {
        let n = tree.tensors.len();
        let mut this = Self {
            values: vec![S::zero(); tree.entries],
            derivatives: Vec::new(),
            ranges: [
                vec![ExponentRange::default(); n],
                vec![ExponentRange::default(); n],
            ],
            scales: vec![0.0; n],
            is_current: [vec![false; n], vec![false; n]],
            lost: false,
            workspace: Workspace::new(tree.threads, tree.shared),
            path: Vec::new(),
        };
        for leaf in 0..tree.leaves.len() {
            this.read(tree, graph, leaf);
        }
        this
    }

    pub(super) fn load(&mut self, tree: &ContractionTree, graph: &FactorGraph, leaves: &[usize]) {
        for &leaf in leaves {
            self.read(tree, graph, leaf);
        }
        if let [leaf] = *leaves {
            return self.invalidate(tree, tree.leaves[leaf].tensor);
        }
        for &leaf in leaves {
            let mut at = tree.leaves[leaf].tensor;
            while let Some(step) = tree.tensor(at).used_by {
                at = tree.steps[step as usize].out;
                // If a message is outdated, the messages above it are outdated as well.
                if !std::mem::replace(&mut self.is_current[UP][at as usize], false) {
                    break;
                }
            }
        }
        self.is_current[DOWN].fill(false);
    }

    fn read(&mut self, tree: &ContractionTree, graph: &FactorGraph, leaf: usize) {
        let leaf = &tree.leaves[leaf];
        let tensor = leaf.tensor;
        let entries = &mut self.values[tree.tensor(tensor).entries()];
        let factor = &graph.factors[leaf.factor as usize];
        self.scales[tensor as usize] = leaf.load::<S>(factor, entries);
        self.ranges[UP][tensor as usize] = S::range(entries);
        self.is_current[UP][tensor as usize] = true;
    }

    /// Marks as outdated the messages on the path from `leaf`, which has changed, to the root, and all derivatives except those on this path.
    fn invalidate(&mut self, tree: &ContractionTree, leaf: u32) {
        let mut kept = vec![(leaf, self.is_current[DOWN][leaf as usize])];
        let mut at = leaf;
        while let Some(step) = tree.tensor(at).used_by {
            at = tree.steps[step as usize].out;
            self.is_current[UP][at as usize] = false;
            kept.push((at, self.is_current[DOWN][at as usize]));
        }
        self.is_current[DOWN].fill(false);
        for (tensor, fresh) in kept {
            self.is_current[DOWN][tensor as usize] = fresh;
        }
    }

    /// Computes all outdated messages of the contraction tree.
    pub fn collect(&mut self, tree: &ContractionTree) {
        for step in &tree.steps {
            if !self.is_current[UP][step.out as usize] {
                self.forward(tree, step);
            }
        }
    }

    /// Computes the outdated messages and derivatives on which the marginals of the variables `ranks` depend.
    ///
    /// **Errors.** [`EliminationError::Interrupted`] if the run is stopped; the messages and derivatives computed before remain valid.
    pub(super) fn prepare(
        &mut self,
        tree: &ContractionTree,
        ranks: &[Rank],
        until: &Until,
    ) -> Result<(), EliminationError> {
        for step in &tree.steps {
            if !self.is_current[UP][step.out as usize] {
                check_interrupt(until)?;
                self.forward(tree, step);
            }
        }
        for &rank in ranks {
            check_interrupt(until)?;
            self.compute_derivative(tree, tree.homes[rank as usize]);
        }
        Ok(())
    }

    /// Returns a range that contains the exponents of all products of entries of `tensors` and of the derivative with respect to the tensor
    /// `derivative`. The range of the exponents of the products is bounded by the known ranges of the tensors. If the known ranges of the tensors do
    /// not exclude overflow and underflow, the exponent range is computed from the entries.
    fn range_of_products(
        &mut self,
        tree: &ContractionTree,
        tensors: &[u32],
        derivative: Option<u32>,
    ) -> ExponentRange {
        let known = self.range_by_bounds(tensors, derivative);
        if !known.may_overflow() {
            return known;
        }
        for &t in tensors {
            self.ranges[UP][t as usize] = S::range(&self.values[tree.tensor(t).entries()]);
        }
        if let Some(t) = derivative {
            self.ranges[DOWN][t as usize] = S::range(&self.derivatives[tree.tensor(t).entries()]);
        }
        self.range_by_bounds(tensors, derivative)
    }

    fn range_by_bounds(&self, tensors: &[u32], derivative: Option<u32>) -> ExponentRange {
        let tensors = tensors.iter().map(|&t| self.ranges[UP][t as usize]);
        let derivative = derivative.map(|t| self.ranges[DOWN][t as usize]);
        ExponentRange::of_products(tensors.chain(derivative))
    }

    fn forward(&mut self, tree: &ContractionTree, step: &ContractionStep) {
        let out = tree.tensor(step.out);
        let range = self.range_of_products(tree, &step.inputs, None);
        let risky = range.may_overflow();
        let (before, after) = self.values.split_at_mut(out.start);
        let z = &mut after[..out.len];
        let entries = |t: u32| &before[tree.tensor(t).entries()];
        let terms = if let Some(products) = &step.products {
            self.lost |= match *step.inputs {
                [x] => contract_listed::<S>(products, &[entries(x)], z, risky),
                [x, y] => contract_listed::<S>(products, &[entries(x), entries(y)], z, risky),
                ref inputs => {
                    let inputs: Vec<&[S::Value]> = inputs.iter().map(|&t| entries(t)).collect();
                    contract_listed::<S>(products, &inputs, z, risky)
                }
            };
            products.len()
        } else {
            let unit = [S::one()];
            let [x, y] = [0, 1].map(|i| match step.inputs.get(i) {
                Some(&t) => (tree.scope(t), entries(t)),
                None => (&[][..], &unit[..]),
            });
            self.lost |= risky && self.workspace.has_lost_products::<S>(&tree.cards, x, y);
            let z = (tree.scope(step.out), &mut *z);
            self.workspace.contract::<S>(&tree.cards, x, y, z)
        };
        let (scale, range) = settle::<S>(z, range.of_sums(terms), &mut self.lost);
        self.scales[step.out as usize] = scale;
        self.ranges[UP][step.out as usize] = range;
        self.is_current[UP][step.out as usize] = true;
    }

    /// Returns the total weight of all assignments, as a value and a logarithm: the total is the value times the exponential of the logarithm.
    pub fn total(&mut self, tree: &ContractionTree) -> (S::Value, f64) {
        let mut total = S::one();
        let mut scale: f64 = self.scales.iter().sum();
        let root = |&t: &u32| self.values[tree.tensor(t).start].clone();
        let roots: Vec<S::Value> = tree.roots.iter().map(root).collect();
        let free = tree.free.iter().map(|&n| S::repeated(n));
        for value in roots.into_iter().chain(free) {
            let mut product = [S::mul(&total, &value)];
            self.lost |= S::is_out_of_range(&total, &value, &product[0]);
            scale += S::normalise(&mut product, &mut self.lost);
            [total] = product;
        }
        (total, scale)
    }

    /// True if a positive number overflowed or underflowed; all messages and derivatives are then unreliable.
    pub fn is_out_of_range(&self) -> bool {
        self.lost
    }

    /// Computes the derivative of the total weight with respect to `tensor`, after the outdated derivatives on the path from the root to `tensor`.
    fn compute_derivative(&mut self, tree: &ContractionTree, tensor: u32) {
        if self.derivatives.is_empty() {
            self.derivatives = vec![S::zero(); tree.entries];
        }
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let mut at = tensor;
        while !self.is_current[DOWN][at as usize] {
            path.push(at);
            match tree.tensor(at).used_by {
                Some(step) => at = tree.steps[step as usize].out,
                None => break,
            }
        }
        for &tensor in path.iter().rev() {
            self.backward(tree, tensor);
        }
        self.path = path;
    }

    /// Computes the derivative of the total weight with respect to `tensor`, from the derivative with respect to the result of the step that uses
    /// `tensor`.
    ///
    /// If the step multiplies more than two tensors, computes the derivatives of the total weight with respect to all of them.
    fn backward(&mut self, tree: &ContractionTree, tensor: u32) {
        let place = tree.tensor(tensor).entries();
        let Some(used_by) = tree.tensor(tensor).used_by else {
            self.derivatives[place.start] = S::one();
            self.ranges[DOWN][tensor as usize] = ExponentRange::default();
            self.is_current[DOWN][tensor as usize] = true;
            return;
        };
        let step = &tree.steps[used_by as usize];
        if step.inputs.len() > 2 {
            return self.backward_to_all(tree, step);
        }
        let is_first = step.inputs[0] == tensor;
        let other = step.inputs.iter().copied().find(|&t| t != tensor);
        let range = self.range_of_products(tree, other.as_slice(), Some(step.out));
        let risky = range.may_overflow();
        let out = tree.tensor(step.out);
        let (before, after) = self.derivatives.split_at_mut(out.start);
        let x = &after[..out.len];
        let unit = [S::one()];
        let y = other.map_or(&unit[..], |t| &self.values[tree.tensor(t).entries()]);
        let z = &mut before[place];
        let terms = if let Some(products) = &step.products {
            let y = other.map(|_| y);
            self.lost |= derive_listed::<S>(products, y, is_first, x, z, risky);
            products.len()
        } else {
            let y_scope = other.map_or(&[][..], |t| tree.scope(t));
            let (x, y) = ((tree.scope(step.out), x), (y_scope, y));
            self.lost |= risky && self.workspace.has_lost_products::<S>(&tree.cards, x, y);
            let z = (tree.scope(tensor), &mut *z);
            self.workspace.contract::<S>(&tree.cards, x, y, z)
        };
        let (_, range) = settle::<S>(z, range.of_sums(terms), &mut self.lost);
        self.ranges[DOWN][tensor as usize] = range;
        self.is_current[DOWN][tensor as usize] = true;
    }

    /// Computes the derivatives of the total weight with respect to all inputs of `step`, which stores a list of products.
    fn backward_to_all(&mut self, tree: &ContractionTree, step: &ContractionStep) {
        let out = tree.tensor(step.out);
        let range = self.range_of_products(tree, &step.inputs, Some(step.out));
        let risky = range.may_overflow();
        let (before, after) = self.derivatives.split_at_mut(out.start);
        let entries = |&t: &u32| &self.values[tree.tensor(t).entries()];
        let inputs: Vec<&[S::Value]> = step.inputs.iter().map(entries).collect();
        let starts: Vec<usize> = step.inputs.iter().map(|&t| tree.tensor(t).start).collect();
        let products = step.products.as_deref().unwrap_or_default();
        let above = &after[..out.len];
        self.lost |= derive_all::<S>(products, &inputs, above, &starts, before, risky);
        for &t in &step.inputs {
            let entries = &mut before[tree.tensor(t).entries()];
            let range = range.of_sums(products.len());
            let (_, range) = settle::<S>(entries, range, &mut self.lost);
            self.ranges[DOWN][t as usize] = range;
            self.is_current[DOWN][t as usize] = true;
        }
    }

    /// Returns the unnormalised marginal of the variable with the rank `rank`, which must occur in some factor.
    pub fn marginal(&mut self, tree: &ContractionTree, rank: Rank) -> Vec<S::Value> {
        let home = tree.homes[rank as usize];
        let mut products = Vec::new();
        self.products(tree, home, &mut products);
        let mut marginal = vec![S::zero(); tree.cards[rank as usize] as usize];
        let size = |&rank: &Rank| AssignmentIndex::from(tree.cards[rank as usize]);
        let after = tree.scope(home).iter().skip_while(|&&r| r != rank).skip(1);
        let stride = after.map(size).product::<AssignmentIndex>();
        match &tree.tensor(home).layout {
            Layout::Dense => {
                let stride = stride as usize;
                for block in products.chunks_exact(stride * marginal.len()) {
                    for (m, run) in marginal.iter_mut().zip(block.chunks_exact(stride)) {
                        S::accumulate(m, &sum::<S>(run));
                    }
                }
            }
            Layout::Listed(numbers) => {
                for (number, product) in numbers.iter().zip(&products) {
                    let value = (number / stride % size(&rank)) as usize;
                    S::accumulate(&mut marginal[value], product);
                }
            }
        }
        // The sums may exceed the range of a number although no product exceeds it. The sums may be rescaled, because probabilities do not depend on
        // their scale.
        S::rescale(&mut marginal, &mut self.lost);
        marginal
    }

    /// Returns the unnormalised joint marginal of the variables `scope`, row-major in their order; `None` if no clique of the contraction tree
    /// contains all these variables.
    pub fn joint(&mut self, tree: &ContractionTree, scope: &[Rank]) -> Option<Vec<S::Value>> {
        let size = |clique: &[Rank]| {
            let summed = clique.iter().filter(|rank| !scope.contains(rank));
            let sizes = summed.map(|&rank| f64::from(tree.cards[rank as usize]));
            sizes.product::<f64>()
        };
        let cliques = tree.steps.iter().map(|step| (step, tree.clique(step)));
        let cliques = cliques.filter(|(_, all)| scope.iter().all(|rank| all.contains(rank)));
        let (step, all) = cliques.min_by(|a, b| size(&a.1).total_cmp(&size(&b.1)))?;
        self.compute_derivative(tree, step.out);
        let places = tree.assignments(scope);
        let mut joint = vec![S::zero(); places.count()];
        let above = &self.derivatives[tree.tensor(step.out).entries()];
        let mut lost = false;
        let mut add = |values: &[u32], product: &[u32]| {
            let mut weight = above[product[step.inputs.len()] as usize].clone();
            for (&t, &i) in step.inputs.iter().zip(product) {
                let x = &self.entries(tree, t)[i as usize];
                let next = S::mul(&weight, x);
                lost |= S::is_out_of_range(&weight, x, &next);
                weight = next;
            }
            S::accumulate(&mut joint[places.number(values)], &weight);
        };
        let mut values = vec![0; tree.cards.len()];
        if let Some(products) = &step.products {
            for product in products.chunks_exact(step.inputs.len() + 1) {
                for (&t, &i) in step.inputs.iter().zip(product) {
                    tree.decode(t, i as usize, &mut values);
                }
                add(&values, product);
            }
        } else {
            let all = tree.assignments(&all);
            let tensors = || step.inputs.iter().chain([&step.out]);
            loop {
                let entry = |&t: &u32| tree.entry(t, &values).unwrap_or_default() as u32;
                let product: Vec<u32> = tensors().map(entry).collect();
                add(&values, &product);
                if all.advance(&mut values).is_none() {
                    break;
                }
            }
        }
        self.lost |= lost;
        S::rescale(&mut joint, &mut self.lost);
        Some(joint)
    }

    /// Returns the unnormalised marginal of the variable `v` of the graph.
    pub fn marginal_of(
        &mut self,
        tree: &ContractionTree,
        graph: &FactorGraph,
        v: VarId,
    ) -> Vec<S::Value> {
        match tree.ranks[v.index()] {
            Some(rank) => self.marginal(tree, rank),
            None => vec![S::one(); graph.cardinality(v)],
        }
    }

    /// Writes the product of each entry of `tensor` and its derivative; the products are the unnormalised marginal of the tensor's variables.
    pub(super) fn products(
        &mut self,
        tree: &ContractionTree,
        tensor: u32,
        products: &mut Vec<S::Value>,
    ) {
        self.compute_derivative(tree, tensor);
        let range = self.range_of_products(tree, &[tensor], Some(tensor));
        let place = tree.tensor(tensor).entries();
        let (values, derivatives) = (&self.values[place.clone()], &self.derivatives[place]);
        let pairs = || values.iter().zip(derivatives);
        if range.may_overflow() {
            self.lost |= pairs().any(|(x, y)| S::is_out_of_range(x, y, &S::mul(x, y)));
        }
        products.clear();
        products.extend(pairs().map(|(x, y)| S::mul(x, y)));
    }

    /// Returns the entries of `tensor`, the derivatives with respect to them up to a common factor, and the natural logarithm of the scale of the
    /// entries.
    pub(super) fn entries_and_derivatives(
        &mut self,
        tree: &ContractionTree,
        tensor: u32,
    ) -> (&[S::Value], &[S::Value], f64) {
        self.compute_derivative(tree, tensor);
        let place = tree.tensor(tensor).entries();
        let scale = self.scales[tensor as usize];
        (&self.values[place.clone()], &self.derivatives[place], scale)
    }

    pub(super) fn entries(&self, tree: &ContractionTree, tensor: u32) -> &[S::Value] {
        &self.values[tree.tensor(tensor).entries()]
    }
}

/// Divides `values` by a power of two if they are far from one. Returns the natural logarithm of the divisor and the exponent range of the divided
/// values.
fn settle<S: Semiring>(
    values: &mut [S::Value],
    bounds: ExponentRange,
    lost: &mut bool,
) -> (f64, ExponentRange) {
    if bounds.is_central() {
        (0.0, bounds)
    } else {
        S::rescale(values, lost)
    }
}
