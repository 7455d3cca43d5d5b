//! The XML format for Bayesian networks, version 0.3.

mod read;

pub(super) use read::read;
