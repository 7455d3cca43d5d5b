//! Tests of demands on levels of the reference corpora.

mod movement_demands;
mod ngram_runs;
#[path = "../samplers.rs"]
mod samplers;
mod seen_levels;
mod vglc_movements;
mod vglc_smb;
