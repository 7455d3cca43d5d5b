//! Tests of undone search levels, eliminated variables, pauses and memory limits of a search.

use rand::RngExt;

use super::super::consistency::random_tables::{assignments, random_tables};
use super::super::cost_table::{CostTable, CostTables, FORBIDDEN, ListedCosts};
use super::super::network::function::Arity;
use super::super::network::{Decision, Network};
use super::{BestFirst, SearchState};
use figrs_random_graphs::generator;

/// An upper bound that is larger than the sum of all finite costs of a test case.
const UPPER: i64 = 1 << 40;

/// Returns the remaining values of each variable in the network, in ascending order.
fn domains(network: &Network) -> Vec<Vec<u32>> {
    let domain = |v: usize| {
        let mut domain = network.domain(v).to_vec();
        domain.sort_unstable();
        domain
    };
    (0..network.sizes.len()).map(domain).collect()
}

/// Tests a network of cost functions in which random decisions are made and undone. After each propagation, each variable must have a value of unary
/// cost zero, and undoing a search level must restore the variables' remaining values.
#[test]
fn levels_that_are_undone_leave_consistent_networks() {
    let mut undone = 0;
    for seed in 0..1500 {
        let tables = random_tables(seed + 20_000, 2 + seed as usize % 4);
        let worthwhile = [1, 50, 1 << 20][seed as usize % 3];
        let mut rng = generator(seed);
        let mut network = Network::new(&tables, UPPER, worthwhile);
        if network.propagate().is_err() {
            continue;
        }
        let mut before = Vec::new();
        for _ in 0..30 {
            let open = network.open();
            let mut is_consistent = !open.is_empty();
            if is_consistent {
                let v = open[rng.random_range(0..open.len())];
                let domain = network.domain(v as usize);
                let value = domain[rng.random_range(0..domain.len())];
                before.push(domains(&network));
                network.push_level();
                let decision = if rng.random_bool(0.5) {
                    Decision::Assign(v, value)
                } else {
                    Decision::Remove(v, value)
                };
                let decided = network.decide(decision);
                is_consistent = decided.and_then(|()| network.propagate()).is_ok();
            }
            if is_consistent {
                for v in 0..tables.sizes.len() {
                    let unary = network.domain(v).iter();
                    let least = unary.map(|&a| network.unary(v, a as usize)).min();
                    let is_eliminated = network.eliminated.contains(&(v as u32));
                    assert!(is_eliminated || least == Some(0), "seed {seed}: {v}");
                }
            }
            if !is_consistent || rng.random_bool(0.4) {
                network.pop_level();
                if let Some(before) = before.pop() {
                    assert_eq!(domains(&network), before, "seed {seed}");
                    undone += 1;
                }
            }
        }
    }
    assert!(undone > 2000, "{undone}");
}

/// Returns twenty cost functions over the same four variables; given the value of the fourth variable, each function forbids the same combination of
/// the other three values.
fn repeated_functions() -> CostTables {
    let mut tables = CostTables {
        sizes: vec![2; 4],
        ..CostTables::default()
    };
    for _ in 0..20 {
        let mut listed = ListedCosts::new(vec![0, 1, 2, 3]);
        for row in assignments(&[2; 4]) {
            if row[..3] != [1, 1, 1] {
                listed.push(&row, 0);
            }
        }
        tables.listed.push(listed);
    }
    for (v, cells) in [(0, vec![0, 0]), (1, vec![5, 0]), (2, vec![7, 0])] {
        let scope = vec![v];
        tables.tables.push(CostTable { scope, cells });
    }
    tables
}

#[test]
fn functions_of_the_same_three_variables_become_one() {
    let mut network = Network::new(&repeated_functions(), UPPER, 1);
    network.is_simplifying = false;
    let decided = network.decide(Decision::Assign(3, 0));
    assert_eq!(decided.and_then(|()| network.propagate()), Ok(()));
    let active = (0..network.functions.len()).filter(|&f| network.is_active(f));
    let ternary = active.filter(|&f| network.functions[f].arity == Arity::Ternary);
    assert_eq!(ternary.count(), 1);
}

