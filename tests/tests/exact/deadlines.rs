//! Tests of deadlines and interrupts of exact algorithms that have no partial answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, atomic::AtomicBool};
use std::time::Duration;

use figrs::prelude::*;
use figrs::{Element, Enumerate, Error, Flip, Model};

/// Returns coins with a billion joint values, whose enumeration takes minutes.
fn coins() -> Vec<Element<bool>> {
    (0..30).map(|_| Flip::new(0.5)).collect()
}

#[test]
fn enumeration_ends_at_a_deadline_with_nothing() {
    let coins = coins();
    let all = Enumerate::new().max_worlds(u64::MAX);
    let all = all.max_evaluations(u64::MAX);
    let ended = all
        .clone()
        .deadline(Duration::from_millis(50))
        .run(&Model::new(), &coins);
    let is_nothing = |ended: &Result<_, Error>| matches!(ended, Err(Error::NothingDone { .. }));
    assert!(is_nothing(&ended.map(drop)));
    let (flag, seen) = (Arc::new(AtomicBool::new(false)), AtomicU64::new(0));
    let raised = flag.clone();
    let ended = all
        .interrupt(flag)
        .on_progress(move |run| {
            assert!(run.done > seen.swap(run.done, Ordering::Relaxed));
            raised.store(run.done >= 5000, Ordering::Relaxed);
        })
        .run(&Model::new(), &coins);
    assert!(is_nothing(&ended.map(drop)));
}
