//! Contraction steps of one bucket, which multiply the tables two at a time, or all at once if that takes fewer products.

use rustc_hash::FxHashMap;

use crate::eliminate::EliminationError;
use crate::order::Bucket;

use super::multiply::Contraction;
use super::tensor::{MAX_LOG_ASSIGNMENTS, Rank, merged};
use super::thresholds::Thresholds;
use super::tree_builder::TreeBuilder;

/// Maximum number of tables of a bucket for which the best partner of each table is searched for.
const MAX_PARTNER_SEARCH: usize = 24;
/// Growth factor of the maximum number of products of two tables, from one attempt to join all tables of a bucket to the next attempt.
const GROWTH: f64 = 4.0;

impl TreeBuilder<'_> {
    /// Adds to the tree the steps that multiply the tables of `bucket`.
    ///
    /// Dense tables are multiplied two at a time, because a variable of only two tables is then summed out early. The product of two sparse tables
    /// may be far larger than the product of all tables of the bucket, in which the zeros of the other tables also take effect. If a product of two
    /// tables is larger than the plan predicts for the whole bucket, all remaining tables are joined at once, provided that this join takes fewer
    /// products.
    ///
    /// A message is not computed if its assignments are too many for numeric indices. If a message is not computed, the later bucket that needs it
    /// receives the tables of the earlier bucket, and sums out the variables of both buckets.
    pub(super) fn bucket(&mut self, bucket: &Bucket) -> Result<(), EliminationError> {
        for rank in bucket
            .eliminated
            .iter()
            .filter_map(|v| self.tree.ranks[v.index()])
        {
            self.is_eliminated[rank as usize] = true;
        }
        let mut tables = Vec::with_capacity(bucket.inputs.len());
        let mut predicted = bucket.joint.exp2();
        for id in &bucket.inputs {
            match self.put_off.remove(id) {
                Some((others, more)) => {
                    tables.extend(others);
                    predicted += more;
                }
                None => tables.push(self.made[*id as usize]),
            }
        }
        let output = bucket.output.iter();
        let output = output.filter_map(|v| self.tree.ranks[v.index()]);
        let log_size: f64 = output.map(|rank| self.log_cards[rank as usize]).sum();
        if log_size >= MAX_LOG_ASSIGNMENTS {
            self.put_off
                .insert(self.made.len() as u32, (tables, predicted));
            self.made.push(u32::MAX);
            return Ok(());
        }
        for &table in &tables {
            let scope = &self.tree.tensors[table as usize].scope;
            for &rank in self.tree.scopes.get(scope) {
                self.mentions[rank as usize] += 1;
            }
        }
        if tables.len() > MAX_PARTNER_SEARCH {
            tables = self.join_equals(tables)?;
        }
        tables.sort_by_key(|&t| std::cmp::Reverse((self.tree.tensor(t).len, t)));
        let Thresholds { few, excess, .. } = self.thresholds;
        let mut most = few.max(excess * predicted);
        while tables.len() > 1 {
            let smallest = tables.pop().unwrap_or_default();
            let partner = tables.remove(self.partner(smallest, &tables));
            let is_last = tables.is_empty();
            let limit = if is_last || !self.is_sparse {
                f64::INFINITY
            } else {
                most
            };
            let product = match self.multiply(partner, Some(smallest), limit)? {
                Contraction::Tensor(product) => product,
                Contraction::TooManyProducts(products) => {
                    let all = [&tables[..], &[partner, smallest]].concat();
                    if let Some(joined) = self.join_all(&all, products)? {
                        tables = vec![joined];
                        break;
                    }
                    most = GROWTH * products;
                    self.contract(partner, Some(smallest))?
                }
            };
            let len = self.tree.tensor(product).len;
            let place = tables.partition_point(|&t| self.tree.tensor(t).len >= len);
            tables.insert(place, product);
        }
        let mut last = tables[0];
        let mut scope = self.tree.scope(last).iter();
        if scope.any(|&rank| self.is_eliminated[rank as usize]) {
            last = self.contract(last, None)?;
        }
        let scope = &self.tree.tensors[last as usize].scope;
        for &rank in self.tree.scopes.get(scope) {
            self.mentions[rank as usize] = 0;
        }
        self.made.push(last);
        Ok(())
    }

    /// Multiplies the tables of `tables` with equal scopes, because a large bucket may have very many tables of one scope.
    fn join_equals(&mut self, tables: Vec<u32>) -> Result<Vec<u32>, EliminationError> {
        let mut by_scope: FxHashMap<Vec<Rank>, usize> = FxHashMap::default();
        let mut joined: Vec<u32> = Vec::new();
        for table in tables {
            let scope = self.tree.scope(table).to_vec();
            if let Some(&place) = by_scope.get(&scope) {
                joined[place] = self.contract(joined[place], Some(table))?;
                // The multiplication has summed out the variables that occur in no other table.
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

    /// Returns the index of the table of `tables` whose product with `table` is smallest.
    fn partner(&self, table: u32, tables: &[u32]) -> usize {
        if tables.len() == 1 || tables.len() > MAX_PARTNER_SEARCH {
            return tables.len() - 1;
        }
        let scope = self.tree.scope(table);
        let size = |&other: &u32| {
            let all = merged(scope, self.tree.scope(other));
            let log_size: f64 = all.map(|(rank, _)| self.log_cards[rank as usize]).sum();
            log_size + self.log_density(other)
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
}
