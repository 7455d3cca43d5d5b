//! Tests of the expectation step by other algorithms: elimination, belief propagation, most probable completions.

use figrs::prelude::*;
use figrs::stream;
use figrs::{
    BeliefPropagation, Cases, ExpectationMaximization, ExpectedCounts, Fit, Learned, Stopped, fold,
};
use figrs_tests::learning_network::{LearningNetwork, NetworkRow, data};

const ROUNDS: u64 = 5;

fn learner<E: ExpectedCounts>(engine: E, map: bool) -> ExpectationMaximization<E> {
    let learner = ExpectationMaximization::new(engine).exact_rounds(ROUNDS);
    if map { learner.map_estimate() } else { learner }
}

/// Returns random networks with data, each with its seed.
fn networks(seeds: std::ops::Range<u64>) -> Vec<(u64, LearningNetwork, Vec<NetworkRow>)> {
    let network = |seed| {
        let mut rng = stream(seed, 0);
        let network = LearningNetwork::random(&mut rng);
        let data = data(&network, &mut rng);
        (!network.parameters.is_empty()).then_some((seed, network, data))
    };
    seeds.filter_map(network).collect()
}

/// Keeps only the first parent of each variable, so that the factor graph has no loops.
fn as_tree(mut network: LearningNetwork) -> LearningNetwork {
    for (parents, rows) in network.parents.iter_mut().zip(&mut network.rows) {
        parents.truncate(1);
        let states: usize = parents.iter().map(|&p| network.states[p]).product();
        rows.truncate(states);
    }
    network
}

#[test]
fn elimination_counts_as_the_junction_tree() {
    for (seed, network, data) in networks(200..220) {
        let map = seed % 2 == 0;
        let (fit, _, values) = network.fit(learner(VariableElimination::new(), map), &data);
        let (expected, _, same) = network.fit(learner(JunctionTree::new(), map), &data);
        assert_eq!(fit.log_likelihoods(), expected.log_likelihoods());
        assert_eq!(values, same, "seed {seed}");
    }
    let rate = Learned::beta("rate", 1.0, 1.0);
    let throws: Vec<Element<bool>> = (0..12).map(|_| Flip::new(&rate)).collect();
    let heads = fold(&throws, 0u32, |heads, &side| heads + u32::from(side));
    let narrow = figrs::Limits::default().table_entries(4);
    let cases = Cases::new(&heads).rows([3, 5]);
    let refused = ExpectationMaximization::new(VariableElimination::new().limits(narrow));
    let refused = refused.fit(&Model::new(), &cases);
    assert!(matches!(refused, Err(Error::Elimination(_))), "{refused:?}");
}

#[test]
fn messages_are_exact_on_trees() {
    for (seed, network, data) in networks(300..340) {
        let (network, map) = (as_tree(network), seed % 2 == 0);
        if !network.reached().contains(&true) {
            continue;
        }
        let (fit, _, values) = network.fit(learner(BeliefPropagation::new(), map), &data);
        let (expected, _, same) = network.fit(learner(JunctionTree::new(), map), &data);
        for (found, expected) in fit.log_likelihoods().iter().zip(expected.log_likelihoods()) {
            assert!((found - expected).abs() < 1e-8, "seed {seed}: {fit}");
        }
        for (found, expected) in values.iter().flatten().zip(same.iter().flatten()) {
            assert!((found - expected).abs() < 1e-8, "seed {seed}: {fit}");
        }
    }
}

/// Four fields in a ring tend to agree with their neighbours, and each is observed with errors at a rate that is learned.
fn ring() -> (Element<f64>, Model, Vec<Element<bool>>) {
    let rate = Learned::beta("rate", 2.0, 5.0);
    let hidden: Vec<Element<bool>> = (0..4).map(|_| Flip::new(0.5)).collect();
    let model = (0..4).fold(Model::new(), |model, i| {
        let agrees = hidden[i].equals(&hidden[(i + 1) % 4]);
        model.weigh(&agrees, |agrees| if *agrees { 2.0 } else { 1.0 })
    });
    let seen = hidden.iter().map(|field| {
        let wrong = Flip::new(&rate);
        (field, &wrong).map(|(field, wrong)| field != wrong)
    });
    let seen = seen.collect();
    (rate, model, seen)
}

#[test]
fn messages_in_loops_are_an_approximation() {
    let (rate, model, seen) = ring();
    let rows = [
        [true, true, true, false],
        [false; 4],
        [true, false, true, true],
    ];
    let cases = || Cases::new(&seen).rows(rows.map(|row| row.map(Some)));
    let learned = ExpectationMaximization::new(BeliefPropagation::new()).map_estimate();
    let fit = learned.fit(&model, &cases()).unwrap();
    let exact = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    let exact = exact.fit(&model, &cases()).unwrap();
    let [found, expected] = [&fit, &exact].map(|fit| fit.value(&rate).unwrap());
    let error = (found - expected).abs();
    assert!(error > 1e-6 && error < 0.05, "{found} {expected}");
    let [found, expected] = [&fit, &exact].map(Fit::log_likelihood);
    let error = (found - expected).abs();
    assert!(error > 1e-6 && error < 0.5, "{found} {expected}");
    // Messages that have not converged have no free energy, so the rounds end when the parameters stop changing.
    let few = ExpectationMaximization::new(BeliefPropagation::new().iterations(1));
    let fit = few.map_estimate().fit(&model, &cases()).unwrap();
    assert!(fit.log_likelihood().is_nan() && fit.to_string().contains("no log-likelihood"));
    assert_eq!(fit.ended(), Stopped::Finished);
}

