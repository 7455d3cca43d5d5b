//! Tests of learning from further cases, in batches, and from several starts.

use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::{Cases, ExpectationMaximization, Fit, Learned, stream};

use super::assert_near;

fn learner() -> ExpectationMaximization<JunctionTree> {
    ExpectationMaximization::new(JunctionTree::new())
}

#[test]
fn a_choice_is_learned_observation_by_observation() {
    // The example is OnlineEM of Figaro's book.
    let mix = Learned::dirichlet("mix", [2.0, 2.0, 2.0]);
    let choice = Select::by(&mix, [1, 2, 3]);
    let first = Cases::new(&choice).rows([1]);
    let mut fit = learner().map_estimate().fit(&Model::new(), &first).unwrap();
    let earlier = fit.clone();
    for _ in 1..100 {
        fit.update(&Cases::new(&choice).rows([1])).unwrap();
    }
    assert_near(fit.value(&mix).unwrap()[0], 0.980_582_524_271_844_7);
    for _ in 0..100 {
        fit.update(&Cases::new(&choice).rows([2])).unwrap();
    }
    assert_near(fit.value(&mix).unwrap()[0], 0.497_536_945_812_807_9);
    // A copy of a fit continues from where it was made.
    assert_eq!(earlier.value(&mix).unwrap(), [0.5, 0.25, 0.25]);
    let mut earlier = earlier;
    let log_likelihood = earlier
        .update(&Cases::new(&choice).weighted_rows([(2.0, 3)]))
        .unwrap();
    assert_near(log_likelihood, 2.0 * 0.25_f64.ln());
    assert_near(earlier.value(&mix).unwrap()[2], 0.5);
}

#[test]
fn further_values_and_evidence_are_those_of_all_cases_at_once() {
    let mean = Learned::normal("mean", 0.0, StandardDeviation(10.0));
    let bias = Learned::beta("bias", 2.0, 2.0);
    let (height, throw) = (Normal::new(&mean, StandardDeviation(4.0)), Flip::new(&bias));
    let columns = || Cases::new((&height, &throw));
    let rows = [(1.0, true), (2.5, false), (4.0, true), (2.5, true)];
    let all = learner()
        .map_estimate()
        .fit(&Model::new(), &columns().rows(rows))
        .unwrap();
    let mut fit = learner()
        .map_estimate()
        .fit(&Model::new(), &columns().rows([rows[0]]))
        .unwrap();
    fit.update(&columns().rows(rows[1..3].iter().copied()))
        .unwrap();
    let throw_is_true = Model::new().observe(&height, 2.5).condition(&throw, |x| *x);
    fit.update(&columns().case(1.0, &throw_is_true)).unwrap();
    for parameter in [&mean, &bias] {
        assert_near(fit.value(parameter).unwrap(), all.value(parameter).unwrap());
    }
    let (found, expected) = (
        fit.standard_errors().unwrap(),
        all.standard_errors().unwrap(),
    );
    let [found, expected] = [found, expected].map(|e| e.of(&mean).unwrap()[0].unwrap());
    assert!((found / expected - 1.0).abs() < 1e-6);
    // A mistake in the cases leaves the fit unchanged.
    let before = fit.value(&mean).unwrap();
    let other = Flip::new(0.5);
    let error = fit.update(&Cases::new(&other).rows([true])).unwrap_err();
    assert!(matches!(error, Error::CannotLearnFrom { .. }), "{error}");
    let impossible = Model::new().condition(&throw, |_| false);
    let error = fit.update(&columns().case(1.0, &impossible)).unwrap_err();
    assert!(
        matches!(error, Error::InvalidCase { row: 0, .. }),
        "{error}"
    );
    assert_eq!(fit.value(&mean).unwrap(), before);
    assert_near(fit.update(&columns()).unwrap(), 0.0);
    assert_near(fit.value(&mean).unwrap(), before);
}

/// The throws, the biases of two coins, and rows of throws.
type CoinThrows = (Vec<Element<bool>>, [Element<f64>; 2], Vec<[bool; 8]>);

/// Returns throws of one of two coins, drawn with biases of .9 and .3, and with this shape of the priors.
fn throws(shape: f64) -> CoinThrows {
    let [first, second] = ["first", "second"].map(|name| Learned::beta(name, shape, shape));
    let is_first = Flip::new(0.4);
    let throws = (0..8).map(|_| If::new(&is_first, Flip::new(&first), Flip::new(&second)));
    let mut rng = stream(5, 0);
    let rows = (0..2000).map(|_| {
        let p = if rng.random_bool(0.4) { 0.9 } else { 0.3 };
        [0; 8].map(|_| rng.random_bool(p))
    });
    let rows: Vec<[bool; 8]> = rows.collect();
    (throws.collect(), [first, second], rows)
}

#[test]
fn batches_come_near_the_maximum() {
    let (throws, [first, second], rows) = throws(1.0);
    let cases = Cases::new(&throws).rows(rows);
    let learner = learner().start(&first, 0.7).start(&second, 0.5);
    let whole = learner.fit(&Model::new(), &cases).unwrap();
    let batches = |threads: usize| {
        let learner = learner.clone().mini_batches(16).rounds(100).seed(1);
        let fit = learner.threads(threads.try_into().unwrap());
        fit.fit(&Model::new(), &cases).unwrap()
    };
    let fit = batches(1);
    // Averages with weights that decrease as k^-0.7 end near the maximum, but not at it.
    assert!(
        whole.log_likelihood() - fit.log_likelihood() < 1.0,
        "{whole}\n{fit}"
    );
    let distance = fit.value(&first).unwrap() - whole.value(&first).unwrap();
    let error = whole.standard_errors().unwrap().of(&first).unwrap()[0].unwrap();
    assert!(distance.abs() < error, "{distance} {error}");
    assert_eq!(
        fit.log_likelihoods(),
        batches(3).log_likelihoods(),
        "on other threads"
    );
    let other = learner.mini_batches(16).rounds(100).seed(2);
    let other = other.fit(&Model::new(), &cases).unwrap();
    assert_ne!(fit.log_likelihoods(), other.log_likelihoods());
}

