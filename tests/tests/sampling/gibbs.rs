//! Tests of Gibbs sampling as a user sees it: right answers, truthful reports, errors.

#![allow(clippy::unwrap_used)]

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use figrs::prelude::*;
use figrs::{Stopped, fold, inject, stream};
use rand::RngExt;
use rand::seq::index::sample;

/// Returns a model of ten coins in a row, where the parities of groups of three and the number of heads are given.
fn constrained() -> (Model, Vec<Element<bool>>) {
    let coins: Vec<_> = (0..10)
        .map(|i| Flip::new(0.3 + 0.04 * f64::from(i)))
        .collect();
    let mut model = Model::new();
    for three in coins.windows(3).step_by(2) {
        let odd = inject(three).map(|v| v.iter().filter(|x| **x).count() % 2 == 1);
        model = model.observe(&odd, true);
    }
    let heads = fold(&coins, 0u32, |n, &coin| n + u32::from(coin));
    (model.condition(&heads, |&n| (3..=7).contains(&n)), coins)
}

/// Each group is a single block, so that successive draws are independent. Each bound is missed by a correct sampler with a probability of 2e-9 (six
/// standard errors): 2e-8 for the ten bounds.
#[test]
fn constraints_that_share_parents_are_met_and_weighed() {
    let (model, coins) = constrained();
    let answer = Gibbs::new(20_000)
        .chains(2)
        .seed(3)
        .run(&model, &coins)
        .unwrap();
    let exact = VariableElimination::new().run(&model, &coins).unwrap();
    assert_eq!(answer.sampling().unwrap().cut_groups, Some(0));
    for coin in &coins {
        let p = exact.probability(coin, &true).unwrap();
        let q = answer.probability(coin, &true).unwrap();
        let error = (p * (1.0 - p) / 40_000.0).sqrt();
        assert!((p - q).abs() < 6.0 * error, "{q} ± {error}, not {p}");
    }
    let draws = answer.draws().unwrap();
    assert_eq!((draws.chains, draws.length), (2, 20_000));
    let values: Vec<Vec<bool>> = coins.iter().map(|c| draws.values(c).unwrap()).collect();
    for draw in 0..40_000 {
        let heads = values.iter().filter(|v| v[draw]).count();
        assert!((3..=7).contains(&heads));
    }
}

#[test]
fn what_is_cut_is_said() {
    let (model, coins) = constrained();
    let answer = Gibbs::new(10).block_table(1).run(&model, &coins).unwrap();
    assert_eq!(answer.sampling().unwrap().cut_groups, Some(1));
}

#[test]
fn the_same_seed_gives_the_same_draws_on_any_number_of_threads() {
    let (model, coins) = constrained();
    let run = |threads: usize, seed: u64| {
        let gibbs = Gibbs::new(300).chains(3).seed(seed).thin(2).burn_in(5);
        let answer = gibbs
            .threads(NonZero::new(threads).unwrap())
            .run(&model, &coins);
        let answer = answer.unwrap();
        assert_eq!(answer.sampling().unwrap().done, 3 * 605);
        answer.draws().unwrap().values(&coins[4]).unwrap()
    };
    assert_eq!(run(1, 7), run(2, 7));
    assert_eq!(run(1, 7), run(3, 7));
    assert_ne!(run(1, 7), run(1, 8));
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let coin = Flip::new(0.5);
    for (gibbs, setting) in [
        (Gibbs::new(0), "draws"),
        (Gibbs::new(1).chains(0), "chains"),
        (Gibbs::new(1).thin(0), "thin"),
        (Gibbs::new(1).block_table(0), "block_table"),
    ] {
        let error = gibbs.run(&Model::new(), &coin).unwrap_err();
        assert!(matches!(error, Error::InvalidSetting { .. }));
        let message = error.to_string();
        assert!(
            message.contains("Gibbs") && message.contains(setting),
            "{message}"
        );
    }
}

