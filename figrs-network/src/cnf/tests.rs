use figrs_infer::eliminate::Counting;
use figrs_infer::{Circuit, Compiled, JunctionTree, Run, VariableElimination};
use proptest::prelude::*;

use super::super::problem_of::problem_of;
use super::super::{
    Network, NetworkClause, NetworkError, NetworkFormat, NetworkKind, State, Variable, mistakes,
};
use figrs_reading::{Mistake, MistakeKind};

fn problem(text: &str) -> (usize, usize, Mistake) {
    problem_of(Network::from_cnf(text))
}

/// Returns the number of satisfying assignments of a formula and the logarithm of the sum of their weights, computed by a search.
fn found(text: &str) -> (String, f64) {
    let network = Network::from_cnf(text).unwrap();
    let model = network.model();
    let count = Circuit::new().count(&model, network.elements()).unwrap();
    let sum = Circuit::new().run(&model, ()).unwrap().log_evidence();
    (count.to_string(), sum.unwrap().value)
}

#[test]
fn clauses_and_weights_are_factors_of_variables_named_by_number() {
    let text = "\u{feff}c a comment\r\nc t wmc\r\np cnf 4 3\r\nc p weight 2 0.25 0\r\n\
        -1 2\n 0 1 -2 3 0\nc p weight -2 3 0\nc p weight -4 0.5 0\n\n2 2 1\t0\n%\n0\n";
    let network = Network::from_cnf(text).unwrap();
    assert_eq!(network.kind(), NetworkKind::Markov);
    let names = network.variables().iter().map(Variable::name);
    assert_eq!(names.collect::<Vec<_>>(), ["1", "2", "3", "4"]);
    let states = network.variables()[3].states().iter();
    assert_eq!(
        states.map(State::name).collect::<Vec<_>>(),
        ["false", "true"]
    );
    let clauses = network.clauses().iter().map(NetworkClause::literals);
    let expected: [&[(usize, bool)]; 3] = [
        &[(0, false), (1, true)],
        &[(0, true), (1, false), (2, true)],
        &[(0, true), (1, true)],
    ];
    assert!(clauses.eq(expected));
    let tables = network
        .tables()
        .iter()
        .map(|t| (t.variables(), t.numbers()));
    assert!(tables.eq([(&[1][..], &[3.0, 0.25][..]), (&[3], &[0.5, 1.0])]));
    // In this formula, variable 2 must be true, 1 or 3 must be true, and 4 is not constrained.
    let (count, sum) = found(text);
    assert_eq!(count, "6");
    assert!((sum - (3.0_f64 * 0.25 * 1.5).ln()).abs() < 1e-14);
    let message = Network::from_text(text, "standard input").unwrap();
    assert_eq!(message.clauses(), network.clauses());
}

#[test]
fn a_fraction_is_a_weight_and_a_projection_to_all_variables_is_none() {
    let text =
        "p cnf 2 1\nc p weight 1 1/3 0\nc p weight -1 2/3 0\nc p show 1 0\nc ind 2 0\n1 -2 0\n";
    let (count, sum) = found(text);
    assert_eq!(count, "3");
    assert!((sum - (4.0_f64 / 3.0).ln()).abs() < 1e-15);
}

#[test]
fn a_file_that_asks_for_a_count_has_no_weights() {
    let text = "c t mc\np cnf 2 1\nc p weight 1 0.125 0\n1 2 0\n";
    assert!(Network::from_cnf(text).unwrap().tables().is_empty());
    let (count, sum) = found(text);
    assert_eq!(count, "3");
    assert!((sum - 3_f64.ln()).abs() < 1e-15);
}

#[test]
fn empty_formulas_empty_clauses_and_tautologies_count() {
    for (text, count) in [
        ("p cnf 0 0", "1"),
        ("p cnf 70 0", "1180591620717411303424"),
        ("p cnf 0 1\n0", "0"),
        ("p cnf 3 2\n1 0\n0", "0"),
        ("p cnf 2 2\n1 0 -1 0", "0"),
        ("p cnf 3 2\n1 -1 2 0 -3 2 3 0", "8"),
        ("p cnf 3 1\n-2 -2 0", "4"),
        ("p cnf 2 0\nc p weight 1 0 0", "2"),
        ("p cnf 2 0\nc p weight 1 0 0\nc p weight -1 0 0", "0"),
    ] {
        assert_eq!(found(text).0, count, "{text}");
    }
}

#[test]
fn a_clause_of_thousands_of_literals_excludes_one_assignment() {
    let literals: Vec<String> = (1..=5000)
        .map(|v| if v % 3 == 0 { -v } else { v }.to_string())
        .collect();
    let text = format!("p cnf 5000 1\n{} 0", literals.join(" "));
    let network = Network::from_cnf(&text).unwrap();
    let count = Circuit::new().count(&network.model(), network.elements());
    let eliminated = VariableElimination::new()
        .total::<Counting>(&network.model(), network.elements())
        .unwrap();
    let more = count.unwrap() + 1u8;
    assert_eq!((more.trailing_zeros(), more.bits()), (Some(5000), 5001));
    assert_eq!(eliminated.values[0].clone() + 1u8, more);
    let units = literals[1..].iter().map(|l| format!("-{l} 0\n"));
    let negated = units.collect::<String>().replace("--", "");
    let only = format!("p cnf 5000 5000\n{} 0\n{negated}", literals.join(" "));
    assert_eq!(found(&only).0, "1");
}

#[test]
fn large_declarations_do_not_take_memory() {
    for variables in [1_000_000_000_000u64, 65_537] {
        let (_, column, problem) = problem(&format!("p cnf {variables} 0"));
        assert_eq!(column, 7);
        let what = "variables";
        let (needed, limit) = (u128::from(variables), 1 << 16);
        assert_eq!(problem, mistakes::too_large(what, needed, limit));
    }
    let (_, _, found) = problem("p cnf 1 1000000000000");
    assert_eq!(found.kind, MistakeKind::Count);
}

