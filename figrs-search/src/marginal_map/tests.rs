//! Tests that marginal MAP by search agrees with enumeration, and that its bounds enclose the best total weight however the search ends.

use std::time::Instant;

use figrs_factor::eliminate::EliminationError;
use figrs_factor::graph::{FactorGraph, VarId};
use figrs_factor::{Limits, Stopped, Until};
use figrs_random_graphs::{
    RANGES, assert_close, dense, generator, log_sum, random_graph, values_of, variables, worlds,
};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::prefix_bounds::PrefixBounds;
use super::*;

/// Returns the log-weight of each assignment of the variables `keep`, computed by enumeration of all assignments.
fn totals(graph: &FactorGraph, keep: &[VarId]) -> Vec<f64> {
    let mut logs = vec![Vec::new(); graph.dense_size(keep)];
    for (number, log) in worlds(graph, keep) {
        logs[number].push(log);
    }
    logs.iter().map(|logs| log_sum(logs)).collect()
}

fn number(graph: &FactorGraph, keep: &[VarId], values: &[u32]) -> usize {
    let digits = keep.iter().zip(values);
    digits.fold(0, |at, (&v, &value)| {
        at * graph.cardinality(v) + value as usize
    })
}

/// Calls `check` with random factor graphs, each with a list of some of its variables. Every second random factor graph has strong couplings of all
/// pairs of nine binary variables, so that mini-buckets with small tables give loose bounds.
fn for_random_questions(count: u64, mut check: impl FnMut(&FactorGraph, &[VarId], &str)) {
    for seed in 0..count {
        let mut rng = generator(seed);
        let is_coupled = seed % 2 == 0;
        let graph = if is_coupled {
            coupled(&mut rng)
        } else {
            random_graph(&mut rng, RANGES[seed as usize / 2 % RANGES.len()])
        };
        let mut keep = variables(&graph);
        keep.shuffle(&mut rng);
        let least = if is_coupled { 5 } else { 0 };
        keep.truncate(rng.random_range(least..=keep.len()));
        check(&graph, &keep, &format!("seed {seed}"));
    }
}

fn coupled(rng: &mut impl RngExt) -> FactorGraph {
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..9).map(|_| graph.add_variable(2)).collect();
    for (i, &a) in all.iter().enumerate() {
        for &b in &all[..i] {
            let weights: [f64; 4] = std::array::from_fn(|_| rng.random_range(-2.0..2.0_f64).exp());
            graph.factors.push(dense(&[a, b], &weights));
        }
    }
    graph
}

#[test]
fn the_search_finds_the_best_assignment_or_encloses_it() {
    let (mut cut, mut refused, mut improved) = (0, 0, 0);
    for_random_questions(200, |graph, keep, case| {
        let totals = totals(graph, keep);
        let best = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let slack = 1e-9 * (1.0 + best.abs());
        // Small tables make the bounds loose, so that the search has something to do.
        for (table, work) in [(1 << 20, f64::INFINITY), (8, 100.0), (8, f64::INFINITY)] {
            let limits = &Limits::default().table_entries(table);
            let question = MarginalMapSearch {
                graph,
                maximised: keep,
                limits,
                work,
            };
            let found = match marginal_map_search(question, &|_| {}) {
                Err(EliminationError::Impossible) => {
                    assert!(best == f64::NEG_INFINITY, "{case}");
                    continue;
                }
                Err(EliminationError::TableTooLarge { .. }) if table == 8 => {
                    refused += 1;
                    continue;
                }
                other => other.expect(case),
            };
            if found.log_weight > f64::NEG_INFINITY {
                let own = totals[number(graph, keep, &found.values)];
                assert_close(own, found.log_weight, 1e-9, case);
            }
            assert!(found.upper_bound >= best - slack, "{case}");
            if found.stopped == Stopped::Finished {
                assert_close(best, found.log_weight, 1e-9, case);
            }
            let steps = &found.improvements;
            assert!(
                steps.iter().all(|step| step.upper_bound >= best - slack),
                "{case}"
            );
            cut += u32::from(found.stopped == Stopped::Budget);
            improved += u32::from(!found.is_local);
            assert!(work < f64::INFINITY || found.stopped == Stopped::Finished);
        }
    });
    assert!(
        cut > 50 && refused < 50 && improved > 0,
        "{cut} cut, {refused} refused, {improved} by branch and bound"
    );
}

