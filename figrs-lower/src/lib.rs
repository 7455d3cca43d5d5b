//! Flat programs that evaluate the elements of a model, in one world (one assignment of values to the elements) at a time or in many worlds together.
//!
//! A [`Program`] gives an index to each element (random variable) on which the roots of a model (its targets and evidence variables) depend.
//! [`Program::run`] evaluates the elements in dependency order with an explicit stack, and asks a [`Chooser`] for each random value. An element that
//! a function of a `Chain` creates is added to the program when a world first evaluates the element; if there are too many such elements, they are
//! removed.
//!
//! A `Block` evaluates thousands of worlds together, one element after another. In a `Block`, branches of a `Chain` that few worlds take are
//! evaluated one world at a time, with a stack like that of a [`Program`]. A `Trace` is one world that changes step by step, for Markov chains.
//! `Block` and `Trace` use the module `numbering` for the indices of elements and for the backward propagation of observations. [`Program`]
//! deliberately does not use the module `numbering`, because tests compare the results of a `Block` and a `Trace` with those of a `Program`.

#![warn(clippy::unwrap_used)]

#[doc(hidden)]
pub mod columns;
mod numbering;
#[doc(hidden)]
pub mod trace;
mod world;

pub use figrs_core::internals::Choice;
pub use numbering::EvidenceOrder;
pub use world::program::{Program, Slot};
pub use world::run::Chooser;

/// Use of observations in the evaluation of a world: an observation is a factor of the world's weight, or a comparison with the drawn value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observations {
    /// If the structure of the model allows it, an observed random choice takes the observed value, and the weight of the world is multiplied by the
    /// likelihood of this value.
    Weigh,
    /// Values are chosen as if nothing were observed; a world that contradicts an observation has weight zero.
    Compare,
}

/// Interfaces between programs that evaluate worlds of a model and inference algorithms. These interfaces between the evaluation of worlds and
/// inference algorithms are not for users of figrs, and may change with any version.
#[doc(hidden)]
pub mod internals {
    pub use crate::columns::{
        Block, BlockWeights, PlainWeights, Pool, PopulationWeights, TargetColumn, WeightForm,
    };
    pub use crate::trace::{Change, Site, Trace};
}
