//! Long chains, interrupts and budgets.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_core::Until;
use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId, Weights};

use super::super::circuit_encoding::LabelledCircuit;
use super::super::log_sum::log_sum;
use super::super::search::SearchControl;
use super::problems::{random_formula, rng};
use crate::exact::eliminate::{EliminationError, Options};

/// A chain in which two neighbours are not both true.
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
    let options = Options::default();
    let control = SearchControl {
        options: &options,
        report: &|_| (),
    };
    let n = 20_000;
    let graph = chain(n);
    // Fibonacci numbers grow by the golden ratio.
    let (mut last, mut log) = (1.0f64, 2.0f64.ln());
    for _ in 1..n {
        let ratio = 1.0 + 1.0 / last.max(1.0);
        last = if last == 1.0 { 1.5 } else { ratio };
        log += last.ln();
    }
    let found = log_sum(&graph, 1 << 26, &control).expect("cheap");
    assert!((found / log - 1.0).abs() < 1e-10, "{found} {log}");
    let kept = vec![true; n];
    let labelled = LabelledCircuit::new(&graph, &[], &kept, 1 << 26, &control).expect("cheap");
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

#[test]
fn an_interrupt_ends_the_search() {
    let until = Until {
        interrupt: Some(Arc::new(AtomicBool::new(true))),
        ..Until::default()
    };
    let options = Options::default().until(&until);
    let control = SearchControl {
        options: &options,
        report: &|_| (),
    };
    let graph = random_formula(&mut rng(1), 60, 120);
    let stopped = log_sum(&graph, 1 << 20, &control);
    assert_eq!(stopped, Err(EliminationError::Interrupted));
}

#[test]
fn a_circuit_that_outgrows_the_budget_is_refused() {
    let options = Options::default().memory_budget(1 << 20);
    let control = SearchControl {
        options: &options,
        report: &|_| (),
    };
    let graph = random_formula(&mut rng(2), 70, 110);
    let kept = vec![true; 70];
    let refused = LabelledCircuit::new(&graph, &[], &kept, 1 << 20, &control);
    assert!(
        matches!(refused, Err(EliminationError::TooMuchMemory { .. })),
        "{refused:?}"
    );
}

#[test]
fn tables_of_too_many_rows_are_refused() {
    let options = Options::default().table_budget(5000);
    let control = SearchControl {
        options: &options,
        report: &|_| (),
    };
    // A function of 6000 states.
    let graph = FactorGraph {
        cardinalities: vec![6000, 2],
        factors: vec![Factor {
            variables: vec![VarId(0), VarId(1)],
            table: FactorTable::Function {
                index: (0..6000).map(|state| state % 2).collect(),
            },
            normalised: true,
        }],
    };
    let refused = log_sum(&graph, 1 << 20, &control);
    let expected = EliminationError::TableTooLarge {
        needed: 18_000.0,
        limit: 5000,
    };
    assert_eq!(refused, Err(expected));
}
