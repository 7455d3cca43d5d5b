//! Tests that the branch and bound search agrees with enumeration and elimination, for any budget of steps.

mod driver;

use figrs_factor::bounds::Improvement;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::neighbourhood::Neighbourhoods;
use super::solve::{SearchObserver, SolveResult, solve};
use figrs_factor::eliminate::{log_weight, most_probable};
use figrs_factor::{Limits, Until};
use figrs_random_graphs::{
    RANGES, WeightRange, dense, generator, random_graph, table, values_of, variables, worlds,
};

const AMPLE: u64 = 10_000_000;

fn search_limits(table: usize, work: u64, memory: u64) -> Limits {
    let limits = Limits::default().table_entries(table).memory(memory);
    limits.work(work as f64)
}

fn searched(graph: &FactorGraph, table: usize, work: u64) -> SolveResult {
    let limits = search_limits(table, work, 1 << 20);
    solve(graph, &limits, SearchObserver::default()).expect("well formed")
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// Checks the found assignment and the reported improvements against the enumeration of all assignments; returns the
/// last log-weight and upper bound.
fn check_found(
    graph: &FactorGraph,
    values: &[u32],
    steps: &[Improvement],
    case: &str,
) -> (f64, f64) {
    let all = variables(graph);
    let own = worlds(graph, &all)
        .into_iter()
        .find(|world| values_of(graph, &all, world.0) == values);
    let last = steps.last().expect("a world was found");
    assert!(
        close(own.expect(case).1, last.log_probability),
        "{case}: {own:?} {last:?}"
    );
    for pair in steps.windows(2) {
        assert!(pair[0].work <= pair[1].work, "{case}");
        assert!(pair[0].log_probability <= pair[1].log_probability, "{case}");
        assert!(
            pair[0].upper_bound >= pair[1].upper_bound - 1e-9,
            "{case}: {pair:?}"
        );
    }
    (last.log_probability, last.upper_bound)
}

/// Returns a random factor graph. For every second seed, the random factor graph is arbitrary. For all other seeds, the random factor graph has
/// binary variables, pairwise factors and too many variables for a small table.
fn graph(seed: u64, range: WeightRange) -> FactorGraph {
    let mut rng = generator(seed);
    if seed.is_multiple_of(2) {
        return random_graph(&mut rng, range);
    }
    let mut graph = FactorGraph::default();
    let mut all: Vec<VarId> = (0..10).map(|_| graph.add_variable(2)).collect();
    for _ in 0..240 {
        all.shuffle(&mut rng);
        let scope = &all[..2];
        let table = table(&mut rng, &graph, scope, range);
        let FactorTable::Dense(weights) = &table else {
            continue;
        };
        // Most zeros are replaced by positive weights, because otherwise the reduction by zeros would solve most graphs
        // before the search.
        let kept = |&cell: &usize| !weights.is_zero(cell) || rng.random_bool(0.1);
        if (0..weights.len()).filter(kept).count() == weights.len() {
            graph.factors.push(Factor {
                variables: scope.to_vec(),
                table,
                normalised: false,
            });
        }
    }
    graph
}

#[test]
fn random_graphs_are_solved_whatever_the_tables() {
    let mut searches = 0;
    for range in RANGES {
        for seed in 0..80 {
            let graph = graph(seed, range);
            let worlds = worlds(&graph, &variables(&graph));
            let best = worlds.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
            for table in [1, 8, 100] {
                let case = format!("seed {seed}, {range:?}, tables of {table}");
                match searched(&graph, table, AMPLE) {
                    SolveResult::Found(values, steps, _) => {
                        let (found, bound) = check_found(&graph, &values, &steps, &case);
                        assert!(close(found, best), "{case}: {found}, not {best}");
                        assert!(close(bound, best), "{case}: a bound of {bound} for {best}");
                        searches += usize::from(steps[steps.len() - 1].work > 0);
                    }
                    SolveResult::Impossible => assert!(worlds.is_empty(), "{case}: {best}"),
                    SolveResult::Unknown { .. } => panic!("{case}: nothing found"),
                }
            }
        }
    }
    assert!(searches > 100, "only {searches} cases needed a search");
}

/// If a neighbourhood contains all variables, the search must find the best values; no budget may lead to worse values than before.
#[test]
fn neighbourhoods_gain_what_there_is_to_gain() {
    let mut gained = 0;
    for seed in 0..60 {
        let graph = graph(2 * seed + 1, WeightRange::Plain);
        let all = variables(&graph);
        let worlds = worlds(&graph, &all);
        let Some(start) = worlds.first() else {
            continue;
        };
        let best = worlds.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
        let before = values_of(&graph, &all, start.0);
        for budget in [0, 1, AMPLE] {
            let mut values = before.clone();
            let near = Neighbourhoods::new(&graph);
            // Each component of the graph needs a centre, so each variable in turn is the first centre.
            for first in 0..all.len() {
                let centres = [&all[first..], &all[..first]].concat();
                near.improve(&centres, &mut values, &Limits::default(), budget)
                    .expect("well formed");
            }
            let after = log_weight(&graph, &values);
            assert!(after >= start.1 - 1e-9, "{seed}: {after} after {}", start.1);
            if budget == AMPLE {
                assert!(close(after, best), "{seed}: {after}, not {best}");
                gained += usize::from(!close(start.1, best));
            }
        }
    }
    assert!(gained > 20, "only {gained} had anything to gain");
}

#[test]
fn bounds_hold_for_every_budget() {
    let mut open = 0;
    for range in RANGES {
        for seed in 0..12 {
            let graph = graph(5000 + seed, range);
            let worlds = worlds(&graph, &variables(&graph));
            let best = worlds.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
            for (table, work) in [1, 3, 12]
                .iter()
                .flat_map(|&t| [0, 1, 5, 20, 60, 150].map(|w| (t, w)))
            {
                let case = format!("seed {seed}, {range:?}, tables of {table}, work {work}");
                let holds =
                    |bound: f64| assert!(bound >= best - 1e-9 * (1.0 + best.abs()), "{case}");
                match searched(&graph, table, work) {
                    SolveResult::Found(values, steps, _) => {
                        let (_, bound) = check_found(&graph, &values, &steps, &case);
                        holds(bound);
                        open += usize::from(!close(bound, best));
                    }
                    SolveResult::Impossible => assert!(worlds.is_empty(), "{case}: {best}"),
                    SolveResult::Unknown { upper_bound, .. } => holds(upper_bound),
                }
            }
        }
    }
    assert!(open > 40, "only {open} bounds were not tight");
}

/// Returns the factor graph of a square grid of binary variables with random weights for each variable and for each pair of neighbours.
fn grid(side: usize, strength: f64, seed: u64) -> FactorGraph {
    let mut rng = generator(seed);
    let mut graph = FactorGraph::default();
    let cells: Vec<VarId> = (0..side * side).map(|_| graph.add_variable(2)).collect();
    let mut coupling = |scope: &[VarId], strength: f64| {
        let x: f64 = strength * (2.0 * rng.random::<f64>() - 1.0);
        let weights = match scope.len() {
            1 => vec![x.exp(), 1.0],
            _ => vec![x.exp(), 1.0, 1.0, x.exp()],
        };
        dense(scope, &weights)
    };
    let mut factors = Vec::new();
    for (i, &cell) in cells.iter().enumerate() {
        factors.push(coupling(&[cell], 1.0));
        if (i + 1) % side != 0 {
            factors.push(coupling(&[cell, cells[i + 1]], strength));
        }
        if i + side < cells.len() {
            factors.push(coupling(&[cell, cells[i + side]], strength));
        }
    }
    graph.factors = factors;
    graph
}

#[test]
fn a_small_grid_is_proven_with_tables_that_are_too_small_for_it() {
    for seed in 0..3 {
        let graph = grid(10, 2.0, seed);
        let (_, best) = most_probable(&graph, &Limits::default()).expect("narrow");
        let SolveResult::Found(_, steps, _) = searched(&graph, 1 << 6, AMPLE) else {
            panic!("nothing found");
        };
        let last = steps[steps.len() - 1];
        assert!(last.work > 0 && last.work < AMPLE, "{last:?}");
        assert!(
            close(last.log_probability, best) && close(last.upper_bound, best),
            "{last:?} {best}"
        );
    }
}

#[test]
fn a_large_grid_has_a_world_and_a_bound() {
    let graph = grid(20, 2.0, 7);
    let SolveResult::Found(values, steps, _) = searched(&graph, 1 << 12, 200_000) else {
        panic!("nothing found");
    };
    let last = steps[steps.len() - 1];
    let log = figrs_factor::eliminate::log_weight(&graph, &values);
    assert!(close(log, last.log_probability), "{last:?} {log}");
    let (_, best) = most_probable(&graph, &Limits::default()).expect("2^20 entries");
    assert!(
        last.log_probability <= best + 1e-9 && last.upper_bound >= best - 1e-9,
        "{last:?} {best}"
    );
    assert!(
        last.upper_bound - last.log_probability < 0.1 * best.abs(),
        "{last:?}"
    );
}

#[test]
fn deep_trees_do_not_recurse() {
    let mut graph = FactorGraph::default();
    let cells: Vec<VarId> = (0..20_000).map(|_| graph.add_variable(3)).collect();
    for (i, three) in cells.windows(3).enumerate() {
        let weights: Vec<f64> = (0..27)
            .map(|j| f64::from((i as u32 * 31 + j * 17) % 23 + 1))
            .collect();
        graph.factors.push(dense(three, &weights));
    }
    let (_, best) = most_probable(&graph, &Limits::default()).expect("narrow");
    let SolveResult::Found(values, steps, None) = searched(&graph, 3, 0) else {
        panic!("nothing found");
    };
    // Variables with few neighbours are eliminated one after another from the ends of the chain, which leaves nothing
    // to search.
    let last = steps[steps.len() - 1];
    assert!(
        close(log_weight(&graph, &values), best) && close(last.upper_bound, best),
        "{last:?} {best}"
    );
}

/// A large finite cost that no good assignment has makes the scale of the fixed-point costs so small that the upper bound stays above the best
/// assignment's log-weight.
#[test]
fn costs_of_bad_worlds_do_not_limit_the_resolution() {
    for seed in 0..10 {
        let mut rng = generator(seed);
        let mut graph = grid(6, 1.0, seed);
        for factor in &mut graph.factors {
            let scope = factor.variables.clone();
            let entries = graph.cardinalities[0].pow(scope.len() as u32);
            let logs = (0..entries).map(|entry| match (scope.len(), entry) {
                (2, 1) => -1e10,
                _ => rng.random_range(-1.0..0.0),
            });
            let table = FactorTable::Dense(Weights::from_logs(logs.collect()));
            *factor = Factor {
                table,
                ..factor.clone()
            };
        }
        let (_, best) = most_probable(&graph, &Limits::default()).expect("narrow");
        let SolveResult::Found(_, steps, None) = searched(&graph, 2, AMPLE) else {
            panic!("nothing found");
        };
        let last = steps[steps.len() - 1];
        assert!(close(last.log_probability, best), "{last:?} {best}");
        assert!(last.upper_bound - best < 1e-10, "{last:?} {best}");
    }
}
