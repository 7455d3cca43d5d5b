//! The limits of an exact algorithm: memory, work, time and threads.

use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use figrs_core::expand::{Budget, Expansion, ExpansionCache};
use figrs_core::internals::QueryKind;
use figrs_core::{AnyElement, Bytes, Model, Until};

pub mod call_solver;
use crate::error::Error;
use figrs_factor::eliminate::Options;

/// Limits of an expansion and of its elimination: budget, options, threads and depth.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub budget: Budget,
    pub options: Options,
    /// Maximum number of threads that share the work; all cores if `None`.
    pub threads: Option<NonZero<usize>>,
    /// Maximum depth of nested Chains; deeper Chains are not expanded. `None` if the depth is not limited.
    #[doc(hidden)]
    pub depth: Option<usize>,
}

/// Defines the setters for the limits of an exact algorithm with a field `limits`.
#[doc(hidden)]
#[macro_export]
macro_rules! limited {
    () => {
        /// Sets the limits on the expansion of the model.
        pub fn budget(mut self, budget: figrs_core::expand::Budget) -> Self {
            self.limits.budget = budget;
            self
        }

        /// Sets the elimination order and the limits of each elimination.
        pub fn options(mut self, options: figrs_factor::eliminate::Options) -> Self {
            self.limits.options = options;
            self
        }
    };
}
pub use limited;

/// Parses a text that states the memory of an algorithm.
///
/// **Errors.** [`Error::InvalidSetting`] if the text is not a number of bytes.
pub fn memory_of(algorithm: &'static str, text: &str) -> Result<Bytes, Error> {
    text.parse().map_err(|_| Error::InvalidSetting {
        algorithm,
        setting: "fitting",
        value: text.to_owned(),
        remedy: "write an amount of memory such as 512MiB or 6GiB",
    })
}

/// Number of threads that this machine can run at the same time.
pub fn cores() -> usize {
    // The number is stored, because the system call takes longer than a small query.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

impl Limits {
    /// The same limits, with the deadline and the interrupt of `until`.
    #[must_use]
    pub fn until(&self, until: &Until) -> Self {
        Self {
            options: self.options.until(until),
            ..self.clone()
        }
    }

    /// The same limits, with `flag` as the interrupt.
    #[must_use]
    #[doc(hidden)]
    pub fn interrupted_by(&self, flag: Arc<AtomicBool>) -> Self {
        self.until(&Until {
            interrupt: Some(flag),
            ..self.options.end().clone()
        })
    }

    #[doc(hidden)]
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(cores, NonZero::get)
    }

    /// Expands a model, as far as these limits allow, for sums over its worlds.
    pub fn expand(&self, model: &Model, targets: &[AnyElement]) -> Result<Expansion, Error> {
        match self.depth {
            Some(depth) => {
                let mut memory = ExpansionCache::default();
                let budget = self.budget;
                Ok(Expansion::to_depth(
                    model,
                    targets,
                    budget,
                    depth,
                    (&mut memory, self.options.end()),
                )?)
            }
            None => Expansion::sharing_calls(
                model,
                targets,
                (self.budget, self.options.end()),
                QueryKind::Sums,
                |body| call_solver::sums(body, &self.options),
            ),
        }
    }

    /// Expands a model for a search of its most probable world. For each value of a shared call, the weight is that of the most probable
    /// world with this value.
    #[doc(hidden)]
    pub fn expand_for_best_world(
        &self,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Expansion, Error> {
        Expansion::sharing_calls(
            model,
            targets,
            (self.budget, self.options.end()),
            QueryKind::BestWorld,
            |body| call_solver::maxima(body, &self.options),
        )
    }
}
