//! The kinds of nodes of a model graph, and their dropping without recursion.

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::footprint::ALLOCATION;
use super::node::{AnyElement, ApplyOp, AtomicOp, ChainOp, FamilyOp, TableOp};
use crate::model::evidence::Evidence;

/// The kinds of nodes of a model graph. All constructors build elements of these kinds.
pub enum Kind {
    /// A random value with its own distribution.
    Atomic(Box<dyn AtomicOp>),
    /// A deterministic function of the values of the parents.
    Apply(Vec<AnyElement>, Arc<dyn ApplyOp>),
    /// A function from the values of the parents to an element, whose value becomes the value of the node.
    Chain(Vec<AnyElement>, Box<dyn ChainOp>),
    /// A conditional probability table over parents with finitely many values.
    Table(Vec<AnyElement>, Arc<dyn TableOp>),
    /// The value of another element, with evidence in the worlds that evaluate this node.
    Score(AnyElement, Evidence),
}

impl Kind {
    /// Returns the family of distributions of which the element is a member; `None` if the element is not a member of a family.
    #[inline]
    pub fn family(&self) -> Option<&dyn FamilyOp> {
        match self {
            Self::Chain(_, op) => op.family(),
            Self::Atomic(_) | Self::Apply(..) | Self::Table(..) | Self::Score(..) => None,
        }
    }

    /// Returns the approximate number of bytes that the node holds on the heap, without its own
    /// size.
    pub(super) fn heap_bytes(&self) -> usize {
        let (parents, op) = match self {
            Self::Atomic(op) => (0, size_of_val(&**op) + op.heap_bytes()),
            Self::Apply(parents, op) => (parents.capacity(), size_of_val(&**op)),
            Self::Chain(parents, op) => (parents.capacity(), size_of_val(&**op) + op.heap_bytes()),
            Self::Table(parents, op) => (parents.capacity(), size_of_val(&**op) + op.heap_bytes()),
            Self::Score(..) => return 0,
        };
        parents * size_of::<AnyElement>() + op + 2 * ALLOCATION
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atomic(op) => write!(f, "Atomic({})", op.describe()),
            Self::Apply(parents, _) => write!(f, "Apply({parents:?})"),
            Self::Chain(parents, _) => write!(f, "Chain({parents:?})"),
            Self::Table(parents, _) => write!(f, "Table({parents:?})"),
            Self::Score(parent, evidence) => write!(f, "Score({parent:?} {evidence:?})"),
        }
    }
}

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
