//! The limits of an exact algorithm.

use figrs_core::expand::Budget;

use crate::eliminate::Options;

/// What the expansion of a model and its elimination may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) budget: Budget,
    pub(crate) options: Options,
}