/// The sum of twenty forbidden costs must be a forbidden cost, without overflow.
#[test]
fn forbidden_costs_of_an_eliminated_variable_do_not_overflow() {
    let tables = repeated_functions();
    let mut network = Network::new(&tables, UPPER, 1);
    network.is_simplifying = false;
    let decided = network.decide(Decision::Assign(3, 0));
    assert_eq!(decided.and_then(|()| network.propagate()), Ok(()));
    assert_eq!(network.eliminate_if_easy(0), Ok(()));
    assert_eq!(network.eliminated, [0]);
    for v in [1, 2] {
        let decided = network.decide(Decision::Assign(v, 1));
        assert_eq!(decided.and_then(|()| network.propagate()), Ok(()));
    }
    let found = network.complete_assignment();
    assert_eq!((tables.cost(&found), network.lower), (0, 0), "{found:?}");
}

/// Tests a variable that has two neighbours of a thousand values each, most of which are removed. A dense cost function of all values of the two
/// neighbours would be too large.
#[test]
fn large_functions_of_neighbours_are_not_made() {
    let mut tables = CostTables {
        sizes: vec![2, 1000, 1000],
        ..CostTables::default()
    };
    for v in [1, 2] {
        let cells = (0..1000).map(|a| if a < 3 { 0 } else { FORBIDDEN });
        tables.tables.push(CostTable {
            scope: vec![v],
            cells: cells.collect(),
        });
        let cells = (0..2000).map(|i| i64::from(i * 7919 % 1009));
        tables.tables.push(CostTable {
            scope: vec![0, v],
            cells: cells.collect(),
        });
    }
    let mut network = Network::new(&tables, UPPER, 1);
    let before = network.costs.values.len();
    assert_eq!(network.propagate(), Ok(()));
    assert_eq!(network.costs.values.len(), before);
    let found = network.complete_assignment();
    let small = assignments(&[2, 3, 3]);
    let best = small.iter().map(|values| tables.cost(values)).min();
    assert_eq!(Some(tables.cost(&found)), best, "{found:?}");
}

/// Returns the cost tables of `n` variables, where each pair of variables has a binary function with random costs.
fn complete(n: u32, size: u32, seed: u64) -> CostTables {
    let mut rng = generator(seed);
    let mut tables = CostTables {
        sizes: vec![size; n as usize],
        ..CostTables::default()
    };
    for y in 0..n {
        for x in 0..y {
            tables.tables.push(CostTable {
                scope: vec![x, y],
                cells: (0..size * size)
                    .map(|_| rng.random_range(0..1000))
                    .collect(),
            });
        }
    }
    tables
}

/// A long propagation of costs must pause soon after the allowed number of steps with a valid bound, and then reach the same bound as a propagation
/// without pauses.
#[test]
fn a_propagation_pauses() {
    let tables = complete(40, 8, 1);
    let mut whole = Network::new(&tables, UPPER, 1 << 20);
    assert_eq!(whole.propagate(), Ok(()));
    let mut paused = Network::new(&tables, UPPER, 1 << 20);
    let mut pauses = 0;
    loop {
        let before = paused.work();
        paused.pause_at = before + 10;
        assert_eq!(paused.propagate(), Ok(()));
        // One move of costs visits at most the functions of one variable.
        assert!(paused.work() <= before + 200, "{}", paused.work() - before);
        assert!(paused.lower <= whole.lower);
        if !paused.is_paused {
            break;
        }
        pauses += 1;
    }
    assert!(pauses > 20, "{pauses}");
    assert_eq!((paused.lower, paused.work()), (whole.lower, whole.work()));
    assert_eq!(paused.costs.values, whole.costs.values);
}

/// The open search nodes must use no more than the allowed memory, but a large share of it.
#[test]
fn open_nodes_stay_within_memory() {
    const MEMORY: usize = 1500;
    let mut network = Network::new(&complete(16, 3, 2), UPPER, 1);
    assert_eq!(network.propagate(), Ok(()));
    let mut search = BestFirst::new(network, 0, MEMORY);
    let mut most = 0;
    while search.advance(50) != SearchState::Finished {
        most = most.max(search.bytes());
    }
    // A list takes up to twice the memory of its contents, and three times this memory while it grows.
    assert!(3 * most > MEMORY, "{most}");
    // The open nodes of one depth-first search are all added at once.
    assert!(3 * most < MEMORY + 3 * 16 * 64, "{most}");
}
