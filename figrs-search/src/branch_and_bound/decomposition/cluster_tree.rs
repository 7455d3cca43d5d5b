//! Tree decomposition of the variables into clusters with small separators.

use figrs_factor::Until;
use figrs_factor::graph::VarId;

use super::super::cost_table::CostTables;
use figrs_factor::eliminate::EliminationError;
use figrs_factor::order::{SymbolicElimination, eliminate_candidates};

/// Maximum number of memory words that the search for an elimination order may read; reading them takes some tens of milliseconds.
const ORDER_WORK: u64 = 4_000_000;

/// Limits on the size and the depth of the clusters in a tree decomposition.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ClusterLimits {
    /// Maximum number of variables of a separator in the tree decomposition; `assignments` is the maximum number of joint values of these variables.
    pub(super) separator: usize,
    pub(super) assignments: usize,
    pub(super) least_own: usize,
    /// Maximum depth of the tree decomposition; deeper clusters are merged into their parents.
    pub(super) depth: usize,
}

/// Limits on the tree decomposition for which a search along it saves time.
pub(in super::super) const WORTHWHILE: ClusterLimits = ClusterLimits {
    separator: 8,
    assignments: 1 << 12,
    least_own: 8,
    depth: 24,
};

/// A cluster of variables in a tree decomposition, with its separator to the parent cluster. The separator of a cluster has the variables of its
/// ancestors that occur in cost functions of the cluster or of its descendants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cluster {
    pub(super) own: Vec<u32>,
    pub(super) separator: Vec<u32>,
    /// The index of the parent cluster in the tree decomposition; `None` for the root.
    pub(super) above: Option<usize>,
}

/// Returns the clusters of a tree decomposition, parents before children.
///
/// In the tree decomposition, each variable is in one cluster, and the variables of each cost function are in one cluster and its separator.
///
/// The buckets of variable elimination are merged with their parent buckets until all separators are small. Returns `None` if fewer than two clusters
/// of variables remain.
///
/// **Errors.** [`EliminationError::Interrupted`] if the search for an elimination order is stopped.
pub(super) fn clusters(
    tables: &CostTables,
    limits: ClusterLimits,
    until: &Until,
) -> Result<Option<Vec<Cluster>>, EliminationError> {
    let n = tables.sizes.len();
    let scopes = tables.scopes().filter(|scope| scope.len() > 1);
    let scopes = scopes.map(|scope| scope.iter().map(|&v| VarId(v)).collect());
    let mut symbolic = SymbolicElimination::of_scopes(&tables.sizes, scopes, &[]);
    let all: Vec<VarId> = (0..n as u32).map(VarId).collect();
    eliminate_candidates(&mut symbolic, &all, ORDER_WORK, until)?;
    let buckets = symbolic.buckets.iter().map(|bucket| Cluster {
        own: bucket.eliminated.iter().map(|v| v.0).collect(),
        separator: bucket.output.iter().map(|v| v.0).collect(),
        above: None,
    });
    Ok(merged(tables, buckets.collect(), limits))
}

/// Merges the buckets of an elimination order into clusters of a tree decomposition.
fn merged(
    tables: &CostTables,
    mut buckets: Vec<Cluster>,
    limits: ClusterLimits,
) -> Option<Vec<Cluster>> {
    let n = tables.sizes.len();
    let mut bucket_of = vec![usize::MAX; n];
    for (b, bucket) in buckets.iter().enumerate() {
        for &v in &bucket.own {
            bucket_of[v as usize] = b;
        }
    }
    if bucket_of.contains(&usize::MAX) {
        return None;
    }
    // For each bucket, its parent: the bucket that receives its message.
    let mut above: Vec<Option<usize>> = buckets
        .iter()
        .map(|bucket| {
            bucket
                .separator
                .iter()
                .map(|&v| bucket_of[v as usize])
                .min()
        })
        .collect();
    if above.iter().filter(|above| above.is_none()).count() != 1 {
        return None;
    }
    let mut is_merged = vec![false; buckets.len()];
    for b in 0..buckets.len() {
        let Some(to) = above[b] else {
            continue;
        };
        let bucket = &buckets[b];
        let is_small = bucket.separator.len() <= limits.separator
            && tables.entries(&bucket.separator) <= limits.assignments;
        if !is_small || bucket.own.len() < limits.least_own {
            merge(&mut buckets, b, to);
            is_merged[b] = true;
        }
    }
    // In the list of buckets, children come before their parents.
    let mut depth = vec![0; buckets.len()];
    for b in (0..buckets.len()).rev() {
        let mut at = above[b];
        while let Some(to) = at.filter(|&to| is_merged[to]) {
            at = above[to];
        }
        above[b] = at;
        if let Some(to) = at {
            depth[b] = depth[to] + usize::from(!is_merged[b]);
        }
    }
    for b in 0..buckets.len() {
        if let Some(to) = above[b].filter(|_| !is_merged[b] && depth[b] > limits.depth) {
            merge(&mut buckets, b, to);
            is_merged[b] = true;
        }
    }
    let mut place = vec![usize::MAX; buckets.len()];
    let mut clusters = Vec::new();
    for b in (0..buckets.len()).rev().filter(|&b| !is_merged[b]) {
        place[b] = clusters.len();
        let mut cluster = std::mem::take(&mut buckets[b]);
        cluster.own.sort_unstable();
        cluster.separator.sort_unstable();
        cluster.above = above[b].map(|to| place[to]);
        clusters.push(cluster);
    }
    (clusters.len() > 1).then_some(clusters)
}

fn merge(buckets: &mut [Cluster], from: usize, to: usize) {
    let own = std::mem::take(&mut buckets[from].own);
    buckets[to].own.extend(own);
}
