//! Every distribution against the formulas of its definition, and its draws against its own probabilities.

#[path = "distributions/atomic.rs"]
mod atomic;
#[path = "distributions/continuous.rs"]
mod continuous;
#[path = "distributions/extremes.rs"]
mod extremes;
