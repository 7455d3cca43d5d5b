//! Tests of demands on levels of the reference corpora.

mod movement_demands;
mod ngram_runs;
mod seen_levels;
mod vglc_movements;
mod vglc_smb;
