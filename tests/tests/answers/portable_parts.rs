//! Tests that parts of a run that are sent as bytes and merged give exactly the answer of the run, and that bytes of other runs are refused.

use std::num::NonZero;
use std::ops::Range;
use std::time::Duration;

use figrs::prelude::*;
use figrs::{Iid, MergeableSampler, Partial, PortableTargets, Predict};
use figrs_tests::random_model::{Target, build, for_random_models};
use proptest::prelude::*;

mod damage;

/// Returns the text of the answer without its time, or of the error.
fn said(answer: Result<Answer, Error>) -> String {
    answer.map_or_else(
        |error| error.to_string(),
        |answer| {
            let mut sampling = answer.sampling().unwrap().clone();
            sampling.elapsed = Duration::ZERO;
            let diagnosis = answer.diagnose();
            format!("{:?} {diagnosis:?}", answer.with_sampling(sampling))
        },
    )
}

/// Returns a part as bytes.
fn sent<S: MergeableSampler, T: PortableTargets + ?Sized>(
    sampler: &S,
    (model, targets): (&Model, &T),
    units: Range<u64>,
) -> Result<Vec<u8>, Error> {
    let part = sampler.portable_part(model, targets, units.clone())?;
    assert_eq!(part.units(), units);
    Ok(postcard::to_allocvec(&part).unwrap())
}

/// Returns the answer of one run, and the answer of the same run in pieces of `piece` units. Each piece runs on another number of threads and is sent
/// as bytes; some pieces are merged with each other before they are merged with the rest.
fn answers<S: MergeableSampler, T: PortableTargets + ?Sized>(
    sampler: impl Fn(NonZero<usize>) -> S,
    (model, targets): (&Model, &T),
    piece: u64,
) -> Result<[String; 2], Error> {
    let threads = |n: u64| sampler(NonZero::new(1 + n as usize % 3).unwrap());
    let elements = targets.elements();
    let units = threads(0).units(model, &elements)?;
    let partial = |units| threads(2).partial(model, &elements, units);
    let (mut all, mut group) = (partial(0..0)?, partial(0..0)?);
    for (n, first) in (0..units).step_by(piece as usize).enumerate() {
        let own = first..(first + piece).min(units);
        let bytes = sent(&threads(n as u64), (model, targets), own.clone())?;
        group.merge_portable(postcard::from_bytes(&bytes).unwrap(), targets)?;
        if n % 3 > 0 || own.end == units {
            let done: Partial<_> = std::mem::replace(&mut group, partial(own.end..own.end)?);
            all.merge(done)?;
        }
    }
    assert_eq!(all.units(), 0..units);
    Ok([
        said(threads(1).answer(model, &elements)),
        said(all.into_answer()),
    ])
}

/// Returns the answers of every sampler; a run that ends with an error has no answer.
fn of_all<T: PortableTargets + ?Sized>(
    (model, targets): (&Model, &T),
    seed: u64,
    piece: u64,
) -> Vec<(&'static str, Result<[String; 2], Error>)> {
    let weighed = ImportanceSampling::new(1500).seed(seed);
    let weighed = |threads| weighed.clone().threads(threads);
    let kept = |threads| {
        RejectionSampling::new(1500)
            .seed(seed)
            .keep_draws()
            .threads(threads)
    };
    let forward = |threads| {
        ForwardSampling::new(1500)
            .seed(seed)
            .keep_draws()
            .threads(threads)
    };
    // The filter has three blocks of populations that run side by side.
    let filter = SequentialMonteCarlo::new(60).populations(40).seed(seed);
    let filter = |threads| filter.clone().threads(threads);
    let chains = MetropolisHastings::new(200)
        .burn_in(300)
        .max_tries(500)
        .seed(seed);
    let chains = |threads| chains.clone().threads(threads);
    let gibbs = |threads| Gibbs::new(100).chains(3).seed(seed).threads(threads);
    let asked = (model, targets);
    vec![
        ("weighed", answers(weighed, asked, piece)),
        (
            "weighed, kept",
            answers(|n| weighed(n).keep_draws(), asked, piece),
        ),
        ("rejected", answers(kept, asked, piece)),
        ("forward", answers(forward, (&Model::new(), targets), piece)),
        ("populations", answers(filter, asked, piece)),
        (
            "particles",
            answers(|n| filter(n).keep_draws(), asked, piece),
        ),
        (
            "trajectories",
            answers(|n| filter(n).keep_trajectories(), asked, piece),
        ),
        ("chains", answers(chains, asked, piece)),
        (
            "tempered",
            answers(|n| chains(n).chains(2).tempered([2.0, 4.0]), asked, piece),
        ),
        ("gibbs", answers(gibbs, asked, piece)),
    ]
}

