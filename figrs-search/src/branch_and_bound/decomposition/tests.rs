//! Compares searches along tree decompositions with the enumeration of all assignments.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_factor::Until;
use rand::RngExt;

use super::super::component::ComponentLimits;
use super::super::consistency::random_tables::assignments;
use super::super::cost_table::{CostTable, CostTables, FORBIDDEN};
use super::super::search::SearchState;
use super::TreeSearch;
use super::cluster_tree::{ClusterLimits, clusters};
use figrs_random_graphs::generator;

/// An upper bound that is larger than the sum of all finite costs of a test case.
const UPPER: i64 = 1 << 40;

/// Limits on a tree decomposition that allow clusters of any size.
const SMALL: ClusterLimits = ClusterLimits {
    separator: 3,
    assignments: 64,
    least_own: 1,
    depth: 24,
};

const LIMITS: ComponentLimits = ComponentLimits {
    upper: UPPER,
    slack: 0,
    worthwhile: 1,
    memory: 1 << 24,
};

/// Returns random cost functions of up to four variables, which belong to neighbouring nodes of a random tree of variable groups; some entries are
/// forbidden.
fn tree_of_groups(seed: u64) -> CostTables {
    let mut rng = generator(seed);
    let mut tables = CostTables {
        constant: i64::from(seed.is_multiple_of(3)) * 17,
        ..CostTables::default()
    };
    let groups = rng.random_range(2..5);
    let mut members: Vec<Vec<u32>> = Vec::new();
    for g in 0..groups {
        let mut own: Vec<u32> = Vec::new();
        if g > 0 {
            let above: &Vec<u32> = &members[rng.random_range(0..g)];
            let shared = rng.random_range(1..3).min(above.len());
            own.extend(&above[above.len() - shared..]);
        }
        for _ in 0..rng.random_range(1..4) {
            own.push(tables.sizes.len() as u32);
            tables.sizes.push([2, 2, 3][rng.random_range(0..3)]);
        }
        members.push(own);
    }
    let forbidden = [0.0, 0.05, 0.3][rng.random_range(0..3)];
    let largest = [2, 5, 1_000_000][rng.random_range(0..3)];
    for group in &members {
        for _ in 0..rng.random_range(2..6) {
            let mut scope: Vec<u32> = group
                .iter()
                .copied()
                .filter(|_| rng.random_bool(0.6))
                .collect();
            scope.truncate(4);
            scope.sort_unstable();
            let cells = (0..tables.entries(&scope)).map(|_| {
                if rng.random_bool(forbidden) {
                    FORBIDDEN
                } else {
                    rng.random_range(0..largest)
                }
            });
            let cells = cells.collect();
            tables.tables.push(CostTable { scope, cells });
        }
        // The following functions connect the variables of a group.
        for pair in group.windows(2) {
            let mut scope = pair.to_vec();
            scope.sort_unstable();
            let cells = (0..tables.entries(&scope)).map(|_| rng.random_range(0..largest));
            let cells = cells.collect();
            tables.tables.push(CostTable { scope, cells });
        }
    }
    tables
}

/// Each variable must belong to one cluster of the tree decomposition. The variables of each cost function must lie in one cluster and its separator,
/// and the variables of the separator must belong to ancestors of the cluster.
#[test]
fn clusters_are_those_of_a_tree_decomposition() {
    let mut trees = 0;
    for seed in 0..1000 {
        let tables = tree_of_groups(seed);
        let depth = [24, 1, 2][seed as usize % 3];
        let shape = ClusterLimits { depth, ..SMALL };
        let Some(clusters) = clusters(&tables, shape, &Until::default()).expect("nothing stops it")
        else {
            continue;
        };
        trees += 1;
        let mut own: Vec<u32> = clusters.iter().flat_map(|c| c.own.clone()).collect();
        own.sort_unstable();
        let all: Vec<u32> = (0..tables.sizes.len() as u32).collect();
        assert_eq!(own, all, "seed {seed}");
        for (c, cluster) in clusters.iter().enumerate() {
            let is_above = |above: usize| above < c;
            assert!(cluster.above.map_or(c == 0, is_above), "seed {seed}: {c}");
            let above = cluster.above.map(|above| &clusters[above]);
            for v in &cluster.separator {
                let above = above.expect("the first cluster has no separator");
                let is_there = above.own.contains(v) || above.separator.contains(v);
                assert!(is_there, "seed {seed}: {v} of {c}");
            }
            let (mut at, mut steps) = (cluster.above, 0);
            while let Some(above) = at {
                steps += 1;
                at = clusters[above].above;
            }
            assert!(steps <= depth, "seed {seed}: {steps}");
        }
        for scope in tables.scopes() {
            let holds = |v: &u32, c: usize| {
                clusters[c].own.contains(v) || clusters[c].separator.contains(v)
            };
            let fits = |c: usize| scope.iter().all(|v| holds(v, c));
            assert!((0..clusters.len()).any(fits), "seed {seed}: {scope:?}");
        }
    }
    assert!(trees > 500, "{trees}");
}

/// Tests that the bounds of a search along a tree decomposition enclose the best cost whenever the search pauses, even with little memory. Tests that
/// the search along a tree decomposition returns the best cost at its end.
#[test]
fn searches_along_trees_find_the_best_cost() {
    let (mut searches, mut pauses, mut forgotten) = (0, 0, 0);
    for seed in 0..3000 {
        let tables = tree_of_groups(seed);
        let all = assignments(&tables.sizes);
        let best = all.iter().map(|values| tables.cost(values)).min();
        let best = best.unwrap_or(FORBIDDEN);
        let limits = ComponentLimits {
            memory: if seed % 5 == 0 { 20_000 } else { 1 << 24 },
            ..LIMITS
        };
        let until = Until::default();
        let Some(mut search) = TreeSearch::new(&tables, SMALL, limits, &until) else {
            continue;
        };
        searches += 1;
        let mut upper = UPPER;
        // In some cases the search receives an assignment, as if another search had found it.
        if seed % 4 == 0 {
            let values = &all[seed as usize % all.len()];
            upper = upper.min(tables.cost(values));
            search.adopt(values, upper);
        }
        let mut found = None;
        let over = Until {
            interrupt: Some(Arc::new(AtomicBool::new(true))),
            ..Until::default()
        };
        loop {
            // A search that is stopped before its first step retains its bounds.
            if seed % 6 == 0 {
                let lower = search.lower();
                search.advance(1 + seed % 400, &over);
                assert_eq!(search.lower(), lower, "seed {seed}");
            }
            let state = search.advance(1 + seed % 400, &until);
            assert!(
                search.lower() <= best.min(upper),
                "seed {seed}: {} above {best}",
                search.lower()
            );
            if let Some((values, cost)) = search.best.take() {
                assert_eq!(tables.cost(&values), cost, "seed {seed}: {values:?}");
                assert!(cost < upper, "seed {seed}: {cost} after {upper}");
                upper = cost;
                found = Some(cost);
            }
            if state == SearchState::Finished {
                break;
            }
            pauses += usize::from(state == SearchState::Paused);
            forgotten += usize::from(search.has_forgotten());
        }
        assert_eq!(upper, best.min(UPPER), "seed {seed}: {found:?}");
    }
    assert!(searches > 1000 && pauses > 1000, "{searches} {pauses}");
    assert!(forgotten > 0, "memory was never short");
}
