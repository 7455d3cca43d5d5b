//! The limits of an exact algorithm.

use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use figrs_core::expand::{Budget, Expansion, ExpansionCache};
use figrs_core::internals::QueryKind;
use figrs_core::{AnyElement, Bytes, Model, Until};

pub mod call_solver;
use crate::error::Error;
use figrs_factor::eliminate::Options;

/// Resources of an expansion and its elimination: budget, options, threads, depth.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub budget: Budget,
    pub options: Options,
    /// Maximum number of threads that share the work; all cores if `None`.
    pub threads: Option<NonZero<usize>>,
    /// Depth limit, if there is one: Chains nested in this many other Chains are left out.
    #[doc(hidden)]
    pub depth: Option<usize>,
}

/// The settings that limit an exact algorithm with a field `limits`.
#[doc(hidden)]
#[macro_export]
macro_rules! limited {
    () => {
        /// Limits the expansion of the model.
        pub fn budget(mut self, budget: figrs_core::expand::Budget) -> Self {
            self.limits.budget = budget;
            self
        }

        /// Sets the order and the limits of each elimination.
        pub fn options(mut self, options: figrs_factor::eliminate::Options) -> Self {
            self.limits.options = options;
            self
        }
    };
}
pub use limited;

/// Reads the memory that a text states for an algorithm.
///
/// **Errors.** [`Error::InvalidSetting`].
pub fn memory_of(algorithm: &'static str, text: &str) -> Result<Bytes, Error> {
    text.parse().map_err(|_| Error::InvalidSetting {
        algorithm,
        setting: "fitting",
        value: text.to_owned(),
        remedy: "write an amount of memory such as 512MiB or 6GiB",
    })
}

/// Number of threads that run at once on this machine.
pub fn cores() -> usize {
    // The system call takes longer than a small query.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

impl Limits {
    /// The same limits with a deadline and an interrupt.
    #[must_use]
    pub fn until(&self, until: &Until) -> Self {
        Self {
            options: self.options.until(until),
            ..self.clone()
        }
    }

    /// The same limits with an interrupt.
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

    /// Expands a model as far as these limits allow, to sum over its worlds.
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

    /// Expands a model to find its most probable world: a shared call has the weight of its most probable world with each value.
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
