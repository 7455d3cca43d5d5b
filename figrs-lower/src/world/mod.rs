//! Evaluation of one world at a time: a flat program with an explicit stack.
//!
//! The module `world` deliberately shares no code with the modules `columns` and `trace`, because
//! tests compare them with it.

pub(crate) mod program;
pub(crate) mod run;
