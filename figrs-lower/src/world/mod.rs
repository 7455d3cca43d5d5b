//! One world at a time: a flat program run with an explicit stack.
//!
//! This module deliberately shares nothing with the columns and the trace: it is the oracle of their tests.

pub(crate) mod program;
pub(crate) mod run;
