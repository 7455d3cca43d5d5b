//! Tests that the clauses of the problem imply all learned clauses, and that cached values equal the values that a second search finds.

use super::super::clause_database::ClauseKind;
use super::super::literal::AtomLiteral;
use super::super::scaled_number::ScaledNumber;
use super::super::search::{ExhaustiveSearch, SearchControl};
use super::super::search_trace::SumTrace;
use super::CacheReplay;
use super::problems::{log_sum_of, logical_form, random_formula, random_graph, rng, worlds};
use figrs_factor::Limits;

#[test]
fn learned_clauses_hold_in_all_worlds() {
    let limits = Limits::default();
    let control = SearchControl::within(&limits);
    let (mut learned, mut facts) = (0, 0);
    for seed in 0..400 {
        let mut rng = rng(seed);
        let graph = match seed % 2 {
            0 => random_formula(&mut rng, 11, 40),
            _ => random_graph(&mut rng, 8),
        };
        let mut form = logical_form(&graph);
        let copy = form.clone();
        let logs = form.symbol_logs.clone();
        let preferences = vec![0.0; graph.cardinalities.len()];
        let trace = SumTrace::new(logs);
        let mut search = ExhaustiveSearch::new(&mut form, (preferences, &[]), trace, 1 << 20);
        search.analysis.log = Some(Vec::new());
        let found = search.run(&control).expect("small");
        let worlds = worlds(&graph);
        let expected = log_sum_of(&worlds);
        let found = found.map_or(f64::NEG_INFINITY, ScaledNumber::ln);
        assert!(
            found == expected || (found - expected).abs() < 1e-9,
            "seed {seed}"
        );
        // A search without a solution does not undo its assignments; its temporary clauses therefore remain.
        if found > f64::NEG_INFINITY {
            let left = search.propagator.clauses.count(ClauseKind::Temporary);
            assert_eq!(left, 0, "seed {seed}: reasons of refuted branches");
        }
        for clause in search.analysis.log.iter().flatten() {
            learned += 1;
            facts += usize::from(clause.len() == 1);
            for (values, _) in &worlds {
                let holds = |l: &AtomLiteral| {
                    let v = copy.atoms.variables[l.atom()];
                    let atom = AtomLiteral::new(l.atom() as u32, true);
                    let is_value = copy.atoms.has_value(v, values[v as usize]);
                    match copy.atoms.cardinalities[v as usize] {
                        2 => is_value == *l,
                        _ => (is_value == atom) == l.is_positive(),
                    }
                };
                assert!(
                    clause.iter().any(holds),
                    "seed {seed}: {clause:?} in {values:?}"
                );
            }
        }
    }
    assert!(learned > 1000 && facts > 100, "{learned} {facts}");
}

#[test]
fn cached_values_are_those_of_a_second_search() {
    let limits = Limits::default();
    let control = SearchControl::within(&limits);
    let mut compared = 0;
    for seed in 0..300 {
        let mut rng = rng(1000 + seed);
        let graph = match seed % 3 {
            0 => random_formula(&mut rng, 16, 44),
            1 => random_formula(&mut rng, 18, 30),
            _ => random_graph(&mut rng, 9),
        };
        let mut form = logical_form(&graph);
        let trace = SumTrace::new(form.symbol_logs.clone());
        let preferences = vec![0.0; graph.cardinalities.len()];
        let mut search = ExhaustiveSearch::new(&mut form, (preferences, &[]), trace, 1 << 20);
        let is_same = |a: ScaledNumber, b: ScaledNumber| (a.ln() - b.ln()).abs() < 1e-9;
        search.replay = Some(CacheReplay::new(is_same));
        search.run(&control).expect("small");
        let replay = search.replay.expect("set");
        assert!(replay.differences.is_empty(), "seed {seed}");
        compared += replay.compared;
    }
    assert!(compared > 1000, "{compared}");
}
