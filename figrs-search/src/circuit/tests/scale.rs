//! Tests of searches of long chains, of interrupts and of limits.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_factor::{Limits, Until};

use super::super::labelled_circuit::LabelledCircuit;
use super::super::log_sum::log_sum;
use super::super::search::SearchControl;
use super::problems::{log_sum_of, random_formula, rng, worlds};
use figrs_factor::eliminate::EliminationError;

/// Returns the factor graph of a chain of binary variables in which no two neighbours are both true.
fn chain(n: usize) -> FactorGraph {
    let factor = |v: usize| Factor {
        variables: vec![VarId(v as u32), VarId(v as u32 + 1)],
        table: FactorTable::Dense(Weights::from_linear(vec![1.0, 1.0, 1.0, 0.0])),
        normalised: false,
    };
    FactorGraph {
        cardinalities: vec![2; n],
        factors: (0..n - 1).map(factor).collect(),
    }
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let limits = Limits::default();
    let control = SearchControl::within(&limits);
    let n = 20_000;
    let graph = chain(n);
    // The number of assignments is a Fibonacci number; its logarithm is computed as the sum of the logarithms of ratios
    // of consecutive Fibonacci numbers.
    let (mut last, mut log) = (1.0f64, 2.0f64.ln());
    for _ in 1..n {
        let ratio = 1.0 + 1.0 / last.max(1.0);
        last = if last == 1.0 { 1.5 } else { ratio };
        log += last.ln();
    }
    let found = log_sum(&graph, 1 << 26, &control).expect("cheap");
    assert!((found / log - 1.0).abs() < 1e-10, "{found} {log}");
    let kept = vec![true; n];
    let labelled = LabelledCircuit::new(graph.into(), &[], kept, 1 << 26, &control).expect("cheap");
    let circuit = labelled.circuit.expect("possible");
    let counts = circuit.evaluate(
        &0.0f64,
        |_| 0.0,
        |a, b| a + b,
        |a: &f64, b: &f64| {
            let most = a.max(*b);
            most + ((a - most).exp() + (b - most).exp()).ln()
        },
    );
    assert!((counts[circuit.root as usize] / log - 1.0).abs() < 1e-10);
}

/// Runs a search whose interrupt flag is set at the `count`th call of the progress listener; in tests, the listener is
/// called at every step.
fn interrupted_at(count: u64, search: impl Fn(&SearchControl<'_>) -> bool) -> (bool, u64) {
    let flag = Arc::new(AtomicBool::new(count == 0));
    let until = Until {
        interrupt: Some(flag.clone()),
        ..Until::default()
    };
    let limits = Limits::default().until(&until);
    let (calls, last) = (Cell::new(0), Cell::new(0));
    let report = |decisions| {
        assert!(decisions >= last.replace(decisions), "decisions only grow");
        calls.set(calls.get() + 1);
        flag.store(calls.get() >= count, Ordering::Relaxed);
    };
    let control = SearchControl {
        report: &report,
        ..SearchControl::within(&limits)
    };
    (search(&control), last.get())
}

#[test]
fn an_interrupt_at_any_decision_ends_the_search() {
    let graph = random_formula(&mut rng(1), 16, 30);
    let expected = log_sum_of(&worlds(&graph));
    let sum = |control: &SearchControl<'_>| match log_sum(&graph, 1 << 20, control) {
        Err(error) => {
            assert_eq!(error, EliminationError::Interrupted);
            false
        }
        Ok(found) => {
            assert!((found - expected).abs() < 1e-9);
            true
        }
    };
    let circuit = |control: &SearchControl<'_>| {
        let (graph, kept) = (Arc::new(graph.clone()), vec![true; 16]);
        match LabelledCircuit::new(graph, &[], kept, 1 << 20, control) {
            Err(error) => {
                assert_eq!(error, EliminationError::Interrupted);
                false
            }
            Ok(labelled) => labelled.circuit.is_some(),
        }
    };
    for search in [&sum as &dyn Fn(&SearchControl<'_>) -> bool, &circuit] {
        let mut seen = Vec::new();
        let ended = (0..10_000).find(|&count| {
            let (is_answered, decisions) = interrupted_at(count, search);
            seen.push(decisions);
            is_answered
        });
        seen.dedup();
        let all: Vec<u64> = (0..).take(seen.len()).collect();
        assert_eq!(seen, all, "every number of decisions");
        assert!(
            ended > Some(20) && seen.len() > 10,
            "{ended:?} {}",
            seen.len()
        );
    }
}

#[test]
fn a_circuit_that_outgrows_the_budget_is_refused() {
    let limits = Limits::default().memory(1 << 20);
    let control = SearchControl::within(&limits);
    let graph = random_formula(&mut rng(2), 70, 110);
    let kept = vec![true; 70];
    let refused = LabelledCircuit::new(graph.into(), &[], kept, 1 << 20, &control);
    assert!(
        matches!(refused, Err(EliminationError::TooMuchMemory { .. })),
        "{refused:?}"
    );
}

#[test]
fn tables_of_too_many_rows_are_refused() {
    let limits = Limits::default().table_entries(5000);
    let control = SearchControl::within(&limits);
    // The graph has a function with 6000 values, and these values have weights.
    let graph = FactorGraph {
        cardinalities: vec![6000, 2],
        factors: vec![
            Factor {
                variables: vec![VarId(0), VarId(1)],
                table: FactorTable::Function {
                    index: (0..6000).map(|state| state % 2).collect(),
                },
                normalised: false,
            },
            Factor {
                variables: vec![VarId(1)],
                table: FactorTable::Dense(Weights::from_linear(vec![0.5, 0.25])),
                normalised: false,
            },
        ],
    };
    let refused = log_sum(&graph, 1 << 20, &control);
    let expected = EliminationError::TableTooLarge {
        needed: 12_000.0,
        limit: 5000,
    };
    assert_eq!(refused, Err(expected));
}
