//! Tests of frontiers: they give the marginals, the counts and the best worlds of enumeration, and draw worlds with their probabilities.

use figrs_infer::{Compiled, CompiledFrontier, Error, Frontier, Run};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, EXACT, asked, enumerate, failed, possible_runs};

/// True if the error is a refusal of a model whose branches share Scores.
fn refused(error: &Error) -> bool {
    matches!(error, Error::SharedScore { .. })
}

fn marginals_are_those_of_enumeration(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    let Some(expected) = asked(enumerate().run(&built.model, targets.clone()))? else {
        return Ok(());
    };
    match (expected, Frontier::new().run(&built.model, targets)) {
        (Ok(expected), Ok(found)) => {
            let logs = [&expected, &found].map(|a| a.log_evidence().unwrap().value);
            prop_assert!(close(logs[0], logs[1], EXACT), "log-evidence {:?}", logs);
            for target in &built.targets {
                let p = target.probabilities(&expected).map_err(failed)?;
                let q = target.probabilities(&found).map_err(failed)?;
                let equal = p.iter().zip(&q).all(|(p, q)| (p - q).abs() <= EXACT);
                prop_assert!(equal, "{:?}: {:?} {:?}", target, p, q);
            }
        }
        (Err(conflict), Err(Error::ImpossibleEvidence { conflict: same, .. })) => {
            prop_assert_eq!(conflict, same);
        }
        (_, Err(error)) if refused(&error) => {}
        (expected, found) => {
            return Err(failed(format!(
                "enumeration: {expected:?}\nfrontiers: {found:?}"
            )));
        }
    }
    Ok(())
}

fn worlds_are_those_of_enumeration(description: &Description) -> Checked {
    let built = build(description);
    let compiled = match Frontier::new().compile(&built.model, built.erased()) {
        Ok(compiled) => compiled,
        Err(error) if refused(&error) => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    let Some(logs) = possible_runs(&built) else {
        return Ok(());
    };
    match compiled.count() {
        Err(Error::NotInAnswer { .. }) => return Ok(()),
        count => prop_assert_eq!(count.map_err(failed)?, logs.len().into()),
    }
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match compiled.most_probable() {
        Err(Error::ImpossibleEvidence { .. }) => prop_assert!(logs.is_empty()),
        found => {
            let found = found.map_err(failed)?;
            prop_assert!(close(found.log_probability(), best, EXACT));
        }
    }
    draws_are_worlds(&compiled, &logs)
}

/// Checks that each drawn world has the log-weight of some run.
fn draws_are_worlds(compiled: &CompiledFrontier, logs: &[f64]) -> Checked {
    let Ok(samples) = compiled.samples(1) else {
        prop_assert!(logs.is_empty());
        return Ok(());
    };
    for world in samples.take(20) {
        let log = world.log_probability();
        prop_assert!(
            logs.iter().any(|other| close(*other, log, EXACT)),
            "{} of {:?}",
            log,
            logs
        );
    }
    Ok(())
}

#[test]
fn frontiers_and_enumeration_agree() {
    for_random_models(1500, 11, marginals_are_those_of_enumeration);
}

#[test]
fn frontiers_count_and_find_the_worlds() {
    for_random_models(800, 12, worlds_are_those_of_enumeration);
}
