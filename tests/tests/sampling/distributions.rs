//! Tests of every distribution against the formulas of its definition, and of its draws against its probabilities.

mod atomic;
mod continuous;
mod discrete;
mod extremes;
mod finite;
mod matrices;
mod parameters;
mod vectors;
