//! Iterative dropping of elements, without recursion.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::node::Kind;

/// Maximum capacity that the queue keeps for the next drop.
const KEPT_ENTRIES: usize = 256;

/// The contents of dropped nodes that must still be dropped.
struct DropQueue {
    kinds: Vec<Kind>,
    is_running: bool,
}

thread_local! {
    static DROP_QUEUE: RefCell<DropQueue> = const {
        RefCell::new(DropQueue {
            kinds: Vec::new(),
            is_running: false,
        })
    };
}

/// Drops the contents of a node. Its parents and its captured elements are put in a queue, and dropped without recursion.
pub(super) fn release(kind: Kind) {
    let queued = DROP_QUEUE.try_with(|queue| {
        let mut queue = queue.borrow_mut();
        if queue.is_running {
            queue.kinds.push(kind);
            return None;
        }
        queue.is_running = true;
        Some(kind)
    });
    let Ok(Some(first)) = queued else { return };
    // If a drop panics, the queue must still be emptied; otherwise, nodes that enter the queue later would never be dropped.
    let mut panicked = catch_unwind(AssertUnwindSafe(|| drop(first))).err();
    while let Some(next) = DROP_QUEUE.with(|queue| queue.borrow_mut().kinds.pop()) {
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(next)));
        panicked = panicked.or(outcome.err());
    }
    DROP_QUEUE.with(|queue| {
        let mut queue = queue.borrow_mut();
        queue.is_running = false;
        queue.kinds.shrink_to(KEPT_ENTRIES);
    });
    if let Some(payload) = panicked
        && !std::thread::panicking()
    {
        resume_unwind(payload);
    }
}
