//! Compiled circuits from a user's view.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use figrs::eliminate::EliminationError;
use figrs::prelude::*;
use figrs::{CompiledCircuit, Error};

/// Rain and a sprinkler wet the grass, each surely if its number is one.
struct Lawn {
    rain: Element<bool>,
    wet: Element<bool>,
}

fn lawn(rain: &Param, reach: &Param) -> Lawn {
    let rain = Flip::new(rain);
    let sprinkler = Flip::new(0.3);
    let reaches = Flip::new(reach);
    let watered = sprinkler.and(&reaches);
    let wet = rain.or(&watered);
    Lawn { rain, wet }
}

/// Compares a circuit with other engines; `roots` are its targets and varying elements.
fn check(
    circuit: &CompiledCircuit,
    model: &Model,
    element: &Element<bool>,
    roots: &[Element<bool>],
) {
    let expected = Enumerate::new().run(model, element).unwrap();
    let p = expected.probability(element, &true).unwrap();
    assert!((circuit.probability(element, &true).unwrap() - p).abs() < 1e-12);
    let log = expected.log_evidence().unwrap().value;
    assert!((circuit.log_evidence() - log).abs() < 1e-12);
    let tree = JunctionTree::new().compile(model, roots).unwrap();
    assert_eq!(circuit.count().unwrap(), tree.count().unwrap());
    let logs = |worlds: Vec<World>| {
        worlds
            .iter()
            .map(World::log_probability)
            .collect::<Vec<_>>()
    };
    let found = logs(circuit.k_best(9).unwrap());
    let best = logs(tree.k_best(9).unwrap());
    assert_eq!(found.len(), best.len());
    assert!(found.iter().zip(&best).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn parameters_that_are_zero_may_become_positive() {
    let (rain, reach) = (Param::new("rain", 0.0), Param::new("reach", 0.0));
    let lawn = lawn(&rain, &reach);
    let model = Model::new();
    let mut circuit = Circuit::new()
        .varying(&lawn.wet)
        .compile(&model, &lawn.rain)
        .unwrap();
    let nodes = circuit.nodes();
    let roots = [lawn.rain.clone(), lawn.wet.clone()];
    for (p, q) in [(0.0, 0.5), (0.5, 0.0), (0.25, 0.75), (1.0, 1.0), (0.5, 0.5)] {
        rain.set(p);
        reach.set(q);
        circuit.refresh().unwrap();
        // The same circuit with other numbers.
        assert_eq!(circuit.nodes(), nodes, "{p} {q}");
        circuit.clear(&lawn.wet).unwrap();
        check(&circuit, &model, &lawn.rain, &roots);
        circuit.set(&lawn.wet, true).unwrap();
        circuit.refresh().unwrap();
        check(
            &circuit,
            &model.clone().observe(&lawn.wet, true),
            &lawn.rain,
            &roots,
        );
    }
    rain.set(1.5);
    let error = circuit.refresh().unwrap_err().to_string();
    assert!(error.contains("1.5"), "{error}");
}

#[test]
fn weights_that_part_are_searched_anew() {
    let (p, q) = (Param::new("p", 1.0), Param::new("q", 1.0));
    let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.5)).collect();
    let any = coins[0].or(&coins[1]).or(&coins[2]);
    let weight = |param: &Param| {
        let param = param.clone();
        move |&coin: &bool| if coin { param.get() } else { 1.0 }
    };
    let model = Model::new()
        .weigh(&coins[0], weight(&p))
        .weigh(&coins[1], weight(&q))
        .observe(&any, true);
    let mut circuit = Circuit::new().compile(&model, &coins).unwrap();
    check(&circuit, &model, &coins[0], &coins);
    p.set(0.25);
    q.set(0.5);
    circuit.refresh().unwrap();
    check(&circuit, &model, &coins[0], &coins);
}

