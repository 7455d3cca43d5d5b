//! Lowering of elements to flat programs, which run one world (one assignment of values to the elements) at a time.
//!
//! A [`Program`] numbers the elements that the roots of a model reach. [`Program::run`] evaluates the elements in dependency order with
//! an explicit stack, and asks a [`Chooser`] for each random value. An element that a Chain creates joins a program when a world first
//! reaches it; if there are too many such elements, they are evicted.
//!
//! A `Block` runs thousands of worlds together, element by element. Branches that few worlds take are evaluated one world at a time, with
//! a stack like that of a [`Program`]. A `Trace` holds one world and modifies it, for Markov chains. `Block` and `Trace` use the module
//! `numbering` to number elements and to propagate observations backwards. [`Program`] deliberately has its own numbering and its own
//! backward propagation, because tests compare `Block` and `Trace` with it.

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
pub use world::run::{Chooser, Observations};

/// Interfaces between lowered programs and the inference algorithms of figrs. The module `internals` is not for users: any version may
/// change it.
#[doc(hidden)]
pub mod internals {
    pub use crate::columns::{
        Block, BlockWeights, ColumnValues, PlainWeights, Pool, TargetColumn, WeightForm,
    };
    pub use crate::trace::{Change, Site, Trace};
}
