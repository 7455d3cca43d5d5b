//! Tests that a run that is lengthened, stopped and resumed has the bits of one longer run.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use figrs::prelude::*;
use figrs::{Algorithm, AnyElement, Parents, Stopped};

/// Returns the text of an answer without its time.
fn said(answer: &Answer) -> String {
    let mut sampling = answer.sampling().unwrap().clone();
    sampling.elapsed = Duration::ZERO;
    format!("{:?}", answer.clone().with_sampling(sampling))
}

/// A model with a finite and a continuous target, evidence with weights, and a branch.
fn question() -> (Model, Vec<AnyElement>) {
    let rain = Flip::new(0.3);
    let amount = rain.flat_map(|&rain| {
        if rain {
            Uniform::new(1..=6)
        } else {
            Constant::new(0)
        }
    });
    let wet = amount.flat_map(|&n| Flip::new(0.1 + 0.14 * f64::from(n)));
    let model = Model::new().observe(&wet, true);
    (model, (&rain, &amount).elements())
}

/// Returns the model with a normal element that another normal element observes.
fn real_question() -> (Model, Vec<AnyElement>) {
    let (model, mut targets) = question();
    let x = Normal::new(0.0, StandardDeviation(1.0));
    let seen = Normal::new(&x, StandardDeviation(0.5));
    targets.push(x.erased().clone());
    (model.observe(&seen, 0.7), targets)
}

/// Checks the law of lengthened runs for a sampler with a number of samples, draws or populations.
fn check<S: Algorithm + 'static>(sampler: impl Fn(u64) -> S, lengths: [u64; 3], real: bool) {
    let (model, targets) = if real { real_question() } else { question() };
    let [first, second, third] = lengths;
    let whole = sampler(first + second + third)
        .answer(&model, &targets)
        .unwrap();
    let name = sampler(1).name();
    // An answer that is lengthened twice, and once more from its beginning.
    let short = sampler(first).run(&model, &targets).unwrap();
    let longer = short.extend(&model, second).unwrap();
    let about = |answer: &Answer| {
        said(
            &answer
                .clone()
                .with_question(Arc::new((model.clone(), targets.clone()))),
        )
    };
    assert_eq!(
        about(&longer.extend(&model, third).unwrap()),
        about(&whole),
        "{name}"
    );
    assert_eq!(
        about(&longer.extend(&model, third).unwrap()),
        about(&whole),
        "{name}"
    );
    assert_eq!(
        about(&short.extend(&model, second + third).unwrap()),
        about(&whole),
        "{name}"
    );
    // A run in a thread that is stopped and resumed while it is lengthened and asked.
    let running = sampler(first).start(&model, &targets);
    let asked = running.clone();
    let asking = thread::spawn(move || {
        while !asked.is_finished() {
            let _ = asked.answer();
            thread::sleep(Duration::from_micros(300));
        }
    });
    running.stop();
    running.extend(second).unwrap();
    running.resume();
    running.extend(third).unwrap();
    thread::sleep(Duration::from_millis(1));
    running.stop();
    running.resume();
    assert_eq!(about(&running.wait().unwrap()), about(&whole), "{name}");
    asking.join().unwrap();
    assert_eq!(
        running.answer().unwrap().sampling().unwrap().stopped,
        Stopped::Finished
    );
}

fn threads(n: usize) -> NonZero<usize> {
    NonZero::new(n).unwrap()
}

#[test]
fn worlds() {
    for real in [false, true] {
        let lengths = [1000, 77, 2500];
        check(
            |n| ImportanceSampling::new(n).seed(3).threads(threads(2)),
            lengths,
            real,
        );
        check(
            |n| ImportanceSampling::new(n).seed(3).keep_draws(),
            lengths,
            real,
        );
    }
    check(
        |n| RejectionSampling::new(n).seed(4).threads(threads(3)),
        [900, 1, 3000],
        false,
    );
    // All runs have blocks of the same size.
    check(
        |n| ImportanceSampling::new(n).seed(5),
        [300_001, 5_000, 70_000],
        false,
    );
}

#[test]
fn populations() {
    for real in [false, true] {
        let sampler = |n| SequentialMonteCarlo::new(200).populations(n).seed(2);
        check(sampler, [7, 4, 9], real);
        check(
            |n| sampler(n).keep_draws().threads(threads(2)),
            [16, 16, 3],
            real,
        );
    }
}

#[test]
fn chains() {
    for real in [false, true] {
        let sampler = |n| MetropolisHastings::new(n).burn_in(300).seed(8).thin(2);
        check(|n| sampler(n).threads(threads(2)), [200, 37, 400], real);
        check(
            |n| sampler(n).chains(2).tempered([4.0]),
            [100, 50, 150],
            real,
        );
    }
    check(
        |n| Gibbs::new(n).burn_in(50).seed(1).threads(threads(2)),
        [300, 1, 700],
        false,
    );
}
