//! Tests of a portfolio from a user's view: the algorithm that answers, the bounds if none does, and the end by an interrupt.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use figrs::prelude::*;
use figrs::{AlgorithmAttempt, AttemptOutcome, Bounds, Bytes, Circuit, Error};

/// Returns a square grid of coins, neighbours of which tend to be equal.
fn grid(side: usize) -> (Model, Vec<Element<bool>>) {
    let cells: Vec<Element<bool>> = (0..side * side)
        .map(|i| Flip::new(0.3 + 0.001 * i as f64))
        .collect();
    let mut model = Model::new();
    for i in 0..side * side {
        let right = (i % side + 1 < side).then_some(i + 1);
        for j in right.into_iter().chain([i + side]) {
            if let Some(other) = cells.get(j) {
                let agree = cells[i].equals(other);
                model = model.weigh(&agree, |&same| if same { 1.5 } else { 1.0 });
            }
        }
    }
    (model, cells)
}

/// Returns a formula of clauses of three coins each, chosen by a fixed rule.
fn formula(variables: usize, clauses: usize) -> (Model, Vec<Element<bool>>) {
    counted_formula(variables, clauses, &Arc::default())
}

/// A formula whose functions count their calls.
fn counted_formula(
    variables: usize,
    clauses: usize,
    calls: &Arc<AtomicU64>,
) -> (Model, Vec<Element<bool>>) {
    let coins: Vec<Element<bool>> = (0..variables).map(|_| Flip::new(0.5)).collect();
    let mut state = 7_u64;
    let mut draw = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    let mut model = Model::new();
    for _ in 0..clauses {
        let first = draw(variables);
        let second = (first + 1 + draw(variables - 2)) % variables;
        let third = (0..variables)
            .map(|i| (i + draw(variables)) % variables)
            .find(|i| ![first, second].contains(i))
            .unwrap();
        let signs = [draw(2) == 0, draw(2) == 0, draw(2) == 0];
        let calls = Arc::clone(calls);
        let holds = (&coins[first], &coins[second], &coins[third]).map(move |(&a, &b, &c)| {
            calls.fetch_add(1, Ordering::Relaxed);
            a == signs[0] || b == signs[1] || c == signs[2]
        });
        model = model.observe(&holds, true);
    }
    (model, coins)
}

#[test]
fn a_cheap_elimination_is_the_only_attempt() {
    let (model, cells) = grid(5);
    for (targets, algorithm) in [(0..0, "VariableElimination"), (0..25, "JunctionTree")] {
        let answer = Exact::new().run(&model, &cells[targets]).unwrap();
        assert_eq!(answer.algorithm(), algorithm);
        let choice = answer.choice().unwrap();
        assert_eq!(choice.to_string(), format!("{algorithm} answered"));
    }
    let world = MpeExact::new().run(&model, &cells).unwrap();
    assert_eq!(world.algorithm(), "MpeVariableElimination");
    let elimination = MpeVariableElimination::new().run(&model, &cells).unwrap();
    assert_eq!(
        world.log_probability().unwrap(),
        elimination.log_probability().unwrap()
    );
}

#[test]
fn a_wide_formula_is_searched() {
    let (model, coins) = formula(60, 150);
    let answer = Exact::new().run(&model, ()).unwrap();
    assert_eq!(
        answer.algorithm(),
        "Circuit",
        "{}",
        answer.choice().unwrap()
    );
    let circuit = Circuit::new().log_evidence(&model).unwrap();
    assert_eq!(answer.log_evidence().unwrap().value, circuit);
    let (count, choice) = Exact::new().count(&model, &coins).unwrap();
    assert_eq!(choice.attempts.last().unwrap().algorithm, "Circuit");
    let expected = circuit + 60.0 * 2_f64.ln();
    assert!((count.to_string().parse::<f64>().unwrap().ln() - expected).abs() < 1e-9);
    let compiled = Exact::new().compile(&model, &coins[0]).unwrap();
    assert!((compiled.log_evidence() - circuit).abs() < 1e-9);
}

