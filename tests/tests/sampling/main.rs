//! Tests of samplers and Markov chains: kernels without sampling error, accuracy, distributions.

mod columns;
mod densities;
mod distributions;
mod endless_worlds;
mod gibbs;
mod gibbs_kernel;
mod learning;
mod metropolis_hastings;
mod metropolis_hastings_kernel;
mod particle_filter;
mod pinned_draws;
mod rare_values;
mod running;
mod samplers;
mod sampling_properties;
