//! Collapsing: sums out variables of a factor graph exactly, so that the chains draw only the remaining variables.

use std::collections::BTreeSet;

use figrs_factor::algebra::log_sum;
use figrs_factor::graph::{LogTable, VarId};

use super::prepare::{DENSE, PreparedGraph, WeightFactor};

impl PreparedGraph<'_> {
    /// Sums out free variables until the sum over each further variable would have more than `entries` entries, or more than [`DENSE`] terms;
    /// variables with the smallest sums are summed out first. The variables in `kept` remain, and so do arguments of functions that are still
    /// computed. Functions whose value no factor and no other function needs are left out. Returns the number of variables that were summed out.
    pub(super) fn collapse(&mut self, kept: &[usize], entries: usize) -> u64 {
        let needed = self.leave_out_functions(kept);
        let n = needed.len();
        let mut factors: Vec<Option<WeightFactor>> = std::mem::take(&mut self.weight_factors)
            .into_iter()
            .map(Some)
            .collect();
        let mut mentions: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, factor) in factors.iter().enumerate() {
            let scope = factor.iter().flat_map(|factor| self.scope(factor));
            scope.for_each(|v| mentions[v].push(i));
        }
        let is_candidate =
            |v: usize| !needed[v] && self.definitions[v].is_none() && !self.left_out[v];
        let candidates: Vec<bool> = (0..n).map(is_candidate).collect();
        let mut values = vec![0; n];
        let mut sizes: Vec<Option<usize>> = vec![None; n];
        let mut queue: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut changed: Vec<usize> = (0..n).filter(|&v| candidates[v]).collect();
        let mut summed = 0;
        loop {
            for v in changed
                .drain(..)
                .filter(|&v| candidates[v] && !self.left_out[v])
            {
                if let Some(old) = sizes[v].take() {
                    queue.remove(&(old, v));
                }
                sizes[v] = rest_of(v, &mentions[v], &factors)
                    .map(|scope| self.graph.dense_size(&scope))
                    .filter(|size| {
                        *size <= entries
                            && size.saturating_mul(self.graph.cardinalities[v] as usize) <= DENSE
                    });
                queue.extend(sizes[v].map(|size| (size, v)));
            }
            let Some((_, v)) = queue.pop_first() else {
                break;
            };
            let Some(scope) = rest_of(v, &mentions[v], &factors) else {
                continue;
            };
            let tables: Vec<LogTable> = mentions[v]
                .iter()
                .filter_map(|&i| match factors[i].take() {
                    Some(WeightFactor::Dense(table)) => Some(table),
                    _ => None,
                })
                .collect();
            let mut logs = vec![0.0; self.graph.cardinalities[v] as usize];
            let sum = LogTable::tabulate(self.graph, scope, &mut values, |values| {
                for (x, log) in (0..).zip(&mut logs) {
                    values[v] = x;
                    *log = tables.iter().map(|table| table.at(values)).sum();
                }
                log_sum(logs.iter().copied())
            });
            let i = factors.len();
            for u in sum.scope.iter().map(|u| u.index()) {
                mentions[u].retain(|&i| factors[i].is_some());
                mentions[u].push(i);
                changed.push(u);
            }
            factors.push(Some(WeightFactor::Dense(sum)));
            self.left_out[v] = true;
            summed += 1;
        }
        self.weight_factors = factors.into_iter().flatten().collect();
        self.merge();
        summed
    }

    /// Leaves out the functions whose value no table, no other function and no variable in `kept` needs. For each variable, returns whether the
    /// variable is in `kept` or is an argument of a remaining function.
    fn leave_out_functions(&mut self, kept: &[usize]) -> Vec<bool> {
        let mut needed = vec![false; self.definitions.len()];
        for &v in kept {
            needed[v] = true;
        }
        for &v in self.order.iter().rev() {
            if self.folded[v] && !needed[v] {
                self.definitions[v] = None;
                self.left_out[v] = true;
            }
            let definition = self.definitions[v].iter();
            let parents = definition.flat_map(|definition| &definition.parents);
            parents.for_each(|&p| needed[p] = true);
        }
        needed
    }
}

/// Returns the variables other than `v` in the tables that contain `v`, in ascending order; `None` if one of the factors that contain `v` has no
/// table.
fn rest_of(v: usize, mentions: &[usize], factors: &[Option<WeightFactor>]) -> Option<Vec<VarId>> {
    let mut scope = Vec::new();
    for factor in mentions.iter().filter_map(|&i| factors[i].as_ref()) {
        let WeightFactor::Dense(table) = factor else {
            return None;
        };
        scope.extend(table.scope.iter().filter(|u| u.index() != v));
    }
    scope.sort_unstable();
    scope.dedup();
    Some(scope)
}
