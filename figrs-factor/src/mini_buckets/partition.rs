//! Division of buckets into mini-buckets of bounded size.

use crate::graph::{FactorGraph, VarId};

use super::bucket_order::BucketOrder;

/// A mini-bucket: some tables of one bucket, which are multiplied together.
#[derive(Debug)]
pub struct MiniBucket {
    /// The indices of the tables of the mini-bucket; factors have the first indices, and messages follow.
    pub tables: Vec<u32>,
    /// The variables of the mini-bucket's message.
    pub output: Vec<VarId>,
    /// `true` if variables were removed from the scope of the message to fit the limit; the mini-bucket then eliminates more than one variable.
    pub is_shrunk: bool,
}

/// Plan of a bucket: its division into mini-buckets.
#[derive(Debug)]
pub struct BucketPartition {
    /// The variable that the bucket eliminates.
    pub variable: VarId,
    /// The mini-buckets of the bucket.
    pub mini_buckets: Vec<MiniBucket>,
    /// Variables that occur in all mini-buckets of the bucket; cost shifting makes the projections to these variables proportional.
    pub shared: Vec<VarId>,
}

/// Divides all buckets into mini-buckets. Returns the plan of each bucket, and the total number of entries of all messages.
pub fn divide(
    graph: &FactorGraph,
    order: &BucketOrder,
    limit: usize,
) -> (Vec<BucketPartition>, f64) {
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
        // Tables with large scopes come first; tables of equal size keep their order.
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
                    is_shrunk: false,
                }),
            }
        }
        let shared = shared_variables(graph, &minis, v, limit);
        for mini in &mut minis {
            mini.output.retain(|&u| u != v);
            let variables = mini.output.len();
            shrink_scope(graph, &mut mini.output, limit);
            mini.is_shrunk = mini.output.len() < variables;
            entries += graph.dense_size(&mini.output) as f64;
            if let Some(next) = order.first(&mini.output) {
                waiting[next.index()].push(scopes.len() as u32);
            }
            scopes.push(mini.output.clone());
        }
        buckets.push(BucketPartition {
            variable: v,
            mini_buckets: minis,
            shared,
        });
    }
    (buckets, entries)
}

/// Returns the variables that all mini-buckets `minis` contain, including `v`. Omits some of the shared variables if a table over all of them would
/// exceed `limit` entries.
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

/// Removes variables from `scope` (the variables with the most values first) until a table over `scope` has at
/// most `limit` entries.
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