/// Compares the answers of all samplers, and checks that at least `least` samplers have an answer.
fn agree<T: PortableTargets + ?Sized>(asked: (&Model, &T), seed: u64, piece: u64, least: usize) {
    let mut answered = 0;
    for (name, found) in of_all(asked, seed, piece) {
        let Ok([whole, merged]) = found else {
            continue;
        };
        assert_eq!(whole, merged, "{name}");
        answered += usize::from(whole.starts_with("Answer"));
    }
    assert!(answered >= least, "{answered} have an answer");
}

#[test]
fn random_models_answer_alike_in_parts_that_were_sent() {
    let (seed, mut compared) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_models(20, 53, |description| {
        seed.set(seed.get() + 1);
        let built = build(description);
        let targets: Vec<_> = built.targets.iter().map(Target::coded).collect();
        for (name, found) in of_all((&built.model, &targets), seed.get(), 1 + seed.get() % 5) {
            if let Ok([whole, merged]) = found {
                compared.set(compared.get() + 1);
                prop_assert_eq!(&whole, &merged, "{}", name);
            }
        }
        Ok(())
    });
    assert!(*compared.get_mut() > 80, "{compared:?}");
}

type Numbers = (Element<f64>, Element<Vec<f64>>, Element<Option<String>>);

/// Two of three unknown numbers determine a third number, which is observed, and a branch creates further choices.
fn numbers() -> (Model, Numbers) {
    let place = Normal::new(0.0, StandardDeviation(2.0));
    let rates = Iid::new(Gamma::new(2.0, Rate(1.0)), 2);
    let kind = place.flat_map(|&x| {
        if x > 0.0 {
            Poisson::new(x).named("many").map(|n| Some(n.to_string()))
        } else {
            Constant::new(None)
        }
    });
    let seen =
        (&place, &rates).flat_map(|(x, rates)| Normal::new(x + rates[0], StandardDeviation(1.0)));
    let model = Model::new()
        .observe(&seen, 1.5)
        .condition(&kind, |kind| kind.as_deref() != Some("0"));
    (model, (place, rates, kind))
}

#[test]
fn numbers_lists_and_texts_are_sent_by_their_bits() {
    let (model, targets) = numbers();
    for piece in [1, 2, 7] {
        agree((&model, &targets), piece, piece, 8);
    }
}

#[test]
fn values_that_are_no_finite_numbers_are_sent_by_their_bits() {
    let odd = [
        f64::NAN,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE / 8.0,
    ];
    let odd = Uniform::new(odd);
    let seen = odd.flat_map(|&x| Flip::new(if x > 1.0 { 0.9 } else { 0.2 }));
    let model = Model::new().observe(&seen, true);
    for piece in [1, 4] {
        agree((&model, &[&odd, &odd]), 3, piece, 10);
        agree((&model, &odd), 4, piece, 10);
    }
}

/// A value that has a density in nearly all worlds and a probability in a few worlds, which then dominates every density.
fn mixed() -> (Model, Element<bool>) {
    let exact = Flip::new(0.0005);
    let x = exact.flat_map(|&exact| {
        if exact {
            Constant::new(1.0)
        } else {
            Normal::new(1.0, StandardDeviation(0.5))
        }
    });
    (Model::new().observe(&x, 1.0), exact)
}

