//! The subproblem of a cluster in a tree decomposition and its descendants, as a network of cost functions. For each assignment of the cluster's
//! separator, a record holds bounds and open nodes of the subproblem.

use figrs_factor::Until;
use figrs_factor::graph::Assignments;
use rustc_hash::FxHashMap;

use super::super::component::ComponentLimits;
use super::super::cost_table::{CostTable, CostTables};
use super::super::network::{Decision, Network};
use super::super::search::{BestFirst, OpenNodes};
use super::cluster_tree::Cluster;

/// The network of a cluster is rebuilt when the number of increases of its child clusters' lower bounds has grown by one part in `RISES`.
const RISES: u64 = 4;

/// Number of bytes of the record for an assignment of a cluster's separator, without the lists in the record.
const RECORD: usize = 128;

/// Bounds and open search nodes of a cluster's subproblem for one assignment of its separator.
#[derive(Debug)]
pub(super) struct Record {
    /// Lower bound of the cost of the cluster's subproblem.
    pub(super) lower: i64,
    /// The lower bound of the subproblem when its record was last stored.
    known: i64,
    /// The best known assignment of all variables of the subproblem; `upper` is its cost.
    pub(super) best: Option<Vec<u32>>,
    pub(super) upper: i64,
    pub(super) open: OpenNodes,
    /// Lower bound of the costs in the open search nodes that have been dropped to save memory.
    pub(super) dropped: i64,
    /// The number of search steps so far for this assignment of the separator.
    pub(super) work: u64,
}

impl Record {
    /// Returns true if all assignments that have not been found cost at least the upper bound `upper`.
    pub(super) fn is_closed(&self, upper: i64) -> bool {
        self.lower >= upper.min(self.upper)
    }

    fn bytes(&self, separator: usize) -> usize {
        let values = separator + self.best.as_ref().map_or(0, Vec::len);
        RECORD + size_of::<u32>() * values + self.open.bytes()
    }
}

/// A child of a cluster in a tree decomposition, with the indices of its variables in the parent's subproblem.
#[derive(Debug)]
pub(super) struct Below {
    pub(super) subproblem: usize,
    /// The indices in the parent's subproblem of the variables of the child cluster's separator.
    pub(super) separator: Vec<u32>,
    /// The indices in the parent's subproblem of all variables of the child cluster's subproblem.
    pub(super) places: Vec<u32>,
}

/// The subproblem of a cluster: the variables and cost functions of the cluster and of all its descendants in the tree decomposition. The variables
/// of a cluster's subproblem are listed in this order: separator, cluster, descendants.
///
/// The network of cost functions of a subproblem contains the variables of the separator and of the cluster. The network has the cluster's own cost
/// functions and, for each child cluster, a function that maps the assignments of the child's separator to lower bounds.
#[derive(Debug)]
pub(super) struct Subproblem {
    /// For each variable of the subproblem, its index in the connected component.
    pub(super) names: Vec<u32>,
    separator: usize,
    /// The cost functions of the cluster without those of its descendants, over the variables of the network.
    pub(super) own: CostTables,
    pub(super) below: Vec<Below>,
    pub(super) search: BestFirst,
    limits: ComponentLimits,
    /// A lower bound of the cost of the subproblem that is valid for every assignment of the separator.
    lower: i64,
    records: FxHashMap<Vec<u32>, Record>,
    pub(super) bytes: usize,
    /// Number of times that the lower bound of the subproblem has risen for an assignment of the separator.
    pub(super) rises: u64,
    /// The sum of `rises` over the child clusters at the time when the network was built.
    known_rises: u64,
}

/// The clusters of a tree decomposition with their cost functions, from which the networks of subproblems are built.
pub(super) struct ClusterFunctions<'a> {
    pub(super) tables: &'a CostTables,
    pub(super) clusters: &'a [Cluster],
    /// For each cluster, the indices of its cost functions; functions with dense tables have lower indices than listed functions.
    functions: Vec<Vec<usize>>,
    /// For each cluster of the tree decomposition, the cluster itself, followed by all its descendants.
    below: Vec<Vec<usize>>,
}

