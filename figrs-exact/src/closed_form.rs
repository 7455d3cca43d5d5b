//! Exact answers in closed form for models of real numbers, if the feature `reals` is on.

#[cfg(feature = "reals")]
pub(crate) use figrs_reals::{Collapse, best_world_in_closed_form, in_closed_form};

#[cfg(not(feature = "reals"))]
use figrs_answer::{answer::Answer, error::Error};
#[cfg(not(feature = "reals"))]
use figrs_core::{AnyElement, Limits, Model};

/// The approximation of mixtures with too many components; only models of real numbers have such mixtures.
#[cfg(not(feature = "reals"))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Collapse {
    #[default]
    Never,
}

/// Returns the error `refused`, because the feature `reals` is off.
#[cfg(not(feature = "reals"))]
pub(crate) fn in_closed_form(
    _: &'static str,
    _: (&Model, &[AnyElement]),
    _: (&Limits, Collapse),
    refused: Error,
) -> Result<Answer, Error> {
    Err(refused)
}

/// Returns the error, because the feature `reals` is off.
#[cfg(not(feature = "reals"))]
pub(crate) fn best_world_in_closed_form(
    _: &'static str,
    _: (&Model, &[AnyElement]),
    _: &Limits,
    refused: Error,
) -> Result<Answer, Error> {
    Err(refused)
}

/// Defines the setter for the approximation of mixtures with too many components, from the path of its field.
macro_rules! collapse_setter {
    ($($place:ident).+) => {
        /// Sets the approximation of mixtures of normal distributions with too many components (default [`Collapse::Never`]).
        ///
        /// [`Collapse::Never`]: figrs_reals::Collapse::Never
        #[cfg(feature = "reals")]
        pub fn collapse(mut self, collapse: figrs_reals::Collapse) -> Self {
            self.$($place).+ = collapse;
            self
        }
    };
}
pub(crate) use collapse_setter;
