//! figrs
