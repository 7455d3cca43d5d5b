//! Tests of compiled circuits from a user's view.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use figrs::eliminate::EliminationError;
use figrs::prelude::*;
use figrs::{Circuit, CompiledCircuit, Error, Limits, World, fold};
use rand::RngExt;

/// A model in which rain and a sprinkler wet the grass, each with certainty if its parameter is one.
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

/// Compares a circuit with other engines; `roots` contains its targets and the elements with varying evidence.
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
        // With other parameter values, the circuit has the same number of nodes.
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

/// Returns coins with weights that depend on parameters, and their model.
fn weighed(params: &[Param; 4]) -> (Vec<Element<bool>>, Model) {
    let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.6)).collect();
    let mut model = Model::new();
    for (coin, [yes, no]) in coins.iter().zip([[0, 1], [1, 2], [3, 3]]) {
        let (yes, no) = (params[yes].clone(), params[no].clone());
        model = model.weigh(coin, move |&coin| if coin { yes.get() } else { no.get() });
    }
    (coins, model)
}

/// Adds the evidence that at least one of the coins is true.
fn some(coins: &[Element<bool>], model: &Model) -> Model {
    let any = fold(coins, false, |&any, &coin| any || coin);
    model.clone().observe(&any, true)
}

fn set_all(params: &[Param; 4], values: [f64; 4]) {
    for (param, value) in params.iter().zip(values) {
        param.set(value);
    }
}

#[test]
fn weights_that_change_twice_are_those_of_their_entries() {
    let params = ["a", "b", "c", "d"].map(|name| Param::new(name, 0.5));
    let (coins, model) = weighed(&params);
    let model = some(&coins, &model);
    set_all(&params, [0.25, 0.75, 0.125, 0.5]);
    let mut circuit = Circuit::new().compile(&model, &coins).unwrap();
    // The first change of the parameters exchanges the order of the weights.
    for values in [[0.75, 0.25, 0.125, 0.5], [0.1, 0.9, 0.2, 0.3]] {
        set_all(&params, values);
        circuit.refresh().unwrap();
        check(&circuit, &model, &coins[0], &coins);
    }
}

#[test]
fn a_weight_of_one_may_change() {
    for values in [[1.0, 0.25, 0.5, 0.75], [0.25, 1.0, 0.5, 1.0], [1.0; 4]] {
        let params = ["a", "b", "c", "d"].map(|name| Param::new(name, 0.5));
        let (coins, model) = weighed(&params);
        set_all(&params, values);
        let mut circuit = Circuit::new().compile(&model, &coins).unwrap();
        for one in [0.5, 1.0, 0.125] {
            set_all(&params, values.map(|x| if x == 1.0 { one } else { x }));
            circuit.refresh().unwrap();
            check(&circuit, &model, &coins[0], &coins);
        }
    }
}

#[test]
fn any_changes_of_weights_are_those_of_a_new_circuit() {
    let mut rng = figrs::stream(11, 0);
    for round in 0..150 {
        let params = ["a", "b", "c", "d"].map(|name| Param::new(name, 0.5));
        let mut values = || [0; 4].map(|_| [0.0, 0.25, 0.5, 0.75, 1.0][rng.random_range(0..5)]);
        let (coins, mut model) = weighed(&params);
        if round % 2 == 0 {
            model = some(&coins, &model);
        }
        set_all(&params, values());
        let mut circuit = Circuit::new().compile(&model, &coins).unwrap();
        for _ in 0..4 {
            set_all(&params, values());
            circuit.refresh().unwrap();
            match Enumerate::new().run(&model, &coins[0]) {
                Ok(_) => check(&circuit, &model, &coins[0], &coins),
                Err(_) => assert_eq!(circuit.log_evidence(), f64::NEG_INFINITY),
            }
        }
    }
}

