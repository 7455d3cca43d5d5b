//! Every sampler can be trusted: its numbers are as far from the exact ones as it says, no more and no less.
//!
//! The samplers are those of `figrs_tests::samplers`, the models those of `figrs_tests::reference_models`, the tolerances
//! those of `figrs_tests::significance`. The seeds are fixed: a test that passed once passes always.

#[path = "samplers/accounts.rs"]
mod accounts;
#[path = "samplers/accuracy.rs"]
mod accuracy;
#[path = "samplers/best_world.rs"]
mod best_world;
#[path = "samplers/calibration.rs"]
mod calibration;
#[path = "samplers/rare_evidence.rs"]
mod rare_evidence;
#[path = "samplers/spread.rs"]
mod spread;
