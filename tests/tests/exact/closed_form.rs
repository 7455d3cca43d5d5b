//! Normal elements in closed form: published and computed answers, refusals, and random models against dense normal distributions.

mod approximate_filter;
mod best_world;
mod collapse;
mod collapsed;
mod collapsed_cases;
mod conjugate;
mod corrected;
mod covariances;
mod earlier_elements;
mod filter;
mod filter_law;
mod intervals;
mod law_precision;
mod limits;
mod propagation;
mod random_models;
mod reference;
mod refusals;
mod repeated_observations;
mod saved_filter;
mod smoothing;
mod switching;
mod widening;