/// Clauses have two or three literals; the shorter ones imply units and shorten the longer ones. The evidence is compared with the count of
/// solutions.
#[test]
fn clauses_that_imply_units_keep_their_worlds() {
    let mut rng = figrs::stream(12, 0);
    let mut possible = 0;
    for round in 0..300 {
        let n = rng.random_range(8..=12);
        let coins: Vec<Element<bool>> = (0..n).map(|_| Flip::new(0.5)).collect();
        let (mut model, mut solutions) = (Model::new(), vec![true; 1 << n]);
        for _ in 0..rng.random_range(n..=5 * n / 2) {
            let a = rng.random_range(0..n);
            let b = (a + rng.random_range(1..n)) % n;
            let others: Vec<usize> = (0..n).filter(|&coin| coin != a && coin != b).collect();
            let c = others[rng.random_range(0..n - 2)];
            let [x, y, z] = rng.random::<[bool; 3]>();
            // The clause has two literals if its last literal equals the first.
            let (c, z) = if rng.random_bool(0.5) { (a, x) } else { (c, z) };
            let holds = move |p: bool, q: bool, r: bool| p == x || q == y || r == z;
            for (world, is_solution) in solutions.iter_mut().enumerate() {
                let [p, q, r] = [a, b, c].map(|coin| world >> coin & 1 == 1);
                *is_solution &= holds(p, q, r);
            }
            let any = if c == a {
                (&coins[a], &coins[b]).map(move |(&p, &q)| holds(p, q, p))
            } else {
                (&coins[a], &coins[b], &coins[c]).map(move |(&p, &q, &r)| holds(p, q, r))
            };
            model = model.observe(&any, true);
        }
        let count = solutions.iter().filter(|&&is_solution| is_solution).count();
        let expected = (count as f64).ln() - n as f64 * 2f64.ln();
        let answer = Circuit::new().run(&model, ()).unwrap();
        let found = answer.log_evidence().unwrap().value;
        assert!(
            found == expected || (found - expected).abs() < 1e-12,
            "round {round}: {found} {expected}"
        );
        possible += usize::from(count > 0);
    }
    assert!((75..290).contains(&possible), "{possible}");
}

#[test]
fn only_varying_elements_take_evidence() {
    let lawn = lawn(&Param::new("rain", 0.2), &Param::new("reach", 0.5));
    let compiler = Circuit::new().varying(&lawn.wet);
    let mut circuit = compiler.compile(&Model::new(), &lawn.rain).unwrap();
    let error = circuit.set(&lawn.rain, true).unwrap_err();
    assert_eq!(error, Error::not_varying(lawn.rain.label(), "Circuit"));
    assert!(error.to_string().contains("`Circuit::varying`"), "{error}");
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
    assert_eq!(error, Error::not_a_target(other.label()));
}

/// Number of samples that are drawn.
const DRAWN: usize = 20_000;

/// Pearson's chi-square statistic over all worlds is tested at a fixed seed; about one in a thousand seeds would fail.
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
    // The six worlds have the weights 2, 3, 3, 5, 5 and 6.
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

/// Returns coins, with a clause for each coin that this coin or one of two distant coins is true.
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
    let small = Circuit::new().limits(Limits::default().memory(1000));
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
    let message = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&message);
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
    assert!(message.load(Ordering::Relaxed) > 0);
}

/// If the evidence is impossible, a count is zero without a search for an explanation.
#[test]
fn a_count_does_not_explain_impossible_evidence() {
    let calls = Arc::new(AtomicUsize::new(0));
    let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.5)).collect();
    let counted = Arc::clone(&calls);
    let model = Model::new()
        .condition(&coins[0], move |&heads| {
            counted.fetch_add(1, Ordering::Relaxed);
            heads
        })
        .observe(&coins[0].or(&coins[1]), false);
    let circuit = Circuit::new().compile(&model, &coins).unwrap();
    let before = calls.load(Ordering::Relaxed);
    assert_eq!(circuit.count().unwrap().to_string(), "0");
    assert_eq!(calls.load(Ordering::Relaxed), before);
    // To explain impossible evidence, the circuit uses the evidence again.
    assert!(circuit.most_probable().is_err());
    assert!(calls.load(Ordering::Relaxed) > before);
}
