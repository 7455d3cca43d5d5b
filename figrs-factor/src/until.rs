//! Deadline and interrupt of a computation, and the reason for its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// A deadline and an interrupt flag: a computation ends when the deadline has passed or the flag is set.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// Time at which work ends; `None` if there is no such time.
    pub deadline: Option<Instant>,
    /// Flag that ends the work when it becomes `true`; `None` if there is no such flag.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Second flag that ends the work when it becomes `true`; the owner of a run sets it to stop the run.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Until {
    /// True if the interrupt flag or the stop flag is set.
    #[inline]
    pub fn is_interrupted(&self) -> bool {
        let is_set = |flag: &Option<Arc<AtomicBool>>| {
            let flag = flag.as_deref();
            flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        is_set(&self.interrupt) || is_set(&self.stop)
    }

    /// True if the deadline has passed or the interrupt flag is set. The clock is read only if there is a deadline, because
    /// reading the clock takes some 25 nanoseconds.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl Until {
    /// Returns the reason why the computation must stop, or `None` if it may continue. `stopped` is cheap enough to be called every few microseconds.
    pub fn stopped(&self) -> Option<Stopped> {
        if self.is_interrupted() {
            return Some(Stopped::Interrupted);
        }
        self.is_over().then_some(Stopped::Deadline)
    }
}

impl PartialEq for Until {
    fn eq(&self, other: &Self) -> bool {
        let flags = |until: &Self| {
            [&until.interrupt, &until.stop].map(|flag| flag.as_ref().map(Arc::as_ptr))
        };
        self.deadline == other.deadline && flags(self) == flags(other)
    }
}

/// Reason for the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stopped {
    /// The run completed its work.
    Finished,
    /// The budget of iterations or of work was used up before the run finished.
    Budget,
    /// The deadline passed; the answer holds the results found before the deadline.
    Deadline,
    /// The run was interrupted; the answer holds the results found before the interruption.
    Interrupted,
}

impl Stopped {
    /// Returns the first reason of `ends` that is not [`Finished`](Self::Finished); `Finished` if all of them are `Finished`.
    pub fn first_reason(ends: impl IntoIterator<Item = Self>) -> Self {
        let mut ends = ends.into_iter();
        ends.find(|why| *why != Self::Finished)
            .unwrap_or(Self::Finished)
    }
}
