//! Hybrid best-first search (best-first with depth-first probes) along a tree decomposition.

use figrs_factor::Until;
use figrs_factor::graph::Assignments;

use super::super::component::ComponentLimits;
use super::super::cost_table::{CostTable, CostTables, FORBIDDEN, add};
use super::super::search::{OpenNodes, SearchState};
use super::cluster_tree::{ClusterLimits, clusters};
use super::subproblem::{ClusterFunctions, Record, Subproblem};

/// Maximum fraction of all variables that the largest cluster may contain, as numerator and denominator.
const LARGEST: (usize, usize) = (3, 4);

/// Divisors that split the memory limit: for the records of all separators, for the open nodes of the root cluster (`ROOT_NODES`), and for the open
/// nodes of each other cluster (`NODES`).
const RECORDS: usize = 4;
const ROOT_NODES: usize = 4;
const NODES: usize = 64;

/// Minimum number of steps that a search spends on a subproblem at a time; afterwards, the search continues at another node of the parent cluster.
///
/// A later visit of a subproblem takes as many search steps as all earlier visits together.
const LEAST_WORK: u64 = 1 << 12;

/// Maximum number of assignments of a separator for which bottom-up rounds search the subproblem. Each bottom-up round of the search allows `GROWTH`
/// times as many steps as the previous round.
const FEW: usize = 1 << 8;
const GROWTH: u64 = 4;

const WORK_IN_A_ROW: u64 = 1 << 14;

/// A search along a tree decomposition for the best assignment of a connected component. For given values of a cluster's variables, its child
/// clusters in the tree decomposition are independent of each other.
///
/// Each cluster has a network of its own cost functions and, for each child cluster, a function of the child's separator that gives the child's lower
/// bound. For given values of the separator, a hybrid best-first search assigns the variables of the cluster. After all variables of the cluster have
/// values, the child clusters are searched for as many steps as in all their earlier searches together. If a child cluster is not solved to the end,
/// the search node is stored with a larger lower bound. The results and the open search nodes are stored for each assignment of a cluster's
/// separator.
///
/// One half of the search steps belongs to the search of the root cluster, which also searches its descendants. The other half of the search steps
/// belongs to a search through the assignments of small separators from the leaves to the root, which raises the lower bounds of the parents (Russian
/// doll search).
///
/// **References.** Terrioux and Jégou, *Bounded backtracking for the valued constraint satisfaction problems*, CP 2003; de Givry, Schiex and
/// Verfaillie, *Exploiting tree decomposition and soft local consistency in weighted CSP*, AAAI 2006; Sanchez, Allouche, de Givry and Schiex,
/// *Russian doll search with tree decomposition*, IJCAI 2009; Allouche, de Givry, Katsirelos, Schiex and Zytnicki, *Anytime hybrid best-first search
/// with tree decomposition for weighted CSP*, CP 2015.
#[derive(Debug)]
pub(in super::super) struct TreeSearch {
    subproblems: Vec<Subproblem>,
    /// Upper bound of the cost: the search ignores assignments that cost `upper` or more.
    upper: i64,
    /// The best assignment of the component that the search has found since its last report, and its cost.
    pub(in super::super) best: Option<(Vec<u32>, i64)>,
    lower: i64,
    pub(in super::super) work: u64,
    /// Maximum number of bytes of the records of assignments of separators.
    memory: usize,
    /// Minimum number of steps that the search spends on a subproblem at a time; the minimum is doubled whenever records are dropped to save memory.
    least_work: u64,
    upwards: Upwards,
}

/// A bottom-up round: a search through all assignments of small separators, from the leaves to the root.
#[derive(Debug)]
struct Upwards {
    /// The current cluster of the bottom-up round, and the next assignment of its separator.
    cluster: usize,
    assignment: Option<Vec<u32>>,
    /// Number of search steps that the bottom-up round allows for each assignment of a separator.
    allowed: u64,
    /// The total number of search steps of all bottom-up rounds.
    work: u64,
    /// True if the subproblem for some assignment of a separator was not solved in this bottom-up round.
    is_open: bool,
}

