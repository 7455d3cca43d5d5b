//! Expansion of elements, and their conversion to a factor graph.
//!
//! [`Expansion::new`] walks a model from its roots and numbers the values of every element. It calls each Chain's function
//! once for every combination of parent values that evidence leaves possible. [`Encoding`] turns the expansion into
//! variables and factors. A Chain becomes one conditional table if its results are plain atomic elements of its own. Other
//! results are joined through a selector variable, at a cost that adds up over the branches instead of multiplying.
//!
//! [`Expansion::to_depth`] leaves out Chains that are nested too deeply. Elements that need the omitted Chains have the
//! additional value `unknown`. The encodings of such an expansion bound the sums over all worlds from below and from
//! above.
//!
//! [`Expansion::sharing_calls`] solves each call of a [`Recursive`](crate::Recursive) function once for each argument.
//!
//! [`Expansion::learning`] replaces [`Learned`](crate::Learned) elements by parameters; each weight that a parameter
//! determines records its outcome.
//!
//! [`Expansion::deciding`] gives decisions their options as values, without probabilities.
//!
//! A function that fails for some combination of values leaves [`FunctionFailures`]. Before an algorithm reports the
//! failure, it uses [`Encoding::for_failures`] to test whether a world can reach the failure.

mod bounded;
mod cache;
mod calls;
mod content;
mod encode;
mod encode_chain;
mod encode_results;
mod encoding;
mod expander;
mod expansion;
mod expansion_memory;
mod parametric;
mod product;
mod reach;
mod rows;
pub(crate) mod sharing;
mod situation;
mod walks;

pub use cache::ExpansionCache;
pub use content::{Content, ExpandedElement, FunctionFailures};
pub use encoding::Encoding;
pub use expansion::Expansion;
pub use parametric::{LearnedParameter, LearnedParameters, ParametricOutcomes};
