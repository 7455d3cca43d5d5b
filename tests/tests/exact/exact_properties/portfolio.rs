//! Tests that a portfolio agrees with enumeration within any memory and work, or gives bounds that contain the answer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs::Bytes;
use figrs_core::AnyElement;
use figrs_infer::{Answer, Exact, MpeExact, Run};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, EXACT, asked, enumerate, failed};

/// Pairs of memory and work limits, from generous to very small.
const LIMITS: [(u64, f64); 4] = [(1 << 30, 1e12), (1 << 17, 1e12), (1 << 30, 1.0), (256, 1e9)];

fn log_evidence(answer: &Answer) -> f64 {
    let exact = answer.log_evidence();
    exact.map_or(f64::NAN, |evidence| evidence.value)
}

fn answers_agree(description: &Description) -> Checked {
    let built = build(description);
    let none: [AnyElement; 0] = [];
    let Some(expected) = asked(enumerate().run(&built.model, none.as_slice()))? else {
        return Ok(());
    };
    let expected = match &expected {
        Ok(answer) => log_evidence(answer),
        Err(_) => f64::NEG_INFINITY,
    };
    // A run that is interrupted before it begins has only crude bounds.
    let over = Exact::new().interrupt(Arc::new(AtomicBool::new(true)));
    let over = over.run(&built.model, none.as_slice()).map_err(failed)?;
    let crude = over.log_evidence_bounds().map_err(failed)?;
    let slack = EXACT * (1.0 + expected.abs());
    prop_assert!(
        expected == f64::NEG_INFINITY && crude.lower == expected
            || crude.lower <= expected + slack && crude.upper >= expected - slack,
        "{crude} without {expected}"
    );
    for (memory, work) in LIMITS {
        let exact = Exact::within(Bytes(memory)).work(work);
        // A model that does not fit at all is refused.
        let Ok(Ok(found)) = asked(exact.run(&built.model, none.as_slice())).map(Option::unwrap)
        else {
            prop_assert!(memory < 1 << 30 || work < 1e9);
            continue;
        };
        let bounds = found.log_evidence_bounds().map_err(failed)?;
        let slack = EXACT * (1.0 + expected.abs());
        prop_assert!(
            expected == f64::NEG_INFINITY && bounds.lower == expected
                || bounds.lower <= expected + slack && bounds.upper >= expected - slack,
            "{bounds} without {expected}"
        );
        if found.algorithm() != "WeightedMiniBuckets" {
            prop_assert!(close(log_evidence(&found), expected, EXACT), "{expected}");
        }
        let choice = found.choice().map(|choice| choice.attempts.len());
        prop_assert!(choice.is_some_and(|attempts| attempts > 0));
    }
    Ok(())
}

fn worlds_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    let expected = enumerate().most_probable_world(&built.model, targets.clone());
    let Some(Ok(expected)) = asked(expected)? else {
        return Ok(());
    };
    let best = expected.log_probability().map_err(failed)?;
    for (memory, work) in LIMITS {
        let exact = MpeExact::within(Bytes(memory)).work(work);
        let Ok(Ok(found)) = asked(exact.run(&built.model, targets.clone())).map(Option::unwrap)
        else {
            prop_assert!(memory < 1 << 30 || work < 1e9);
            continue;
        };
        let log = found.log_probability().map_err(failed)?;
        let bound = found.upper_bound().map_err(failed)?;
        let slack = EXACT * (1.0 + best.abs());
        prop_assert!(
            log <= best + slack && bound >= best - slack,
            "{log} {best} {bound}"
        );
        if found.is_proven().map_err(failed)? {
            prop_assert!(close(log, best, EXACT), "{log}, not {best}");
        } else {
            prop_assert!(work < 1e9 || memory < 1 << 30);
        }
    }
    Ok(())
}

#[test]
fn evidence_is_that_of_enumeration_or_enclosed() {
    for_random_models(500, 41, answers_agree);
}

#[test]
fn worlds_are_those_of_enumeration_or_bounded() {
    for_random_models(500, 42, worlds_agree);
}
