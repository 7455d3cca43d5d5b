//! Tests that fits by expected counts in parts, which are sent as bytes, give exactly the fits of one process.

use std::num::NonZero;
use std::sync::Mutex;

use figrs::prelude::*;
use figrs::{
    BeliefPropagation, Cases, CountPart, CountRequest, ExpectationMaximization, ExpectedCounts,
    Fit, Learned, stream,
};
use rand::RngExt;

/// Returns coins that depend on a hidden coin, with learned probabilities.
fn coins() -> Vec<Element<bool>> {
    let hidden = Flip::new(Learned::beta("mix", 3.0, 2.0));
    let coins = (0..3).map(|i| {
        let [a, b] = [("a", 4.0), ("b", 1.0)]
            .map(|(name, heads)| Learned::beta(format!("{name}{i}"), heads, 2.0));
        If::new(&hidden, Flip::new(&a), Flip::new(&b))
    });
    let fixed = (0..3).map(|_| If::new(&hidden, Flip::new(0.7), Flip::new(0.4)));
    coins.chain(fixed).collect()
}

type Columns<'a> = Cases<&'a Vec<Element<bool>>>;

/// Returns rows of data in which some values are missing.
fn mixture(coins: &Vec<Element<bool>>, rows: usize) -> Columns<'_> {
    let mut rng = stream(5, 0);
    let rows = (0..rows).map(|_| {
        let likely = if rng.random_bool(0.5) { 0.8 } else { 0.3 };
        let cell = |_| (!rng.random_bool(0.2)).then(|| rng.random_bool(likely));
        coins.iter().map(cell).collect()
    });
    let rows: Vec<Vec<Option<bool>>> = rows.collect();
    Cases::new(coins).rows(rows)
}

/// Returns the text of a fit in parts, with the number of requests and of units.
fn in_parts<E: ExpectedCounts + Clone>(
    learner: &ExpectationMaximization<E>,
    cases: &Columns<'_>,
    piece: u64,
) -> (String, u64, u64) {
    let model = Model::new();
    let worker = |threads| learner.clone().threads(NonZero::new(threads).unwrap());
    let workers =
        [1, 2, 3].map(|threads| Mutex::new(worker(threads).case_counter(&model, cases).unwrap()));
    let units = workers[0].lock().unwrap().units();
    let requests = Mutex::new(0);
    let fit = learner.fit_by(&model, cases, |request| {
        *requests.lock().unwrap() += 1;
        let request = postcard::to_allocvec(request).unwrap();
        let part = |first: u64| {
            let mut worker = workers[(first / piece % 3) as usize].lock().unwrap();
            let request: CountRequest = postcard::from_bytes(&request).unwrap();
            let part = worker.part(&request, first..first + piece)?;
            let bytes = postcard::to_allocvec(&part).unwrap();
            Ok(postcard::from_bytes::<CountPart>(&bytes).unwrap())
        };
        (0..units).step_by(piece as usize).map(part).collect()
    });
    let fit = fit.unwrap();
    let requests = *requests.lock().unwrap();
    (said(&fit), requests, units)
}

fn said(fit: &Fit) -> String {
    let errors = fit.standard_errors();
    format!("{fit} {:?} {errors:?}", fit.log_likelihoods())
}

fn assert_alike<E: ExpectedCounts + Clone>(
    learner: &ExpectationMaximization<E>,
    cases: &Columns<'_>,
    least_units: u64,
) {
    let whole = said(&learner.fit(&Model::new(), cases).unwrap());
    for piece in [1, 3, 1000] {
        let (parts, requests, units) = in_parts(learner, cases, piece);
        assert_eq!(parts, whole);
        assert!(
            requests > 3 && units >= least_units,
            "{requests} requests, {units} units"
        );
    }
}

