//! Settings of the algorithms that divide a model into slices.

use figrs_core::{Bytes, Limits};

use figrs_answer::run::watch::Watch;
use figrs_factor::eliminate::available_bytes;

/// Fraction of the stated memory for messages; the rest is for the factors of the model and of a slice, and for the
/// program.
const MESSAGES: f64 = 0.625;

/// Memory, threads and limits of work in slices.
#[derive(Clone, Debug)]
pub(super) struct Slicing {
    /// The memory as stated by the user.
    pub(super) stated: Bytes,
    /// Maximum number of bytes of all messages that exist at the same time.
    pub(super) memory: u64,
    pub(super) limits: Limits,
    pub(super) watch: Watch,
}

impl Default for Slicing {
    fn default() -> Self {
        Self::within(Bytes(available_bytes()))
    }
}

impl Slicing {
    pub(super) fn within(stated: Bytes) -> Self {
        let memory = (stated.0 as f64 * MESSAGES) as u64;
        let table_entries = usize::try_from(memory / size_of::<f64>() as u64);
        let limits = Limits::default().memory(memory);
        Self {
            stated,
            memory,
            limits: limits.table_entries(table_entries.unwrap_or(usize::MAX)),
            watch: Watch::default(),
        }
    }

    /// Number of threads, if the memory suffices for `at_once` slices at the same time.
    pub(super) fn threads(&self, at_once: usize) -> usize {
        self.limits.thread_count().min(at_once)
    }
}

/// Defines the setters of an algorithm that has a field `slicing`.
macro_rules! sliced {
    () => {
        /// Settings for slices that fit three quarters of the memory that is available now; otherwise as
        /// [`fitting`](Self::fitting). The available memory differs between processes; if some units of a sum are computed in
        /// other processes, state the amount.
        pub fn new() -> Self {
            Self::default()
        }

        /// Settings for slices that fit an amount of memory such as `100MiB` or `6GiB`; a number without a unit means bytes. The
        /// amount is the limit of the whole process, and messages take at most five eighths of it.
        ///
        /// **Errors.** [`Error::InvalidSetting`](figrs_answer::Error::InvalidSetting) if the text is not an amount of memory.
        pub fn fitting(memory: &str) -> Result<Self, figrs_answer::Error> {
            let memory = figrs_answer::limits::memory_of(Self::NAME, memory)?;
            Ok(Self::within(memory))
        }

        /// Settings for slices that fit this amount of memory; otherwise as [`fitting`](Self::fitting).
        pub fn within(memory: Bytes) -> Self {
            let slicing = Slicing::within(memory);
            Self { slicing }
        }

        figrs_answer::setters!(expansion: slicing.limits);
        figrs_answer::setters!(threads: slicing.limits.threads);

        /// Sets a time after which the run ends with [`Error::MissingSlices`](figrs_answer::Error::MissingSlices), which contains
        /// the result so far. If no choice of slices has been found by then, the error is
        /// [`Error::NothingDone`](figrs_answer::Error::NothingDone). A search for a better choice of slices ends with the best
        /// choice so far.
        pub fn deadline(mut self, deadline: std::time::Duration) -> Self {
            self.slicing.watch.set_deadline(deadline);
            self
        }

        /// Ends the run as a [`deadline`](Self::deadline) does, when this flag becomes `true`.
        pub fn interrupt(mut self, flag: std::sync::Arc<std::sync::atomic::AtomicBool>) -> Self {
            self.slicing.watch.set_interrupt(flag);
            self
        }

        /// Calls `listener` after each slice, on the calling thread.
        pub fn on_progress(
            mut self,
            listener: impl Fn(&figrs_answer::Progress) + Send + Sync + 'static,
        ) -> Self {
            self.slicing.watch.set_listener(listener);
            self
        }

        figrs_answer::setters!(part_of: slicing.watch);
    };
}
pub(super) use sliced;
