//! Tests of the guarantees of sequential Monte Carlo on its estimate of the evidence, without sampling error. Over all random choices of the filter,
//! the mean of the estimate is the probability of the evidence. The mean of the estimate times the indicator of a value in the drawn trajectory is
//! the joint probability of that value and the evidence. Filters with a mistake are detected.

mod independent;
mod sequences;

use std::cell::Cell;
use std::collections::BTreeMap;

use figrs_core::{Constant, Element, Flip, Model, Normal, Select, Uniform, Variance};
use figrs_infer::internals::particle_filter::PopulationResult;
use figrs_infer::{Answer, Error, Resampling, Run, SequentialMonteCarlo, VariableElimination};
use figrs_lower::{Observations, Program};
use figrs_tests::every_population::{MeanEstimate, Setting, every_ancestor, mean_estimate};
use figrs_tests::oracle::{EveryChoice, LogSum, close, every_run};
use figrs_tests::random_model::{build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// Tolerance of logarithms, for rounding errors only.
const EXACT: f64 = 1e-12;
/// Discrepancy that counts as a detected mistake.
const WRONG: f64 = 1e-4;
const ALL: [Resampling; 4] = [
    Resampling::Systematic,
    Resampling::Stratified,
    Resampling::Residual,
    Resampling::Multinomial,
];

fn evidence(model: &Model) -> f64 {
    let mut total = LogSum::default();
    let all = every_run(model, &[], Observations::Compare, 100_000, |_, p, w| {
        total.add(p + w);
    });
    assert!(all.unwrap());
    total.value()
}

fn whole(filtered: PopulationResult, log_mean: f64) -> f64 {
    filtered.log_replaced + log_mean
}

/// Returns `None` if there are too many runs, or if some particle continues with so small a probability that a number in the unit interval has too
/// few digits for it.
fn run(
    model: &Model,
    (particles, threshold): (usize, f64),
    how: Resampling,
    limit: usize,
) -> Option<MeanEstimate> {
    const SMALL: f64 = 1e-3;
    let mut coarse = false;
    let ancestors = |weights: &[f64], count: usize, every: &mut EveryChoice| {
        let total: f64 = weights.iter().sum();
        coarse |= weights.iter().any(|&w| w > 0.0 && w / total < SMALL);
        every_ancestor(how, weights, count, every)
    };
    let setting = one(particles, threshold);
    let found = mean_estimate((model, None), setting, limit, ancestors, whole).unwrap();
    found.filter(|_| !coarse)
}

fn one(particles: usize, threshold: f64) -> Setting {
    Setting {
        populations: 1,
        particles,
        threshold,
    }
}

/// Returns a hidden chain of two states, observed three times.
fn chain() -> Model {
    chain_of(&[true, false, true]).0
}

/// Returns a hidden chain of two states, and the first state.
fn chain_of(all_seen: &[bool]) -> (Model, Element<bool>) {
    let first = Flip::new(0.3);
    let mut state = first.clone();
    let mut model = Model::new();
    for &seen in all_seen {
        let report = state.flat_map(|&s| Flip::new(if s { 0.9 } else { 0.25 }));
        model = model.observe(&report, seen);
        state = state.flat_map(|&s| Flip::new(if s { 0.8 } else { 0.4 }));
    }
    (model, first)
}

/// A model with weights above one, evidence that is certainly impossible in some worlds, and a statement that weighs all worlds equally.
fn mixed() -> Model {
    let first = Select::new([(0.5, 0u8), (0.3, 1), (0.2, 2)]);
    let second = first.flat_map(|&n| Flip::new([0.2, 0.5, 0.9][usize::from(n)]));
    let same = Flip::new(0.75);
    Model::new()
        .weigh(&first, |&n| f64::from(n) + 0.5)
        .observe(&same, true)
        .condition(&second, |&b| b)
        .weigh(&first, |&n| [3.0, 1.0, 0.25][usize::from(n)])
}

/// A model with evidence that most populations do not survive.
fn rare() -> Model {
    let (a, b) = (Uniform::new(0..3), Uniform::new(0..3));
    Model::new()
        .condition(&a, |&a| a == 2)
        .condition(&a.plus(&b), |&sum| sum == 4)
}

#[test]
fn the_estimate_is_unbiased() {
    for (model, right) in [
        (chain(), evidence(&chain())),
        (mixed(), evidence(&mixed())),
        (rare(), (1.0_f64 / 9.0).ln()),
    ] {
        for how in ALL {
            for setting in [(1, 1.0), (2, 0.0), (2, 0.75), (2, 1.0), (3, 0.5), (3, 1.0)] {
                let Some(found) = run(&model, setting, how, 300_000) else {
                    assert!(setting.0 == 3, "{how:?} {setting:?}: too many runs");
                    continue;
                };
                let mean = found.log_means[0];
                assert!(
                    close(mean, right, EXACT),
                    "{how:?} {setting:?}: {mean}, not {right}"
                );
                let replaces = setting.0 > 1 && setting.1 > 0.0;
                assert_eq!(found.replacing > 0, replaces, "{how:?} {setting:?}");
            }
        }
    }
}

#[test]
fn the_estimate_is_unbiased_for_random_models() {
    let (checked, replacing) = (Cell::new(0), Cell::new(0));
    for_random_models(150, 31, |description| {
        let built = build(description);
        let mut total = LogSum::default();
        let all = every_run(&built.model, &[], Observations::Compare, 2000, |_, p, w| {
            total.add(p + w);
        });
        if !all.map_err(|error| TestCaseError::fail(error.to_string()))? {
            return Ok(());
        }
        let right = total.value();
        for how in ALL {
            for setting in [(2, 0.0), (2, 0.75), (2, 1.0), (3, 0.5)] {
                let Some(found) = run(&built.model, setting, how, 1500) else {
                    continue;
                };
                checked.set(checked.get() + 1);
                replacing.set(replacing.get() + usize::from(found.replacing > 0));
                let mean = found.log_means[0];
                prop_assert!(
                    close(mean, right, EXACT),
                    "{how:?} {setting:?}: {mean}, not {right}"
                );
            }
        }
        Ok(())
    });
    println!(
        "{} filters, {} of which replace particles",
        checked.get(),
        replacing.get()
    );
    assert!(checked.get() > 450 && replacing.get() > 40);
}

/// The same check detects an estimate that omits the weights of earlier replacements, ancestors chosen at equidistant points without a random number,
/// and ancestors chosen by other weights.
#[test]
fn mistakes_are_found() {
    let (model, right) = (chain(), evidence(&chain()));
    let wrong = |found: Option<MeanEstimate>| {
        let mean = found.expect("few runs").log_means[0];
        (mean - right).abs() > WRONG
    };
    for how in ALL {
        let sound = |weights: &[f64], count: usize, every: &mut EveryChoice| {
            every_ancestor(how, weights, count, every)
        };
        let forgets = |_: PopulationResult, log_mean: f64| log_mean;
        let forgotten = mean_estimate((&model, None), one(2, 1.0), 300_000, sound, forgets);
        assert!(wrong(forgotten.unwrap()), "{how:?}: forgotten weights");
        let squared = |weights: &[f64], count: usize, every: &mut EveryChoice| {
            let squares: Vec<f64> = weights.iter().map(|w| w * w).collect();
            every_ancestor(how, &squares, count, every)
        };
        let squared = mean_estimate((&model, None), one(2, 1.0), 300_000, squared, whole);
        assert!(wrong(squared.unwrap()), "{how:?}: squared weights");
        let even = |weights: &[f64], _: usize, _: &mut EveryChoice| how.ancestors(weights, || 0.5);
        let even = mean_estimate((&model, None), one(2, 1.0), 300_000, even, whole);
        assert!(wrong(even.unwrap()), "{how:?}: no random number");
    }
}

/// Each population that runs side by side with others has an unbiased estimate, also if only some of them replace particles or die. One particle
/// drawn from each population, weighed with the estimate, has the law of the worlds that meet the evidence.
#[test]
fn populations_side_by_side_and_their_trajectories_are_unbiased() {
    let sum = |first: &Element<u8>| first.plus(&Uniform::new([0u8, 2]));
    let first = Select::new([(0.5, 0u8), (0.3, 1), (0.2, 2)]);
    let last = sum(&first);
    let conditions = Model::new()
        .condition(&first, |&a| a > 0)
        .weigh(&first, |&a| f64::from(a) + 0.5)
        .condition(&last, |&sum| sum != 3);
    let (flips, start) = chain_of(&[true, false]);
    let cases = [
        (flips, start.erased().clone()),
        (conditions.clone(), first.erased().clone()),
        // These values are drawn only for the particle that is kept.
        (conditions, sum(&first).erased().clone()),
    ];
    let (mut mixed, mut checked) = (0, 0);
    for (model, target) in cases {
        let mut right = BTreeMap::<String, LogSum>::default();
        let targets = [target.clone()];
        let visit = |program: &Program, p: f64, w: f64| {
            let value = program.value(program.targets()[0]);
            right.entry(format!("{value:?}")).or_default().add(p + w);
        };
        assert!(every_run(&model, &targets, Observations::Compare, 100_000, visit).unwrap());
        let total = evidence(&model);
        for how in ALL {
            for (populations, particles, threshold) in [
                (1, 2, 0.75),
                (2, 1, 1.0),
                (3, 1, 0.5),
                (2, 2, 0.75),
                (2, 2, 1.0),
            ] {
                let setting = Setting {
                    populations,
                    particles,
                    threshold,
                };
                let sound = |weights: &[f64], count: usize, every: &mut EveryChoice| {
                    every_ancestor(how, weights, count, every)
                };
                let query = (&model, Some(&target));
                let found = mean_estimate(query, setting, 2_000_000, sound, whole).unwrap();
                let Some(found) = found else {
                    panic!("{how:?} {setting:?}: too many runs");
                };
                mixed += found.mixed;
                for (log_mean, joint) in found.log_means.iter().zip(&found.log_joint) {
                    checked += 1;
                    assert!(
                        close(*log_mean, total, EXACT),
                        "{how:?} {setting:?}: {log_mean}, not {total}"
                    );
                    assert!(joint.keys().eq(right.keys()), "{how:?} {setting:?}");
                    for (value, sum) in &right {
                        let (found, right) = (joint[value], sum.value());
                        assert!(
                            close(found, right, EXACT),
                            "{how:?} {setting:?} {value}: {found}, not {right}"
                        );
                    }
                }
            }
        }
    }
    assert!(mixed > 1000 && checked == 3 * 4 * 10, "{mixed} {checked}");
}

fn log_evidence(answer: &Answer) -> (f64, f64) {
    let found = answer.log_evidence().unwrap();
    (found.value, found.standard_error)
}

/// The columnar implementation, with populations side by side, is within five standard errors of the exact evidence and marginals; each of 24
/// comparisons has a false alarm in one of 1.7 million seeds.
#[test]
fn small_populations_agree_with_the_exact_answer() {
    let (flips, start) = chain_of(&[true, false, true, true, false]);
    let (mixed, last) = (mixed(), Flip::new(0.25));
    for (model, target) in [(flips, start), (mixed, last)] {
        let exact = VariableElimination::new().run(&model, &target).unwrap();
        let (right, _) = log_evidence(&exact);
        let truth = exact.probability(&target, &true).unwrap();
        for threshold in [0.0, 0.6, 1.0] {
            let filter = SequentialMonteCarlo::new(7).populations(4000);
            let filter = filter.threshold(threshold).seed(11);
            for filter in [filter.clone(), filter.keep_trajectories()] {
                let answer = filter.run(&model, &target).unwrap();
                let (value, error) = log_evidence(&answer);
                assert!(
                    (value - right).abs() < 5.0 * error,
                    "{value} {right} {error}"
                );
                let found = answer.probability(&target, &true).unwrap();
                let draws = 4000.0_f64;
                let error = (truth * (1.0 - truth) / draws * 1.5).sqrt();
                assert!(
                    (found - truth).abs() < 5.0 * error,
                    "{found} {truth} {error}"
                );
            }
        }
    }
}

/// A population has a trajectory exactly if some particle met all evidence, and the weight of the trajectory is the population's estimate.
#[test]
fn a_set_of_populations_can_be_run_in_parts() {
    let (model, states) = noisy_walk();
    let part = |first: u64, populations: u64| {
        let run = SequentialMonteCarlo::new(10)
            .populations(populations)
            .side_by_side(8)
            .first_population(first)
            .seed(3)
            .keep_trajectories()
            .run(&model, &states)
            .unwrap();
        run.draws().unwrap().values(&states[0]).unwrap()
    };
    let whole = part(0, 24);
    assert_eq!(whole[8..], [part(8, 8), part(16, 8)].concat());
    for (setting, run) in [
        (
            "first_population",
            SequentialMonteCarlo::new(10)
                .side_by_side(8)
                .first_population(4),
        ),
        (
            "first_population",
            SequentialMonteCarlo::new(10).first_population(4),
        ),
        (
            "side_by_side",
            SequentialMonteCarlo::new(10).side_by_side(0),
        ),
    ] {
        let error = run.run(&model, &states).unwrap_err();
        assert!(
            matches!(error, Error::InvalidSetting { setting: s, .. } if s == setting),
            "{error}"
        );
    }
}

/// A walk whose steps are always possible, with a little evidence.
fn noisy_walk() -> (Model, Vec<Element<u8>>) {
    let mut state = Uniform::new(0..=4u8);
    let mut states = vec![state.clone()];
    let mut model = Model::new();
    for _ in 0..10 {
        state = state.flat_map(|&s| Select::new([(0.7, s), (0.3, (s + 1) % 5)]));
        let seen = state.flat_map(|&s| Flip::new(if s < 2 { 0.8 } else { 0.3 }));
        model = model.observe(&seen, true);
        states.push(state.clone());
    }
    (model, states)
}

#[test]
fn populations_that_died_have_no_trajectory() {
    let model = rare();
    let target = Uniform::new(0..3);
    for particles in [1, 4] {
        let filter = SequentialMonteCarlo::new(particles)
            .populations(2000)
            .seed(3);
        let plain = filter.run(&model, &target).unwrap();
        let answer = filter.keep_trajectories().run(&model, &target).unwrap();
        let (died, alike) = (
            answer.sampling().unwrap().died.clone(),
            plain.sampling().unwrap().died.clone(),
        );
        assert_eq!(died, alike);
        let draws = answer.draws().unwrap();
        let died = died.unwrap().len();
        assert_eq!(draws.length + died, 2000);
        assert!(draws.length > 100 && died > 100);
        assert_eq!(draws.values(&target).unwrap().len(), draws.length);
        let weights = draws.log_weights.as_ref().unwrap();
        let mean = weights.iter().map(|log| log.exp()).sum::<f64>() / 2000.0;
        let (value, _) = log_evidence(&answer);
        assert!(close(value, mean.ln(), EXACT), "{value} {mean}");
        assert!(close(value, log_evidence(&plain).0, EXACT));
        if particles == 1 {
            assert!(weights.iter().all(|&log| log == 0.0));
        }
    }
}

/// A point mass dominates every density, also if one trajectory of each population is kept.
#[test]
fn trajectories_are_drawn_from_the_worlds_with_the_fewest_densities() {
    let exact = Flip::new(0.5);
    let reading = exact.flat_map(|&exact| {
        if exact {
            Constant::new(1.0)
        } else {
            Normal::new(0.0, Variance(1.0))
        }
    });
    let model = Model::new().observe(&reading, 1.0);
    let filter = SequentialMonteCarlo::new(4).populations(400).seed(5);
    let answer = filter.keep_trajectories().run(&model, &exact).unwrap();
    let draws = answer.draws().unwrap();
    assert!(draws.values(&exact).unwrap().iter().all(|&exact| exact));
    let died = answer.sampling().unwrap().died.clone().unwrap();
    // One population in sixteen has no world with a point mass.
    assert!(!died.is_empty() && draws.length + died.len() == 400);
    let (value, error) = log_evidence(&answer);
    assert!(
        (value - 0.5_f64.ln()).abs() < 5.0 * error,
        "{value} {error}"
    );
}