/// The functions of the model are called only by the first expansion of each kind.
#[test]
fn attempts_share_one_expansion() {
    let calls = Arc::new(AtomicU64::new(0));
    let cells: Vec<Element<bool>> = (0..100).map(|_| Flip::new(0.4)).collect();
    let mut model = Model::new();
    for (i, j) in (0..90).flat_map(|i| [(i, i + 10), (i, i + 1)]) {
        let calls = Arc::clone(&calls);
        let agree = (&cells[i], &cells[j]).map(move |(a, b)| {
            calls.fetch_add(1, Ordering::Relaxed);
            a == b
        });
        model = model.weigh(&agree, |&same| if same { 1.5 } else { 1.0 });
    }
    drop(MpeVariableElimination::new().run(&model, &cells).unwrap());
    let once = calls.swap(0, Ordering::Relaxed);
    let world = MpeExact::fitting("64KiB").unwrap().run(&model, &cells);
    let world = world.unwrap();
    let attempts = &world.choice().unwrap().attempts;
    assert!(attempts.len() > 1, "{attempts:?}");
    assert_eq!(calls.swap(0, Ordering::Relaxed), once, "{attempts:?}");
    let (model, coins) = counted_formula(60, 150, &calls);
    drop(Circuit::new().count(&model, &coins).unwrap());
    let once = calls.swap(0, Ordering::Relaxed);
    let (_, choice) = Exact::new().count(&model, &coins).unwrap();
    assert!(choice.attempts.len() > 1, "{choice}");
    // One expansion is for the outline, the other for both attempts.
    assert_eq!(calls.load(Ordering::Relaxed), 2 * once, "{choice}");
}

#[test]
fn too_little_memory_takes_slices() {
    let (model, cells) = grid(10);
    let answer = Exact::fitting("64KiB")
        .unwrap()
        .run(&model, &cells[0])
        .unwrap();
    let whole = VariableElimination::new().run(&model, &cells[0]).unwrap();
    assert_eq!(answer.algorithm(), "Slices", "{}", answer.choice().unwrap());
    let [a, b] = [&answer, &whole].map(|answer| answer.probability(&cells[0], &true).unwrap());
    assert!((a - b).abs() < 1e-9);
}

#[test]
fn too_little_work_leaves_bounds() {
    let (model, cells) = grid(18);
    let message = Arc::new(Mutex::new(Vec::new()));
    let listener = |message: &Arc<Mutex<Vec<Bounds>>>| {
        let message = Arc::clone(message);
        move |bounds: &Bounds| message.lock().unwrap().push(*bounds)
    };
    let exact = Exact::new().work(100.0).on_bounds(listener(&message));
    let answer = exact.run(&model, &cells[..2]).unwrap();
    assert_eq!(answer.algorithm(), "WeightedMiniBuckets");
    let bounds = answer.log_evidence_bounds().unwrap();
    let exact = VariableElimination::new().log_evidence(&model).unwrap();
    assert!(
        bounds.contains(exact) && bounds.width() < 40.0,
        "{bounds} {exact}"
    );
    assert!(answer.log_evidence().is_err());
    let steps = message.lock().unwrap().clone();
    assert_eq!(steps.last(), Some(&bounds));
    let is_narrower =
        |pair: &[Bounds]| pair[0].lower <= pair[1].lower && pair[0].upper >= pair[1].upper;
    assert!(
        steps.len() > 1 && steps.windows(2).all(is_narrower),
        "{steps:?}"
    );
    message.lock().unwrap().clear();
    let all = answer.bounds(&cells[0], &true).unwrap();
    assert_eq!((all.lower, all.upper), (0.0, 1.0));
    let is_refused = |outcome: &AttemptOutcome| matches!(outcome, AttemptOutcome::Refused(_));
    let attempts = &answer.choice().unwrap().attempts;
    assert!(is_refused(&attempts[0].outcome), "{attempts:?}");
    let search = MpeExact::new().work(1000.0).on_bounds(listener(&message));
    let world = search.run(&model, &cells).unwrap();
    assert!(message.lock().unwrap().len() > 1);
    let best = MpeVariableElimination::new().run(&model, &cells).unwrap();
    let best = best.log_probability().unwrap();
    assert!(world.log_probability().unwrap() <= best + 1e-9);
    assert!(world.upper_bound().unwrap() >= best - 1e-9);
}

