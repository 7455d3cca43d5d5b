//! Iterative dropping of elements, without recursion.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::node::Kind;

thread_local! {
    /// Queue of the contents of dropped nodes, while a drop is in progress on this thread.
    static DROP_QUEUE: RefCell<Option<Vec<Kind>>> = const { RefCell::new(None) };
}

/// Drops the contents of a node without recursion, by putting its parents and captured elements in
/// a queue.
pub(super) fn release(kind: Kind) {
    let queued = DROP_QUEUE.try_with(|queue| match &mut *queue.borrow_mut() {
        Some(queue) => {
            queue.push(kind);
            None
        }
        idle @ None => {
            *idle = Some(Vec::new());
            Some(kind)
        }
    });
    let Ok(Some(first)) = queued else { return };
    // A value whose drop panics must not leave the queue in place, because nodes that join the queue later would never
    // be dropped.
    let mut panicked = catch_unwind(AssertUnwindSafe(|| drop(first))).err();
    while let Some(next) = DROP_QUEUE.with(|queue| queue.borrow_mut().as_mut()?.pop()) {
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(next)));
        panicked = panicked.or(outcome.err());
    }
    DROP_QUEUE.with(|queue| *queue.borrow_mut() = None);
    if let Some(payload) = panicked
        && !std::thread::panicking()
    {
        resume_unwind(payload);
    }
}
