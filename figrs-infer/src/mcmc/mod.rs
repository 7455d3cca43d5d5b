//! Markov chain Monte Carlo: Metropolis-Hastings, Gibbs sampling, simulated annealing.

pub mod gibbs;
pub(crate) mod metropolis_hastings;
pub(crate) mod simulated_annealing;
