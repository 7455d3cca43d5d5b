//! Tests of the driver of a search: components, listeners, proofs and interrupts.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::*;

fn small_search() -> Limits {
    search_limits(1 << 6, 200_000, 1 << 24)
}

/// Adds variables that must have pairwise different values to a graph, with one value fewer than there are variables. A large finite cost that no
/// good assignment has makes the scale of the fixed-point costs small. Because of the small scale, the upper bound stays above the best assignment's
/// log-weight.
fn add_pigeons(graph: &mut FactorGraph, pigeons: u32) {
    let holes = pigeons - 1;
    let all: Vec<VarId> = (0..pigeons)
        .map(|_| graph.add_variable(holes as usize))
        .collect();
    for (i, &x) in all.iter().enumerate() {
        for &y in &all[..i] {
            let cells = (0..holes * holes).map(|i| f64::from(u8::from(i / holes != i % holes)));
            let table = dense(&[y, x], &cells.collect::<Vec<_>>());
            graph.factors.push(table);
        }
    }
}

/// Returns a factor graph of `n` unconnected cliques of five variables each.
fn cliques(n: usize) -> FactorGraph {
    let mut rng = generator(3);
    let mut graph = FactorGraph::default();
    for _ in 0..n {
        let all: Vec<VarId> = (0..5).map(|_| graph.add_variable(2)).collect();
        for (i, &x) in all.iter().enumerate() {
            for &y in &all[..i] {
                let weights: Vec<f64> = (0..4).map(|_| 0.1 + rng.random::<f64>()).collect();
                graph.factors.push(dense(&[y, x], &weights));
            }
        }
    }
    graph
}

fn solved(graph: &FactorGraph, limits: &Limits, observer: SearchObserver<'_>) -> SolveResult {
    solve(graph, limits, observer).expect("well formed")
}

/// A connected component without assignments must end the search, even if another component would take far more steps than allowed. Many connected
/// components without assignments must cause no overflow of their costs.
#[test]
fn an_impossible_component_ends_the_search() {
    let mut graph = grid(20, 2.0, 7);
    for _ in 0..200 {
        add_pigeons(&mut graph, 6);
    }
    let result = solved(&graph, &small_search(), SearchObserver::default());
    assert!(matches!(result, SolveResult::Impossible), "{result:?}");
}

/// The final gap between the bounds must be the same in a search of many connected components as in a single search: two units of fixed-point cost
/// for each factor.
#[test]
fn the_gap_of_many_components_is_that_of_all_factors() {
    let graph = cliques(100);
    let result = solved(&graph, &small_search(), SearchObserver::default());
    let SolveResult::Found(values, steps, None) = result else {
        panic!("{result:?}");
    };
    let bound = steps[steps.len() - 1].upper_bound;
    // The sum of a thousand rounded logarithms below ten has a rounding error of about this size.
    let rounded = 1e-12 * 1000.0;
    let units = 2.0 * graph.factors.len() as f64 * f64::exp2(-46.0);
    let gap = bound - log_weight(&graph, &values);
    assert!(gap <= units + rounded, "{gap}, not {units}");
}

/// The result of an exact elimination must be reported to the listener like all improvements, and its upper bound must not be below
/// the log-weight of its assignment.
#[test]
fn an_exact_elimination_is_told() {
    let mut told_more = 0;
    for seed in 0..4 {
        let graph = grid(13, 2.0, seed);
        let observed: RefCell<Vec<Improvement>> = RefCell::default();
        let observer = SearchObserver {
            improvement: &|step| observed.borrow_mut().push(*step),
            ..SearchObserver::default()
        };
        let limits = search_limits(1 << 16, 10_000_000, 1 << 30);
        let small = limits.clone().work(80_000.0);
        let limits = if seed % 2 == 0 { limits } else { small };
        let SolveResult::Found(_, steps, None) = solved(&graph, &limits, observer) else {
            continue;
        };
        assert_eq!(observed.into_inner(), steps, "seed {seed}");
        for step in &steps {
            assert!(step.upper_bound >= step.log_probability, "{step:?}");
        }
        let last = steps[steps.len() - 1];
        told_more += usize::from(last.upper_bound == last.log_probability);
    }
    assert!(told_more > 0, "no grid was eliminated");
}

/// Runs a search whose interrupt flag is set when the search reports its `n`-th improvement.
fn interrupted_at(graph: &FactorGraph, n: usize) -> SolveResult {
    let flag = Arc::new(AtomicBool::new(n == 0));
    let until = Until {
        interrupt: Some(Arc::clone(&flag)),
        ..Until::default()
    };
    let count = Cell::new(0);
    let improvement = |_: &Improvement| {
        count.set(count.get() + 1);
        flag.store(count.get() >= n, Ordering::Relaxed);
    };
    let observer = SearchObserver {
        improvement: &improvement,
        ..SearchObserver::default()
    };
    let result = solve(graph, &small_search().until(&until), observer);
    result.unwrap_or(SolveResult::Unknown {
        work: 0,
        upper_bound: f64::INFINITY,
        stopped: true,
    })
}