#[test]
fn fits_of_every_engine_are_alike_in_parts() {
    let coins = coins();
    let cases = mixture(&coins, 150);
    let tree = ExpectationMaximization::new(JunctionTree::new()).rounds(20);
    assert_alike(&tree, &cases, 5);
    assert_alike(&tree.clone().map_estimate().starts(2).seed(3), &cases, 5);
    assert_alike(&tree.clone().accelerated(), &cases, 5);
    let few = mixture(&coins, 40);
    let most = ExpectationMaximization::new(MpeVariableElimination::new()).exact_rounds(3);
    assert_alike(&most, &few, 1);
    let messages = ExpectationMaximization::new(BeliefPropagation::new()).exact_rounds(3);
    assert_alike(&messages, &few, 1);
    let chains = ExpectationMaximization::new(Gibbs::new(20).chains(2).seed(1)).exact_rounds(3);
    assert_alike(&chains, &few, 1);
    // A unit is a row of data, for which worlds are drawn in two pieces.
    let worlds = ImportanceSampling::new(1200).seed(2);
    let worlds = ExpectationMaximization::new(worlds).exact_rounds(3);
    assert_alike(&worlds, &few, 30);
}

#[test]
fn parts_that_are_not_of_the_request_are_refused() {
    let (coins, model) = (coins(), Model::new());
    let cases = mixture(&coins, 200);
    let learner = ExpectationMaximization::new(JunctionTree::new()).rounds(3);
    let counter = Mutex::new(learner.case_counter(&model, &cases).unwrap());
    let fit = |parts: &(dyn Fn(&CountRequest) -> Result<Vec<CountPart>, Error> + Send + Sync)| {
        learner.fit_by(&model, &cases, parts).unwrap_err()
    };
    let part = |request: &CountRequest, units| counter.lock().unwrap().part(request, units);
    let problem = |error: Error| match error {
        Error::UnfitPart { unit, problem } => (unit, problem),
        other => panic!("{other}"),
    };
    let (unit, missing) = problem(fit(&|request| Ok(vec![part(request, 0..2)?])));
    assert!(
        unit == 2 && missing.contains("the parts end here"),
        "{unit} {missing}"
    );
    let error = fit(&|request| Ok(vec![part(request, 0..2)?, part(request, 1..9)?]));
    assert_eq!(error, Error::NotConsecutive { end: 2, begin: 1 });
    let first = Mutex::new(None);
    let stale = fit(&|request| {
        let mut first = first.lock().unwrap();
        let first = first.get_or_insert_with(|| part(request, 0..1000));
        Ok(vec![first.clone()?])
    });
    assert!(
        problem(stale)
            .1
            .contains("answers request 0, but the current request of the fit is 1")
    );
    // Parts of other cases, and of another model, are refused.
    let other = learner.case_counter(&model, &mixture(&coins, 300)).unwrap();
    let own = learner.first_request(&other).unwrap();
    let other = Mutex::new(other);
    let error = fit(&|request| Ok(vec![other.lock().unwrap().part(request, 0..1000)?]));
    assert!(problem(error).1.contains("belongs to other cases"));
    let error = fit(&|_| Ok(vec![other.lock().unwrap().part(&own, 0..1000)?]));
    assert!(problem(error).1.contains("units and ends before unit"));
    let bias = Learned::beta("bias", 1.0, 1.0);
    let coin = vec![Flip::new(&bias)];
    let bias = Cases::new(&coin).rows([[true], [false]]);
    let other = Mutex::new(learner.case_counter(&model, &bias).unwrap());
    let error = fit(&|request| Ok(vec![other.lock().unwrap().part(request, 0..1)?]));
    assert!(
        problem(error)
            .1
            .contains("the request has other parameters")
    );
    let error = fit(&|_| Err(Error::NothingToLearn));
    assert_eq!(error, Error::NothingToLearn);
    let batches = learner.clone().mini_batches(10);
    let error = batches.fit_by(&model, &cases, |request| Ok(vec![part(request, 0..1000)?]));
    assert!(matches!(
        error.unwrap_err(),
        Error::InvalidSetting {
            setting: "mini_batches",
            ..
        }
    ));
}
