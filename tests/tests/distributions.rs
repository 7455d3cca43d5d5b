//! Every distribution against the formulas of its definition, and its draws against its own probabilities.

#[path = "distributions/atomic.rs"]
mod atomic;
#[path = "distributions/continuous.rs"]
mod continuous;
#[path = "distributions/discrete.rs"]
mod discrete;
#[path = "distributions/extremes.rs"]
mod extremes;
#[path = "distributions/finite.rs"]
mod finite;
#[path = "distributions/parameters.rs"]
mod parameters;
#[path = "distributions/vectors.rs"]
mod vectors;
