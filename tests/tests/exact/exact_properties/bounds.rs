//! Tests of lazy bounds: they contain the right answer at every depth, get closer, and meet when everything is expanded.

use std::cell::Cell;

use figrs_core::expand::{Content, Expansion};
use figrs_core::{Limits, ModelError};
use figrs_infer::{Answer, Bounds, DeepeningEnd, Error, LazyVariableElimination, Quality, Run};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Built, Description, Target, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::exact_properties::shared::{Checked, EXACT, asked, enumerate, failed, is_wide};

/// A depth that exceeds the depth of nested `Chain` elements in random models.
const DEEP: usize = 40;
/// Events of up to eight values, as bits: each value by itself, some combinations, and the certain event.
const EVENTS: [u8; 12] = [1, 2, 4, 8, 16, 32, 64, 128, 0x55, 0x0f, 0x96, 0xff];

/// Numbers of random models in which each case occurred.
#[derive(Debug, Default)]
struct Seen {
    inexact: Cell<u32>,
    with_weights: Cell<u32>,
    narrowed: Cell<u32>,
    impossible: Cell<u32>,
}

fn count(counter: &Cell<u32>) {
    counter.set(counter.get() + 1);
}

/// True if some Score has a weight above one; lazy bounds assume that no unexpanded Score does.
fn has_large_scores(built: &Built) -> Result<bool, TestCaseError> {
    let expansion = Expansion::new(&built.model, &built.erased(), &Limits::default());
    let expansion = expansion.map_err(failed)?;
    Ok(expansion.elements().iter().any(|e| match &e.content {
        Content::Score(weights) => (0..weights.len()).any(|i| weights.log(i) > 0.0),
        _ => false,
    }))
}

/// The bounds in an answer for all events of all targets, and for the evidence.
struct Said {
    events: Vec<Bounds>,
    log_evidence: Bounds,
}

impl Said {
    fn by(answer: &Answer, targets: &[Target]) -> Result<Self, Error> {
        let pairs = targets.iter().flat_map(|t| EVENTS.map(|event| (t, event)));
        let events = pairs.map(|(target, event)| target.bounds(answer, event));
        Ok(Self {
            events: events.collect::<Result<_, _>>()?,
            log_evidence: answer.log_evidence_bounds()?,
        })
    }

    /// True if these bounds lie within other bounds.
    fn is_within(&self, outer: &Said) -> bool {
        let inside = |(inner, outer): (&Bounds, &Bounds)| {
            inner.lower >= outer.lower - EXACT && inner.upper <= outer.upper + EXACT
        };
        // The tolerance grows with the absolute value of logarithms.
        let slack = |log: f64| EXACT * log.abs().max(1.0);
        let (own, other) = (self.log_evidence, outer.log_evidence);
        let log = own.lower >= other.lower - slack(other.lower)
            && own.upper <= other.upper + slack(other.upper);
        log && self.events.iter().zip(&outer.events).all(inside)
    }
}

fn bounds_close_in(description: &Description, seen: &Seen) -> Checked {
    let built = build(description);
    let erased = built.erased();
    if is_wide(&built.model, &erased)? || has_large_scores(&built)? {
        return Ok(());
    }
    let Some(expected) = asked(enumerate().run(&built.model, erased.clone()))? else {
        return Ok(());
    };
    let right = match &expected {
        Ok(answer) => Some(Said::by(answer, &built.targets).map_err(failed)?),
        Err(_) => None,
    };
    let mut last: Option<Said> = None;
    for depth in 0..DEEP {
        let run = LazyVariableElimination::to_depth(depth).run(&built.model, erased.clone());
        // Some weights have no known maximum in the unexpanded part.
        if let Err(Error::Model(ModelError::Unbounded { .. })) = run {
            continue;
        }
        let Ok(answer) = asked(run)?.expect("elimination counts no worlds") else {
            count(&seen.impossible);
            prop_assert!(right.is_none(), "not impossible at depth {depth}");
            return Ok(());
        };
        let found = Said::by(&answer, &built.targets).map_err(failed)?;
        if let Some(right) = &right {
            let (events, log) = (&right.events, right.log_evidence);
            let held = (&found.events, found.log_evidence);
            prop_assert!(
                right.is_within(&found),
                "depth {depth}: {events:?}, {log:?} not in {held:?}"
            );
        } else {
            prop_assert_eq!(found.log_evidence.lower, f64::NEG_INFINITY);
        }
        if let Some(last) = &last {
            prop_assert!(
                found.is_within(last),
                "depth {depth}: {:?} not in {:?}",
                found.events,
                last.events
            );
            let narrower = |(a, b): (&Bounds, &Bounds)| a.width() < b.width() - EXACT;
            if found.events.iter().zip(&last.events).any(narrower) {
                count(&seen.narrowed);
            }
        }
        let deepening = answer.deepening().expect("it deepens");
        if deepening.ended == DeepeningEnd::Complete {
            let right = right.ok_or_else(|| failed("an answer to impossible evidence"))?;
            let met = found.events.iter().zip(&right.events).all(|(a, b)| {
                a.lower.to_bits() == a.upper.to_bits() && (a.lower - b.lower).abs() <= EXACT
            });
            prop_assert!(met, "{:?} {:?}", found.events, right.events);
            let logs = [found.log_evidence.lower, right.log_evidence.lower];
            prop_assert!(close(logs[0], logs[1], EXACT), "log-evidence {logs:?}");
            return Ok(());
        }
        count(&seen.inexact);
        if built.model.evidence().iter().any(|(_, e)| e.is_soft()) {
            count(&seen.with_weights);
        }
        for (target, bounds) in built.targets.iter().zip(found.events.chunks(EVENTS.len())) {
            let Quality::Bounds { width } = target.quality(&answer).map_err(failed)? else {
                return Err(failed("bounds that claim to be something else"));
            };
            let close = bounds.iter().all(|b| b.width() <= width + EXACT);
            prop_assert!(close, "depth {depth}: {bounds:?} are wider than {width}");
        }
        last = Some(found);
    }
    Err(failed("a random model without end"))
}

#[test]
fn lazy_bounds_close_in_on_the_answer() {
    let seen = Seen::default();
    for_random_models(3000, 6, |description| bounds_close_in(description, &seen));
    // Each case must have occurred in some models, because otherwise the property would be trivial.
    let all = [
        &seen.inexact,
        &seen.with_weights,
        &seen.narrowed,
        &seen.impossible,
    ];
    let enough = all
        .iter()
        .zip([20, 2, 8, 2])
        .all(|(seen, n)| seen.get() >= n);
    assert!(
        enough || std::env::var("PROPTEST_CASES").is_ok(),
        "{seen:?}"
    );
    println!("{seen:?}");
}
