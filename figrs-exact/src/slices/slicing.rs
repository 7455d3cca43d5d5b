//! Settings of the algorithms that divide a model into slices.

use figrs_core::{Bytes, Limits};

use figrs_answer::run::watch::Watch;
use figrs_factor::eliminate::available_bytes;

/// Fraction of the memory setting that messages may take; the rest is for factors and for the program.
const MESSAGES: f64 = 0.625;

/// Settings of algorithms that use slices: memory, threads and limits.
#[derive(Clone, Debug)]
pub(super) struct Slicing {
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

    /// Returns the number of threads; at most `at_once`, the number of slices that fit the memory at the same time.
    pub(super) fn threads(&self, at_once: usize) -> usize {
        self.limits.thread_count().min(at_once)
    }
}

/// Defines the setter methods and the cost prediction of an algorithm that has a field `slicing`, a constant `NAME` and a method `plan`.
macro_rules! slicing_settings {
    () => {
        figrs_answer::setters!(memory: slicing: Slicing);
        figrs_answer::setters!(expansion: slicing.limits);
        figrs_answer::setters!(threads: slicing.limits.threads);
        figrs_answer::setters!(watch: slicing.watch);
        figrs_answer::setters!(part_of: slicing.watch);

        /// Predicts the number of slices and the cost of each slice, without computing any slice.
        ///
        /// **Errors.** The errors of the expansion of the model (the listing of all possible values) and of the choice of slices.
        pub fn cost(
            &self,
            model: &Model,
            targets: impl figrs_core::Parents,
        ) -> Result<crate::slices::SliceCost, Error> {
            figrs_answer::guarded(|| {
                let targets = targets.elements();
                let plan = self.plan(&self.start(), &Question::new(model, &targets))?;
                Ok(plan.cost())
            })
        }

        pub(crate) fn start(&self) -> RunMonitor<'_> {
            self.slicing.watch.start(Self::NAME, None)
        }
    };
}
pub(super) use slicing_settings;
