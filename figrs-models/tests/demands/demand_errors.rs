//! Demands that cannot be stated.