#[test]
fn parts_with_densities_alone_count_for_nothing_beside_point_masses() {
    let (model, exact) = mixed();
    for seed in 0..3 {
        let sampler = |threads| {
            ImportanceSampling::new(20_000)
                .seed(seed)
                .threads(threads)
                .keep_draws()
        };
        let [whole, merged] = answers(sampler, (&model, &exact), 1).unwrap();
        assert_eq!(whole, merged);
    }
    let sampler = ImportanceSampling::new(20_000).seed(1);
    let units = sampler.units(&model, &exact.elements()).unwrap();
    let mut sums = sampler.partial(&model, &exact.elements(), 0..0).unwrap();
    let (mut with, mut without) = (0, 0);
    for unit in 0..units {
        let part = sampler
            .portable_part(&model, &exact, unit..unit + 1)
            .unwrap();
        let mut own = sampler
            .partial(&model, &exact.elements(), unit..unit)
            .unwrap();
        let bytes = postcard::to_allocvec(&part).unwrap();
        own.merge_portable(part, &exact).unwrap();
        let own = own
            .into_answer()
            .unwrap()
            .probability(&exact, &true)
            .unwrap();
        with += u32::from(own == 1.0);
        without += u32::from(own == 0.0);
        sums.merge_portable(postcard::from_bytes(&bytes).unwrap(), &exact)
            .unwrap();
    }
    // Some blocks have a world with a probability and some have none, so an average of the blocks' answers would be too small.
    assert!(with > 0 && without > 0, "{with} and {without}");
    let answer = sums.into_answer_about(&model, &exact).unwrap();
    assert_eq!(answer.probability(&exact, &true), Ok(1.0));
    for sampler in [
        MetropolisHastings::new(300).seed(1),
        MetropolisHastings::new(300).seed(2),
    ] {
        let sampler = |threads| sampler.clone().chains(8).threads(threads);
        let [whole, merged] = answers(sampler, (&model, &exact), 3).unwrap();
        assert_eq!(whole, merged);
    }
}

#[test]
fn parts_may_have_met_no_evidence() {
    let rare = Flip::new(0.0003);
    let model = Model::new().condition(&rare, |&rare| rare);
    let kept = |threads| {
        RejectionSampling::new(20_000)
            .seed(1)
            .keep_draws()
            .threads(threads)
    };
    let weighed = |threads| ImportanceSampling::new(20_000).seed(1).threads(threads);
    let filter = |threads| {
        SequentialMonteCarlo::new(100)
            .populations(40)
            .seed(1)
            .threads(threads)
    };
    let mut alone = kept(NonZero::<usize>::MIN)
        .partial(&model, &rare.elements(), 1..1)
        .unwrap();
    let unmet = (1..16).any(|unit| {
        let own = kept(NonZero::<usize>::MIN);
        alone = own.partial(&model, &rare.elements(), unit..unit).unwrap();
        let bytes = sent(&own, (&model, &rare), unit..unit + 1).unwrap();
        alone
            .merge_portable(postcard::from_bytes(&bytes).unwrap(), &rare)
            .unwrap();
        let own = std::mem::replace(
            &mut alone,
            own.partial(&model, &rare.elements(), 0..0).unwrap(),
        );
        matches!(own.into_answer(), Err(Error::NoSampleMetEvidence { .. }))
    });
    assert!(unmet);
    let found = [
        answers(kept, (&model, &rare), 1),
        answers(weighed, (&model, &rare), 1),
        answers(filter, (&model, &rare), 1),
    ];
    for [whole, merged] in found.map(Result::unwrap) {
        assert!(whole.starts_with("Answer"), "{whole}");
        assert_eq!(whole, merged);
    }
    // No part has met the evidence.
    let never = Model::new().condition(&Flip::new(1e-9), |&never| never);
    let [whole, merged] = answers(weighed, (&never, &rare), 2).unwrap();
    assert!(whole.contains("none of 20000 worlds"), "{whole}");
    assert_eq!(whole, merged);
}

