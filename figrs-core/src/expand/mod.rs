//! Expansion of elements, and their conversion to a factor graph.
//!
//! [`Expansion::new`] visits the elements of a model from its roots, and lists the values of each element. The expansion calls each `Chain`'s
//! function once for each combination of parent values that the evidence allows. [`Encoding`] converts the expansion to variables and factors. A
//! `Chain` becomes one conditional table if each of its results is an atomic element that nothing else uses. For any other `Chain`, a selector
//! variable connects the results with the `Chain`, so that the costs of the branches are added, not multiplied.
//!
//! [`Expansion::to_depth`] omits `Chain` elements that are nested too deeply. Elements that depend on `Chain` elements beyond the depth have the
//! additional value `unknown`. Encodings of an expansion to some depth bound the sums over all worlds from below and from above.
//!
//! [`Expansion::sharing_calls`] solves each call of a [`Recursive`](crate::Recursive) function once for each argument.
//!
//! [`Expansion::submodels`] finds sub-models with a small interface, which [`Expansion::with_solved`] replaces by their distributions.
//!
//! [`Expansion::learning`] replaces [`Learned`](crate::Learned) elements by parameters, and records for each weight the
//! outcome whose probability it is.
//!
//! [`Expansion::deciding`] makes the options of each decision its values, without probabilities.
//!
//! If a function fails for some combination of values, the expansion records [`FunctionFailures`]. Before an algorithm
//! reports the failure of a function, it tests with [`Encoding::for_failures`] whether a world can reach the failure.

mod bounded;
mod cache;
pub(crate) mod calls;
mod encode;
mod encode_chain;
mod encode_results;
mod encoding;
mod expander;
mod expansion;
mod product;
mod reach;
mod rows;
mod submodels;
mod walks;

pub use cache::ExpansionCache;
pub use encoding::Encoding;
pub use expander::learned::{LearnedParameter, LearnedParameters};
pub use expansion::{
    Cell, Content, ExpandedElement, Expansion, FunctionFailures, ParametricOutcomes,
};
pub use submodels::{SolvedSubmodel, Submodel};