#[test]
fn most_probable_completions_are_those_by_enumeration() {
    let mut compared = 0;
    for (seed, network, data) in networks(400..460) {
        let map = seed % 2 == 0;
        let (fit, _, values) = network.fit(learner(MpeVariableElimination::new(), map), &data);
        let starts = network.parameters.iter().map(|(_, start)| start.clone());
        let mut at = Some(starts.collect::<Vec<_>>());
        for &found in fit.log_likelihoods() {
            let Some(values) = at.take() else { break };
            let (log_probability, next) = network.hard_round(&data, &values, map);
            assert!((found - log_probability).abs() < 1e-9, "seed {seed}: {fit}");
            at = next;
        }
        // The last round only reports the objective at the values before it.
        let (log_probability, _) = network.hard_round(&data, &values, map);
        assert!(
            (fit.log_likelihood() - log_probability).abs() < 1e-9,
            "seed {seed}: {fit}"
        );
        compared += usize::from(at.is_some());
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn no_round_lowers_the_probability_of_the_completed_rows() {
    for (seed, network, data) in networks(500..530) {
        let hard = ExpectationMaximization::new(MpeVariableElimination::new()).tolerance(0.0);
        let (fit, _, _) = network.fit(hard, &data);
        for pair in fit.log_likelihoods().windows(2) {
            assert!(pair[1] >= pair[0] - 1e-9, "seed {seed}: {pair:?}");
        }
        assert_eq!(fit.ended(), Stopped::Finished, "seed {seed}");
        let (exact, _, _) = network.fit(learner(JunctionTree::new(), false), &data);
        assert!(fit.log_likelihoods()[0] <= exact.log_likelihoods()[0] + 1e-9);
    }
}

#[test]
fn elements_of_other_branches_are_not_completed() {
    let (first, second) = (
        Learned::beta("first", 1.0, 1.0),
        Learned::beta("second", 1.0, 1.0),
    );
    let taken = Flip::new(0.5);
    let flip = Flip::new(&second);
    let seen = If::new(&taken, Flip::new(&first), flip.map(|flip| !flip));
    let rows = [(true, true), (true, true), (true, false), (false, true)];
    let cases = Cases::new((&taken, &seen)).rows(rows);
    let hard = ExpectationMaximization::new(MpeVariableElimination::new());
    let fit = hard.fit(&Model::new(), &cases).unwrap();
    assert!((fit.value(&first).unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(fit.value(&second).unwrap(), 0.0);
    // Of equally probable completions only one is counted, namely the one with the first value of the support.
    let coin = Flip::new(Learned::beta("coin", 1.0, 1.0));
    let noise = Flip::new(0.5);
    let differs = (&coin, &noise).map(|(a, b)| a != b);
    let cases = Cases::new(&differs).rows([true]);
    let hard = ExpectationMaximization::new(MpeVariableElimination::new());
    let fit = hard.fit(&Model::new(), &cases).unwrap();
    assert!((fit.log_likelihoods()[0] - 0.25f64.ln()).abs() < 1e-12);
    assert!((fit.log_likelihood() - 0.5f64.ln()).abs() < 1e-12);
}

#[test]
fn each_names_the_row_that_no_world_has() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let fault = Flip::new(&rate);
    let noise = Flip::new(0.5);
    let alarm = (&fault, &noise).map(|(fault, noise)| *fault && *noise);
    let rows = [(Some(true), true), (None, false), (Some(false), true)];
    let cases = Cases::new((&fault, &alarm)).rows(rows);
    let errors = [
        ExpectationMaximization::new(VariableElimination::new()).fit(&Model::new(), &cases),
        ExpectationMaximization::new(BeliefPropagation::new()).fit(&Model::new(), &cases),
        ExpectationMaximization::new(MpeVariableElimination::new()).fit(&Model::new(), &cases),
        ExpectationMaximization::new(Gibbs::new(10)).fit(&Model::new(), &cases),
        ExpectationMaximization::new(ImportanceSampling::new(10)).fit(&Model::new(), &cases),
    ];
    for error in errors.map(Result::unwrap_err) {
        assert!(
            matches!(error, Error::InvalidCase { row: 2, .. }),
            "{error}"
        );
    }
}

#[test]
fn deadlines_are_those_of_the_rounds() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let throw = Flip::new(&rate);
    let cases = Cases::new(&throw).rows([true, false]);
    let limit = std::time::Duration::from_secs(1);
    let refused = [
        ExpectationMaximization::new(BeliefPropagation::new().deadline(limit))
            .fit(&Model::new(), &cases),
        ExpectationMaximization::new(Gibbs::new(10).deadline(limit)).fit(&Model::new(), &cases),
        ExpectationMaximization::new(ImportanceSampling::new(10).on_progress(|_| ()))
            .fit(&Model::new(), &cases),
        ExpectationMaximization::new(ImportanceSampling::anytime().until_effective(9.0))
            .fit(&Model::new(), &cases),
        ExpectationMaximization::new(ImportanceSampling::new(0)).fit(&Model::new(), &cases),
        ExpectationMaximization::new(Gibbs::new(0)).fit(&Model::new(), &cases),
        ExpectationMaximization::new(BeliefPropagation::new().iterations(0))
            .fit(&Model::new(), &cases),
    ];
    for error in refused.map(Result::unwrap_err) {
        assert!(matches!(error, Error::InvalidSetting { .. }), "{error}");
    }
}
