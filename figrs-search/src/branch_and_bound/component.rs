//! Branch and bound for one connected component of the cost functions; each component is searched separately.

use figrs_factor::Until;

use super::cost_table::CostTables;
use super::decomposition::{TreeSearch, WORTHWHILE};
use super::incumbent::improved;
use super::network::Network;
use super::reweighting::{affordable_sweeps, reweighted};
use super::search::{BestFirst, SearchState};

/// A connected component of the variables, with the branch and bound search for its best assignment.
#[derive(Debug)]
pub(super) struct ComponentSearch {
    /// For each variable of the component, its index in the problem of all components.
    names: Vec<u32>,
    tables: CostTables,
    search: BestFirst,
    tree: Tree,
    limits: ComponentLimits,
    pub(super) is_finished: bool,
}

/// State of the search along a tree decomposition of a component, which alternates with a search without a tree decomposition.
#[derive(Debug)]
enum Tree {
    Untried,
    /// The component has no tree decomposition whose separators are small enough.
    Unfit,
    Search(Box<TreeSearch>),
}

/// Number of steps that the search without a tree decomposition takes before the search along a tree decomposition begins. Once begun, the search
/// along a tree decomposition takes about as many steps as the search without one.
const FIRST_WITHOUT_TREE: u64 = 1 << 18;

#[derive(Clone, Copy, Debug)]
pub(super) struct ComponentLimits {
    /// Upper bound of the cost: assignments with at least this cost are ignored.
    pub(super) upper: i64,
    /// Minimum difference of the total costs of two assignments for one of them to be treated as better.
    pub(super) slack: i64,
    /// Minimum increase of the lower bound for which the search moves costs to the cost functions of earlier variables.
    pub(super) worthwhile: i64,
    /// Maximum number of bytes of the open search nodes of all components.
    pub(super) memory: usize,
}

/// The next call of the search along a tree decomposition may take the number of steps taken so far, divided by this number.
///
/// A call of the search along a tree decomposition gets many steps, because every call rebuilds the search nodes of each cluster.
const TREE_SHARE: u64 = 4;

impl ComponentLimits {
    /// Returns the limits for a component with `own` of `all` cost functions: a share of the limits of all components in proportion to the number of
    /// functions.
    fn share(self, own: usize, all: usize) -> Self {
        let part = own as f64 / all.max(1) as f64;
        Self {
            slack: (self.slack as f64 * part) as i64,
            memory: (self.memory as f64 * part) as usize,
            ..self
        }
    }
}

impl ComponentSearch {
    /// Creates the branch and bound searches of all components; returns `None` if a component has no assignment below the upper bound. Searches that
    /// are created after the deadline have weaker lower bounds.
    pub(super) fn all(
        tables: &CostTables,
        limits: ComponentLimits,
        until: &Until,
    ) -> Option<Vec<Self>> {
        let sweeps = affordable_sweeps(tables);
        let functions = tables.scopes().count();
        let parts = split(tables).into_iter();
        parts
            .map(|(names, part)| {
                let limits = limits.share(part.scopes().count(), functions);
                Self::new(names, &part, sweeps, limits, until)
            })
            .collect()
    }

    /// Creates the branch and bound search of a component, with a good lower bound. The search moves costs between cost functions along the order of
    /// the variables or along the reverse order, whichever gives the larger lower bound.
    fn new(
        mut names: Vec<u32>,
        tables: &CostTables,
        sweeps: usize,
        limits: ComponentLimits,
        until: &Until,
    ) -> Option<Self> {
        let mut tables = reweighted(tables, sweeps, until);
        if tables.constant >= limits.upper {
            return None;
        }
        let network = |tables: &CostTables| {
            let mut network = Network::new(tables, limits.upper, limits.worthwhile);
            network.propagate_until(until).ok().map(|()| network)
        };
        let reversed: Vec<u32> = (0..names.len() as u32).rev().collect();
        let against = CostTables {
            constant: tables.constant,
            ..tables.part(&reversed)
        };
        let forward = network(&tables)?;
        let mut best = network(&against)?;
        if forward.lower > best.lower {
            best = forward;
        } else {
            names.reverse();
            tables = against;
        }
        let mut this = Self {
            names,
            tables,
            search: BestFirst::new(best, limits.slack, limits.memory / 2),
            tree: Tree::Untried,
            limits: ComponentLimits {
                memory: limits.memory / 2,
                ..limits
            },
            is_finished: false,
        };
        let start = this.search.network.supported_values();
        let values = improved(&this.tables, start, limits.upper, until);
        this.adopt_own(values);
        Some(this)
    }

