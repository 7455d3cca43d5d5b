//! Every distribution against the formulas of its definition, and its draws against its own probabilities.

mod atomic;
mod continuous;
mod discrete;
mod extremes;
mod finite;
mod parameters;
mod vectors;
