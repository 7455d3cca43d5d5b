//! Sequential Monte Carlo samplers.

pub mod particle_filter;
pub(crate) mod population_tally;
pub(crate) mod populations;
pub(crate) mod resampling;
pub(crate) mod sequential_monte_carlo;
