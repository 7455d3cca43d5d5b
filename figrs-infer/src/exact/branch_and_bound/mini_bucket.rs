//! Upper bounds by mini-buckets: an elimination whose buckets are split to keep its tables small.

use figrs_core::Until;
use figrs_core::factor::{Factor, FactorGraph, VarId};
use figrs_core::internals::{LogTable, log_entry};

use super::bucket_order::BucketOrder;
use crate::exact::eliminate::{EliminationError, ProductOperand, Projector};

/// Maximum number of entries of all messages together; beyond it each is made smaller.
const ALL_ENTRIES: f64 = (1 << 26) as f64;

/// Some tables of one bucket, which are multiplied; the product of the maxima over all mini-buckets is a bound.
struct MiniBucket {
    /// Factors by position, then messages.
    tables: Vec<u32>,
    output: Vec<VarId>,
}

/// Plan of a bucket: its division into mini-buckets.
struct BucketPartition {
    mini_buckets: Vec<MiniBucket>,
    /// Variables that all mini-buckets have, over which their maxima are made equal.
    shared: Vec<VarId>,
}

/// The messages of a mini-bucket elimination.
///
/// The product of the messages that depend on nothing is an upper bound of the weights of all assignments.
#[derive(Debug)]
pub(super) struct MiniBuckets {
    messages: Vec<LogTable>,
}

impl MiniBuckets {
    /// Eliminates along `order` with joint tables of up to `limit` entries, or as many as the largest factor has.
    ///
    /// Before a bucket that was divided is maximised, the mini-buckets exchange weight until their maxima over the
    /// variables they share are equal, which leaves the product as it is and lowers the bound.
    ///
    /// **Complexity.** Two joint tables of that size for each mini-bucket.
    /// **References.** Dechter and Rish, *Mini-buckets: a general scheme for bounded inference*, Journal of the ACM 50(2),
    /// 2003; Ihler, Flerova, Dechter and Otten, *Join-graph based cost-shifting schemes*, UAI 2012, section 4.
    pub(super) fn new(
        graph: &FactorGraph,
        order: &BucketOrder,
        limit: usize,
        until: &Until,
    ) -> Result<Self, EliminationError> {
        // Tables as large as those there are anyway cost nothing.
        let largest = graph.factors.iter().map(Factor::entries).max();
        let mut limit = limit.max(largest.unwrap_or(1));
        let buckets = loop {
            let (buckets, entries) = divide(graph, order, limit);
            if entries <= ALL_ENTRIES || limit <= 1 {
                break buckets;
            }
            limit /= 2;
        };
        let mut this = Self {
            messages: Vec::new(),
        };
        let mut projector = Projector::new(graph, until.clone());
        for bucket in &buckets {
            let shifts = this.cost_shifts(graph, bucket, &mut projector)?;
            for (i, mini) in bucket.mini_buckets.iter().enumerate() {
                let mut pieces = this.operands(graph, mini);
                pieces.extend(
                    shifts
                        .get(i)
                        .map(|shift| ProductOperand::Logs(&bucket.shared, shift)),
                );
                let logs = projector.project(&pieces, &mini.output)?;
                this.messages
                    .push(LogTable::new(graph, mini.output.clone(), logs));
            }
        }
        Ok(this)
    }

    /// The natural logarithm of a weight that no assignment exceeds.
    pub(super) fn bound(&self, graph: &FactorGraph) -> f64 {
        let messages = self.messages.iter().filter(|table| table.scope.is_empty());
        let messages: f64 = messages.map(|table| table.logs[0]).sum();
        let scalars = graph
            .factors
            .iter()
            .filter(|factor| factor.variables.is_empty());
        messages
            + scalars
                .map(|factor| log_entry(graph, factor, &[]))
                .sum::<f64>()
    }

    fn operands<'a>(
        &'a self,
        graph: &'a FactorGraph,
        mini: &MiniBucket,
    ) -> Vec<ProductOperand<'a>> {
        let piece = |&id: &u32| match (id as usize).checked_sub(graph.factors.len()) {
            None => ProductOperand::Factor(&graph.factors[id as usize]),
            Some(message) => {
                let table = &self.messages[message];
                ProductOperand::Logs(&table.scope, &table.logs)
            }
        };
        mini.tables.iter().map(piece).collect()
    }

    /// Factors that make the maxima of all mini-buckets over the shared variables equal (cost shifting); empty if there is
    /// only one.
    fn cost_shifts(
        &self,
        graph: &FactorGraph,
        bucket: &BucketPartition,
        projector: &mut Projector<'_>,
    ) -> Result<Vec<Vec<f64>>, EliminationError> {
        if bucket.mini_buckets.len() < 2 {
            return Ok(Vec::new());
        }
        let mut maxima = Vec::with_capacity(bucket.mini_buckets.len());
        for mini in &bucket.mini_buckets {
            maxima.push(projector.project(&self.operands(graph, mini), &bucket.shared)?);
        }
        for cell in 0..maxima[0].len() {
            let sum: f64 = maxima.iter().map(|maxima| maxima[cell]).sum();
            let mean = sum / maxima.len() as f64;
            for maxima in &mut maxima {
                let own = &mut maxima[cell];
                // Where one mini-bucket has no weight, none needs any.
                *own = if *own == f64::NEG_INFINITY {
                    0.0
                } else {
                    mean - *own
                };
            }
        }
        Ok(maxima)
    }
}

