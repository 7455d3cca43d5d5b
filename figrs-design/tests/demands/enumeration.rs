//! Tests that the law of levels given demands is the model's law, restricted and weighed level by level.

use crate::samplers::{Levels, exactly, particles};
use figrs_core::rand::Rng;
use figrs_core::stream;
use figrs_design::{Demand, DemandError, DemandedLevel, DemandedLevelError, Mask, ProposedLevels};
use figrs_infer::{Compiled, ItemSampler};
use figrs_models::board::ConditionalSampler;
use figrs_models::mdmc::{DrawnLevels, Level};
use rand::RngExt;

use crate::by_hand::{self, Defined};
use crate::models::{self, KnownModel};

const WIDTH: usize = 6;

/// Returns the levels of a model, each with its probability times the factors of demands.
fn weighed<'a>(known: &'a KnownModel, demands: &[&Defined]) -> Vec<(&'a Level, f64)> {
    let factor = |level| {
        let factors = demands.iter().map(|defined| (defined.factor)(level));
        factors.product::<f64>()
    };
    let levels = known.levels.iter();
    let weighed = levels.map(|(level, p)| (level, p * factor(level)));
    weighed.filter(|&(_, p)| p > 0.0).collect()
}

/// Compares with the enumeration the probability of demands, of each tile in each cell, and of some whole levels.
fn check(known: &KnownModel, demands: &[&Defined]) {
    let stated: Vec<Demand> = demands
        .iter()
        .map(|defined| defined.demand.clone())
        .collect();
    let name = || {
        let words: Vec<String> = stated.iter().map(ToString::to_string).collect();
        format!("{}: {}", known.name, words.join("; "))
    };
    let levels = weighed(known, demands);
    let total: f64 = levels.iter().map(|(_, p)| p).sum();
    let demanded = DemandedLevel::new(&known.model, &stated).unwrap();
    let exact = match exactly(demanded.clone()) {
        Ok(exact) => exact,
        Err(error) => {
            let is_proven = matches!(
                error,
                DemandedLevelError::Contradictory { proven: true, .. }
            );
            assert!(is_proven && total == 0.0, "{}: {error}", name());
            return;
        }
    };
    // The weights of a random field do not sum to one, so the sum over all levels is divided out.
    let free = DemandedLevel::new(&known.model, &[]).unwrap();
    let free = exactly(free).unwrap();
    let log = exact.exact().unwrap().log_probability() - free.exact().unwrap().log_probability();
    assert!(
        (log - total.ln()).abs() < 1e-9,
        "{}: {log} {}",
        name(),
        total.ln()
    );
    for row in 0..3 {
        for column in 0..WIDTH {
            let tile = levels[0].0.get(row, column).unwrap();
            let here = levels
                .iter()
                .filter(|(level, _)| level.get(row, column) == Some(tile));
            let expected = here.map(|(_, p)| p).sum::<f64>() / total;
            let cell = exact.generator().cell(row, column).unwrap();
            let p = exact
                .exact()
                .unwrap()
                .compiled()
                .probability(cell, &tile)
                .unwrap();
            assert!(
                (p - expected).abs() < 1e-9,
                "{}: {row},{column}: {p} {expected}",
                name()
            );
        }
    }
    for generated in exact.levels(3, 0..8).unwrap() {
        let is_met = levels.iter().any(|(level, _)| *level == generated.level());
        assert!(is_met, "{}:\n{}", name(), generated.level());
        let factor = demands
            .iter()
            .map(|defined| (defined.factor)(generated.level()));
        let (factor, found) = (factor.product::<f64>(), demanded.factor(generated.level()));
        assert!((factor - found).abs() < 1e-12, "{}: {found}", name());
    }
    // The factor is compared for levels of any kind, also those that break a demand.
    let mut rng = stream(5, known.levels.len() as u64);
    for _ in 0..40 {
        let (level, _) = &known.levels[rng.random_range(0..known.levels.len())];
        let factor = demands.iter().map(|defined| (defined.factor)(level));
        let (factor, found) = (factor.product::<f64>(), demanded.factor(level));
        assert!((factor - found).abs() < 1e-12, "{}:\n{level}", name());
    }
    // One level is pinned with all its tiles.
    let (level, p) = levels[rng.random_range(0..levels.len())];
    let mut pinned = stated.clone();
    pinned.push(Demand::Pinned(Mask::around(level, 0..0)));
    let demanded = DemandedLevel::new(&known.model, &pinned).unwrap();
    let exact = exactly(demanded).unwrap();
    let log = exact.exact().unwrap().log_probability() - free.exact().unwrap().log_probability();
    assert!((log - p.ln()).abs() < 1e-9, "{}:\n{level}", name());
}

#[test]
fn every_demand_restricts_every_model_as_it_is_defined() {
    for known in models::all(WIDTH) {
        assert!(
            known.levels.len() > 30,
            "{}: {}",
            known.name,
            known.levels.len()
        );
        for defined in by_hand::all() {
            check(&known, &[&defined]);
        }
    }
}

#[test]
fn pairs_and_triples_of_demands_restrict_every_model() {
    let all = by_hand::all();
    let mut rng = stream(11, 0);
    for known in models::all(WIDTH) {
        for number in 0..8 {
            let chosen = (0..2 + number % 2).map(|_| &all[rng.random_range(0..all.len())]);
            check(&known, &chosen.collect::<Vec<_>>());
        }
    }
}