#[test]
fn only_varying_elements_take_evidence() {
    let lawn = lawn(&Param::new("rain", 0.2), &Param::new("reach", 0.5));
    let compiler = Circuit::new().varying(&lawn.wet);
    let mut circuit = compiler.compile(&Model::new(), &lawn.rain).unwrap();
    let error = circuit.set(&lawn.rain, true).unwrap_err();
    assert!(matches!(error, Error::NotVarying { .. }), "{error}");
    circuit.weigh(&lawn.wet, |_| 0.0).unwrap();
    let error = circuit.probability(&lawn.rain, &true).unwrap_err();
    assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
    assert!(matches!(
        circuit.samples(1),
        Err(Error::ImpossibleEvidence { .. })
    ));
    assert!(matches!(
        circuit.k_best(3),
        Err(Error::ImpossibleEvidence { .. })
    ));
    assert!(matches!(
        circuit.most_probable(),
        Err(Error::ImpossibleEvidence { .. })
    ));
    assert_eq!(circuit.count().unwrap(), 0u32.into());
    circuit.clear(&lawn.wet).unwrap();
    assert!((circuit.probability(&lawn.rain, &true).unwrap() - 0.2).abs() < 1e-12);
    let other = Flip::new(0.5);
    let error = circuit.distribution(&other).unwrap_err();
    assert!(matches!(error, Error::NotATarget { .. }), "{error}");
}

/// Number of samples drawn.
const DRAWN: usize = 20_000;

/// Pearson's chi-square over all worlds at a fixed seed; of all seeds about one in a thousand would fail.
#[test]
fn samples_have_the_posterior_distribution() {
    let dice: Vec<Element<u32>> = (0..2).map(|_| Uniform::new([1, 2, 3])).collect();
    let sum = fold(&dice, 0u32, |sum, &die| sum + die);
    let model = Model::new()
        .weigh(&sum, |&sum| f64::from(sum))
        .condition(&sum, |&sum| sum != 4);
    let circuit = Circuit::new().compile(&model, &dice).unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for world in circuit.samples(7).unwrap().take(DRAWN) {
        let [a, b] = [0, 1].map(|i| world.value(&dice[i]).unwrap());
        *counts.entry((a, b)).or_insert(0u32) += 1;
    }
    // Sums 2, 3, 3, 5, 5, 6 of six worlds.
    let total = 24.0;
    assert_eq!(counts.len(), 6);
    let chi: f64 = counts
        .iter()
        .map(|(&(a, b), &n)| {
            let expected = DRAWN as f64 * f64::from(a + b) / total;
            (f64::from(n) - expected).powi(2) / expected
        })
        .sum();
    assert!(chi < 20.5, "{chi}");
}

/// Exclusive or of neighbours in a ring, each of which is true with probability one half, and of a random far one.
fn tangle(n: usize) -> (Vec<Element<bool>>, Model) {
    let coins: Vec<Element<bool>> = (0..n).map(|_| Flip::new(0.4)).collect();
    let mut model = Model::new();
    for i in 0..n {
        let clause = [i, (i * 7 + 3) % n, (i * 11 + 5) % n].map(|j| coins[j].clone());
        let any = fold(&clause, false, |&any, &coin| any || coin);
        model = model.observe(&any, true);
    }
    (coins, model)
}

#[test]
fn an_interrupt_a_deadline_and_a_budget_end_the_search() {
    let (coins, model) = tangle(60);
    let stop = Arc::new(AtomicBool::new(true));
    let error = Circuit::new()
        .interrupt(stop)
        .compile(&model, &coins)
        .unwrap_err();
    assert!(matches!(error, Error::NothingDone { .. }), "{error}");
    let soon = Circuit::new().deadline(std::time::Duration::ZERO);
    let error = soon.run(&model, ()).unwrap_err();
    assert!(matches!(error, Error::NothingDone { .. }), "{error}");
    let small = Circuit::new().options(Options::default().memory_budget(1000));
    let error = small.compile(&model, &coins).unwrap_err();
    let is_memory = matches!(
        &error,
        Error::Elimination(EliminationError::TooMuchMemory { .. })
    );
    assert!(is_memory, "{error}");
}

#[test]
fn progress_is_told_and_a_small_cache_changes_nothing() {
    let (_, model) = tangle(26);
    let told = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&told);
    let circuit = Circuit::new().on_progress(move |progress| {
        seen.store(progress.done, Ordering::Relaxed);
    });
    let log = |circuit: &Circuit| {
        let answer = circuit.run(&model, ()).unwrap();
        answer.log_evidence().unwrap().value
    };
    let expected = VariableElimination::new().run(&model, ()).unwrap();
    let expected = expected.log_evidence().unwrap().value;
    let small = circuit.clone().cache_memory(1000);
    assert!((log(&circuit) - expected).abs() < 1e-10);
    assert!((log(&small) - expected).abs() < 1e-10);
    assert!(told.load(Ordering::Relaxed) > 0);
}
