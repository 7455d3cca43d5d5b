//! Evidence whose function weighs several values together, against the same evidence for one value at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use figrs::prelude::*;
use figrs::{AnyElement, Value};

/// Number of samples of a run.
const SAMPLES: u64 = 3000;

/// Returns the logarithm of the evidence and the expectation of `element` under a sampler.
fn answers<T: Value>(
    sampler: &dyn figrs::Algorithm,
    model: &Model,
    (element, number): (&Element<T>, fn(&T) -> f64),
) -> (f64, f64) {
    let answer = sampler.run(model, element).unwrap();
    let mean = answer.expectation(element, number).unwrap();
    let log_evidence = answer.log_evidence().map_or(0.0, |evidence| evidence.value);
    (log_evidence, mean)
}

/// Checks that both forms of evidence on `element` give the same answers, and returns the number of calls of the function of several values in a run
/// of `ImportanceSampling`.
fn check<T: Value>(element: &Element<T>, number: fn(&T) -> f64) -> usize {
    let log = move |value: &T| -0.5 * (number(value) - 0.7).powi(2);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let one_by_one = Model::new().log_weigh(element, log);
    let together = Model::new().log_weigh_together(element, move |values: &[&T]| {
        counted.fetch_add(1, Ordering::Relaxed);
        values.iter().map(|value| log(value)).collect()
    });
    let sampler = ImportanceSampling::new(SAMPLES);
    let found = answers(&sampler, &together, (element, number));
    assert_eq!(found, answers(&sampler, &one_by_one, (element, number)));
    let all = calls.load(Ordering::Relaxed);
    let chain = MetropolisHastings::new(200);
    let found = answers(&chain, &together, (element, number));
    assert_eq!(found, answers(&chain, &one_by_one, (element, number)));
    all
}

#[test]
fn weights_of_several_values_are_those_of_each_value() {
    let truth = |&truth: &bool| f64::from(u8::from(truth));
    let coin = Flip::new(0.3);
    let number = Normal::new(0.0, Variance(1.0));
    let calls = [
        check(&coin, truth),
        check(&Uniform::new(0..5_i32), |&value| f64::from(value)),
        check(&number, |&value| value),
        // The values of a branch are one class.
        check(
            &coin.flat_map(|&coin| {
                if coin {
                    Constant::new(3_i32)
                } else {
                    Uniform::new(0..4_i32)
                }
            }),
            |&value| f64::from(value),
        ),
    ];
    assert!(
        calls.iter().all(|&calls| calls < SAMPLES as usize / 4),
        "{calls:?}"
    );
}

#[test]
fn a_wrong_number_of_weights_is_an_error() {
    let coin = Flip::new(0.3);
    let model = Model::new().log_weigh_together(&coin, |_: &[&bool]| vec![0.0; 3]);
    let targets: Vec<AnyElement> = vec![coin.erased().clone()];
    for sampler in figrs::algorithms![ImportanceSampling::new(100), MetropolisHastings::new(100)] {
        let error = sampler.run(&model, &targets).unwrap_err();
        assert!(
            error.to_string().contains("returned 3 log-weights for"),
            "{error}"
        );
    }
}