#[test]
fn units_that_a_run_does_not_need_are_dropped_when_they_come() {
    let fair = Flip::new(0.5);
    let seen = fair.flat_map(|&fair| Flip::new(if fair { 0.5 } else { 0.9 }));
    let model = Model::new().observe(&seen, true);
    let elements = fair.elements();
    let sampler = ImportanceSampling::anytime()
        .until_effective(300_000.0)
        .seed(2);
    let whole = said(sampler.answer(&model, &elements));
    let mut sums = sampler.partial(&model, &elements, 0..0).unwrap();
    let mut next = 0;
    while !sums.is_enough() {
        let bytes = sent(&sampler, (&model, &fair), next..next + 7).unwrap();
        sums.merge_portable(postcard::from_bytes(&bytes).unwrap(), &fair)
            .unwrap();
        next += 7;
    }
    assert!(sums.units().end < next, "{:?}", sums.units());
    // A part that arrives after the end is dropped as well.
    let bytes = sent(&sampler, (&model, &fair), next..next + 1).unwrap();
    sums.merge_portable(postcard::from_bytes(&bytes).unwrap(), &fair)
        .unwrap();
    assert_eq!(whole, said(sums.into_answer()));
}

#[test]
fn a_unit_of_a_discrete_marginal_is_small() {
    let alarm = Flip::new(0.001);
    let john = alarm.flat_map(|&rings| Flip::new(if rings { 0.90 } else { 0.05 }));
    let model = Model::new().observe(&john, true);
    for samples in [100_000, 1_000_000, 10_000_000_000] {
        let sampler = ImportanceSampling::new(samples).seed(1);
        let bytes = sent(&sampler, (&model, &alarm), 3..4).unwrap();
        assert!(bytes.len() < 200, "{} bytes", bytes.len());
    }
    // Thirty observations give nearly every world a different weight; the first units of a run return more of the largest weights than later units.
    let causes: Vec<Element<bool>> = (1..=30).map(|i| Flip::new(f64::from(i) / 40.0)).collect();
    let seen = |(i, cause): (i32, &Element<bool>)| {
        let rates = (f64::from(i) / 70.0, 0.9 - f64::from(i) / 60.0);
        cause.flat_map(move |&cause| Flip::new(if cause { rates.0 } else { rates.1 }))
    };
    let seen: Vec<Element<bool>> = (1..).zip(&causes).map(seen).collect();
    let model = seen
        .iter()
        .fold(Model::new(), |model, seen| model.observe(seen, true));
    for samples in [1_000_000, 10_000_000_000] {
        let sampler = ImportanceSampling::new(samples).seed(1);
        let elements = causes[..3].elements();
        let middle = sampler.units(&model, &elements).unwrap() / 2;
        let bytes = sent(&sampler, (&model, &causes[..3]), middle..middle + 1).unwrap();
        assert!(bytes.len() < 1000, "{} bytes", bytes.len());
    }
}

#[test]
fn merged_answers_know_their_model() {
    let exact = Flip::new(0.2);
    let seen = exact.flat_map(|&exact| Flip::new(if exact { 0.9 } else { 0.3 }));
    let model = Model::new().observe(&seen, true);
    let sampler = ImportanceSampling::new(2000).seed(1).keep_draws();
    let sums = sampler.partial(&model, &exact.elements(), 0..u64::MAX);
    let answer = sums.unwrap().into_answer_about(&model, &exact).unwrap();
    let whole = sampler.run(&model, &exact).unwrap();
    let later = exact.flat_map(|&exact| Flip::new(if exact { 0.9 } else { 0.1 }));
    let drawn = |answer: &Answer| answer.predict(&later).unwrap().draws(50, 1).unwrap();
    assert_eq!(drawn(&answer), drawn(&whole));
}

#[test]
fn a_run_that_is_interrupted_sends_what_it_has() {
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let (model, targets) = numbers();
    let chains = MetropolisHastings::new(1000)
        .chains(3)
        .interrupt(flag.clone());
    let part = chains.portable_part(&model, &targets, 0..3).unwrap();
    assert_eq!(part.units(), 0..3);
    let mut sums = chains.partial(&model, &targets.elements(), 0..0).unwrap();
    sums.merge_portable(part, &targets).unwrap();
    assert_eq!(
        sums.into_answer().unwrap_err(),
        Error::NothingDone {
            algorithm: "MetropolisHastings"
        }
    );
    flag.store(false, std::sync::atomic::Ordering::Relaxed);
    let part = chains.portable_part(&model, &targets, 0..3).unwrap();
    assert!(part.elapsed() > Duration::ZERO);
}
