//! One world at a time: a flat program run with an explicit stack.
//!
//! It shares nothing with the columns and the trace on purpose: it is the oracle of their tests.

pub(crate) mod program;
pub(crate) mod run;
