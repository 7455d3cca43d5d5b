//! Expansion of a model (the list of the possible values of each element), and its conversion to a factor graph.
//!
//! [`Expansion::new`] visits the elements of a model from its roots (targets and elements with evidence), and lists the possible values of each
//! element. For each combination of parent values that the evidence allows, `Expansion::new` calls the function of a `Chain` once. [`Encoding`]
//! converts the expanded model to the variables and factors of a factor graph. A `Chain` becomes one conditional probability table if each element
//! that it can choose has no parents and is used by nothing else. For any other `Chain`, a selector variable connects the elements that it can choose
//! with the `Chain`, so that the cost of inference grows with the sum of the branches' costs, not with their product.
//!
//! The method [`Expansion::to_depth`] omits `Chain` elements that are nested too deeply. Elements that depend on `Chain` elements below the depth
//! limit have the additional value `unknown`. The factor graphs of a model that is expanded to a limited depth give lower and upper bounds of the
//! sums over all worlds.
//!
//! The method [`Expansion::sharing_calls`] computes the distribution of each call of a [`Recursive`](crate::Recursive) function once for each
//! argument.
//!
//! [`Expansion::submodels`] finds sub-models with a small interface to the rest of the model, which [`Expansion::with_solved`] replaces by their
//! distributions.
//!
//! [`Expansion::learning`] replaces [`Learned`](crate::Learned) elements by `Param`s, and records which outcome's probability each weight is.
//!
//! [`Expansion::deciding`] treats the options of each decision as its possible values, without probabilities.
//!
//! If a function fails for some combination of parent values, the expansion records the failure in [`FunctionFailures`]. Before an algorithm reports
//! the failure of a function, it tests with [`Encoding::for_failures`] whether the failure occurs in a possible world.

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
