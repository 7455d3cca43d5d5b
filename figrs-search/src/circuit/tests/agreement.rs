//! Tests of sums, model counts, marginals and assignments of random factor graphs.

use figrs_factor::Limits;
use num_bigint::BigUint;
use rand::RngExt;

use super::super::decision_circuit::CircuitNode;
use super::super::labelled_circuit::LabelledCircuit;
use super::super::log_sum::log_sum;
use super::super::scaled_number::ScaledNumber;
use super::super::search::{ExhaustiveSearch, SearchControl};
use super::super::search_trace::SumTrace;
use super::problems::{
    cases, log_sum_of, logical_form, random_clauses, random_formula, random_graph, rng, worlds,
};
use figrs_factor::eliminate::sum_product;
use figrs_factor::tree::{ContractionTree, SumProductPrecision, TreeBeliefs};

fn is_close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() < 1e-9
}

#[test]
fn sums_of_all_engines_are_those_over_all_assignments() {
    let limits = Limits::default();
    let control = SearchControl::within(&limits);
    let (mut empty, cases) = (0, cases(3000));
    for seed in 0..cases {
        let mut graph = random_graph(&mut rng(seed), 7);
        let expected = log_sum_of(&worlds(&graph));
        empty += u64::from(expected == f64::NEG_INFINITY);
        let circuit = log_sum(&graph, 1 << 20, &control).expect("small");
        let elimination = sum_product(&graph, &[], &limits).expect("small").log_total;
        let (tree, _) = ContractionTree::compile(&mut graph, &limits).expect("small");
        let mut sums: TreeBeliefs<SumProductPrecision> = TreeBeliefs::new(&tree, &graph);
        for found in [circuit, elimination, sums.log_total(&tree, &graph)] {
            assert!(is_close(found, expected), "seed {seed}: {found} {expected}");
        }
    }
    let share = empty as f64 / cases as f64;
    assert!((0.05..0.95).contains(&share), "{share}");
}

/// The test formulas have two-literal clauses, because preprocessing finds units, subsumed clauses and equivalences in
/// such formulas.
#[test]
fn preprocessing_keeps_the_number_of_solutions() {
    let limits = Limits::default();
    let control = SearchControl::within(&limits);
    let (mut empty, mut eliminated) = (0, 0);
    for seed in 20_000..24_000 {
        let mut rng = rng(seed);
        let variables = rng.random_range(8..=12);
        let clauses = rng.random_range(variables..=5 * variables / 2);
        let graph = random_clauses(&mut rng, variables, clauses, 2..=3);
        let expected = log_sum_of(&worlds(&graph));
        empty += usize::from(expected == f64::NEG_INFINITY);
        let found = log_sum(&graph, 1 << 20, &control).expect("small");
        assert!(is_close(found, expected), "seed {seed}: {found} {expected}");
        let kept = (0..variables).map(|_| rng.random_bool(0.3)).collect();
        let labelled = LabelledCircuit::new(graph.into(), &[], kept, 1 << 20, &control);
        let labelled = labelled.expect("small");
        eliminated += labelled.left_out()[1];
        let count = labelled.circuit.map_or(0.0, |circuit| {
            let counts = circuit.evaluate(&1.0, |_| 1.0, |a, b| a * b, |a, b| a + b);
            counts[circuit.root as usize]
        });
        assert!(is_close(f64::ln(count), expected), "seed {seed}: {count}");
    }
    assert!((100..3900).contains(&empty), "{empty}");
    assert!(eliminated > 1000, "{eliminated}");
}