/// The prior weighs as much as a quarter of all throws of a coin, so it would outweigh the throws of a single batch.
#[test]
fn batches_count_for_all_rows_beside_a_prior() {
    let (throws, [first, second], rows) = throws(1000.0);
    let cases = Cases::new(&throws).rows(rows);
    let learner = learner().map_estimate();
    let learner = learner.start(&first, 0.7).start(&second, 0.5);
    let whole = learner.fit(&Model::new(), &cases).unwrap();
    let batches = learner.mini_batches(16).rounds(100).seed(1);
    let batches = batches.fit(&Model::new(), &cases).unwrap();
    let [of_whole, of_batches] = [&whole, &batches].map(|fit| fit.value(&first).unwrap());
    assert!(of_whole > 0.65 && of_whole < 0.85, "{whole}");
    assert!((of_whole - of_batches).abs() < 0.005, "{whole}\n{batches}");
}

#[test]
fn settings_that_exclude_acceleration_are_refused() {
    let (throws, _, rows) = throws(1.0);
    let cases = Cases::new(&throws).rows(rows);
    let refused = |error: Error| match error {
        Error::InvalidSetting { setting, .. } => setting,
        other => panic!("{other}"),
    };
    let batches = learner().mini_batches(16).accelerated();
    let error = batches.fit(&Model::new(), &cases).unwrap_err();
    assert_eq!(refused(error), "mini_batches");
    let gibbs = ExpectationMaximization::new(Gibbs::new(20)).accelerated();
    let error = gibbs.fit(&Model::new(), &cases).unwrap_err();
    assert_eq!(refused(error), "accelerated");
}

#[test]
fn several_starts_leave_a_saddle() {
    // At the means of the priors both coins are equal, so rounds cannot distinguish them.
    let (throws, [first, second], rows) = throws(1.0);
    let cases = Cases::new(&throws).rows(rows);
    let one = learner().fit(&Model::new(), &cases).unwrap();
    assert_near(one.value(&first).unwrap(), one.value(&second).unwrap());
    let several = learner()
        .starts(5)
        .seed(3)
        .fit(&Model::new(), &cases)
        .unwrap();
    assert!(several.log_likelihood() > one.log_likelihood() + 10.0);
    assert_eq!(several.starts().len(), 5);
    assert_near(several.starts()[0], one.log_likelihood());
    let best = several.starts().iter().copied().fold(f64::MIN, f64::max);
    assert_near(best, several.log_likelihood());
    assert!(
        several
            .to_string()
            .ends_with("converged; the best of 5 starts")
    );
    let standard_errors = one.standard_errors().unwrap();
    assert!(!standard_errors.unidentified().is_empty(), "{one}");
}

#[test]
fn numbers_of_starts_and_batches_are_positive() {
    let (throws, _, rows) = throws(1.0);
    let cases = Cases::new(&throws).rows(rows);
    for (learner, name) in [
        (learner().starts(0), "starts"),
        (learner().mini_batches(0), "mini_batches"),
    ] {
        let error = learner.fit(&Model::new(), &cases).unwrap_err();
        assert!(
            matches!(error, Error::InvalidSetting { setting, .. } if setting == name),
            "{error}"
        );
    }
}

#[test]
fn after_an_error_a_fit_learns_on() {
    let mix = Learned::dirichlet("mix", [2.0, 2.0]);
    let mean = Learned::normal("mean", 0.0, StandardDeviation(10.0));
    let choice = Select::by(&mix, ["a", "b"]);
    let height = Normal::new(&mean, StandardDeviation(1.0));
    let columns = || Cases::new((&choice, &height));
    let learner = learner().map_estimate();
    let first = columns().rows([("a", 1.0)]);
    let mut fit = learner.fit(&Model::new(), &first).unwrap();
    let wrong = columns().rows([("b", 7.0), ("c", 9.0)]);
    for _ in 0..2 {
        let error = fit.update(&wrong).unwrap_err();
        assert!(
            matches!(error, Error::InvalidCase { row: 1, .. }),
            "{error}"
        );
    }
    fit.update(&columns().rows([("b", 3.0)])).unwrap();
    let all = first.rows([("b", 3.0)]);
    let all = learner.fit(&Model::new(), &all).unwrap();
    assert_near(fit.value(&mix).unwrap()[0], all.value(&mix).unwrap()[0]);
    assert_near(fit.value(&mean).unwrap(), all.value(&mean).unwrap());
}

#[test]
fn the_cases_of_a_copy_are_its_own() {
    // The parameter has more numbers than the limit up to which standard errors are computed by default.
    let mix = Learned::dirichlet("mix", vec![1.0; 20]);
    let choice = Select::by(&mix, 0..20);
    let cases = || Cases::new(&choice).rows(0..20);
    let mut fit = learner().fit(&Model::new(), &cases()).unwrap();
    let copy = fit.clone();
    fit.update(&cases()).unwrap();
    let error = |fit: &Fit| {
        let errors = fit.standard_errors().unwrap();
        errors.of(&mix).unwrap()[0].unwrap()
    };
    let once = (0.05 * 0.95 / 20.0_f64).sqrt();
    assert!((error(&copy) / once - 1.0).abs() < 1e-6);
    assert!((error(&fit) / once * 2.0_f64.sqrt() - 1.0).abs() < 1e-6);
}
