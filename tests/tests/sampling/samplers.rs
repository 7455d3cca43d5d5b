//! Tests that every sampler can be trusted: its numbers deviate from the exact ones as much as it states, no more and no less.
//!
//! The samplers are those of `figrs_tests::samplers`, the models those of `figrs_tests::reference_models`, the tolerances
//! those of `figrs_tests::significance`. The seeds are fixed: a test that passed once passes always.

mod accounts;
mod accuracy;
mod best_world;
mod calibration;
mod rare_evidence;
mod spread;
mod weighed_together;
