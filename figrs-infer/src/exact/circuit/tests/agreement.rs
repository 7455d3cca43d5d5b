//! Sums, counts, marginals and worlds of random graphs.

use num_bigint::BigUint;
use rand::RngExt;

use super::super::circuit_encoding::LabelledCircuit;
use super::super::decision_circuit::CircuitNode;
use super::super::log_sum::log_sum;
use super::super::scaled_number::ScaledNumber;
use super::super::search::SearchControl;
use super::problems::{log_sum_of, random_graph, rng, worlds};
use crate::exact::eliminate::Options;

fn is_close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() < 1e-9
}

#[test]
fn sums_are_those_over_all_assignments() {
    let options = Options::default();
    let control = SearchControl {
        options: &options,
        report: &|_| (),
    };
    let mut empty = 0;
    for seed in 0..3000 {
        let graph = random_graph(&mut rng(seed), 7);
        let expected = log_sum_of(&worlds(&graph));
        empty += usize::from(expected == f64::NEG_INFINITY);
        // A cache of two entries is evicted all the time.
        for cache_bytes in [1 << 20, 0] {
            let found = log_sum(&graph, cache_bytes, &control).expect("small");
            assert!(is_close(found, expected), "seed {seed}: {found} {expected}");
        }
    }
    assert!((150..2850).contains(&empty), "{empty}");
}

#[test]
fn circuits_know_counts_marginals_and_worlds() {
    let options = Options::default();
    let control = SearchControl {
        options: &options,
        report: &|_| (),
    };
    let mut eliminated = 0;
    for seed in 10_000..12_000 {
        let mut rng = rng(seed);
        let graph = random_graph(&mut rng, 6);
        let kept: Vec<bool> = graph
            .cardinalities
            .iter()
            .map(|_| rng.random_bool(0.5))
            .collect();
        let mut expected = worlds(&graph);
        let labelled = LabelledCircuit::new(&graph, &[], &kept, 1 << 20, &control).expect("small");
        eliminated += labelled.eliminated();
        let Some(circuit) = &labelled.circuit else {
            assert!(expected.is_empty(), "seed {seed}");
            continue;
        };
        let root = circuit.root as usize;
        let leaf = |node| match node {
            CircuitNode::Symbol(symbol) => ScaledNumber::from_log(labelled.log_weight(symbol)),
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
            let (variable, value) = labelled.value(number);
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
    assert!(eliminated > 30, "{eliminated}");
}