#[test]
fn a_cache_that_forgets_changes_no_sum() {
    let limits = Limits::default();
    let control = SearchControl::within(&limits);
    let mut evictions = 0;
    for seed in 0..300 {
        let mut rng = rng(30_000 + seed);
        let graph = match seed % 2 {
            0 => random_formula(&mut rng, 14, 30),
            _ => random_graph(&mut rng, 9),
        };
        let mut form = logical_form(&graph);
        let trace = SumTrace::new(form.symbol_logs.iter().copied());
        let preferences = vec![0.0; graph.cardinalities.len()];
        let mut search = ExhaustiveSearch::new(&mut form, (preferences, &[]), trace, 0);
        let found = search.run(&control).expect("small");
        evictions += search.cache.evictions;
        let found = found.map_or(f64::NEG_INFINITY, ScaledNumber::ln);
        let expected = log_sum_of(&worlds(&graph));
        assert!(is_close(found, expected), "seed {seed}: {found} {expected}");
    }
    assert!(evictions > 300, "{evictions}");
}

#[test]
fn circuits_know_counts_marginals_and_worlds() {
    let limits = Limits::default();
    let control = SearchControl::within(&limits);
    let mut left_out = [0, 0];
    for seed in 10_000..10_000 + cases(2000) {
        let mut rng = rng(seed);
        let graph = random_graph(&mut rng, 6);
        let kept: Vec<bool> = graph
            .cardinalities
            .iter()
            .map(|_| rng.random_bool(0.5))
            .collect();
        let mut expected = worlds(&graph);
        let labelled =
            LabelledCircuit::new(graph.into(), &[], kept, 1 << 20, &control).expect("small");
        left_out = [0, 1].map(|i| left_out[i] + labelled.left_out()[i]);
        let Some(circuit) = &labelled.circuit else {
            assert!(expected.is_empty(), "seed {seed}");
            continue;
        };
        let root = circuit.root as usize;
        let leaf = |node| match node {
            CircuitNode::Symbol(symbol) => {
                ScaledNumber::from_log(labelled.symbol_logs[symbol as usize])
            }
            _ => ScaledNumber::ONE,
        };
        let times = |a: ScaledNumber, b: &ScaledNumber| a * *b;
        let one = ScaledNumber::ONE;
        let sums = circuit.evaluate(&one, leaf, times, |a, b| *a + *b);
        assert!(
            is_close(sums[root].ln(), log_sum_of(&expected)),
            "seed {seed}"
        );
        let ones = |_| BigUint::from(1u8);
        let counts = circuit.evaluate(
            &ones(CircuitNode::Symbol(0)),
            ones,
            |a, b| a * b,
            |a, b| a + b,
        );
        assert_eq!(counts[root], BigUint::from(expected.len()), "seed {seed}");
        let derivatives = circuit.derivatives(&sums);
        for (place, &node) in circuit.nodes.iter().enumerate() {
            let CircuitNode::Value(number) = node else {
                continue;
            };
            let (variable, value) = labelled.numbering.value(number);
            let share = (derivatives[place] * sums[place]).share_of(sums[root]);
            let with: Vec<_> = expected
                .iter()
                .filter(|(v, _)| v[variable] == value)
                .cloned()
                .collect();
            let truth = (log_sum_of(&with) - log_sum_of(&expected)).exp();
            assert!(is_close(share, truth), "seed {seed}: {share} {truth}");
        }
        let maxima = circuit.evaluate(&one, leaf, times, |a, b| a.max(*b));
        let found = circuit.k_best(&maxima, expected.len() + 3);
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut seen: Vec<Vec<u32>> = found.iter().map(|world| labelled.values(world)).collect();
        for (values, (_, log)) in seen.iter().zip(&expected) {
            let own = expected.iter().find(|(world, _)| world == values);
            assert!(
                own.is_some_and(|(_, own)| is_close(*own, *log)),
                "seed {seed}"
            );
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), expected.len(), "seed {seed}");
        let fewer = circuit.k_best(&maxima, 2);
        let as_values = |world| labelled.values(world);
        assert!(
            fewer
                .iter()
                .map(as_values)
                .eq(found.iter().take(2).map(as_values))
        );
    }
    assert!(left_out.iter().all(|&n| n > 20), "{left_out:?}");
}
