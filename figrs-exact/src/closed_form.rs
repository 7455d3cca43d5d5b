//! Exact answers in closed form for models of real numbers, if the feature `reals` is on.

#[cfg(feature = "reals")]
pub(crate) use figrs_reals::{
    Collapse, best_world_in_closed_form, despite_rounding, in_closed_form,
};

use figrs_answer::{Answer, Error};
use figrs_core::{AnyElement, Limits, Model};

/// The approximation of mixtures of normal distributions with too many components; only models of real numbers have these mixtures.
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

/// Returns `None`, because the feature `reals` is off.
#[cfg(not(feature = "reals"))]
pub(crate) fn despite_rounding(
    _: &'static str,
    _: (&Model, &[AnyElement]),
    _: (&Limits, Collapse),
) -> Option<Answer> {
    None
}

/// Returns the error `refused`, because the feature `reals` is off.
#[cfg(not(feature = "reals"))]
pub(crate) fn best_world_in_closed_form(
    _: &'static str,
    _: (&Model, &[AnyElement]),
    _: &Limits,
    refused: Error,
) -> Result<Answer, Error> {
    Err(refused)
}

/// Returns the answer `found` of an algorithm for finite elements, or a closed-form answer if this algorithm refused the model, or if rounding errors
/// made possible evidence seem impossible.
pub(crate) fn or_in_closed_form(
    algorithm: &'static str,
    question: (&Model, &[AnyElement]),
    within: (&Limits, Collapse),
    found: Result<Answer, Error>,
) -> Result<Answer, Error> {
    match found {
        Err(refused) => in_closed_form(algorithm, question, within, refused),
        Ok(answer) => {
            let log_evidence = answer.log_evidence().map(|evidence| evidence.value);
            let better = match log_evidence {
                Ok(f64::NEG_INFINITY) => despite_rounding(algorithm, question, within),
                _ => None,
            };
            Ok(better.unwrap_or(answer))
        }
    }
}

/// Defines the setter method for the approximation of mixtures with too many components; the argument of the macro is the path of the field to set.
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