impl<'a> ClusterFunctions<'a> {
    pub(super) fn new(tables: &'a CostTables, clusters: &'a [Cluster]) -> Self {
        let mut cluster_of = vec![0; tables.sizes.len()];
        for (c, cluster) in clusters.iter().enumerate() {
            for &v in &cluster.own {
                cluster_of[v as usize] = c;
            }
        }
        let mut below: Vec<Vec<usize>> = (0..clusters.len()).map(|c| vec![c]).collect();
        for (c, cluster) in clusters.iter().enumerate().rev() {
            if let Some(above) = cluster.above {
                let own = below[c].clone();
                below[above].extend(own);
            }
        }
        let mut functions = vec![Vec::new(); clusters.len()];
        let scopes = tables.tables.iter().map(|table| &table.scope);
        let scopes = scopes.chain(tables.listed.iter().map(|listed| &listed.scope));
        for (f, scope) in scopes.enumerate() {
            // The clusters of a function's variables lie on one path from the root, and parents have smaller indices.
            let lowest = scope.iter().map(|&v| cluster_of[v as usize]).max();
            functions[lowest.unwrap_or(0)].push(f);
        }
        Self {
            tables,
            clusters,
            functions,
            below,
        }
    }

    /// Returns the cost functions of the cluster `cluster`, with variables given by their indices in the cluster's subproblem.
    fn part(&self, cluster: usize, names: &[u32]) -> CostTables {
        let mut place = vec![u32::MAX; self.tables.sizes.len()];
        for (&v, i) in names.iter().zip(0..) {
            place[v as usize] = i;
        }
        let mut part = CostTables {
            sizes: names
                .iter()
                .map(|&v| self.tables.sizes[v as usize])
                .collect(),
            ..CostTables::default()
        };
        for &f in &self.functions[cluster] {
            let name = |v: u32| place[v as usize];
            match f.checked_sub(self.tables.tables.len()) {
                None => part
                    .tables
                    .push(self.tables.tables[f].renamed(&self.tables.sizes, name)),
                Some(listed) => part.listed.push(self.tables.listed[listed].renamed(name)),
            }
        }
        part
    }
}

impl Subproblem {
    /// Creates the subproblem of the cluster `c`; returns `None` if its network of cost functions has no assignment below the upper bound, or if the
    /// deadline has passed.
    pub(super) fn new(
        all: &ClusterFunctions<'_>,
        c: usize,
        limits: ComponentLimits,
        until: &Until,
    ) -> Option<Self> {
        let names_of = |c: usize| {
            let own = all.below[c].iter().flat_map(|&d| &all.clusters[d].own);
            let separator = all.clusters[c].separator.iter();
            separator.chain(own).copied().collect::<Vec<u32>>()
        };
        let names = names_of(c);
        let mut place = vec![u32::MAX; all.tables.sizes.len()];
        for (&v, i) in names.iter().zip(0..) {
            place[v as usize] = i;
        }
        let places = |names: &[u32]| names.iter().map(|&v| place[v as usize]).collect();
        let children = all.below[c].iter().copied();
        let children = children.filter(|&d| all.clusters[d].above == Some(c));
        let below: Vec<Below> = children
            .map(|d| Below {
                subproblem: d,
                separator: places(&all.clusters[d].separator),
                places: places(&names_of(d)),
            })
            .collect();
        let separator = all.clusters[c].separator.len();
        let mut own = all.part(c, &names[..separator + all.clusters[c].own.len()]);
        if all.clusters[c].above.is_none() {
            own.constant = all.tables.constant;
        }
        let network = network(&own, separator, &below, limits, until)?;
        let mut search = BestFirst::new(network, 0, limits.memory);
        search.is_partial = !below.is_empty();
        Some(Self {
            names,
            separator,
            own,
            below,
            limits,
            lower: search.network.lower,
            search,
            records: FxHashMap::default(),
            bytes: 0,
            rises: 0,
            known_rises: 0,
        })
    }

    /// True if the lower bounds of the child clusters have risen often enough to build the cluster's network again.
    pub(super) fn is_outdated(&self, rises: u64) -> bool {
        rises > self.known_rises + self.known_rises / RISES + self.below.len() as u64
    }