#[test]
fn particles_agree_with_the_exact_law_of_every_model() {
    let all = by_hand::all();
    let mut rng = stream(12, 0);
    for known in models::all(WIDTH) {
        for _ in 0..6 {
            let chosen: Vec<&Defined> = (0..2)
                .map(|_| &all[rng.random_range(0..all.len())])
                .collect();
            let total: f64 = weighed(&known, &chosen).iter().map(|(_, p)| p).sum();
            if total < 0.01 {
                continue;
            }
            let stated: Vec<Demand> = chosen.iter().map(|one| one.demand.clone()).collect();
            let demanded = DemandedLevel::new(&known.model, &stated).unwrap();
            let sampler = particles().seed(7);
            let estimate = sampler.estimated_log_probability(&demanded).unwrap();
            let drawn = sampler
                .numbered(&demanded)
                .unwrap()
                .levels(7, 0..10)
                .unwrap();
            let exact = exactly(demanded).unwrap();
            let by_hand = (exact.exact().unwrap().log_probability() - total.ln()).abs();
            assert!(by_hand < 1e-9, "{}: {stated:?}", known.name);
            let far = (estimate.value - exact.exact().unwrap().log_probability()).abs();
            // Six standard errors give a false alarm in less than one of 10⁸ comparisons, if the error estimated from 64 populations is right.
            assert!(
                far < 6.0 * estimate.standard_error + 1e-9,
                "{}: {stated:?}: {estimate:?} {}",
                known.name,
                exact.exact().unwrap().log_probability()
            );
            for generated in drawn {
                let level = generated.level();
                let is_met = chosen.iter().all(|one| (one.factor)(level) > 0.0);
                assert!(is_met, "{}: {stated:?}\n{level}", known.name);
            }
        }
    }
}

/// Levels from their exact law as proposals.
fn drawn_exactly(demanded: DemandedLevel) -> DrawnLevels {
    let size = (demanded.height(), demanded.width());
    let exact = exactly(demanded).unwrap();
    DrawnLevels::new("exact", size, move |random| {
        Ok(exact.items(random.next_u64(), 0..1)?.swap_remove(0))
    })
}

#[test]
fn drawing_again_has_the_law_of_the_sampler_given_the_demands() {
    const LEVELS: usize = 1_500;
    let all = by_hand::all();
    let known = models::all(WIDTH).swap_remove(1);
    let free = DemandedLevel::new(&known.model, &[]).unwrap();
    for chosen in [[0, 10], [28, 29]] {
        let chosen = chosen.map(|number| &all[number]);
        let stated = chosen.map(|defined| defined.demand.clone());
        let demanded = DemandedLevel::new(&known.model, &stated).unwrap();
        let proposed = ProposedLevels::new(drawn_exactly(free.clone()), demanded).unwrap();
        let numbered = ConditionalSampler::new().numbered(&proposed).unwrap();
        let drawn = numbered.levels(9, 0..LEVELS as u64).unwrap();
        let levels = weighed(&known, &chosen);
        let total: f64 = levels.iter().map(|(_, p)| p).sum();
        for (level, p) in levels {
            let p = p / total;
            let share = drawn.iter().filter(|other| other.level() == level).count() as f64;
            // Bernstein's inequality: a false alarm in less than one of 10⁸ for each level.
            let log = (2.0 / 1e-8f64).ln();
            let mean = LEVELS as f64 * p;
            let tolerance = log / 3.0 + (log * log / 9.0 + 2.0 * log * mean * (1.0 - p)).sqrt();
            assert!(
                (share - mean).abs() < tolerance,
                "{stated:?}\n{level}: {share} {mean}"
            );
        }
    }
}

#[test]
fn drawing_again_ends_and_takes_no_interventions() {
    let known = models::all(WIDTH).swap_remove(1);
    let sampler = |demand: Demand| {
        let free = DemandedLevel::new(&known.model, &[]).unwrap();
        let demanded = DemandedLevel::new(&known.model, &[demand]).unwrap();
        ProposedLevels::new(drawn_exactly(free), demanded)
    };
    let error = sampler(Demand::Placed(Mask::free(3, WIDTH))).unwrap_err();
    assert!(matches!(error, DemandError::NotRejected { .. }), "{error}");
    assert!(
        error.to_string().ends_with(
            "; pin the tiles (`Demand::Pinned`), or condition the model instead (`ConditionalSampler`)"
        ),
        "{error}"
    );
    let never = Demand::Any(vec![Demand::MaximumGap(WIDTH)]);
    let proposed = sampler(Demand::Not(Box::new(never))).unwrap().tries(20);
    let numbered = ConditionalSampler::new().numbered(&proposed).unwrap();
    let error = numbered.levels(1, 0..1).unwrap_err();
    assert!(
        matches!(error, DemandedLevelError::NotMet { tries: 20, .. }),
        "{error}"
    );
    let worded = error.worded(|remedy| format!("{remedy:?}"));
    assert!(
        worded.ends_with("; FewerDemands, or ConditionTheModel"),
        "{worded}"
    );
}
