//! Contraction steps of one or two tensors, which are dense or have a list of non-zero entries.

use std::sync::Arc;

use num_traits::PrimInt;

use crate::eliminate::EliminationError;

use super::contraction_tree::ContractionStep;
use super::sort_merge_join::{EntryList, SortMergeJoin};
use super::tensor::{AssignmentIndex, Layout, MAX_LOG_ASSIGNMENTS, Rank, TensorOrigin, merged};
use super::tree_builder::TreeBuilder;

/// Cost factor of a product of two tables whose assignments are too many for numeric indices, compared with a join of all tables.
const UNNUMBERED_JOIN_FACTOR: f64 = 64.0;
/// Maximum number of products of entries for which the zeros of a dense result are computed from the zeros of its inputs.
const SPARSITY_CHECK_PRODUCTS: f64 = 65536.0;

/// Result of a contraction of two tensors whose number of products is limited.
pub(super) enum Contraction {
    Tensor(u32),
    /// The contraction was refused because its number of products exceeds the limit.
    TooManyProducts(f64),
}

impl TreeBuilder<'_> {
    /// Multiplies two tensors (or takes a single tensor) and sums out the variables that occur in no other table. The number of multiplied entries in
    /// this contraction is not limited.
    pub(super) fn contract(
        &mut self,
        left: u32,
        right: Option<u32>,
    ) -> Result<u32, EliminationError> {
        match self.multiply(left, right, f64::INFINITY)? {
            Contraction::Tensor(tensor) => Ok(tensor),
            Contraction::TooManyProducts(products) => Err(self.too_large(products)),
        }
    }

    /// Adds the step that multiplies two tensors (or takes a single tensor) and sums out the variables that occur in no other table.
    ///
    /// Refuses the contraction step if its list of products of entries would have more than `most` products.
    pub(super) fn multiply(
        &mut self,
        left: u32,
        right: Option<u32>,
        most: f64,
    ) -> Result<Contraction, EliminationError> {
        let (mut all, mut out) = std::mem::take(&mut self.scratch);
        all.clear();
        out.clear();
        let right_scope = right.map_or(&[][..], |right| self.tree.scope(right));
        let mut log_products = 0.0;
        for (rank, tensors) in merged(self.tree.scope(left), right_scope) {
            log_products += self.log_cards[rank as usize];
            // Number of tables that contain the variable after this contraction step.
            let mentions = self.mentions[rank as usize] + 1 - tensors;
            let is_left = !self.is_eliminated[rank as usize] || mentions > 1;
            all.push((rank, if is_left { mentions } else { 0 }));
            if is_left {
                out.push(rank);
            }
        }
        let is_full = |t: u32| matches!(self.listing(t).layout, Layout::Dense);
        let made = if is_full(left) && right.is_none_or(is_full) {
            self.contract_dense(left, right, log_products, &out, most)?
        } else if log_products < 62.0 {
            self.contract_listed::<u64>(left, right, log_products, &out, most)?
        } else {
            self.contract_listed::<AssignmentIndex>(left, right, log_products, &out, most)?
        };
        if let Contraction::Tensor(_) = made {
            for &(rank, mentions) in &all {
                self.mentions[rank as usize] = mentions;
            }
        }
        self.scratch = (all, out);
        Ok(made)
    }

    /// Adds the step that contracts `left` and `right`, which have no zeros.
    fn contract_dense(
        &mut self,
        left: u32,
        right: Option<u32>,
        log_products: f64,
        out: &[Rank],
        most: f64,
    ) -> Result<Contraction, EliminationError> {
        if most < f64::INFINITY {
            let products = log_products.exp2() / self.thresholds.listed_product;
            if products > most {
                return Ok(Contraction::TooManyProducts(products));
            }
        }
        Ok(Contraction::Tensor(self.dense(left, right, out)?))
    }

    /// Adds the step that contracts `left` and `right`, of which at least one has zeros. The integer type `N` must be large enough for the row-major
    /// indices of the assignments of the tensors.
    fn contract_listed<N: PrimInt + Into<AssignmentIndex>>(
        &mut self,
        left: u32,
        right: Option<u32>,
        log_products: f64,
        out: &[Rank],
        most: f64,
    ) -> Result<Contraction, EliminationError> {
        let (one, other) = (
            self.listing(left),
            right.map_or(EntryList::UNIT, |right| self.listing(right)),
        );
        let places = self.log_size(one.scope).max(self.log_size(other.scope));
        if self.log_size(out) >= MAX_LOG_ASSIGNMENTS {
            if most < f64::INFINITY {
                return Ok(Contraction::TooManyProducts(UNNUMBERED_JOIN_FACTOR * most));
            }
            return Err(self.too_large(self.log_size(out).exp2()));
        }
        // The sorting of the entries, and later of the products, needs two copies of them.
        let sorted = 2 * (one.len + other.len) * size_of::<[N; 3]>();
        self.memory.check(self.limits, sorted as u64)?;
        let meeting = SortMergeJoin::<N>::new(one, other, out, &self.tree.cards);
        let dense_size = log_products.exp2();
        let size = self.size(out);
        let worth = dense_size <= self.thresholds.listed_product * meeting.count as f64;
        if worth && places.exp2() <= self.budget as f64 {
            let products = dense_size / self.thresholds.listed_product;
            if products > most {
                return Ok(Contraction::TooManyProducts(products));
            }
            let is_known = self.is_sparse && meeting.count as f64 <= SPARSITY_CHECK_PRODUCTS;
            let support = is_known.then(|| meeting.products(size).1);
            let left = self.densify(left)?;
            let right = right.map(|right| self.densify(right)).transpose()?;
            let tensor = self.dense(left, right, out)?;
            self.add_support(tensor, support)?;
            return Ok(Contraction::Tensor(tensor));
        }
        if meeting.count as f64 > most {
            return Ok(Contraction::TooManyProducts(meeting.count as f64));
        }
        if meeting.count > (self.budget as u128).min(u128::from(u32::MAX)) {
            return Err(self.too_large(meeting.count as f64));
        }
        let sorted = meeting.count as usize * size_of::<(N, u32, u32)>();
        self.memory.check(self.limits, sorted as u64)?;
        let (mut products, numbers) = meeting.products(size);
        for (side, tensor) in [(0, Some(left)), (1, right)] {
            if let Some(Layout::Listed(numbers)) = tensor.and_then(|t| self.supports.get(&t)) {
                for product in &mut products {
                    product[side] = numbers[product[side] as usize] as u32;
                }
            }
        }
        let products: Vec<u32> = match right {
            Some(_) => products.into_flattened(),
            None => products.iter().flat_map(|&[i, _, k]| [i, k]).collect(),
        };
        let numbers: Vec<AssignmentIndex> = numbers.into_iter().map(Into::into).collect();
        Ok(Contraction::Tensor(self.listed(
            inputs_of(left, right),
            out,
            numbers,
            products,
        )?))
    }

    /// Adds a contraction step with a list of products. Each product refers to its entry of the result by the position in `numbers`, the list of
    /// assignment indices of the result.
    pub(super) fn listed(
        &mut self,
        inputs: Box<[u32]>,
        out: &[Rank],
        numbers: Vec<AssignmentIndex>,
        mut products: Vec<u32>,
    ) -> Result<u32, EliminationError> {
        self.reserve_memory(products.len() * size_of::<u32>())?;
        let size = self.size(out);
        if !self.thresholds.is_dense(size, numbers.len()) {
            let len = numbers.len();
            let layout = Layout::Listed(numbers.into());
            return self.step(inputs, out, layout, len, Some(products.into()));
        }
        let width = inputs.len() + 1;
        for result in products.iter_mut().skip(width - 1).step_by(width) {
            *result = numbers[*result as usize] as u32;
        }
        let list = Some(products.into());
        let tensor = self.step(inputs, out, Layout::Dense, size as usize, list)?;
        self.add_support(tensor, Some(numbers))?;
        Ok(tensor)
    }

    /// Records which entries of the dense `tensor` may be positive if some entries are known to be zero.
    pub(super) fn add_support<N: Into<AssignmentIndex>>(
        &mut self,
        tensor: u32,
        numbers: Option<Vec<N>>,
    ) -> Result<(), EliminationError> {
        if self.is_sparse
            && let Some(numbers) = numbers
            && numbers.len() < self.tree.tensor(tensor).len
        {
            self.reserve_memory(numbers.len() * size_of::<AssignmentIndex>())?;
            let numbers = numbers.into_iter().map(Into::into).collect();
            self.supports.insert(tensor, Layout::Listed(numbers));
        }
        Ok(())
    }

    fn dense(
        &mut self,
        left: u32,
        right: Option<u32>,
        out: &[Rank],
    ) -> Result<u32, EliminationError> {
        let size = self.size(out);
        if size > self.budget as f64 {
            return Err(self.too_large(size));
        }
        let inputs = inputs_of(left, right);
        self.step(inputs, out, Layout::Dense, size as usize, None)
    }

    fn densify(&mut self, tensor: u32) -> Result<u32, EliminationError> {
        let Layout::Listed(numbers) = self.tree.tensor(tensor).layout.clone() else {
            return Ok(tensor);
        };
        let scope = self.tree.scope(tensor).to_vec();
        let places = numbers.iter().zip(0u32..);
        let products = places.flat_map(|(&number, i)| [i, number as u32]).collect();
        let len = self.size(&scope) as usize;
        let inputs = inputs_of(tensor, None);
        self.step(inputs, &scope, Layout::Dense, len, Some(products))
    }

    fn step(
        &mut self,
        inputs: Box<[u32]>,
        scope: &[Rank],
        layout: Layout,
        len: usize,
        products: Option<Arc<[u32]>>,
    ) -> Result<u32, EliminationError> {
        let step = self.tree.steps.len() as u32;
        let out = self.tensor(scope, layout, len, TensorOrigin::Step(step))?;
        for &input in &inputs {
            self.tree.tensors[input as usize].used_by = Some(step);
        }
        self.tree.steps.push(ContractionStep {
            inputs,
            out,
            products,
        });
        Ok(out)
    }
}

fn inputs_of(left: u32, right: Option<u32>) -> Box<[u32]> {
    match right {
        Some(right) => Box::new([left, right]),
        None => Box::new([left]),
    }
}