#[test]
fn impossible_evidence_is_named() {
    let coins: Vec<_> = (0..5).map(|_| Flip::new(0.5)).collect();
    let mut model = Model::new();
    for (i, a) in coins.iter().enumerate() {
        model = model.observe(&a.equals(&coins[(i + 1) % 5]), false);
    }
    let error = Gibbs::new(10).run(&model, &coins).unwrap_err();
    assert!(
        matches!(&error, Error::ImpossibleEvidence { conflict, .. } if conflict.len() == 5),
        "{error}"
    );
}

/// The evidence consists of random parities of three coins. There are too many to hold together, and they are too entangled for elimination to detect
/// that.
#[test]
fn a_world_that_neither_draws_nor_elimination_find() {
    let coins: Vec<_> = (0..400).map(|_| Flip::new(0.5)).collect();
    let mut rng = stream(5, 0);
    let mut model = Model::new();
    for _ in 0..420 {
        let [a, b, c] = sample(&mut rng, 400, 3)
            .into_iter()
            .map(|k| &coins[k])
            .collect::<Vec<_>>()[..]
        else {
            unreachable!("three were asked for");
        };
        model = model.observe(&(a, b, c).map(|(a, b, c)| a ^ b ^ c), rng.random());
    }
    let error = Gibbs::new(10).run(&model, &coins[0]).unwrap_err();
    assert!(
        matches!(error, Error::NoSampleMetEvidence { tried: 1000, .. }),
        "{error}"
    );
}

/// The evidence is hardly ever met by forward draws.
#[test]
fn rare_evidence_is_found() {
    let (a, b) = (Flip::new(0.001), Flip::new(0.001));
    let both = a.and(&b);
    let rare = both.flat_map(|&both| Flip::new(if both { 1.0 } else { 0.0 }));
    let model = Model::new().condition(&(&rare, &a).map(|(&r, &a)| r || a), |&x| x);
    let answer = Gibbs::new(2000).run(&model, (&a, &b)).unwrap();
    assert_eq!(answer.probability(&a, &true).unwrap(), 1.0);
}

#[test]
fn runs_are_watched() {
    let (model, coins) = constrained();
    let error = Gibbs::new(10)
        .deadline(Duration::ZERO)
        .run(&model, &coins)
        .unwrap_err();
    assert!(matches!(error, Error::NothingDone { algorithm: "Gibbs" }));
    let flag = Arc::new(AtomicBool::new(false));
    let (most, raised) = (Arc::new(AtomicU64::new(0)), flag.clone());
    let seen = most.clone();
    let answer = Gibbs::new(1 << 40)
        .burn_in(10)
        .interrupt(flag)
        .on_progress(move |progress| {
            seen.fetch_max(progress.done, Ordering::Relaxed);
            raised.store(progress.done > 3000, Ordering::Relaxed);
        })
        .run(&model, &coins)
        .unwrap();
    assert_eq!(answer.sampling().unwrap().stopped, Stopped::Interrupted);
    assert!(answer.draws().unwrap().length > 0 && most.load(Ordering::Relaxed) > 3000);
    assert!(matches!(
        answer.log_evidence(),
        Err(Error::NotInAnswer {
            algorithm: "Gibbs",
            ..
        })
    ));
}

/// The sum over `hub` has 2^40 entries, whatever number is allowed.
#[test]
fn a_sum_over_many_neighbours_is_not_computed() {
    let hub = Flip::new(0.5);
    let leaves: Vec<_> = (0..40)
        .map(|_| hub.flat_map(|&up| Flip::new(if up { 0.9 } else { 0.2 })))
        .collect();
    let gibbs = Gibbs::new(50).chains(2).collapse(usize::MAX);
    let answer = gibbs.run(&Model::new(), &leaves).unwrap();
    assert_eq!(answer.sampling().unwrap().integrated_out, Some(0));
    let one = gibbs.run(&Model::new(), &leaves[0]).unwrap();
    assert!(one.sampling().unwrap().integrated_out >= Some(1));
}