    /// Rebuilds the cluster's network of cost functions with `bounds`, the new lower bounds of the child clusters.
    pub(super) fn renew(&mut self, bounds: Vec<CostTable>, rises: u64, until: &Until) {
        self.known_rises = rises;
        let mut tables = self.own.clone();
        tables.tables.extend(bounds);
        if let Some(network) = network(&tables, self.separator, &self.below, self.limits, until) {
            self.lower = self.lower.max(network.lower);
            self.search.renew(network);
        }
    }

    pub(super) fn separator_sizes(&self) -> &[u32] {
        &self.own.sizes[..self.separator]
    }

    /// Returns the lower bounds of the subproblem for all assignments of the separator, as a cost table over the variables `names`.
    pub(super) fn bound_table(&self, names: &[u32]) -> CostTable {
        let sizes = self.separator_sizes();
        let all = Assignments::rows(sizes.iter().map(|&size| size as usize));
        let mut assignment = vec![0; sizes.len()];
        let mut cells = Vec::new();
        loop {
            cells.push(self.bounds(&assignment).0);
            if all.advance(&mut assignment).is_none() {
                break;
            }
        }
        let scope = (0..sizes.len() as u32).collect();
        CostTable { scope, cells }.renamed(sizes, |v| names[v as usize])
    }

    /// Removes and returns the record for the assignment `assignment` of the separator; returns a new record if none is stored.
    pub(super) fn take(&mut self, assignment: &[u32]) -> Record {
        let Some(mut record) = self.records.remove(assignment) else {
            return Record {
                lower: self.lower,
                known: self.lower,
                best: None,
                upper: i64::MAX,
                open: OpenNodes::root(self.lower),
                dropped: i64::MAX,
                work: 0,
            };
        };
        self.bytes -= record.bytes(self.separator);
        record.lower = record.lower.max(self.lower);
        record
    }

    pub(super) fn keep(&mut self, assignment: Vec<u32>, record: Record) {
        self.bytes += record.bytes(self.separator);
        let is_worth = |before: i64| record.lower - before > self.limits.worthwhile;
        self.rises += u64::from(is_worth(record.known));
        let record = Record {
            known: record.lower,
            ..record
        };
        self.records.insert(assignment, record);
    }

    /// Returns the lower bound, the upper bound and the number of steps of the subproblem for the assignment `assignment` of the separator.
    pub(super) fn bounds(&self, assignment: &[u32]) -> (i64, i64, u64) {
        let record = self.records.get(assignment);
        record.map_or((self.lower, i64::MAX, 0), |record| {
            (record.lower.max(self.lower), record.upper, record.work)
        })
    }

    /// Returns the best known assignment of the subproblem's variables for the assignment `assignment` of the separator.
    pub(super) fn best(&self, assignment: &[u32]) -> Option<&[u32]> {
        self.records.get(assignment)?.best.as_deref()
    }

    pub(super) fn forget(&mut self) {
        self.records.clear();
        self.bytes = 0;
    }

    /// Returns the search decisions that give the separator's variables the values `assignment`.
    pub(super) fn decisions(assignment: &[u32]) -> Vec<Decision> {
        let values = (0..).zip(assignment);
        values
            .map(|(v, &value)| Decision::Assign(v, value))
            .collect()
    }
}

/// Creates the network of cost functions of a cluster, which does not simplify variables of the separator or of the children's separators. Returns
/// `None` if the network of cost functions has no assignment below the upper bound, or if the deadline has passed.
fn network(
    tables: &CostTables,
    separator: usize,
    below: &[Below],
    limits: ComponentLimits,
    until: &Until,
) -> Option<Network> {
    let mut network = Network::new(tables, limits.upper, limits.worthwhile);
    let asked = below.iter().flat_map(|below| &below.separator);
    for v in (0..separator as u32).chain(asked.copied()) {
        network.kept[v as usize] = true;
    }
    network.propagate_until(until).ok()?;
    (!until.is_over()).then_some(network)
}
