//! Contraction steps that join all remaining tables of a bucket at once.

use std::borrow::Cow;

use crate::algebra::Boolean;
use crate::graph::{FactorTable, VarId};

use crate::eliminate::{
    AssignmentLimits, EliminationError, EliminationTable, Entries, assignments,
};

use super::tensor::{
    AssignmentIndex, Layout, MAX_LOG_ASSIGNMENTS, Rank, TensorOrigin, union, values_of,
};
use super::tree_builder::TreeBuilder;

impl TreeBuilder<'_> {
    /// Adds the step that joins all tensors `tables` of a bucket at once and sums out the variables of the bucket. Returns `None` if the step takes
    /// more work than `most` products of two entries.
    pub(super) fn join_all(
        &mut self,
        tensors: &[u32],
        most: f64,
    ) -> Result<Option<u32>, EliminationError> {
        let listed = tensors.iter().map(|&t| self.listing(t)).map(|listing| {
            let Layout::Listed(numbers) = listing.layout else {
                return 0;
            };
            numbers.len() * listing.scope.len() * size_of::<u32>()
        });
        let listed: usize = listed.sum();
        self.memory.check(self.limits, listed as u64)?;
        let operands: Vec<_> = tensors.iter().filter_map(|&t| self.operand(t)).collect();
        let scopes = tensors.iter().map(|&t| self.tree.scope(t));
        let all = scopes.fold(Vec::new(), |all, scope| union(&all, scope));
        let is_kept = |rank: &Rank| !self.is_eliminated[*rank as usize];
        let out: Vec<Rank> = all.iter().copied().filter(is_kept).collect();
        if operands.is_empty() || self.log_size(&out) >= MAX_LOG_ASSIGNMENTS {
            return Ok(None);
        }
        let width = tensors.len() + 1;
        // Memory of each assignment in bytes before it becomes an entry; all assignments together may take as much memory as the largest table.
        let each = (all.len() + width) * size_of::<u32>() + size_of::<(AssignmentIndex, u32)>();
        let table = (self.budget * size_of::<f64>()) as u64;
        let room = self.limits.memory.map_or(table, |memory| {
            let left = memory.saturating_sub(self.memory.held() + listed as u64);
            left.min(table)
        });
        let fitting = (room / each as u64) as usize;
        let most = AssignmentLimits {
            assignments: ((self.thresholds.joined * most / width as f64) as usize).min(fitting),
            looked_at: (self.thresholds.joined * most) as usize,
        };
        let cards: Vec<usize> = all
            .iter()
            .map(|&rank| self.tree.cards[rank as usize] as usize)
            .collect();
        let variables = all.iter().map(|&rank| VarId(rank)).collect();
        let until = &self.limits.until;
        let rows = match assignments(operands, variables, cards, most, until) {
            Ok(rows) => rows,
            Err(EliminationError::TooManyOperations { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let count = rows.len() / all.len().max(1);
        (self.memory).check(self.limits, (listed + count * each) as u64)?;
        let (numbers, products) = self.products(tensors, &all, &out, &rows);
        for rank in &all {
            self.mentions[*rank as usize] = 0;
        }
        let tensor = self.listed(tensors.into(), &out, numbers, products)?;
        Ok(Some(tensor))
    }

    /// Returns, for a join of all tensors of a bucket, the product of the matching entries for each assignment in `rows`, and the sorted assignment
    /// indices of the entries of the result.
    fn products(
        &self,
        tensors: &[u32],
        all: &[Rank],
        out: &[Rank],
        rows: &[u32],
    ) -> (Vec<AssignmentIndex>, Vec<u32>) {
        // For each variable of a scope, its position in a row and its stride.
        let columns = |scope: &[Rank]| -> Vec<(usize, AssignmentIndex)> {
            let mut stride = 1;
            let column = |&rank: &Rank| {
                let place = (all.partition_point(|&r| r < rank), stride);
                stride *= AssignmentIndex::from(self.tree.cards[rank as usize]);
                place
            };
            scope.iter().rev().map(column).collect()
        };
        let number = |columns: &[(usize, AssignmentIndex)], row: &[u32]| -> AssignmentIndex {
            let digits = columns.iter();
            digits
                .map(|&(at, n)| AssignmentIndex::from(row[at]) * n)
                .sum()
        };
        let to = columns(out);
        let numbered = rows.chunks_exact(all.len()).zip(0u32..);
        let mut order: Vec<(AssignmentIndex, u32)> =
            numbered.map(|(row, i)| (number(&to, row), i)).collect();
        order.sort_unstable();
        let inputs: Vec<(Vec<(usize, AssignmentIndex)>, &Layout)> = tensors
            .iter()
            .map(|&t| (columns(self.tree.scope(t)), &self.tree.tensor(t).layout))
            .collect();
        let mut numbers: Vec<AssignmentIndex> = Vec::new();
        let mut products = Vec::with_capacity(order.len() * (tensors.len() + 1));
        for (result, i) in order {
            let row = &rows[i as usize * all.len()..][..all.len()];
            for (columns, layout) in &inputs {
                let number = number(columns, row);
                products.push(match layout {
                    Layout::Dense => number as u32,
                    Layout::Listed(numbers) => numbers.partition_point(|&n| n < number) as u32,
                });
            }
            if numbers.last() != Some(&result) {
                numbers.push(result);
            }
            products.push(numbers.len() as u32 - 1);
        }
        (numbers, products)
    }

    fn operand(&self, tensor: u32) -> Option<EliminationTable<'_, Boolean>> {
        if let TensorOrigin::Factor(i) = self.tree.tensor(tensor).origin {
            let factor = &self.graph.factors[i as usize];
            if let FactorTable::Function { index } = &factor.table {
                let rank = |v: &VarId| self.tree.ranks[v.index()].map(VarId);
                return Some(EliminationTable {
                    scope: factor.variables.iter().filter_map(rank).collect(),
                    entries: Entries::Function {
                        index: Cow::Borrowed(index),
                    },
                });
            }
        }
        let listing = self.listing(tensor);
        let Layout::Listed(numbers) = listing.layout else {
            return None;
        };
        if listing.scope.is_empty() {
            return None;
        }
        let mut rows = vec![0; numbers.len() * listing.scope.len()];
        for (row, &number) in rows.chunks_exact_mut(listing.scope.len()).zip(&**numbers) {
            let values = values_of(number, listing.scope, &self.tree.cards);
            for (place, (_, value)) in row.iter_mut().rev().zip(values) {
                *place = value;
            }
        }
        Some(EliminationTable {
            scope: listing.scope.iter().map(|&rank| VarId(rank)).collect(),
            entries: Entries::Sparse {
                rows: Cow::Owned(rows),
                weights: Cow::Owned(vec![true; numbers.len()]),
            },
        })
    }
}