/// Divides all buckets; returns the total number of entries of the messages as well.
fn divide(graph: &FactorGraph, order: &BucketOrder, limit: usize) -> (Vec<BucketPartition>, f64) {
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); graph.cardinalities.len()];
    let mut scopes: Vec<Vec<VarId>> = Vec::with_capacity(graph.factors.len());
    for (factor, id) in graph.factors.iter().zip(0..) {
        if let Some(v) = order.first(&factor.variables) {
            waiting[v.index()].push(id);
        }
        let mut scope = factor.variables.clone();
        scope.sort_unstable();
        scopes.push(scope);
    }
    let mut entries = 0.0;
    let mut buckets = Vec::with_capacity(order.order.len());
    for &v in &order.order {
        let mut tables = std::mem::take(&mut waiting[v.index()]);
        // Large scopes first; equal ones stay in order.
        tables.sort_by_key(|&id| std::cmp::Reverse(graph.dense_size(&scopes[id as usize])));
        let mut minis: Vec<MiniBucket> = Vec::new();
        for id in tables {
            let scope = &scopes[id as usize];
            let fitting = minis.iter_mut().find_map(|mini| {
                let union = union(&mini.output, scope);
                let fits = union.len() == mini.output.len() || graph.dense_size(&union) <= limit;
                fits.then_some((mini, union))
            });
            match fitting {
                Some((mini, union)) => {
                    mini.tables.push(id);
                    mini.output = union;
                }
                None => minis.push(MiniBucket {
                    tables: vec![id],
                    output: scope.clone(),
                }),
            }
        }
        let shared = shared_variables(graph, &minis, v, limit);
        for mini in &mut minis {
            mini.output.retain(|&u| u != v);
            shrink_scope(graph, &mut mini.output, limit);
            entries += graph.dense_size(&mini.output) as f64;
            if let Some(next) = order.first(&mini.output) {
                waiting[next.index()].push(scopes.len() as u32);
            }
            scopes.push(mini.output.clone());
        }
        buckets.push(BucketPartition {
            mini_buckets: minis,
            shared,
        });
    }
    (buckets, entries)
}

/// The variables that all mini-buckets have, as many as a table may have; `v` among them.
fn shared_variables(
    graph: &FactorGraph,
    minis: &[MiniBucket],
    v: VarId,
    limit: usize,
) -> Vec<VarId> {
    let mut shared = vec![v];
    let Some((first, others)) = minis.split_first() else {
        return shared;
    };
    for &u in &first.output {
        let everywhere = others
            .iter()
            .all(|mini| mini.output.binary_search(&u).is_ok());
        let size = graph
            .dense_size(&shared)
            .saturating_mul(graph.cardinality(u));
        if u != v && everywhere && size <= limit {
            shared.push(u);
        }
    }
    shared
}

/// Leaves variables out, those with the most values first, until a table over them fits.
fn shrink_scope(graph: &FactorGraph, scope: &mut Vec<VarId>, limit: usize) {
    while graph.dense_size(scope) > limit {
        let widest = scope
            .iter()
            .enumerate()
            .max_by_key(|(_, v)| graph.cardinality(**v));
        let Some((place, _)) = widest else {
            return;
        };
        scope.remove(place);
    }
}

fn union(a: &[VarId], b: &[VarId]) -> Vec<VarId> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::eliminate::as_if_dense;
    use crate::exact::eliminate::tests::{RANGES, generator, random_graph};

    /// The limit on all messages together is a number of entries.
    #[test]
    fn the_entries_of_messages_are_counted() {
        for seed in 0..60 {
            let graph = random_graph(&mut generator(seed), RANGES[seed as usize % RANGES.len()]);
            let buckets = as_if_dense(&graph, &Until::default()).expect("nothing stops it");
            let order = BucketOrder::new(graph.cardinalities.len(), &buckets);
            let largest = graph.factors.iter().map(Factor::entries).max();
            for limit in [1, 4, 16, 64].map(|limit| largest.unwrap_or(1).max(limit)) {
                let (_, counted) = divide(&graph, &order, limit);
                let sent = MiniBuckets::new(&graph, &order, limit, &Until::default())
                    .expect("small tables");
                let entries: usize = sent.messages.iter().map(|table| table.logs.len()).sum();
                assert_eq!(counted, entries as f64, "seed {seed}, tables of {limit}");
            }
        }
    }
}