    /// Makes `values`, an assignment of all variables, the best known assignment if it is better.
    pub(super) fn adopt(&mut self, values: &[u32]) {
        let own = self.names.iter().map(|&v| values[v as usize]);
        self.adopt_own(own.collect());
    }

    fn adopt_own(&mut self, own: Vec<u32>) {
        let cost = self.tables.cost(&own);
        self.search.adopt(own, cost);
        self.tell_tree();
    }

    /// Passes the best known assignment and its cost, as an upper bound, to the search along a tree decomposition.
    fn tell_tree(&mut self) {
        if let (Tree::Search(tree), Some(best)) = (&mut self.tree, &self.search.best) {
            tree.adopt(best, self.search.network.upper);
        }
    }

    /// Returns a lower bound of the costs of all assignments of the component, except possibly of the best known assignment.
    pub(super) fn lower(&self) -> i64 {
        let lower = self.search.lower();
        match &self.tree {
            Tree::Search(tree) => lower.max(tree.lower()),
            Tree::Untried | Tree::Unfit => lower,
        }
    }

    /// Advances one of the component's two searches (with or without a tree decomposition), the one that has taken fewer steps; returns its state and
    /// the number of new steps. In each call, the search along a tree decomposition takes a fixed fraction of its earlier number of steps, but at
    /// least `work` and at most `most` steps.
    pub(super) fn advance(&mut self, work: u64, most: u64, until: &Until) -> (SearchState, u64) {
        let before = self.search.network.work();
        if matches!(self.tree, Tree::Untried) && before >= FIRST_WITHOUT_TREE {
            let tree = TreeSearch::new(&self.tables, WORTHWHILE, self.limits, until);
            self.tree = tree.map_or(Tree::Unfit, |tree| Tree::Search(Box::new(tree)));
            self.tell_tree();
        }
        match &mut self.tree {
            Tree::Search(tree) if tree.work < before => {
                let before = tree.work;
                let work = work.max(before / TREE_SHARE).min(most);
                let state = tree.advance(work, until);
                let work = tree.work - before;
                if let Some((values, cost)) = tree.best.take() {
                    self.search.adopt(values, cost);
                    self.tell_tree();
                }
                (state, work)
            }
            _ => {
                let had = self.search.network.upper;
                let state = self.search.advance(work);
                if self.search.network.upper < had {
                    self.tell_tree();
                }
                (state, self.search.network.work() - before)
            }
        }
    }

    /// True if the search of the component has ended without an assignment; the component then has no assignment of finite cost.
    pub(super) fn is_impossible(&self) -> bool {
        self.is_finished && self.search.best.is_none()
    }

    /// Writes the best known values of the component's variables into `values`, the values of all variables; returns false if no assignment of the
    /// component is known.
    pub(super) fn write_best(&self, values: &mut [u32]) -> bool {
        let Some(best) = &self.search.best else {
            return false;
        };
        for (&v, &value) in self.names.iter().zip(best) {
            values[v as usize] = value;
        }
        true
    }
}

/// Returns, for each component, its variables in ascending order, and its cost functions with renumbered variables.
fn split(tables: &CostTables) -> Vec<(Vec<u32>, CostTables)> {
    let n = tables.sizes.len();
    let mut root: Vec<u32> = (0..n as u32).collect();
    for scope in tables.scopes() {
        for &v in scope {
            let (a, b) = (find(&mut root, scope[0]), find(&mut root, v));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    let mut parts: Vec<(Vec<u32>, CostTables)> = Vec::new();
    let mut part_of = vec![0; n];
    let mut place = vec![0; n];
    for v in 0..n {
        let first = find(&mut root, v as u32) as usize;
        if first == v {
            part_of[v] = parts.len();
            parts.push(Default::default());
        }
        part_of[v] = part_of[first];
        let (names, part) = &mut parts[part_of[v]];
        place[v] = names.len() as u32;
        names.push(v as u32);
        part.sizes.push(tables.sizes[v]);
    }
    // The new indices of a component's variables have the order of the old indices; scopes therefore stay sorted.
    for table in tables.tables.iter().filter(|table| !table.scope.is_empty()) {
        let part = &mut parts[part_of[table.scope[0] as usize]].1;
        part.tables
            .push(table.renamed(&tables.sizes, |v| place[v as usize]));
    }
    for listed in &tables.listed {
        let part = &mut parts[part_of[listed.scope[0] as usize]].1;
        part.listed.push(listed.renamed(|v| place[v as usize]));
    }
    parts
}

/// Returns the representative of the component that contains the variable `v`: its smallest known variable.
fn find(root: &mut [u32], v: u32) -> u32 {
    let mut at = v;
    while root[at as usize] != at {
        root[at as usize] = root[root[at as usize] as usize];
        at = root[at as usize];
    }
    at
}
