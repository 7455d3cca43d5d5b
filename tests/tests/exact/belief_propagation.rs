//! Tests of belief propagation: it is exact if it says so, finds a fixed point if it converges, and claims nothing otherwise.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use figrs::network::Network;
use figrs::prelude::*;
use figrs::{BeliefPropagation, MpeBeliefPropagation, Quality, Stopped, stream};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rand::RngExt;

fn failed(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// Returns the answer, or `None` if messages show that there is no possible world.
fn found(answer: Result<Answer, Error>) -> Result<Option<Answer>, TestCaseError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::ImpossibleEvidence { .. } | Error::NoWorldDecoded { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

#[derive(Default)]
struct Seen {
    exact: Cell<u32>,
    approximate: Cell<u32>,
    impossible: Cell<u32>,
}

fn one_more(count: &Cell<u32>) {
    count.set(count.get() + 1);
}

fn exact_where_it_says_so(description: &Description, seen: &Seen) -> Result<(), TestCaseError> {
    let built = build(description);
    let targets = built.erased();
    let truth = JunctionTree::new().run(&built.model, targets.clone());
    let Some(messages) = found(BeliefPropagation::new().run(&built.model, targets.clone()))? else {
        one_more(&seen.impossible);
        let agrees = matches!(truth, Err(Error::ImpossibleEvidence { .. }));
        prop_assert!(agrees, "there is a world");
        return Ok(());
    };
    let exact = messages
        .log_evidence()
        .is_ok_and(|log| log.standard_error == 0.0);
    if !exact {
        one_more(&seen.approximate);
        for target in &built.targets {
            prop_assert_eq!(
                target.quality(&messages).map_err(failed)?,
                Quality::Approximate
            );
        }
        return Ok(());
    }
    one_more(&seen.exact);
    let truth = truth.map_err(failed)?;
    let log = |answer: &Answer| answer.log_evidence().map(|log| log.value).map_err(failed);
    let (a, b) = (log(&truth)?, log(&messages)?);
    prop_assert!(close(a, b, 1e-10), "log-evidence {b}, not {a}");
    for target in &built.targets {
        prop_assert_eq!(target.quality(&messages).map_err(failed)?, Quality::Exact);
        let p = target.probabilities(&truth).map_err(failed)?;
        let q = target.probabilities(&messages).map_err(failed)?;
        let off = p
            .iter()
            .zip(&q)
            .map(|(p, q)| (p - q).abs())
            .fold(0.0, f64::max);
        prop_assert!(off <= 1e-10, "{q:?}, not {p:?}");
    }
    Ok(())
}

#[test]
fn random_models_without_loops_are_exact_and_others_are_not_called_so() {
    let seen = Seen::default();
    for_random_models(1500, 51, |description| {
        exact_where_it_says_so(description, &seen)
    });
    let Seen {
        exact,
        approximate,
        impossible,
    } = &seen;
    println!("{exact:?} exact, {approximate:?} approximate, {impossible:?} impossible");
    assert!(exact.get() >= 350 && approximate.get() >= 70 && impossible.get() >= 35);
}

fn best_where_it_says_so(description: &Description, seen: &Seen) -> Result<(), TestCaseError> {
    let built = build(description);
    let targets = built.erased();
    let best = MpeVariableElimination::new().run(&built.model, targets.clone());
    let answer = MpeBeliefPropagation::new().run(&built.model, targets);
    let is_impossible = matches!(answer, Err(Error::ImpossibleEvidence { .. }));
    let Some(world) = found(answer)? else {
        one_more(&seen.impossible);
        let agrees = !is_impossible || matches!(best, Err(Error::ImpossibleEvidence { .. }));
        prop_assert!(agrees, "there is a world");
        return Ok(());
    };
    let log = |answer: &Answer| answer.log_probability().map_err(failed);
    let (best, own) = (log(&best.map_err(failed)?)?, log(&world)?);
    prop_assert!(own.is_finite() && own <= best + 1e-9 * (1.0 + best.abs()));
    if world.is_proven().map_err(failed)? {
        one_more(&seen.exact);
        prop_assert!(close(own, best, 1e-10), "{own}, not {best}");
    } else {
        one_more(&seen.approximate);
        prop_assert_eq!(world.upper_bound().map_err(failed)?, f64::INFINITY);
    }
    Ok(())
}

#[test]
fn worlds_of_random_models_are_worlds_and_the_best_where_it_is_claimed() {
    let seen = Seen::default();
    for_random_models(1500, 52, |description| {
        best_where_it_says_so(description, &seen)
    });
    let Seen {
        exact,
        approximate,
        impossible,
    } = &seen;
    println!("{exact:?} proven, {approximate:?} not, {impossible:?} without a world");
    assert!(exact.get() >= 350 && approximate.get() >= 70);
}

/// Returns a random tree of elements with three values, some leaves of which are observed.
fn tree(seed: u64, elements: usize) -> (Model, Vec<Element<u8>>) {
    let mut rng = stream(seed, 0);
    let mut weights = move || f64::from(rng.random_range(1..100));
    let mut pick = stream(seed, 1);
    let mut all: Vec<Element<u8>> = vec![Select::new([(1.0, 0), (2.0, 1), (3.0, 2)])];
    let mut model = Model::new();
    for i in 1..elements {
        let rows: Vec<Vec<f64>> = (0..3)
            .map(|_| (0..3).map(|_| weights()).collect())
            .collect();
        let parent = &all[pick.random_range(0..i)];
        let child =
            parent.flat_map(move |&x| Select::new(rows[x as usize].iter().copied().zip(0u8..)));
        if pick.random_bool(0.2) {
            model = model.observe(&child, pick.random_range(0..3));
        }
        all.push(child);
    }
    (model, all)
}

#[test]
fn large_trees_are_exact() {
    for seed in 0..5 {
        let (model, elements) = tree(seed, 300);
        let truth = JunctionTree::new().run(&model, &elements).unwrap();
        for damping in [0.0, 0.3] {
            let own = BeliefPropagation::new()
                .damping(damping)
                .run(&model, &elements)
                .unwrap();
            let (a, b) = (own.log_evidence().unwrap(), truth.log_evidence().unwrap());
            assert_eq!(a.standard_error, 0.0);
            assert!(close(a.value, b.value, 1e-10), "{a:?} {b:?}");
            for e in &elements {
                assert_eq!(own.quality(e).unwrap(), Quality::Exact);
                for x in 0..3 {
                    let (p, q) = (
                        own.probability(e, &x).unwrap(),
                        truth.probability(e, &x).unwrap(),
                    );
                    assert!((p - q).abs() < 1e-10, "{p} {q}");
                }
            }
        }
        let best = MpeVariableElimination::new()
            .run(&model, &elements)
            .unwrap();
        let own = MpeBeliefPropagation::new().run(&model, &elements).unwrap();
        assert!(own.is_proven().unwrap());
        assert_eq!(own.algorithm(), "MpeBeliefPropagation");
        let (p, q) = (
            own.log_probability().unwrap(),
            best.log_probability().unwrap(),
        );
        assert!(close(p, q, 1e-12), "{p} {q}");
    }
}

/// Returns a ring of spins, each with a field `h`, where neighbours are coupled by `j`.
fn ring(spins: usize, j: f64, h: f64) -> (Model, Vec<Element<bool>>) {
    let up = h.exp() / (h.exp() + (-h).exp());
    let spins: Vec<_> = (0..spins).map(|_| Flip::new(up)).collect();
    let mut model = Model::new();
    for (i, a) in spins.iter().enumerate() {
        let b = &spins[(i + 1) % spins.len()];
        model = model.log_weigh(&a.equals(b), move |&same| if same { j } else { -j });
    }
    (model, spins)
}

/// The fixed point on a ring is known from the leading eigenvalue and eigenvector of the transfer matrix (Weiss 2000, "Correctness of local
/// probability propagation in graphical models with loops").
#[test]
fn a_ring_of_spins_settles_where_its_transfer_matrix_says() {
    for (j, h) in [(0.5, 0.2), (1.0, -0.3), (-0.4, 0.6)] {
        let (model, spins) = ring(4, j, h);
        let (a, b, d) = ((j + h).exp(), (-j).exp(), (j - h).exp());
        let root = ((a - d).powi(2) + 4.0 * b * b).sqrt();
        let leading = f64::midpoint(a + d, root);
        let other = f64::midpoint(a + d, -root);
        // The eigenvector of the leading eigenvalue is (b, leading - a).
        let up = b * b / (b * b + (leading - a).powi(2));
        let constant = 4.0 * (h.exp() + (-h).exp()).ln();
        for damping in [0.0, 0.5] {
            let answer = BeliefPropagation::new()
                .damping(damping)
                .tolerance(1e-13)
                .run(&model, &spins)
                .unwrap();
            let own = answer.probability(&spins[0], &true).unwrap();
            assert!((own - up).abs() < 1e-9, "{own}, not {up}");
            let log = answer.log_evidence().unwrap();
            let bethe = 4.0 * leading.ln() - constant;
            assert!((log.value - bethe).abs() < 1e-9, "{log:?}, not {bethe}");
            assert!(log.standard_error.is_nan());
            assert_eq!(answer.quality(&spins[0]).unwrap(), Quality::Approximate);
        }
        let exact = VariableElimination::new().log_evidence(&model).unwrap();
        let truth = (leading.powi(4) + other.powi(4)).ln() - constant;
        assert!((exact - truth).abs() < 1e-10);
        assert!(
            (4.0 * leading.ln() - constant - exact).abs() > 1e-4,
            "a loop matters"
        );
    }
}

/// Returns a grid of coins whose neighbours tend to agree.
fn grid(side: usize, weight: f64) -> (Model, Vec<Element<bool>>) {
    let coins: Vec<_> = (0..side * side)
        .map(|i| Flip::new(0.2 + 0.6 * (i * 7 % 10) as f64 / 10.0))
        .collect();
    let mut model = Model::new();
    for i in 0..side * side {
        let right = (i % side + 1 < side).then(|| i + 1);
        let below = (i + side < side * side).then(|| i + side);
        for k in [right, below].into_iter().flatten() {
            let alike = coins[i].equals(&coins[k]);
            model = model.weigh(&alike, move |&same| if same { weight } else { 1.0 });
        }
    }
    (model, coins)
}

#[test]
fn settled_messages_stay_whatever_the_damping() {
    let (model, coins) = grid(6, 1.8);
    let run = |damping: f64, tolerance: f64, iterations: u64| {
        let bp = BeliefPropagation::new()
            .damping(damping)
            .tolerance(tolerance);
        bp.iterations(iterations).run(&model, &coins).unwrap()
    };
    let settled = run(0.0, 1e-12, 1000);
    let report = settled.sampling().unwrap();
    assert_eq!(report.stopped, Stopped::Finished);
    assert!(report.residual.unwrap() <= 1e-12);
    let done = report.done;
    // A run with more sweeps than the converged run needed gives the same result.
    let longer = run(0.0, 0.0, 2 * done);
    let damped = run(0.4, 1e-12, 1000);
    for coin in &coins {
        let p = settled.probability(coin, &true).unwrap();
        assert!((p - longer.probability(coin, &true).unwrap()).abs() < 1e-11);
        assert!((p - damped.probability(coin, &true).unwrap()).abs() < 1e-10);
    }
    // A run that is stopped before it converges says so, and has no log-evidence.
    let short = run(0.0, 1e-12, 2);
    assert_eq!(short.sampling().unwrap().stopped, Stopped::Budget);
    assert!(short.sampling().unwrap().residual.unwrap() > 1e-12);
    assert!(matches!(
        short.log_evidence(),
        Err(Error::NotInAnswer { .. })
    ));
    assert_eq!(short.quality(&coins[0]).unwrap(), Quality::Approximate);
}

/// Returns the largest difference between the marginals of an answer and known marginals.
fn off(network: &Network, answer: &Answer, known: &serde_json::Value) -> f64 {
    let mut most: f64 = 0.0;
    for (i, element) in network.elements().iter().enumerate() {
        for (j, state) in network.variables()[i].states().iter().enumerate() {
            let p = answer.probability(element, state).unwrap();
            most = most.max((p - known[i][j].as_f64().unwrap()).abs());
        }
    }
    most
}

/// Checks that, without evidence, messages against the arrows are uniform, so that the belief of each variable is the mean of its rows under the
/// beliefs of its parents, which are treated as independent. The expected beliefs are computed here from the tables of the file.
fn beliefs_follow_from_those_of_parents(network: &Network, answer: &Answer) {
    let belief = |v: usize| -> Vec<f64> {
        let element = &network.elements()[v];
        let states = network.variables()[v].states().iter();
        states
            .map(|state| answer.probability(element, state).unwrap())
            .collect()
    };
    for table in network.tables() {
        let beliefs: Vec<Vec<f64>> = table.variables().iter().map(|&v| belief(v)).collect();
        let (own, parents) = beliefs.split_last().unwrap();
        let mut expected = vec![0.0; own.len()];
        for (i, number) in table.numbers().iter().enumerate() {
            let (mut row, mut p) = (i / own.len(), *number);
            for parent in parents.iter().rev() {
                p *= parent[row % parent.len()];
                row /= parent.len();
            }
            expected[i % own.len()] += p;
        }
        for (p, q) in own.iter().zip(&expected) {
            assert!((p - q).abs() < 1e-9, "{p}, not {q}");
        }
    }
}

/// The difference comes from loops, and no bound of it is known, so the tolerance here is the measured difference.
#[test]
fn alarm_is_as_close_to_its_exact_marginals_as_its_loops_allow() {
    let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared"));
    let known = shared.join("reference/networks/alarm.json");
    let Ok(text) = std::fs::read_to_string(&known) else {
        println!("skipped: {} is not there", known.display());
        return;
    };
    let known: serde_json::Value = serde_json::from_str(&text).unwrap();
    let network = Network::read(shared.join("data/networks/alarm.bif")).unwrap();
    let observe = |(variable, state): (&String, &serde_json::Value)| {
        let variable = &network.variables()[variable.parse::<usize>().unwrap()];
        let state = variable.states().get(state.as_u64().unwrap() as usize);
        network
            .observation(variable.name(), state.unwrap().name())
            .unwrap()
    };
    let observed = known["evidence"].as_object().unwrap().iter().map(observe);
    let given = network.observing(&observed.collect::<Vec<_>>());
    let run = |model: &Model| {
        let answer = BeliefPropagation::new().run(model, network.elements());
        let answer = answer.unwrap();
        assert_eq!(answer.sampling().unwrap().stopped, Stopped::Finished);
        answer
    };
    let (posterior, prior) = (run(&given), run(&network.model()));
    let after = off(&network, &posterior, &known["marginals"]);
    let before = off(&network, &prior, &known["prior_marginals"]);
    println!("given evidence {after:.4} off, without {before:.4}");
    assert!(after < 0.12 && before < 0.24);
    beliefs_follow_from_those_of_parents(&network, &prior);
}

#[test]
fn errors_name_the_number_and_the_remedy() {
    let says = |error: Error, parts: &[&str]| {
        let message = error.to_string();
        for part in parts {
            assert!(message.contains(part), "no {part} in {message}");
        }
        error
    };
    let (model, coins) = grid(3, 2.0);
    let small = BeliefPropagation::new().work(10);
    let error = says(
        small.run(&model, &coins).unwrap_err(),
        &["BeliefPropagation", "limit of work, 10", "`work`"],
    );
    assert!(matches!(error, Error::MessagesTooLarge { limit: 10, .. }));
    // Any two of three coins must differ, which is impossible, but the messages do not show that.
    let three: Vec<_> = (0..3).map(|_| Flip::new(0.5)).collect();
    let mut model = Model::new();
    for i in 0..3 {
        model = model.observe(&three[i].equals(&three[(i + 1) % 3]), false);
    }
    let error = MpeBeliefPropagation::new().run(&model, &three).unwrap_err();
    let error = says(error, &["determine no world", "MpeVariableElimination"]);
    assert!(matches!(error, Error::NoWorldDecoded { .. }));
    // If the messages show that the evidence is impossible, the error names the conflict.
    let coin = Flip::new(0.5);
    let model = Model::new()
        .observe(&coin, true)
        .condition(&coin.not(), |&tails| tails);
    for algorithm in algorithms![BeliefPropagation::new(), MpeBeliefPropagation::new()] {
        let error = algorithm.run(&model, &coin).unwrap_err();
        assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
    }
    assert_eq!(
        BeliefPropagation::new()
            .probability_of_evidence(&model)
            .unwrap(),
        0.0
    );
    let new = BeliefPropagation::new;
    for (algorithm, setting) in [
        (new().damping(1.0), "damping"),
        (new().tolerance(f64::NAN), "tolerance"),
        (new().iterations(0), "iterations"),
    ] {
        let error = algorithm.run(&Model::new(), &coin).unwrap_err();
        let error = says(error, &["BeliefPropagation", setting]);
        assert!(matches!(error, Error::InvalidSetting { .. }));
    }
    let flag = Arc::new(AtomicBool::new(true));
    for algorithm in [new().deadline(Duration::ZERO), new().interrupt(flag)] {
        let error = algorithm.run(&Model::new(), &coin).unwrap_err();
        assert!(matches!(error, Error::NothingDone { .. }), "{error}");
    }
}

#[test]
fn numbers_far_apart_neither_underflow_nor_hide_zeros() {
    let root = Flip::new(0.5);
    let mut model = Model::new();
    for _ in 0..1200 {
        let leaf = root.flat_map(|&up| Flip::new(if up { 1e-3 } else { 1.1e-3 }));
        model = model.observe(&leaf, true);
    }
    let answer = BeliefPropagation::new().run(&model, &root).unwrap();
    let p = answer.probability(&root, &true).unwrap();
    let exact = JunctionTree::new().run(&model, &root).unwrap();
    let q = exact.probability(&root, &true).unwrap();
    assert!(p > 0.0 && (p / q - 1.0).abs() < 1e-9, "{p} {q}");
    let (a, b) = (
        answer.log_evidence().unwrap().value,
        exact.log_evidence().unwrap().value,
    );
    assert!(close(a, b, 1e-10), "{a} {b}");
}

/// If all pairs of some coins must be equal, each coin receives its own message back from many sides. Messages then grow without limit, and a number
/// beyond the range of `f64` must not count as zero.
#[test]
fn messages_that_grow_without_end_do_not_make_worlds_impossible() {
    let coins: Vec<Element<bool>> = (0..5)
        .map(|i| Flip::new(0.3 + 0.05 * f64::from(i)))
        .collect();
    let mut model = Model::new();
    for (i, a) in coins.iter().enumerate() {
        for b in &coins[..i] {
            model = model.observe(&a.equals(b), true);
        }
    }
    let best = MpeBeliefPropagation::new().run(&model, &coins).unwrap();
    let value = best.most_likely_value(&coins[0]).unwrap();
    assert!(!value && !best.is_proven().unwrap());
    let beliefs = BeliefPropagation::new().run(&model, &coins).unwrap();
    assert!(beliefs.probability(&coins[0], &false).unwrap() > 0.99);
}