impl TreeSearch {
    /// Creates the search of a connected component; returns `None` if it has no suitable tree decomposition, or if the deadline passes.
    pub(in super::super) fn new(
        tables: &CostTables,
        shape: ClusterLimits,
        limits: ComponentLimits,
        until: &Until,
    ) -> Option<Self> {
        let clusters = clusters(tables, shape, until).ok()??;
        let largest = clusters.iter().map(|cluster| cluster.own.len()).max()?;
        if largest * LARGEST.1 > tables.sizes.len() * LARGEST.0 {
            return None;
        }
        let functions = ClusterFunctions::new(tables, &clusters);
        let subproblems = (0..clusters.len()).map(|c| {
            let part = if c == 0 { ROOT_NODES } else { NODES };
            let limits = ComponentLimits {
                memory: limits.memory / part,
                ..limits
            };
            Subproblem::new(&functions, c, limits, until)
        });
        let subproblems: Vec<Subproblem> = subproblems.collect::<Option<_>>()?;
        let (lower, _, _) = subproblems[0].bounds(&[]);
        Some(Self {
            upwards: Upwards {
                cluster: subproblems.len() - 1,
                assignment: None,
                allowed: LEAST_WORK,
                work: 0,
                is_open: false,
            },
            subproblems,
            upper: limits.upper,
            best: None,
            lower,
            work: 0,
            memory: limits.memory / RECORDS,
            least_work: LEAST_WORK,
        })
    }

    /// Returns a lower bound of the costs of all assignments of the component, except possibly of the best known assignment.
    pub(in super::super) fn lower(&self) -> i64 {
        self.lower.min(self.upper)
    }

    /// Takes the assignment `values` of the component as a hint for the order of values, and `upper` as the new upper bound of the cost.
    pub(in super::super) fn adopt(&mut self, values: &[u32], upper: i64) {
        self.upper = self.upper.min(upper);
        for subproblem in &mut self.subproblems {
            let own = subproblem.names.iter().map(|&v| values[v as usize]);
            subproblem.search.hint = Some(own.collect());
        }
    }

    /// True if records for assignments of separators have been dropped to save memory.
    #[cfg(test)]
    pub(super) fn has_forgotten(&self) -> bool {
        self.least_work > LEAST_WORK
    }

    /// Searches along the tree decomposition until `work` steps have been taken, the deadline has passed, or a better assignment is found.
    pub(in super::super) fn advance(&mut self, work: u64, until: &Until) -> SearchState {
        let (began, limit) = (self.work, self.work.saturating_add(work));
        if self.upwards.work <= self.work / 2 {
            self.go_upwards(limit, until);
            self.upwards.work += (self.work - began).max(1);
        } else {
            self.narrow(0, Vec::new(), self.upper, limit, until);
        }
        let (lower, upper, _) = self.subproblems[0].bounds(&[]);
        self.lower = self.lower.max(lower);
        if upper < self.upper {
            self.upper = upper;
            if let Some(best) = self.subproblems[0].best(&[]) {
                let names = &self.subproblems[0].names;
                let mut values = vec![0; names.len()];
                for (&v, &value) in names.iter().zip(best) {
                    values[v as usize] = value;
                }
                self.best = Some((values, upper));
                return SearchState::Improved;
            }
        }
        let bytes = self
            .subproblems
            .iter()
            .map(|part| part.bytes)
            .sum::<usize>();
        if bytes > self.memory {
            self.subproblems[1..]
                .iter_mut()
                .for_each(Subproblem::forget);
            self.least_work = self.least_work.saturating_mul(2);
        }
        if self.lower >= self.upper {
            SearchState::Finished
        } else {
            SearchState::Paused
        }
    }

