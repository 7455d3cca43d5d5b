//! Macros that define setter methods shared by several algorithms.

use figrs_core::Bytes;

use crate::error::Error;

/// Defines setter methods of an algorithm, given the field to be set:
///
/// | setters | field |
/// |---|---|
/// | `limits` | the limits of expansions and eliminations |
/// | `expansion` | the limits of expansions, in a field that holds all limits |
/// | `memory` | settings with a constructor `within`, followed by their type: constructors with the memory of the process |
/// | `threads` | the maximum number of threads |
/// | `watch` | deadline, interrupt and listener, in a `Watch` |
/// | `part_of` | a `Watch`, for an algorithm that may do a part of the run of another algorithm |
/// | `sampler` | the seed and the limits of a sampler |
/// | `keep_draws` | whether draws are kept |
/// | `kept_draws` | none: the algorithm always keeps its draws |
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    (limits: $($place:ident).+) => {
        /// Replaces all limits of the algorithm: the limits of the expansion of the model and the limits of each elimination.
        pub fn limits(mut self, limits: figrs_core::Limits) -> Self {
            self.$($place).+ = limits;
            self
        }
    };
    (expansion: $($place:ident).+) => {
        /// Sets the limits of the expansion of the model (elements, entries of their tables, bytes and depth) to those of `limits`.
        pub fn expansion_limits(mut self, limits: &figrs_core::Limits) -> Self {
            self.$($place).+ = self.$($place).+.with_expansion_of(limits);
            self
        }
    };
    (memory: $place:ident: $settings:ident) => {
        /// Creates settings that use three quarters of the memory available now; see [`fitting`](Self::fitting).
        pub fn new() -> Self {
            Self::default()
        }

        /// Creates settings for an amount of memory such as `100MiB` or `6GiB`, which limits the memory of the whole process. A number without a unit
        /// counts bytes.
        ///
        /// **Errors.** [`Error::InvalidSetting`]($crate::Error::InvalidSetting) if the text is not an amount of memory.
        pub fn fitting(memory: &str) -> Result<Self, $crate::Error> {
            let memory = $crate::setters::memory_of(Self::NAME, memory)?;
            Ok(Self::within(memory))
        }

        /// Creates settings for the amount of memory `memory`; see [`fitting`](Self::fitting).
        pub fn within(memory: figrs_core::Bytes) -> Self {
            let $place = $settings::within(memory);
            Self { $place }
        }
    };
    (threads: $($place:ident).+) => {
        /// Limits the number of threads (default: the number of cores). The answer does not depend on the number of threads.
        pub fn threads(mut self, threads: std::num::NonZero<usize>) -> Self {
            self.$($place).+ = Some(threads);
            self
        }
    };
    (watch: $($watch:ident).+) => {
        /// Ends the run when the time `deadline` has passed since the start of the run. At the deadline, the answer contains the results so far, and
        /// states that the run was ended. If the run has no results at the deadline, it ends with `Error::NothingDone`.
        ///
        /// The amount of work before a deadline depends on the machine. The seed alone does not determine the answer of a run with a deadline.
        pub fn deadline(mut self, deadline: std::time::Duration) -> Self {
            self.$($watch).+.set_deadline(deadline);
            self
        }

        /// Ends the run when `flag` becomes `true`; the answer then contains the results so far.
        pub fn interrupt(mut self, flag: std::sync::Arc<std::sync::atomic::AtomicBool>) -> Self {
            self.$($watch).+.set_interrupt(flag);
            self
        }

        /// Calls `listener` at intervals with the progress of the run; two threads never call the listener at the same time. The number `done` in the
        /// progress that the listener receives increases from call to call.
        pub fn on_progress(
            mut self,
            listener: impl Fn(&$crate::Progress) + Send + Sync + 'static,
        ) -> Self {
            self.$($watch).+.set_listener(listener);
            self
        }
    };
    (part_of: $($watch:ident).+) => {
        /// Uses the deadline, the interrupt and the listener of `run`, which contains this algorithm's run as a part.
        pub(crate) fn part_of(mut self, run: &$crate::run::watch::RunMonitor<'_>) -> Self {
            self.$($watch).+ = run.rest();
            self
        }
    };
    (sampler: $($place:ident).+) => {
        /// Sets the seed of the random numbers.
        pub fn seed(mut self, seed: u64) -> Self {
            self.$($place).+.seed = seed;
            self
        }

        $crate::setters!(threads: $($place).+.limits.threads);

        /// Limits the number of elements of a world (default four million); a larger world is an error.
        pub fn max_elements(mut self, elements: usize) -> Self {
            self.$($place).+.limits.elements = elements;
            self
        }

        /// Limits the memory of the worlds in bytes (default 2 GiB); a larger need is an error. The memory is counted as in
        /// [`Limits::expansion_memory`](figrs_core::Limits::expansion_memory), for all worlds that exist at the same time, including the elements
        /// that were created for these worlds.
        pub fn max_bytes(mut self, bytes: u64) -> Self {
            self.$($place).+.limits.expansion_memory = bytes;
            self
        }
    };
    (kept_draws) => {
        /// Keeps draws for [`Answer::draws`]($crate::Answer::draws). `keep_draws` has no effect for Markov chains, which always keep their draws for
        /// their standard errors.
        pub fn keep_draws(self) -> Self {
            self
        }
    };
    (keep_draws: $($place:ident).+) => {
        /// Keeps every draw that satisfies the evidence, with its weight, for [`Answer::draws`]($crate::Answer::draws).
        pub fn keep_draws(mut self) -> Self {
            self.$($place).+ = true;
            self
        }
    };
}

/// Parses `text`, an amount of memory such as `6GiB`.
///
/// **Errors.** [`Error::InvalidSetting`] if the text is not an amount of memory.
pub fn memory_of(algorithm: &'static str, text: &str) -> Result<Bytes, Error> {
    text.parse().map_err(|_| {
        Error::invalid_setting(
            algorithm,
            "fitting",
            text,
            "write an amount of memory such as 512MiB or 6GiB",
        )
    })
}
