//! Random cost functions for tests, and the list of all their assignments.

use rand::RngExt;

use super::super::cost_table::{CostTable, CostTables, FORBIDDEN, ListedCosts};
use figrs_random_graphs::generator;

/// Returns random cost functions of up to `arity` variables; some of their entries are forbidden (have infinite cost).
pub(in super::super) fn random_tables(seed: u64, arity: usize) -> CostTables {
    let mut rng = generator(seed);
    let n = rng.random_range(1..=6);
    let sizes: Vec<u32> = (0..n)
        .map(|_| [1, 2, 2, 3, 4, 12][rng.random_range(0..6)])
        .collect();
    let mut tables = CostTables {
        sizes,
        ..CostTables::default()
    };
    while tables.entries(&(0..tables.sizes.len() as u32).collect::<Vec<_>>()) > 1500 {
        tables.sizes.pop();
    }
    let n = tables.sizes.len() as u32;
    let forbidden = [0.0, 0.1, 0.4][rng.random_range(0..3)];
    let largest = [3, 100, 1_000_000_000][rng.random_range(0..3)];
    for _ in 0..rng.random_range(0..12) {
        let mut scope: Vec<u32> = (0..n).filter(|_| rng.random_bool(0.5)).collect();
        scope.truncate(arity);
        let cost = |rng: &mut rand_xoshiro::Xoshiro256PlusPlus| {
            if rng.random_bool(forbidden) {
                FORBIDDEN
            } else {
                rng.random_range(0..largest)
            }
        };
        let cells: Vec<i64> = (0..tables.entries(&scope))
            .map(|_| cost(&mut rng))
            .collect();
        if scope.len() > 3 && rng.random_bool(0.5) {
            tables.listed.push(listed(&tables.sizes, &scope, &cells));
        } else {
            tables.tables.push(CostTable { scope, cells });
        }
    }
    tables
}

fn listed(sizes: &[u32], scope: &[u32], cells: &[i64]) -> ListedCosts {
    let mut listed = ListedCosts::new(scope.to_vec());
    let own: Vec<u32> = scope.iter().map(|&v| sizes[v as usize]).collect();
    for (row, &cost) in assignments(&own).iter().zip(cells) {
        if cost < FORBIDDEN {
            listed.push(row, cost);
        }
    }
    listed
}

/// Returns all assignments of the variables in lexicographic order (the last variable changes fastest).
pub(in super::super) fn assignments(sizes: &[u32]) -> Vec<Vec<u32>> {
    sizes.iter().fold(vec![Vec::new()], |all, &size| {
        let longer = |row: &Vec<u32>| {
            let row = row.clone();
            (0..size).map(move |x| [row.as_slice(), &[x]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}