/// An interrupt must also end the preparation of a search. An interrupt at the last improvement must not withdraw the proof of
/// optimality.
#[test]
fn an_interrupt_ends_the_preparation_and_spares_a_proof() {
    let none = interrupted_at(&grid(5, 1.0, 0), 0);
    assert!(
        matches!(none, SolveResult::Unknown { stopped: true, .. }),
        "{none:?}"
    );
    let graph = cliques(3);
    let mut ends = [0, 0];
    for n in 1..40 {
        let SolveResult::Found(values, steps, stopped) = interrupted_at(&graph, n) else {
            panic!("{n}");
        };
        let last = steps[steps.len() - 1];
        let is_proven = close(last.log_probability, last.upper_bound);
        assert!(is_proven || stopped.is_some(), "{n}: {last:?}");
        assert!(close(log_weight(&graph, &values), last.log_probability));
        ends[usize::from(stopped.is_some())] += 1;
    }
    assert!(ends[0] > 0 && ends[1] > 0, "{ends:?}");
}

/// Returns a factor graph that is a chain of groups of variables: all variables of a group are connected, and each group shares two variables with
/// the group before it.
fn chain_of_groups(groups: usize, size: usize, seed: u64) -> FactorGraph {
    let mut rng = generator(seed);
    let mut graph = FactorGraph::default();
    let mut before: Vec<VarId> = Vec::new();
    for _ in 0..groups {
        let mut all: Vec<VarId> = before.iter().rev().take(2).copied().collect();
        all.extend((0..size).map(|_| graph.add_variable(2)));
        for (i, &x) in all.iter().enumerate() {
            for &y in &all[..i] {
                let j: f64 = rng.random_range(-0.5..0.5);
                let scope = [x.min(y), x.max(y)];
                let weights = [j.exp(), (-j).exp(), (-j).exp(), j.exp()];
                graph.factors.push(dense(&scope, &weights));
            }
        }
        before = all;
    }
    graph
}

/// Groups of variables that are too wide for elimination must be searched one after another along a tree decomposition, with far fewer steps than
/// without a tree decomposition.
#[test]
fn groups_of_small_separators_are_searched_along_a_tree() {
    let graph = chain_of_groups(5, 16, 1);
    let (_, best) = most_probable(&graph, &Limits::default()).expect("2^18 entries");
    let limits = search_limits(1 << 6, 20_000_000, 1 << 24);
    let SolveResult::Found(values, steps, None) =
        solved(&graph, &limits, SearchObserver::default())
    else {
        panic!("nothing found");
    };
    let last = steps[steps.len() - 1];
    assert!(close(log_weight(&graph, &values), best) && close(last.upper_bound, best));
    assert!((last.work as f64) < limits.work / 4.0, "{last:?}");
}

/// An interrupt at any time must leave an assignment with the reported weight and valid bounds that only tighten. After an interrupt, only the best
/// assignment may be called proven optimal.
#[test]
fn an_interrupt_at_any_time_leaves_sound_bounds() {
    let graph = chain_of_groups(4, 14, 2);
    let (_, best) = most_probable(&graph, &Limits::default()).expect("2^16 entries");
    let mut stops = 0;
    for i in 0..60u32 {
        let flag = Arc::new(AtomicBool::new(false));
        let until = Until {
            interrupt: Some(Arc::clone(&flag)),
            ..Until::default()
        };
        let delay = Duration::from_micros(u64::from(i * i) * 30);
        let timer = std::thread::spawn(move || {
            std::thread::sleep(delay);
            flag.store(true, Ordering::Relaxed);
        });
        let limits = search_limits(1 << 6, 20_000_000, 1 << 22);
        let result = solve(&graph, &limits.until(&until), SearchObserver::default());
        timer.join().expect("no panic");
        let Ok(SolveResult::Found(values, steps, stopped)) = result else {
            continue;
        };
        let last = steps[steps.len() - 1];
        assert!(close(log_weight(&graph, &values), last.log_probability));
        assert!(last.upper_bound >= best - 1e-9, "{i}: {last:?} {best}");
        assert!(last.log_probability <= best + 1e-9, "{i}: {last:?} {best}");
        for pair in steps.windows(2) {
            assert!(pair[0].upper_bound >= pair[1].upper_bound - 1e-12, "{i}");
        }
        if stopped.is_none() {
            assert!(close(last.log_probability, best), "{i}: {last:?} {best}");
        }
        stops += usize::from(stopped.is_some());
    }
    assert!(stops > 0, "no search was stopped");
}
