//! Settings of a portfolio of algorithms: memory, work, threads, and limits on the expansion of the model (the listing of all possible values).

use figrs_core::{Bytes, Limits};

use crate::closed_form::Collapse;
use figrs_answer::{AlgorithmAttempt, Listener, RunMonitor, Watch};
use figrs_factor::bounds::Bounds;
use figrs_factor::eliminate::available_bytes;

/// Fraction of a portfolio's memory for the messages of an elimination; the rest is for factors and for the program.
const MESSAGES: f64 = 0.75;
/// Maximum number of partial assignments that an elimination visits for each predicted operation; if it visits more, the prediction was wrong.
const MOST_RATIO: f64 = 8.0;
/// Maximum memory of messages in bytes, for each permitted operation of an elimination.
const BYTES: f64 = 16.0;
/// Default of the maximum number of predicted operations of an algorithm: about an hour.
const WORK: f64 = 1e12;

/// Memory, work and limits that the algorithms of a portfolio share.
#[derive(Clone, Debug)]
pub(super) struct PortfolioSettings {
    /// The memory that the whole process may take.
    pub(super) memory: Bytes,
    /// Limits of the algorithms: bytes of messages, predicted operations, threads, and the limits on the expansion of the model (the listing of all
    /// possible values). For queries after the run, [`limits_afterwards`](Self::limits_afterwards) also limits the memory of expansions.
    pub(super) limits: Limits,
    pub(super) watch: Watch,
    pub(super) collapse: Collapse,
    pub(super) bounds_listener: Listener<Bounds>,
    pub(super) attempt_listener: Listener<AlgorithmAttempt>,
}

impl Default for PortfolioSettings {
    fn default() -> Self {
        let memory = available_bytes();
        Self {
            memory: Bytes(memory),
            limits: Limits::default().memory(memory).work(WORK),
            watch: Watch::default(),
            collapse: Collapse::default(),
            bounds_listener: Listener::default(),
            attempt_listener: Listener::default(),
        }
    }
}

impl PortfolioSettings {
    pub(super) fn within(memory: Bytes) -> Self {
        let messages = (memory.0 as f64 * MESSAGES) as u64;
        Self {
            memory,
            limits: Limits::default().memory(messages).work(WORK),
            ..Self::default()
        }
    }

    /// Returns the maximum number of bytes of the messages of an elimination of all variables.
    fn messages(&self) -> f64 {
        self.limits
            .memory
            .map_or(f64::INFINITY, |bytes| bytes as f64)
    }

    /// Returns the limits of an elimination with at most `operations` predicted operations, and of the expansion of the model that precedes the
    /// elimination. If the predicted number `operations` is below the limit of work, the elimination ends when it has done far more operations than
    /// predicted.
    pub(super) fn elimination(&self, operations: f64, run: &RunMonitor<'_>) -> Limits {
        let work = self.limits.work;
        let ratio = if operations < work {
            MOST_RATIO
        } else {
            f64::INFINITY
        };
        // The messages of the elimination take at most `BYTES` bytes for each permitted operation.
        let bytes = (BYTES * operations).min(self.messages()) as u64;
        let entries = usize::try_from(bytes / size_of::<f64>() as u64);
        (self.limits_of_expansion(run).memory(bytes))
            .table_entries(entries.unwrap_or(usize::MAX))
            .work(operations)
            .assignments(ratio, work.max(operations))
    }

    /// Returns the limits of later queries of a compiled model or an answer. An expansion of the model for a later query takes at most the memory of
    /// the portfolio, or a mebibyte, which suffices for a model written by hand.
    pub(super) fn limits_afterwards(&self) -> Limits {
        const LEAST: u64 = 1 << 20;
        let bytes = self.limits.expansion_memory.min(self.memory.0.max(LEAST));
        let limits = self.limits.clone().work(f64::INFINITY);
        limits.expansion_memory(bytes)
    }

    /// Returns the limits of an expansion of the model, and of the eliminations that are part of the expansion.
    pub(super) fn limits_of_expansion(&self, run: &RunMonitor<'_>) -> Limits {
        self.limits_afterwards().until(run.until())
    }

    pub(super) fn has_room_for(&self, bytes: f64) -> bool {
        bytes <= self.messages()
    }
}

/// Defines the setter methods of a portfolio that has a field `settings`.
macro_rules! portfolio_settings {
    () => {
        figrs_answer::setters!(memory: settings: PortfolioSettings);
        figrs_answer::setters!(expansion: settings.limits);
        figrs_answer::setters!(threads: settings.limits.threads);
        figrs_answer::setters!(watch: settings.watch);

        /// Sets the maximum number of operations of an algorithm (default `1e12`, about an hour); an algorithm with more operations, predicted or
        /// counted, is not started or is stopped.
        pub fn work(mut self, operations: f64) -> Self {
            self.settings.limits.work = operations;
            self
        }

        /// Calls `listener` with each improved pair of bounds of the log-probability of the evidence, or of the most probable world.
        pub fn on_bounds(
            mut self,
            listener: impl Fn(&figrs_factor::bounds::Bounds) + Send + Sync + 'static,
        ) -> Self {
            self.settings.bounds_listener = figrs_answer::Listener::new(listener);
            self
        }

        /// Calls `listener` after each algorithm that was tried; even a run without an answer then reports its attempts.
        pub fn on_attempt(
            mut self,
            listener: impl Fn(&figrs_answer::AlgorithmAttempt) + Send + Sync + 'static,
        ) -> Self {
            self.settings.attempt_listener = figrs_answer::Listener::new(listener);
            self
        }
    };
}
pub(super) use portfolio_settings;