#[test]
fn an_interrupt_ends_the_run_with_what_there_is() {
    let (model, cells) = grid(6);
    let flag = || Arc::new(AtomicBool::new(true));
    let exact = Exact::new().log_evidence(&model).unwrap();
    for targets in [0..0, 0..1] {
        let stopped = Exact::new().interrupt(flag());
        let stopped = stopped.run(&model, &cells[targets]).unwrap();
        let bounds = stopped.log_evidence_bounds().unwrap();
        assert!(bounds.contains(exact) && bounds.width() < 1e3, "{bounds}");
    }
    for stopped in [
        Exact::new().interrupt(flag()).compile(&model, ()).map(drop),
        Exact::new().interrupt(flag()).count(&model, ()).map(drop),
    ] {
        assert!(
            matches!(stopped, Err(Error::NothingDone { .. })),
            "{stopped:?}"
        );
    }
    let stopped = MpeExact::new().interrupt(flag()).run(&model, &cells);
    assert!(
        matches!(stopped, Err(Error::NothingDone { .. })),
        "{stopped:?}"
    );
}

#[test]
fn evidence_on_a_distribution_is_at_most_certain() {
    let (model, _) = formula(60, 180);
    let interrupt = Arc::new(AtomicBool::new(true));
    let stopped = Exact::new().interrupt(interrupt).run(&model, ()).unwrap();
    let bounds = stopped.log_evidence_bounds().unwrap();
    assert!(bounds.upper <= 1e-9, "{bounds}");
}

#[test]
fn a_count_beyond_the_memory_of_an_elimination_is_searched() {
    let (model, coins) = formula(60, 120);
    let memory = Exact::fitting("128MiB").unwrap();
    let (count, choice) = memory.count(&model, &coins).unwrap();
    assert_eq!(
        choice.attempts.last().unwrap().algorithm,
        "Circuit",
        "{choice}"
    );
    assert_eq!(count, Circuit::new().count(&model, &coins).unwrap());
}

#[test]
fn refusals_of_all_algorithms_are_told() {
    let (model, cells) = grid(18);
    let refused = Exact::new().work(100.0).compile(&model, &cells);
    let Err(error @ Error::NothingFits { .. }) = refused.map(drop) else {
        panic!("a tree of much work was compiled");
    };
    let message = error.to_string();
    assert!(
        message.contains("JunctionTree was refused: it needs about"),
        "{message}"
    );
    let Error::NothingFits { tried, last } = error else {
        return;
    };
    assert!(!tried.attempts.is_empty() && matches!(*last, Error::Elimination(_)));
}

#[test]
fn memory_that_is_no_amount_is_refused() {
    for text in ["", "much"] {
        assert!(matches!(
            Exact::fitting(text),
            Err(Error::InvalidSetting { .. })
        ));
        assert!(matches!(
            MpeExact::fitting(text),
            Err(Error::InvalidSetting { .. })
        ));
    }
}

#[test]
fn attempts_are_told_as_they_end() {
    let message: Arc<Mutex<Vec<String>>> = Arc::default();
    let listener = |message: &Arc<Mutex<Vec<String>>>| {
        let message = Arc::clone(message);
        move |attempt: &AlgorithmAttempt| message.lock().unwrap().push(attempt.to_string())
    };
    let (model, coins) = formula(30, 60);
    let exact = Exact::new().on_attempt(listener(&message));
    let answer = exact.run(&model, &coins).unwrap();
    let choice = answer.choice().unwrap().attempts.iter();
    let choice: Vec<String> = choice.map(ToString::to_string).collect();
    assert_eq!(std::mem::take(&mut *message.lock().unwrap()), choice);
    // Attempts are reported if there is no answer as well.
    let exact = Exact::within(Bytes(7)).on_attempt(listener(&message));
    assert!(exact.compile(&model, &coins).is_err());
    let message = message.lock().unwrap();
    assert!(
        message[0].starts_with("JunctionTree was refused"),
        "{message:?}"
    );
}

#[test]
fn impossible_evidence_is_named() {
    let coin = Flip::new(0.5);
    let model = Model::new().observe(&coin, true).condition(&coin, |&x| !x);
    assert_eq!(
        Exact::new().log_evidence(&model).unwrap(),
        f64::NEG_INFINITY
    );
    for answer in [
        Exact::new().run(&model, &coin),
        MpeExact::new().run(&model, &coin),
    ] {
        assert!(
            matches!(answer, Err(Error::ImpossibleEvidence { .. })),
            "{answer:?}"
        );
    }
}