    /// Searches the subproblem of each cluster for each assignment of its separator, from the leaves to the root, until `limit` steps have been
    /// taken.
    fn go_upwards(&mut self, limit: u64, until: &Until) {
        while self.work < limit && !until.is_over() {
            let c = self.upwards.cluster;
            if c == 0 {
                if !self.upwards.is_open {
                    // All relevant bounds of the clusters are exact; the remaining steps belong to the search of the root cluster.
                    self.upwards.work = u64::MAX / 4;
                    return;
                }
                self.upwards.is_open = false;
                self.upwards.cluster = self.subproblems.len() - 1;
                self.upwards.allowed = self.upwards.allowed.saturating_mul(GROWTH);
                continue;
            }
            let sizes = self.subproblems[c].separator_sizes();
            let joint = sizes.iter().map(|&size| size as usize);
            if joint.clone().fold(1, usize::saturating_mul) > FEW {
                self.upwards.cluster -= 1;
                continue;
            }
            let assignment = self.upwards.assignment.take();
            let assignment = assignment.unwrap_or_else(|| vec![0; sizes.len()]);
            let mut next = assignment.clone();
            if Assignments::rows(joint).advance(&mut next).is_some() {
                self.upwards.assignment = Some(next);
            } else {
                self.upwards.cluster -= 1;
            }
            let (lower, upper, _) = self.subproblems[c].bounds(&assignment);
            // An assignment of the subproblem above this cost cannot improve the whole assignment, because the other clusters cost at least their
            // lower bounds.
            let useful = add(lower, self.upper - self.lower()).min(self.upper);
            let allowed = self.work.saturating_add(self.upwards.allowed).min(limit);
            self.work += 1;
            if lower < upper && lower < self.upper {
                self.narrow(c, assignment.clone(), useful, allowed, until);
                let (lower, upper, _) = self.subproblems[c].bounds(&assignment);
                self.upwards.is_open |= lower < upper.min(useful);
            }
        }
    }

    /// Rebuilds the network of cost functions of the cluster `c` if the lower bounds of its child clusters have risen enough.
    fn renew(&mut self, c: usize, until: &Until) {
        let below = &self.subproblems[c].below;
        let rises = below
            .iter()
            .map(|below| self.subproblems[below.subproblem].rises);
        let rises = rises.sum();
        if below.is_empty() || !self.subproblems[c].is_outdated(rises) {
            return;
        }
        let bounds = below
            .iter()
            .map(|below| self.subproblems[below.subproblem].bound_table(&below.separator));
        let bounds: Vec<CostTable> = bounds.collect();
        self.work += bounds
            .iter()
            .map(|bound| bound.cells.len() as u64)
            .sum::<u64>();
        self.subproblems[c].renew(bounds, rises, until);
    }

    /// Searches the subproblem of the cluster `c` for the values `separator` of its separator, until no assignment below `upper` remains or `limit`
    /// steps have been taken.
    fn narrow(&mut self, c: usize, separator: Vec<u32>, upper: i64, limit: u64, until: &Until) {
        self.renew(c, until);
        let mut record = self.subproblems[c].take(&separator);
        let began = self.work;
        let had = record.upper;
        while !record.is_closed(upper) && self.work < limit && !until.is_over() {
            // After the search of all other nodes, dropped nodes below the upper bound are searched again from the root.
            let open = record.open.least().unwrap_or(i64::MAX);
            if record.dropped < upper && open >= record.dropped {
                record.open = OpenNodes::root(record.lower);
                record.dropped = upper;
            }
            record.dropped = record.dropped.min(upper);
            self.search(c, &separator, &mut record, limit, until);
            if c == 0 && record.upper < had {
                // The search ends here to report a better assignment.
                break;
            }
        }
        record.work += self.work - began;
        self.subproblems[c].keep(separator, record);
    }