#[test]
fn formulas_are_not_written_and_become_uai() {
    let text = "p cnf 7 3\n1 -2 3 -4 5 -6 7 0 -1 0\n2 -3 0\nc p weight 5 0.5 0";
    let network = Network::from_cnf(text).unwrap();
    let error = network.to_text(NetworkFormat::Cnf).unwrap_err();
    assert_eq!(
        error.to_string(),
        "CNF can be read but not written; write the network as UAI"
    );
    assert!(matches!(
        network.to_bif(),
        Err(NetworkError::NotWritable { .. })
    ));
    let again = Network::from_uai(&network.to_uai()).unwrap();
    // A clause of seven literals is written as two tables with one helper variable between them.
    assert_eq!(again.variables().len(), 8);
    let sum = |network: &Network| {
        VariableElimination::new()
            .log_evidence(&network.model())
            .unwrap()
    };
    assert!((sum(&network) - sum(&again)).abs() < 1e-14);
    let count = |n: &Network| Circuit::new().count(&n.model(), n.elements()).unwrap();
    assert_eq!(count(&network), count(&again));
    let never = Network::from_cnf("p cnf 1 1\n0").unwrap();
    let never = Network::from_uai(&never.to_uai()).unwrap();
    assert_eq!(sum(&never), f64::NEG_INFINITY);
}

/// A formula for tests: the number of variables, the clauses, and the weights of both literals of each variable.
type Formula = (usize, Vec<Vec<i64>>, Vec<[Option<f64>; 2]>);

fn formula() -> impl Strategy<Value = Formula> {
    (8..=12usize).prop_flat_map(|n| {
        let literal = (1..=i64::try_from(n).unwrap(), any::<bool>())
            .prop_map(|(v, is)| if is { v } else { -v });
        let clause = prop_oneof![
            9 => prop::collection::vec(literal.clone(), 1..=4),
            2 => prop::collection::vec(literal, 5..=12),
        ];
        let weight = prop_oneof![
            4 => Just(None),
            3 => (0.0..3.0).prop_map(Some),
            1 => prop::sample::select(vec![Some(0.0), Some(1e-200), Some(1e200)]),
        ];
        let weights = prop_oneof![
            Just(vec![[None; 2]; n]),
            prop::collection::vec([weight.clone(), weight], n),
        ];
        (Just(n), prop::collection::vec(clause, 0..=30), weights)
    })
}

fn text((n, clauses, weights): &Formula) -> String {
    let mut lines = vec![format!("p cnf {n} {}", clauses.len())];
    for (v, pair) in (1i64..).zip(weights) {
        let pair = [-v, v].into_iter().zip(pair);
        lines.extend(pair.filter_map(|(l, w)| w.map(|w| format!("c p weight {l} {w:?} 0"))));
    }
    for clause in clauses {
        let literals: Vec<String> = clause.iter().map(ToString::to_string).collect();
        lines.push(format!("{} 0", literals.join(" ")));
    }
    lines.join("\n")
}

/// Returns the number of assignments of positive weight and the logarithm of the sum of their weights, computed by enumeration of all assignments.
fn tried((n, clauses, weights): &Formula) -> (u64, f64) {
    let (mut count, mut logs) = (0, Vec::new());
    for world in 0..1u32 << n {
        let value = |v: usize| world >> v & 1 == 1;
        let holds = |&l: &i64| value(l.unsigned_abs() as usize - 1) == (l > 0);
        if !clauses.iter().all(|clause| clause.iter().any(holds)) {
            continue;
        }
        let weight = |v: usize| weights[v][usize::from(value(v))].unwrap_or(1.0).ln();
        let log: f64 = (0..*n).map(weight).sum();
        count += u64::from(log > f64::NEG_INFINITY);
        logs.push(log);
    }
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if count == 0 {
        return (0, f64::NEG_INFINITY);
    }
    let total = best + logs.iter().map(|l| (l - best).exp()).sum::<f64>().ln();
    (count, total)
}

proptest! {
    #[test]
    fn counts_and_sums_are_those_of_all_assignments(formula in formula()) {
        let network = Network::from_cnf(&text(&formula)).unwrap();
        let (model, elements) = (network.model(), network.elements());
        let (count, total) = tried(&formula);
        let is_near = |found: f64| found == total || (found - total).abs() < 1e-9 * total.abs().max(1.0);
        let counted = Circuit::new().count(&model, elements).unwrap();
        prop_assert_eq!(counted, count.into());
        let counted = Circuit::new().compile(&model, elements).unwrap().count().unwrap();
        prop_assert_eq!(counted, count.into());
        let counted = VariableElimination::new().total::<Counting>(&model, elements).unwrap();
        prop_assert_eq!(&counted.values[0], &count.into());
        let tree = JunctionTree::new().compile(&model, elements).unwrap();
        prop_assert_eq!(tree.count().unwrap(), count.into());
        prop_assert!(is_near(tree.log_evidence()), "{}, not {total}", tree.log_evidence());
        let eliminated = VariableElimination::new().log_evidence(&model).unwrap();
        prop_assert!(is_near(eliminated), "{eliminated}, not {total}");
        let searched = Circuit::new().run(&model, ()).unwrap().log_evidence().unwrap().value;
        prop_assert!(is_near(searched), "{searched}, not {total}");
        let again = Network::from_uai(&network.to_uai()).unwrap();
        let written = VariableElimination::new().log_evidence(&again.model()).unwrap();
        prop_assert!(is_near(written), "{written}, not {total}");
    }
}
