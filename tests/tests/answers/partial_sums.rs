//! Tests that the parts of a sampler's work, when merged, give exactly the answer of one run.

use std::ops::Range;
use std::time::Duration;

use figrs::prelude::*;
use figrs::{AnyElement, MergeableSampler, Partial};
use figrs_tests::random_model::{build, for_random_models};
use figrs_tests::reference_models::{burglary, geometric_even, hidden_markov, ladder};
use proptest::prelude::*;

/// Returns the text of the answer without its time, or of the error.
fn said(answer: Result<Answer, Error>) -> String {
    answer.map_or_else(
        |error| error.to_string(),
        |answer| {
            let mut sampling = answer.sampling().unwrap().clone();
            sampling.elapsed = Duration::ZERO;
            format!("{:?}", answer.with_sampling(sampling))
        },
    )
}

/// Returns the answer of one run, and the answers of the same run in two parts and in three parts, of which either the first two or the last two are
/// merged first.
fn answers<S: MergeableSampler>(
    sampler: &S,
    model: &Model,
    targets: &[AnyElement],
    cuts: (u64, u64),
) -> Result<[String; 4], Error> {
    let units = sampler.units(model, targets)?;
    let (a, b) = (cuts.0 % (units + 1), cuts.1 % (units + 1));
    let (a, b) = (a.min(b), a.max(b));
    let part = |units: Range<u64>| sampler.partial(model, targets, units);
    let merge = |mut sums: Partial<S::Sums>, next| sums.merge(next).map(|()| sums);
    let two = merge(part(0..a)?, part(a..units)?)?;
    let left = merge(merge(part(0..a)?, part(a..b)?)?, part(b..units)?)?;
    let right = merge(part(0..a)?, merge(part(a..b)?, part(b..units)?)?)?;
    let merged = [two, left, right].map(|sums| {
        assert_eq!(sums.units(), 0..units);
        said(sums.into_answer())
    });
    let [two, left, right] = merged;
    Ok([said(sampler.answer(model, targets)), two, left, right])
}

/// Returns the answers of every sampler whose sums can be merged; a run that ends with an error has no answer.
fn of_all(
    (model, targets): (&Model, &[AnyElement]),
    seed: u64,
    cuts: (u64, u64),
) -> [Result<[String; 4], Error>; 7] {
    let weighed = ImportanceSampling::new(1500).seed(seed);
    let kept = RejectionSampling::new(1500).seed(seed);
    let forward = ForwardSampling::new(1500).seed(seed);
    // The filter has three blocks of populations that run side by side.
    let filter = SequentialMonteCarlo::new(60).populations(40).seed(seed);
    let drawn = filter.clone().keep_draws();
    let trajectories = filter.clone().keep_trajectories();
    [
        answers(&weighed, model, targets, cuts),
        answers(&weighed.keep_draws(), model, targets, cuts),
        answers(&kept.keep_draws(), model, targets, cuts),
        answers(&forward.keep_draws(), &Model::new(), targets, cuts),
        answers(&filter, model, targets, cuts),
        answers(&drawn, model, targets, cuts),
        answers(&trajectories, model, targets, cuts),
    ]
}

#[test]
fn random_models_answer_alike_in_parts() {
    let seed = std::cell::Cell::new(0);
    for_random_models(25, 52, |description| {
        seed.set(seed.get() + 1);
        let built = build(description);
        let query = (&built.model, &built.erased()[..]);
        let cuts = (seed.get(), 7 * seed.get());
        for [whole, merged @ ..] in of_all(query, seed.get(), cuts).into_iter().flatten() {
            for merged in merged {
                prop_assert_eq!(&whole, &merged);
            }
        }
        Ok(())
    });
}

#[test]
fn known_models_answer_alike_in_parts() {
    let questions = [
        burglary(),
        geometric_even(),
        hidden_markov(50, "M06a_hmm50"),
        ladder(100, "M13a_ladder100"),
    ];
    for question in &questions {
        for cuts in [(0, 1), (1, 2), (5, 11)] {
            let query = (&question.model, &question.targets[..]);
            for [whole, merged @ ..] in of_all(query, 5, cuts).into_iter().flatten() {
                for merged in merged {
                    assert_eq!(whole, merged, "{} at {cuts:?}", question.name);
                }
            }
        }
    }
}

/// Returns a model of coins, one of which weighs the world.
fn coins() -> (Model, [AnyElement; 1]) {
    let fair = Flip::new(0.5);
    let seen = fair.flat_map(|&fair| Flip::new(if fair { 0.5 } else { 0.9 }));
    (Model::new().observe(&seen, true), [fair.erased().clone()])
}

#[test]
fn units_that_a_run_does_not_need_are_dropped() {
    let (model, targets) = coins();
    let sampler = ImportanceSampling::new(4000).until_effective(2000.0);
    let units = sampler.units(&model, &targets).unwrap();
    let part = |units| sampler.partial(&model, &targets, units).unwrap();
    let whole = said(sampler.answer(&model, &targets));
    let mut sums = part(0..3);
    sums.merge(part(3..units)).unwrap();
    assert!(sums.units().end < units);
    sums.merge(part(units - 1..units)).unwrap();
    assert_eq!(whole, said(sums.into_answer()));
}

#[test]
fn parts_follow_on_each_other() {
    let (model, targets) = coins();
    let sampler = SequentialMonteCarlo::new(600).populations(6);
    let part = |units| sampler.partial(&model, &targets, units).unwrap();
    let mut sums = part(0..2);
    for (units, begin) in [(3..6, 3), (0..2, 0), (1..3, 1)] {
        let error = sums.merge(part(units)).unwrap_err();
        assert_eq!(error, Error::NotConsecutive { end: 2, begin });
        let says = error.to_string();
        assert!(
            says.contains("unit 2") && says.contains(&format!("unit {begin}")),
            "{says}"
        );
    }
    sums.merge(part(2..6)).unwrap();
    // Units beyond the last one are empty.
    sums.merge(part(6..9)).unwrap();
    assert_eq!(sums.units(), 0..6);
    // A part by itself has an answer too.
    let some = part(4..6).into_answer().unwrap();
    assert_eq!(some.sampling().unwrap().done, 1200);
    let none = part(0..0).into_answer().unwrap_err();
    assert!(matches!(none, Error::NothingDone { .. }));
}
