//! Flat programs that evaluate the elements of a model, in one world (one assignment of values to the elements) at a time or in many worlds together.
//!
//! A [`Program`] has an index for each element on which the roots of a model depend. [`Program::run`] evaluates the elements in dependency order with
//! an explicit stack, and asks a [`Chooser`] for each random value. An element that a `Chain` creates is added to the program when a world first
//! evaluates it; if there are too many such elements, they are removed.
//!
//! A `Block` evaluates thousands of worlds together, one element after another. Branches that few worlds take are evaluated one world at a time, with
//! a stack like that of a [`Program`]. A `Trace` is one world that changes step by step, for Markov chains. `Block` and `Trace` use the module
//! `numbering` for the indices of elements and for the backward propagation of observations. [`Program`] deliberately shares no code with this
//! module, because tests compare the results of a `Block` and a `Trace` with those of a `Program`.

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

/// Treatment of observations in a world: as factors of its weight, or as comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observations {
    /// If the structure of the model allows this, an observed choice has the observed value, and the weight of the world is multiplied by its
    /// likelihood.
    Weigh,
    /// Values are chosen as if nothing were observed; a world that contradicts an observation has weight zero.
    Compare,
}

/// Interfaces between flat programs and inference algorithms. The interfaces between flat programs and inference algorithms are not for users of
/// figrs, and may change with any version.
#[doc(hidden)]
pub mod internals {
    pub use crate::columns::{
        Block, BlockWeights, PlainWeights, Pool, PopulationWeights, TargetColumn, WeightForm,
    };
    pub use crate::trace::{Change, Site, Trace};
}