#[test]
fn bounds_of_prefixes_enclose_their_completions() {
    let mut partial = 0;
    for_random_questions(40, |graph, keep, case| {
        let totals = totals(graph, keep);
        for table in [1, 4, 64] {
            let sizes = (table, 1e6);
            let bounds = PrefixBounds::new(graph, keep, sizes, &Until::default()).expect(case);
            let order = &bounds.order;
            let mut world = vec![0; graph.cardinalities.len()];
            let (mut bound, mut prefix) = (bounds.root, Vec::new());
            for (level, &v) in order.iter().enumerate() {
                let children = bounds.children(level, bound, &mut world);
                for (value, &child) in (0..).zip(&children) {
                    let agrees = |values: &[u32]| {
                        let at = |v: &VarId| keep.iter().position(|k| k == v);
                        let assigned = order[..level].iter().zip(&prefix).chain([(&v, &value)]);
                        assigned
                            .into_iter()
                            .all(|(v, x)| at(v).is_some_and(|i| values[i] == *x))
                    };
                    let all = (0..totals.len()).filter(|&i| agrees(&values_of(graph, keep, i)));
                    let best = all.map(|i| totals[i]).fold(f64::NEG_INFINITY, f64::max);
                    assert!(
                        best == f64::NEG_INFINITY
                            || child + bounds.slack >= best - 1e-9 * (1.0 + best.abs()),
                        "{case}, level {level}: {child} is below {best}"
                    );
                    partial += u32::from(level + 1 < order.len());
                }
                let choice = (0..).zip(&children).max_by(|a, b| a.1.total_cmp(b.1));
                let (value, &next) = choice.expect(case);
                if next == f64::NEG_INFINITY {
                    break;
                }
                (world[v.index()], bound) = (value, next);
                prefix.push(value);
            }
        }
    });
    assert!(partial > 500, "{partial}");
}

/// Returns a grid of binary variables with random couplings; every second variable of each row is maximised.
fn grid(side: u32) -> (FactorGraph, Vec<VarId>) {
    let mut graph = FactorGraph::default();
    let all: Vec<VarId> = (0..side * side).map(|_| graph.add_variable(2)).collect();
    let mut rng = generator(7);
    for i in 0..side * side {
        let (row, column) = (i / side, i % side);
        let right = (column + 1 < side).then_some(i + 1);
        let below = (row + 1 < side).then_some(i + side);
        for j in [right, below].into_iter().flatten() {
            let weights: [f64; 4] = std::array::from_fn(|_| rng.random_range(0.2..5.0));
            let pair = [all[i as usize], all[j as usize]];
            graph.factors.push(dense(&pair, &weights));
        }
    }
    let maximised = all.iter().copied().filter(|v| v.0 % 2 == 0).collect();
    (graph, maximised)
}

#[test]
fn a_deadline_of_zero_gives_no_answer_or_a_valid_one() {
    let (graph, maximised) = grid(6);
    let until = Until {
        deadline: Some(Instant::now()),
        ..Until::default()
    };
    let limits = Limits::default().until(&until);
    let question = MarginalMapSearch {
        graph: &graph,
        maximised: &maximised,
        limits: &limits,
        work: f64::INFINITY,
    };
    let found = marginal_map_search(question, &|_| {});
    assert!(matches!(found, Err(EliminationError::Interrupted)));
}

#[test]
fn a_grid_is_solved_with_sums_too_wide_for_an_elimination() {
    let (graph, maximised) = grid(6);
    let limits = Limits::default().table_entries(1 << 6);
    let exact = figrs_factor::eliminate::marginal_map(&graph, &maximised, &Limits::default());
    let (_, best) = exact.expect("small enough without limits");
    let refused = figrs_factor::eliminate::marginal_map(&graph, &maximised, &limits);
    assert!(matches!(
        refused,
        Err(EliminationError::TableTooLarge { .. })
    ));
    let question = MarginalMapSearch {
        graph: &graph,
        maximised: &maximised,
        limits: &limits,
        work: 1e7,
    };
    let found = marginal_map_search(question, &|_| {}).expect("sums are narrow");
    assert_eq!(found.stopped, Stopped::Finished);
    assert_close(found.log_weight, best, 1e-9, "grid");
}

#[test]
fn components_are_searched_one_after_another() {
    let (mut graph, mut maximised, mut expected) = (FactorGraph::default(), Vec::new(), 0.0);
    for seed in 0..12 {
        let part = coupled(&mut generator(seed));
        let keep: Vec<VarId> = variables(&part).into_iter().skip(4).collect();
        expected += totals(&part, &keep)
            .into_iter()
            .fold(f64::NEG_INFINITY, f64::max);
        let first = graph.cardinalities.len() as u32;
        graph.cardinalities.extend(&part.cardinalities);
        let moved = |v: &VarId| VarId(first + v.0);
        maximised.extend(keep.iter().map(moved));
        graph.factors.extend(part.factors.iter().map(|factor| {
            let mut factor = factor.clone();
            factor.variables = factor.variables.iter().map(moved).collect();
            factor
        }));
    }
    // Two variables and a constant that no maximised variable touches.
    let pair = [graph.add_variable(2), graph.add_variable(3)];
    graph
        .factors
        .push(dense(&pair, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    graph.factors.push(dense(&[], &[0.5]));
    expected += 10.5_f64.ln();
    let mut logs = Vec::new();
    for work in [0.0, 1e7] {
        let question = MarginalMapSearch {
            graph: &graph,
            maximised: &maximised,
            limits: &Limits::default().table_entries(16),
            work,
        };
        let found = marginal_map_search(question, &|_| {}).expect("sums are narrow");
        assert!(found.log_weight <= expected + 1e-9 && expected <= found.upper_bound + 1e-9);
        for step in &found.improvements {
            assert!(step.log_probability <= expected + 1e-9);
            assert!(step.upper_bound >= expected - 1e-9);
        }
        logs.push((found.stopped, found.log_weight));
    }
    assert_eq!(logs[0].0, Stopped::Budget);
    assert_eq!(logs[1].0, Stopped::Finished);
    assert_close(logs[1].1, expected, 1e-9, "all components");
}
