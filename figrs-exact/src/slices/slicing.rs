//! Settings of algorithms that work slice by slice.

use std::num::NonZero;

use figrs_core::Bytes;

use figrs_answer::limits::{Limits, cores};
use figrs_answer::run::watch::Watch;
use figrs_factor::eliminate::{Options, available_bytes};

/// Share of the memory for messages: the rest is for the factors of the model and of a slice, and for the program.
const MESSAGES: f64 = 0.625;

/// Memory, threads and limits of work in slices.
#[derive(Clone, Debug)]
pub(super) struct Slicing {
    /// The memory as stated by the user.
    pub(super) stated: Bytes,
    /// Maximum number of bytes of all messages at once.
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
        let table_budget = usize::try_from(memory / size_of::<f64>() as u64);
        let options = Options::default()
            .memory_budget(memory)
            .table_budget(table_budget.unwrap_or(usize::MAX));
        Self {
            stated,
            memory,
            limits: Limits {
                options,
                ..Limits::default()
            },
            watch: Watch::default(),
        }
    }

    /// Number of threads, where the memory fits `at_once` slices.
    pub(super) fn threads(&self, at_once: usize) -> usize {
        let threads = self.limits.threads;
        threads.map_or_else(cores, NonZero::get).min(at_once)
    }
}

/// The settings of an algorithm with a field `slicing`.
macro_rules! sliced {
    () => {
        /// Slices whose work fits three quarters of the memory that is available now; otherwise as [`fitting`](Self::fitting). Each process finds a different
        /// amount of memory: for parts in several processes, state the amount.
        pub fn new() -> Self {
            Self::default()
        }

        /// Slices whose work fits an amount of memory such as `100MiB` or `6GiB`; a number alone counts bytes. The amount is meant for the whole process:
        /// messages take at most five eighths of it.
        ///
        /// **Errors.** [`Error::InvalidSetting`](figrs_answer::Error::InvalidSetting) if the text is not an amount of memory.
        pub fn fitting(memory: &str) -> Result<Self, figrs_answer::Error> {
            let memory = figrs_answer::limits::memory_of(Self::NAME, memory)?;
            Ok(Self::within(memory))
        }

        /// Slices whose work fits this amount of memory; otherwise as [`fitting`](Self::fitting).
        pub fn within(memory: Bytes) -> Self {
            let slicing = Slicing::within(memory);
            Self { slicing }
        }

        /// Limits the expansion of the model.
        pub fn budget(mut self, budget: figrs_core::expand::Budget) -> Self {
            self.slicing.limits.budget = budget;
            self
        }

        /// Limits the number of slices summed at once, by default to the number of cores.
        pub fn threads(mut self, threads: NonZero<usize>) -> Self {
            self.slicing.limits.threads = Some(threads);
            self
        }

        /// Ends the run after this long with [`Error::MissingSlices`](figrs_answer::Error::MissingSlices), which has the result so far, or with
        /// [`Error::NothingDone`](figrs_answer::Error::NothingDone) before any choice of slices is known; a search for a better choice keeps the best so far.
        pub fn deadline(mut self, deadline: std::time::Duration) -> Self {
            self.slicing.watch.set_deadline(deadline);
            self
        }

        /// Ends the run as a [`deadline`](Self::deadline) does, once this flag is `true`.
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

        figrs_answer::run::watch::watched_by_run!(slicing.watch);
    };
}
pub(super) use sliced;