    /// Searches the open nodes of a subproblem whose lower bounds are smaller than those of all dropped nodes.
    fn search(
        &mut self,
        c: usize,
        separator: &[u32],
        record: &mut Record,
        limit: u64,
        until: &Until,
    ) {
        let upper = record.dropped.min(record.upper);
        let given = Subproblem::decisions(separator);
        let open = std::mem::take(&mut record.open);
        let search = &mut self.subproblems[c].search;
        search.begin(given, open, record.best.take(), upper);
        let branchings = search.branchings;
        let mut has_changed = false;
        loop {
            let search = &mut self.subproblems[c].search;
            let is_better = c == 0 && search.network.upper < upper;
            // Each call makes progress, even with few allowed steps: it branches on at least one node, or searches the children of a node at which
            // the cluster's variables have values.
            has_changed |= search.branchings > branchings;
            if is_better || has_changed && self.work >= limit || until.is_over() {
                break;
            }
            let before = search.network.work();
            let state = search.advance(WORK_IN_A_ROW.min(limit.saturating_sub(self.work).max(1)));
            self.work += search.network.work() - before + 1;
            match state {
                SearchState::Finished => break,
                SearchState::Decided => {
                    self.search_below(c, limit, until);
                    has_changed = true;
                }
                SearchState::Improved | SearchState::Paused => {}
            }
        }
        let search = &mut self.subproblems[c].search;
        let reached = search.lower();
        if search.network.upper < upper {
            record.upper = search.network.upper;
        }
        (record.open, record.best) = search.end();
        record.lower = record.lower.max(reached);
    }

    /// Searches the child clusters at a search node at which all variables of the cluster have values. After the search of the child clusters, the
    /// node is closed, or stored as open with a larger lower bound.
    fn search_below(&mut self, c: usize, limit: u64, until: &Until) {
        let network = &self.subproblems[c].search.network;
        let bound = network.lower;
        let mut values = network.complete_assignment();
        values.resize(self.subproblems[c].names.len(), 0);
        let own = self.subproblems[c].own.cost(&values);
        let below = (0..self.subproblems[c].below.len()).map(|i| {
            let below = &self.subproblems[c].below[i];
            let separator = below.separator.iter().map(|&v| values[v as usize]);
            (below.subproblem, separator.collect())
        });
        let below: Vec<(usize, Vec<u32>)> = below.collect();
        let mut is_tried = vec![false; below.len()];
        let mut has_searched = false;
        loop {
            let bounds = |(d, separator): &(usize, Vec<u32>)| {
                let (lower, upper, _) = self.subproblems[*d].bounds(separator);
                (lower, upper)
            };
            let (lower, upper): (Vec<i64>, Vec<i64>) = below.iter().map(bounds).unzip();
            let least = lower.iter().copied().fold(own, add);
            let most = upper
                .iter()
                .copied()
                .fold(own, |sum, cost| add(sum, cost.min(FORBIDDEN)));
            if most < self.subproblems[c].search.network.upper {
                self.write_best(c, &below, &mut values);
                self.subproblems[c].search.adopt(values.clone(), most);
            }
            let upper_bound = self.subproblems[c].search.network.upper;
            if least >= upper_bound {
                self.subproblems[c].search.close();
                return;
            }
            let next = (0..below.len()).filter(|&i| !is_tried[i] && lower[i] < upper[i]);
            let next = next.max_by_key(|&i| upper[i].min(upper_bound) - lower[i]);
            let is_stopped = has_searched && self.work >= limit || until.is_over();
            let Some(i) = next.filter(|_| !is_stopped) else {
                self.subproblems[c].search.defer(least.max(bound));
                return;
            };
            is_tried[i] = true;
            has_searched = true;
            let (d, separator) = &below[i];
            let (_, _, had) = self.subproblems[*d].bounds(separator);
            let allowed = self.work.saturating_add(had.max(self.least_work));
            // The lower bounds of the cluster and of the other children reduce the upper bound for this child.
            let left = upper_bound - (least - lower[i]);
            let limit_below = limit.min(allowed).max(self.work + 1);
            self.narrow(*d, separator.clone(), left, limit_below, until);
        }
    }

    /// Writes the best known values of the child clusters' variables into `values`, which has the values of the whole subproblem.
    fn write_best(&self, c: usize, below: &[(usize, Vec<u32>)], values: &mut [u32]) {
        for (own, (d, separator)) in self.subproblems[c].below.iter().zip(below) {
            if let Some(best) = self.subproblems[*d].best(separator) {
                for (&place, &value) in own.places.iter().zip(best) {
                    values[place as usize] = value;
                }
            }
        }
    }
}
