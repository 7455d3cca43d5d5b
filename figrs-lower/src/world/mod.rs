//! Evaluation of one world at a time, by a list of elements with an explicit stack instead of recursion.
//!
//! The module `world` deliberately shares no code with the modules `columns` and `trace`, because tests compare the results of these modules with
//! those of `world`.

pub(crate) mod program;
pub(crate) mod run;
