//! Progress, time limit and interrupt of the comparison.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use figrs::{ComparisonStep, Progress as Run};
use figrs_command::Progress;

use super::options::Options;

/// Number of parts into which the progress line divides one step (one run of an algorithm) of the comparison.
const FINE: u64 = 1000;

/// Controls all algorithms of the comparison: shows the progress line on the terminal, and passes on the interrupt and the time limit.
#[derive(Clone)]
pub(crate) struct Watch {
    line: Progress,
    /// Number of completed steps (runs of algorithms) of the comparison.
    done: Arc<AtomicU64>,
    deadline: Option<Duration>,
}

impl Watch {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            line: Progress::share("comparing"),
            done: Arc::default(),
            deadline: options.time_limit,
        }
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Returns the listener that the comparison calls before each step (run of an algorithm).
    pub(crate) fn listener(&self) -> impl Fn(&ComparisonStep) + 'static {
        let watch = self.clone();
        move |step| {
            watch.done.store(step.done as u64, Ordering::Relaxed);
            watch.line.set_total(step.total as u64 * FINE);
            watch.line.set(step.done as u64 * FINE);
            watch.line.tell(|| format!(" {}", step.name));
        }
    }

    /// Returns the listener that an algorithm calls while it runs.
    pub(crate) fn within_step(&self) -> impl Fn(&Run) + Send + Sync + 'static {
        let watch = self.clone();
        move |run| {
            let total = run.total.unwrap_or(u64::MAX).max(1);
            let share = run.done as f64 / total as f64;
            let done = watch.done.load(Ordering::Relaxed) * FINE;
            watch.line.set(done + (share.min(1.0) * FINE as f64) as u64);
        }
    }
}
