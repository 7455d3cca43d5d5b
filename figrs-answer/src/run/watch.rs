//! Progress, deadlines and interrupts of long runs.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use figrs_factor::{Stopped, Until};

use crate::error::Error;

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The name of the algorithm.
    pub algorithm: &'static str,
    /// Number of samples, worlds, steps, sweeps or elements processed so far, over all chains and threads.
    pub done: u64,
    /// Total number of samples, worlds, steps, sweeps or elements, if the number is known. If an algorithm processes elements repeatedly, the number
    /// of elements processed so far may exceed the total.
    pub total: Option<u64>,
    /// Time since the run began.
    pub elapsed: Duration,
}

pub(crate) type ProgressListener = Arc<dyn Fn(&Progress) + Send + Sync>;

/// The deadline, the listener and the interrupt of a run, each of which is optional.
#[derive(Clone, Default)]
pub struct Watch {
    deadline: Option<Duration>,
    /// The interrupt, and the flag that a [`Running`](crate::Running) sets to stop its run.
    flags: Until,
    listener: Option<ProgressListener>,
}

impl Watch {
    /// Returns the same deadline, interrupt and listener with a second flag that ends the run.
    pub(crate) fn stopped_by(&self, flag: &Arc<AtomicBool>) -> Self {
        let mut watch = self.clone();
        watch.flags.stop = Some(Arc::clone(flag));
        watch
    }

    pub fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = Some(deadline);
    }

    pub fn set_interrupt(&mut self, interrupt: Arc<AtomicBool>) {
        self.flags.interrupt = Some(interrupt);
    }

    pub fn set_listener(&mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) {
        self.listener = Some(Arc::new(listener));
    }

    /// True if the run has a deadline or an interrupt, and can therefore end early.
    pub fn can_end_run(&self) -> bool {
        self.deadline.is_some() || self.flags != Until::default()
    }

    /// True if the interrupt flag is set.
    pub fn is_interrupted(&self) -> bool {
        self.flags.is_interrupted()
    }

    /// Returns an error if the settings of an inner algorithm, which runs within another algorithm, contain a deadline, a listener or an interrupt.
    ///
    /// Only the outer algorithm may have a deadline, a listener or an interrupt.
    pub fn refuse_within(&self, algorithm: &'static str) -> Result<(), Error> {
        if self.can_end_run() || self.listener.is_some() {
            let remedy = "set it on the ExpectationMaximization that runs this algorithm";
            return Err(Error::invalid_setting(
                algorithm,
                "deadline, interrupt or on_progress",
                "set",
                remedy,
            ));
        }
        Ok(())
    }

    /// Starts the clock of a run that is a part of another run; the inner run also ends when `until` ends the outer run.
    pub fn start_within(&self, algorithm: &'static str, until: &Until) -> RunMonitor<'_> {
        RunMonitor {
            until: until.clone(),
            ..self.start(algorithm, None)
        }
    }

    /// Starts the clock of a run.
    pub fn start(&self, algorithm: &'static str, total: Option<u64>) -> RunMonitor<'_> {
        let began = Instant::now();
        RunMonitor {
            until: Until {
                deadline: self.deadline.and_then(|after| began.checked_add(after)),
                ..self.flags.clone()
            },
            watch: self,
            algorithm,
            total,
            began,
            reported: Mutex::new(0),
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// A run in progress, with its clock, deadline, listener and interrupt.
#[derive(Debug)]
pub struct RunMonitor<'a> {
    until: Until,
    watch: &'a Watch,
    algorithm: &'static str,
    total: Option<u64>,
    began: Instant,
    reported: Mutex<u64>,
}

impl RunMonitor<'_> {
    /// Returns the reason why the run must stop now; `None` if it need not stop. `stopped` is cheap enough to be called every few microseconds.
    pub fn stopped(&self) -> Option<Stopped> {
        self.until.stopped()
    }

    /// Returns the deadline and the interrupt of the run, for code that knows no `RunMonitor`.
    pub fn until(&self) -> &Until {
        &self.until
    }

    /// Returns the remaining time until the deadline, with the interrupt and the listener, for an algorithm that runs as a part of this run.
    pub fn rest(&self) -> Watch {
        let now = Instant::now();
        let left = |deadline: Instant| deadline.saturating_duration_since(now);
        Watch {
            deadline: self.until.deadline.map(left),
            flags: Until {
                deadline: None,
                ..self.until.clone()
            },
            listener: self.watch.listener.clone(),
        }
    }

    /// Returns the remaining time until the deadline, with the interrupts but without the listener, for an algorithm that runs as a part of this run;
    /// this run reports the progress of its part itself.
    pub fn quiet_rest(&self) -> Watch {
        Watch {
            listener: None,
            ..self.rest()
        }
    }

    #[inline]
    pub(crate) fn is_interrupted(&self) -> bool {
        self.until.is_interrupted()
    }

    pub fn deadline(&self) -> Option<Duration> {
        self.watch.deadline
    }

    pub(crate) fn has_listener(&self) -> bool {
        self.watch.listener.is_some()
    }

    /// Sets the total of the progress, if it becomes known only after the start of the run.
    pub fn expect_total(&mut self, total: u64) {
        self.total = Some(total);
    }

    /// Reports progress to the listener. A report of less progress than the last report is ignored, because the reports of several threads may arrive
    /// out of order.
    pub fn report(&self, done: u64) {
        if let Some(listener) = &self.watch.listener {
            // The panic of a listener ends the run; the lock may therefore be poisoned here.
            let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
            if done <= *reported {
                return;
            }
            *reported = done;
            listener(&Progress {
                algorithm: self.algorithm,
                done,
                total: self.total,
                elapsed: self.began.elapsed(),
            });
        }
    }

    /// Returns the error for a run that was stopped before it had a result.
    pub fn nothing_done(&self) -> Error {
        Error::NothingDone {
            algorithm: self.algorithm,
        }
    }

    /// Converts an error of a computation within the run. If the computation was stopped, the converted error says that the run has no results.
    pub fn error_of(&self, error: Error) -> Error {
        if error.is_stopped() {
            self.nothing_done()
        } else {
            error
        }
    }

    pub fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}
